package io.fanfold.it.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.mysql.cj.jdbc.JdbcConnection;
import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.client.WireSettings;
import io.fanfold.config.BackendConfig;
import io.fanfold.config.BackendConfig.ProxyProtocol;
import io.fanfold.config.BackendTlsConfig;
import io.fanfold.config.ListenerConfig;
import io.fanfold.config.ListenerTlsConfig;
import io.fanfold.config.Secret;
import io.fanfold.it.support.data.SlowTables;
import io.fanfold.it.support.data.Sql;
import io.fanfold.it.support.load.Background;
import io.fanfold.it.support.proxy.PlainProxy;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.tls.BackendTls;
import io.fanfold.wire.Reply;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Every authentication method, with and without encryption on either side of the proxy. */
class TlsIT {
    private static final String GUEST = "tls_guest";

    private static final List<String> PASSWORDS =
            List.of("", "pw", "p\u00e4\u00df w\u00f6rd", "a password that is a good deal longer than twenty bytes");

    /** Which sides of a connection through the proxy are encrypted. */
    private record Ways(boolean client, boolean server) {
        static final List<Ways> ALL =
                List.of(new Ways(false, false), new Ways(false, true), new Ways(true, false), new Ways(true, true));
    }

    private static PlainProxy proxy(TestServer server, Ways ways) throws Exception {
        return PlainProxy.start(
                PlainProxy.anyPort().withTls(ListenerTlsConfig.of(ListenerTlsConfig.ListenerTlsMode.PREFERRED)),
                PlainProxy.before(server)
                        .withTls(BackendTlsConfig.of(
                                        ways.server()
                                                ? BackendTlsConfig.BackendTlsMode.REQUIRED
                                                : BackendTlsConfig.BackendTlsMode.DISABLED)
                                .withClearClients(BackendTlsConfig.ClearClients.ALLOW)));
    }

    private static WireConnection connect(int port, boolean encrypted, String user, String password) throws Exception {
        WireSettings.@Nullable Tls tls = encrypted
                ? new WireSettings.Tls(
                        new BackendTls(BackendTlsConfig.of(BackendTlsConfig.BackendTlsMode.REQUIRED)), "127.0.0.1")
                : null;
        return WireConnection.open(new WireSettings(
                "127.0.0.1",
                port,
                user,
                new Secret(password),
                Duration.ofSeconds(10),
                Duration.ofSeconds(20),
                Duration.ZERO,
                WireSettings.DEFAULT_MAX_PAYLOAD_BYTES,
                ProxyProtocol.OFF,
                tls));
    }

    private static void admin(TestServer server, String... statements) throws Exception {
        try (WireConnection admin =
                ProxiedServer.connect(server.host(), server.port(), server.adminUser(), server.adminPassword())) {
            for (String statement : statements) {
                admin.execute(statement);
            }
        }
    }

    private static String value(WireConnection connection, String sql) throws Exception {
        return String.valueOf(connection.query(sql).rows().get(0));
    }

    private static void logsIn(TestServer server, String account, List<String> passwords, boolean flush)
            throws Exception {
        for (Ways ways : Ways.ALL) {
            try (PlainProxy proxy = proxy(server, ways)) {
                for (String password : passwords) {
                    admin(
                            server,
                            "DROP USER IF EXISTS " + GUEST,
                            "CREATE USER " + GUEST + " " + account.formatted(password));
                    if (flush) {
                        // empties the server's password cache, so that the first login is a full exchange
                        admin(server, "FLUSH PRIVILEGES");
                    }
                    for (int i = 0; i < 2; i++) {
                        try (WireConnection guest = connect(proxy.port(), ways.client(), GUEST, password)) {
                            assertThat(value(guest, "SELECT CURRENT_USER()")).isEqualTo(GUEST + "@%");
                            assertThat(value(guest, "SHOW SESSION STATUS LIKE 'Ssl_version'"))
                                    .as("%s", ways)
                                    .startsWith(ways.server() ? "Ssl_version|TLSv1." : "Ssl_version|");
                        }
                    }
                    assertThatThrownBy(() -> connect(proxy.port(), ways.client(), GUEST, password + "x"))
                            .as("%s", ways)
                            .isInstanceOfSatisfying(
                                    ServerException.class,
                                    refusal -> assertThat(refusal.errno()).isEqualTo(1045));
                }
            } finally {
                admin(server, "DROP USER IF EXISTS " + GUEST);
            }
        }
    }

