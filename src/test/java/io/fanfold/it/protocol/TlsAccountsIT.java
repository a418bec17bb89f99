package io.fanfold.it.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.client.WireSettings;
import io.fanfold.config.BackendConfig;
import io.fanfold.config.BackendConfig.ProxyProtocol;
import io.fanfold.config.BackendTlsConfig;
import io.fanfold.config.BackendTlsConfig.BackendTlsMode;
import io.fanfold.config.BackendTlsConfig.ClearClients;
import io.fanfold.config.BackendTlsConfig.ShowCertificate;
import io.fanfold.config.ListenerTlsConfig;
import io.fanfold.config.Secret;
import io.fanfold.it.support.proxy.PlainProxy;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.server.ContainerServers;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.tls.BackendTls;
import io.fanfold.tls.TestAuthority;
import io.fanfold.wire.ServerFlavor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.MountableFile;

/** Accounts that require TLS or a client certificate. Servers and clients use certificates of one authority. */
class TlsAccountsIT {
    private static final String PASSWORD = "Secret-1";
    private static final int DENIED = 1045;
    private static final int INSECURE = 3159;

    /** The requirements of an account. Its name is the constant's name. */
    private enum Account {
        NONE,
        SSL,
        X509
    }

    /** How a client connects. */
    private enum Client {
        CLEAR,
        TLS,
        CERTIFICATE
    }

    @TempDir
    Path folder = Path.of("");

    /**
     * Returns the login result of each client with each account, in the order of the constants: 0 for success,
     * otherwise the error code.
     */
    private List<Integer> logins(String host, int port, TestAuthority.Pair own) throws Exception {
        List<Integer> codes = new ArrayList<>();
        for (Account account : Account.values()) {
            for (Client client : Client.values()) {
                try (WireConnection connection = connect(host, port, "need_" + account, client, own)) {
                    assertThat(connection.ping()).isTrue();
                    codes.add(0);
                } catch (ServerException e) {
                    codes.add(e.errno());
                }
            }
        }
        return codes;
    }

    private static WireConnection connect(String host, int port, String user, Client client, TestAuthority.Pair own)
            throws Exception {
        BackendTlsConfig tls = BackendTlsConfig.of(BackendTlsMode.REQUIRED);
        return WireConnection.open(new WireSettings(
                host,
                port,
                user,
                new Secret(PASSWORD),
                Duration.ofSeconds(10),
                Duration.ofSeconds(20),
                Duration.ZERO,
                WireSettings.DEFAULT_MAX_PAYLOAD_BYTES,
                ProxyProtocol.OFF,
                switch (client) {
                    case CLEAR -> null;
                    case TLS -> new WireSettings.Tls(new BackendTls(tls), "alpha.example.org");
                    case CERTIFICATE ->
                        new WireSettings.Tls(
                                new BackendTls(tls.withCertificate(own.certificate(), own.key())), "alpha.example.org");
                }));
    }

    private static GenericContainer<?> container(TestServer like, TestAuthority authority, TestAuthority.Pair pair) {
        String[] options = {"--ssl-ca=/keys/ca.pem", "--ssl-cert=/keys/cert.pem", "--ssl-key=/keys/key.pem"};
        GenericContainer<?> container = like.kind() == ServerFlavor.MYSQL
                ? ContainerServers.mysqlContainer(options)
                : ContainerServers.mariadbContainer(options);
        return container
                .withCopyFileToContainer(MountableFile.forHostPath(authority.file(), 0644), "/keys/ca.pem")
                .withCopyFileToContainer(MountableFile.forHostPath(pair.certificate(), 0644), "/keys/cert.pem")
                .withCopyFileToContainer(MountableFile.forHostPath(pair.key(), 0644), "/keys/key.pem");
    }

