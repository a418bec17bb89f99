package io.fanfold.it.replicas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.cli.ProxyProcess;
import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.config.BackendConfig;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.HostPort;
import io.fanfold.config.RunningSettings;
import io.fanfold.config.Secret;
import io.fanfold.it.support.data.SmallTable;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.proxy.FaultProxy;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.it.support.server.own.TestReplica;
import io.fanfold.reason.Reason;
import io.fanfold.server.RunningProxy;
import io.fanfold.wire.ServerFlavor;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;

/** With {@code backend.hosts}, new connections go to the first server that can be reached and is not read-only. */
class FailoverIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_failover", SmallTable::create);
    private static final String SUM = "SELECT SUM(v), COUNT(*) FROM t";
    private static final Replicas REPLICAS = new Replicas(45);

    @AfterAll
    static void stop() {
        REPLICAS.stop();
    }

    /** A proxy that prefers the first of two servers. */
    private static RunningProxy start(HostPort first, HostPort second) throws Exception {
        ProxySetup setup = ProxySetup.ofDegree(3);
        FanfoldConfig defaults = FanfoldConfig.defaults();
        BackendConfig backend = new BackendConfig(
                        first.host(), first.port(), Duration.ofSeconds(10), Duration.ofSeconds(60))
                .withHosts(List.of(first, second));
        return ProxyProcess.start(RunningSettings.of(defaults.with(
                        defaults.listener().at("127.0.0.1", 0),
                        backend,
                        setup.workers().with(ProxiedServer.WORKER, new Secret(ProxiedServer.WORKER_PASSWORD), 6))
                .withFanOut(setup.fanOut())));
    }

    private static WireConnection client(RunningProxy proxy, TestServer server) throws Exception {
        WireConnection client =
                ProxiedServer.connect("127.0.0.1", proxy.port(), server.adminUser(), server.adminPassword());
        client.execute("USE " + DATABASE.name());
        return client;
    }

    private static String only(WireConnection client, String sql) throws Exception {
        return client.query(sql).rows().toString();
    }

    /** Waits until a new client's statement is split, and requires the right answer meanwhile. */
    private static void awaitSplit(RunningProxy proxy, TestServer server, String answer) throws Exception {
        try (WireConnection client = client(proxy, server)) {
            await().untilAsserted(() -> {
                assertThat(only(client, SUM)).isEqualTo(answer);
                assertThat(proxy.lastFanOut().fannedOut()).isTrue();
            });
        }
    }

    /** Requires that SHOW FANFOLD SERVERS shows the primary first, and the other as a standby. */
    private static void requireShown(RunningProxy proxy, TestServer server, HostPort primary, HostPort standby)
            throws Exception {
        try (WireConnection client = client(proxy, server)) {
            await().untilAsserted(() -> assertThat(
                            client.query("SHOW FANFOLD SERVERS").rows())
                    .extracting(row -> row.utf8(0) + ":" + row.utf8(1) + " " + row.utf8(2))
                    .containsExactly(primary + " primary", standby + " standby"));
        }
    }

    @OnServers({ServerName.MYSQL, ServerName.MARIADB_WITH_PLUGINS})
    void newClientsFollowThePrimary(TestServer primary) throws Exception {
        boolean mySql = primary.kind() == ServerFlavor.MYSQL;
        TestReplica replica = REPLICAS.of(primary);
        DATABASE.shared(primary, 3).close();
        HostPort old = new HostPort(primary.host(), primary.port());
        try (FaultProxy link = FaultProxy.before(replica.server());
                WireConnection direct =
                        ProxiedServer.connect(old.host(), old.port(), primary.adminUser(), primary.adminPassword())) {
            HostPort promoted = new HostPort("127.0.0.1", link.port());
            direct.execute("USE " + DATABASE.name());
            String answer = only(direct, SUM);
            String id = only(direct, "SELECT @@server_id");
            try (WireConnection there = ProxiedServer.connect(
                    replica.server().host(), replica.server().port(), primary.adminUser(), primary.adminPassword())) {
                // the table may not be there yet
                await().ignoreExceptionsInstanceOf(ServerException.class)
                        .untilAsserted(() -> assertThat(only(there, "SELECT COUNT(*) FROM " + DATABASE.name() + ".t"))
                                .isEqualTo(only(direct, "SELECT COUNT(*) FROM t")));
            }
            try (RunningProxy proxy = start(promoted, old)) {
                // the first of the two is read-only
                requireShown(proxy, primary, old, promoted);
                awaitSplit(proxy, primary, answer);
                WireConnection early = client(proxy, primary);
                assertThat(only(early, "SELECT @@server_id")).isEqualTo(id);

                Replicas.on(
                        replica.server(),
                        mySql ? "STOP REPLICA" : "STOP SLAVE",
                        "SET GLOBAL " + (mySql ? "super_read_only" : "read_only") + " = 0",
                        "SET GLOBAL read_only = 0",
                        "UPDATE " + DATABASE.name() + ".t SET v = v + 1 LIMIT 1");
                requireShown(proxy, primary, promoted, old);
                String changed = "";
                try (WireConnection late = client(proxy, primary)) {
                    assertThat(only(late, "SELECT @@server_id")).isNotEqualTo(id);
                    changed = only(late, SUM);
                    assertThat(changed).isNotEqualTo(answer);
                }
                awaitSplit(proxy, primary, changed);
                // a session is never moved, and the workers have left its server
                assertThat(only(early, "SELECT @@server_id")).isEqualTo(id);
                assertThat(only(early, SUM)).isEqualTo(answer);
                assertThat(proxy.lastFanOut().reason()).isEqualTo(Reason.OTHER_SERVER.label());
                early.close();

                link.close();
                // without waiting for the next question to the servers
                try (WireConnection back = client(proxy, primary)) {
                    assertThat(only(back, "SELECT @@server_id")).isEqualTo(id);
                }
                awaitSplit(proxy, primary, answer);
                requireShown(proxy, primary, old, promoted);
            }
        }
    }
}