    @OnServers(ServerName.MYSQL)
    void byCachingSha2(TestServer server) throws Exception {
        logsIn(server, "IDENTIFIED WITH caching_sha2_password BY '%s'", PASSWORDS, true);
    }

    @OnServers(ServerName.MYSQL)
    void bySha256(TestServer server) throws Exception {
        logsIn(server, "IDENTIFIED WITH sha256_password BY '%s'", PASSWORDS, false);
    }

    @OnServers(ServerName.MARIADB)
    void byNativePassword(TestServer server) throws Exception {
        logsIn(server, "IDENTIFIED VIA mysql_native_password USING PASSWORD('%s')", PASSWORDS, false);
    }

    @OnServers(ServerName.MARIADB_WITH_PLUGINS)
    void byEd25519(TestServer server) throws Exception {
        for (boolean encrypted : List.of(false, true)) {
            try (PlainProxy proxy = proxy(server, new Ways(encrypted, false))) {
                admin(server, "CREATE USER " + GUEST + " IDENTIFIED VIA ed25519 USING PASSWORD('pw')");
                try (WireConnection guest = connect(proxy.port(), encrypted, GUEST, "pw")) {
                    assertThat(value(guest, "SELECT CURRENT_USER()")).isEqualTo(GUEST + "@%");
                } finally {
                    admin(server, "DROP USER IF EXISTS " + GUEST);
                }
            }
        }
    }

    /** If only one side is encrypted, the proxy must pass on the new user's password in another form. */
    @OnServers(ServerName.MYSQL)
    void aUserIsChanged(TestServer server) throws Exception {
        for (Ways ways : Ways.ALL) {
            for (String plugin : List.of("caching_sha2_password", "sha256_password")) {
                admin(server, "CREATE USER " + GUEST + " IDENTIFIED WITH " + plugin + " BY 'pw'");
                String url = "jdbc:mysql://127.0.0.1:%d/?allowPublicKeyRetrieval=true&sslMode="
                        + (ways.client() ? "REQUIRED" : "DISABLED");
                try (PlainProxy proxy = proxy(server, ways);
                        Connection connection = DriverManager.getConnection(
                                url.formatted(proxy.port()), server.adminUser(), server.adminPassword());
                        Statement statement = connection.createStatement()) {
                    admin(server, "FLUSH PRIVILEGES");
                    for (int i = 0; i < 2; i++) {
                        connection.unwrap(JdbcConnection.class).changeUser(GUEST, "pw");
                        assertThat(Sql.only(statement, "SELECT CURRENT_USER()"))
                                .as("%s, %s", ways, plugin)
                                .isEqualTo(GUEST + "@%");
                    }
                    assertThatThrownBy(() ->
                                    connection.unwrap(JdbcConnection.class).changeUser(GUEST, "wrong"))
                            .isInstanceOfSatisfying(
                                    SQLException.class,
                                    refusal ->
                                            assertThat(refusal.getErrorCode()).isEqualTo(1045));
                } finally {
                    admin(server, "DROP USER IF EXISTS " + GUEST);
                }
            }
        }
    }