    @OnServers({ServerName.MYSQL, ServerName.MARIADB_WITH_PLUGINS})
    void accountsAreAsClosedAsOnTheServer(TestServer like) throws Exception {
        TestAuthority authority = TestAuthority.in(folder);
        TestAuthority.Pair own = authority.sign("client");
        TestAuthority.Pair shown = authority.sign("proxy");
        try (GenericContainer<?> container = container(like, authority, authority.sign("server"))) {
            TestServer server = ContainerServers.start(like.name(), container);
            createAccounts(server);
            List<Integer> direct = logins(server.host(), server.port(), own);
            assertThat(direct).containsExactly(0, 0, 0, DENIED, 0, 0, DENIED, DENIED, 0);

            ListenerTlsConfig listener = ListenerTlsConfig.of(ListenerTlsConfig.ListenerTlsMode.PREFERRED)
                    .withClientCa(authority.file(), false);
            BackendTlsConfig backend = BackendTlsConfig.defaults().withCertificate(shown.certificate(), shown.key());
            ListenerTlsConfig defaults = ListenerTlsConfig.defaults().withClientCa(authority.file(), false);
            assertThat(proxied(server, defaults, backend, own)).as("default").isEqualTo(direct);
            assertThat(proxied(server, ListenerTlsConfig.of(ListenerTlsConfig.ListenerTlsMode.PREFERRED), backend, own))
                    .as("clients' certificates are not asked for, so the server is shown none")
                    .containsExactly(0, 0, 0, DENIED, 0, 0, DENIED, DENIED, DENIED);
            for (BackendTlsMode mode : List.of(BackendTlsMode.PREFERRED, BackendTlsMode.REQUIRED)) {
                BackendTlsConfig encrypting = new BackendTlsConfig(
                        mode,
                        ClearClients.REFUSE,
                        backend.verify(),
                        backend.ca(),
                        backend.certificate(),
                        backend.key(),
                        ShowCertificate.AS_CLIENT);
                assertThat(proxied(server, listener, encrypting, own))
                        .as("%s", mode)
                        .containsExactly(INSECURE, 0, 0, INSECURE, 0, 0, INSECURE, DENIED, 0);
                assertThat(proxied(server, listener, encrypting.withClearClients(ClearClients.ALLOW), own))
                        .as("%s, opened to clients in clear", mode)
                        .containsExactly(0, 0, 0, 0, 0, 0, DENIED, DENIED, 0);
                assertThat(proxied(server, listener, encrypting.withShowCertificate(ShowCertificate.ALWAYS), own))
                        .as("%s, opened to clients without a certificate", mode)
                        .containsExactly(INSECURE, 0, 0, INSECURE, 0, 0, INSECURE, 0, 0);
            }
        }
    }

    private List<Integer> proxied(
            TestServer server, ListenerTlsConfig listener, BackendTlsConfig tls, TestAuthority.Pair own)
            throws Exception {
        BackendConfig backend = PlainProxy.before(server).withTls(tls);
        try (PlainProxy proxy = PlainProxy.start(PlainProxy.anyPort().withTls(listener), backend)) {
            return logins("127.0.0.1", proxy.port(), own);
        }
    }

    private static void createAccounts(TestServer server) throws Exception {
        try (WireConnection admin =
                ProxiedServer.connect(server.host(), server.port(), server.adminUser(), server.adminPassword())) {
            for (Account account : Account.values()) {
                admin.execute("CREATE USER need_" + account + " IDENTIFIED BY '" + PASSWORD + "' REQUIRE " + account);
            }
        }
    }

    /** The proxy passes on the server name (SNI) of the client. MariaDB does not show it. */
    @OnServers(ServerName.MYSQL)
    void theClientsServerNameIsPassedOn(TestServer server) throws Exception {
        TestAuthority authority = TestAuthority.in(folder);
        TestAuthority.Pair own = authority.sign("client");
        try (WireConnection admin =
                ProxiedServer.connect(server.host(), server.port(), server.adminUser(), server.adminPassword())) {
            admin.execute("CREATE USER need_NONE IDENTIFIED BY '" + PASSWORD + "'");
            ListenerTlsConfig listener = ListenerTlsConfig.of(ListenerTlsConfig.ListenerTlsMode.PREFERRED);
            BackendConfig backend = PlainProxy.before(server).withTls(BackendTlsConfig.defaults());
            try (PlainProxy proxy = PlainProxy.start(PlainProxy.anyPort().withTls(listener), backend);
                    WireConnection named = connect("127.0.0.1", proxy.port(), "need_NONE", Client.TLS, own)) {
                assertThat(named.query("SHOW SESSION STATUS LIKE 'Tls_sni_server_name'")
                                .rows()
                                .toString())
                        .isEqualTo("[Tls_sni_server_name|alpha.example.org]");
            } finally {
                admin.execute("DROP USER need_NONE");
            }
        }
    }
}