    /** The worker account must use encryption, both to split and to kill. */
    @AllServers
    void splitsAndKillsOverEncryptedConnections(TestServer server) throws Exception {
        String worker = ProxiedServer.WORKER + "@'%'";
        admin(
                server,
                "CREATE USER IF NOT EXISTS " + worker + " IDENTIFIED BY '" + ProxiedServer.WORKER_PASSWORD + "'",
                "ALTER USER " + worker + " REQUIRE SSL");
        ProxySetup.Tls tls = new ProxySetup.Tls(
                ListenerTlsConfig.of(ListenerTlsConfig.ListenerTlsMode.REQUIRED),
                BackendTlsConfig.of(BackendTlsConfig.BackendTlsMode.REQUIRED));
        try (ProxiedServer proxy =
                        ProxiedServer.start(server, ProxySetup.ofDegree(3).withTls(tls));
                WireConnection admin = proxy.direct();
                WireConnection client = connect(proxy.port(), true, server.adminUser(), server.adminPassword());
                WireConnection killer = connect(proxy.port(), true, server.adminUser(), server.adminPassword())) {
            SlowTables.create(proxy);
            assertThat(client.query(SlowTables.SHORT).rows().toString()).isEqualTo(SlowTables.SHORT_ANSWER);
            assertThat(proxy.outcome().fannedOut()).isTrue();

            Future<Reply> reply = Background.ask(client, SlowTables.ENDLESS);
            SlowTables.awaitBusyWorkers(admin, 3);
            killer.execute("KILL QUERY " + client.threadId());
            assertThat(reply.get(20, TimeUnit.SECONDS))
                    .isInstanceOfSatisfying(
                            Reply.Failed.class,
                            failed -> assertThat(failed.errno()).isEqualTo(1317));
            SlowTables.awaitNoBusyWorker(admin);
            await().until(() -> proxy.freeWorkers() == 16);
        } finally {
            admin(server, "ALTER USER " + worker + " REQUIRE NONE");
        }
    }

    @AllServers
    void aClientWithoutEncryptionIsRefusedIfItIsRequired(TestServer server) throws Exception {
        try (PlainProxy proxy = PlainProxy.start(
                PlainProxy.anyPort().withTls(ListenerTlsConfig.of(ListenerTlsConfig.ListenerTlsMode.REQUIRED)),
                PlainProxy.before(server))) {
            assertThatThrownBy(() -> connect(proxy.port(), false, server.adminUser(), server.adminPassword()))
                    .isInstanceOfSatisfying(
                            ServerException.class,
                            refusal -> assertThat(refusal.errno()).isEqualTo(3159));
            connect(proxy.port(), true, server.adminUser(), server.adminPassword())
                    .close();
        }
    }

    @AllServers
    void theServersConnectionIsAsTheClients(TestServer server) throws Exception {
        try (PlainProxy proxy = PlainProxy.start(
                PlainProxy.anyPort().withTls(ListenerTlsConfig.of(ListenerTlsConfig.ListenerTlsMode.PREFERRED)),
                PlainProxy.before(server).withTls(BackendTlsConfig.of(BackendTlsConfig.BackendTlsMode.AS_CLIENT)))) {
            for (boolean encrypted : List.of(true, false)) {
                try (WireConnection client =
                        connect(proxy.port(), encrypted, server.adminUser(), server.adminPassword())) {
                    assertThat(value(client, "SHOW SESSION STATUS LIKE 'Ssl_version'"))
                            .startsWith(encrypted ? "Ssl_version|TLSv1." : "Ssl_version|");
                    assertThat(value(client, "SHOW SESSION STATUS LIKE 'Ssl_cipher'"))
                            .hasSizeGreaterThan(encrypted ? 12 : 10)
                            .hasSizeLessThan(encrypted ? 100 : 12);
                }
            }
        }
    }

    /** By default: the server must see whether its client uses TLS. Otherwise the account would be open without TLS. */
    @AllServers
    void anAccountThatRequiresTlsIsClosedToAClientWithoutIt(TestServer server) throws Exception {
        admin(
                server,
                "DROP USER IF EXISTS it_require_ssl",
                "CREATE USER it_require_ssl IDENTIFIED BY 'Secret-1' REQUIRE SSL");
        BackendConfig backend = PlainProxy.before(server).withTls(BackendTlsConfig.defaults());
        try (PlainProxy proxy = PlainProxy.start(PlainProxy.anyPort().withTls(ListenerTlsConfig.defaults()), backend)) {
            connect(proxy.port(), true, "it_require_ssl", "Secret-1").close();
            assertThatThrownBy(() -> connect(proxy.port(), false, "it_require_ssl", "Secret-1"))
                    .isInstanceOfSatisfying(
                            ServerException.class,
                            refusal -> assertThat(refusal.errno()).isEqualTo(1045));
        }
    }

    /** MariaDB as installed by its packages offers no TLS. An account with REQUIRE SSL stays closed. */
    @OnServers(ServerName.MARIADB_WITH_PLUGINS)
    void aServerWithoutTlsServesClientsWithTlsOnlyIfASettingAllowsIt(TestServer server) throws Exception {
        admin(
                server,
                "DROP USER IF EXISTS it_require_ssl",
                "CREATE USER it_require_ssl IDENTIFIED BY 'Secret-1' REQUIRE SSL");
        for (ListenerTlsConfig.ListenerTlsMode mode :
                List.of(ListenerTlsConfig.ListenerTlsMode.PREFERRED, ListenerTlsConfig.ListenerTlsMode.REQUIRED)) {
            ListenerConfig listener = PlainProxy.anyPort().withTls(ListenerTlsConfig.of(mode));
            try (PlainProxy proxy =
                    PlainProxy.start(listener, PlainProxy.before(server).withTls(BackendTlsConfig.defaults()))) {
                assertThatThrownBy(() -> connect(proxy.port(), true, server.adminUser(), server.adminPassword()))
                        .isInstanceOfSatisfying(ServerException.class, refusal -> {
                            assertThat(refusal.errno()).isEqualTo(1158);
                            assertThat(refusal)
                                    .hasMessageContaining("backend.tls.mode is as_client; expected preferred");
                        });
            }
            BackendConfig backend =
                    PlainProxy.before(server).withTls(BackendTlsConfig.of(BackendTlsConfig.BackendTlsMode.PREFERRED));
            try (PlainProxy proxy = PlainProxy.start(listener, backend)) {
                connect(proxy.port(), true, server.adminUser(), server.adminPassword())
                        .close();
                assertThatThrownBy(() -> connect(proxy.port(), true, "it_require_ssl", "Secret-1"))
                        .isInstanceOfSatisfying(
                                ServerException.class,
                                refusal -> assertThat(refusal.errno()).isEqualTo(1045));
            }
        }
        admin(server, "DROP USER it_require_ssl");
    }

    /** The client sees the server's own certificate. */
    @AllServers
    void passthroughShowsTheServersOwnCertificate(TestServer server) throws Exception {
        ProxySetup.Tls tls = new ProxySetup.Tls(
                ListenerTlsConfig.of(ListenerTlsConfig.ListenerTlsMode.PASSTHROUGH),
                BackendTlsConfig.of(BackendTlsConfig.BackendTlsMode.DISABLED));
        try (ProxiedServer proxy =
                ProxiedServer.start(server, ProxySetup.ofDegree(3).withTls(tls))) {
            SlowTables.create(proxy);
            for (boolean encrypted : List.of(true, false)) {
                try (WireConnection client =
                        connect(proxy.port(), encrypted, server.adminUser(), server.adminPassword())) {
                    assertThat(value(client, "SHOW SESSION STATUS LIKE 'Ssl_version'"))
                            .startsWith(encrypted ? "Ssl_version|TLSv1." : "Ssl_version|");
                    proxy.forget();
                    assertThat(client.query(SlowTables.SHORT).rows().toString()).isEqualTo(SlowTables.SHORT_ANSWER);
                    if (encrypted) {
                        assertThat(proxy.lookedAtNothing()).isTrue();
                    } else {
                        assertThat(proxy.outcome().fannedOut()).isTrue();
                    }
                }
            }
        }
    }
}
