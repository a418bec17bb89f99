package io.fanfold.it.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.WireConnection;
import io.fanfold.config.BackendConfig;
import io.fanfold.config.BackendTlsConfig;
import io.fanfold.config.ListenerTlsConfig;
import io.fanfold.it.support.data.SlowTables;
import io.fanfold.it.support.load.Background;
import io.fanfold.it.support.proxy.FaultProxy;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.ContainerServers;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.wire.ServerFlavor;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.testcontainers.containers.Container.ExecResult;
import org.testcontainers.containers.GenericContainer;

/** The servers' own command-line clients. */
class CommandLineIT {
    /** On Ctrl-C the client sends KILL QUERY over a second connection, which also passes through the proxy. */
    @OnServers({ServerName.MYSQL, ServerName.MARIADB_WITH_PLUGINS})
    void ctrlCEndsASplit(TestServer server) throws Exception {
        // another test may have prepared transactions on the server, which prevents proofs
        try (ProxiedServer proxy =
                        ProxiedServer.start(server, ProxySetup.ofDegree(3).relaxed());
                WireConnection admin = proxy.direct();
                GenericContainer<?> clients = ContainerServers.clients(server.name())) {
            SlowTables.create(proxy);
            clients.start();
            String client = server.kind() == ServerFlavor.MYSQL ? "mysql --get-server-public-key" : "mariadb";
            String call = "echo $$ > /tmp/client.pid; exec %s -h 127.0.0.1 -P %d -u %s -N -B -e \"%s\""
                    .formatted(client, proxy.port(), server.adminUser(), "%s");

            ExecResult split = shell(clients, server, call.formatted(SlowTables.SHORT));
            assertThat(split.getStdout()).isEqualToIgnoringWhitespace("990000 20000");
            // MySQL's client first reads the server's version. If nothing was fanned out, there is no next outcome.
            while (!proxy.outcome().fannedOut()) {
                assertThat(server.kind()).isEqualTo(ServerFlavor.MYSQL);
            }

            Future<ExecResult> ended =
                    Background.start(() -> shell(clients, server, call.formatted(SlowTables.ENDLESS)));
            SlowTables.awaitBusyWorkers(admin, 3);
            assertThat(shell(clients, server, "kill -INT $(cat /tmp/client.pid)")
                            .getExitCode())
                    .isZero();

            assertThat(ended.get(20, TimeUnit.SECONDS).getStderr()).contains("ERROR 1317 (70100)");
            SlowTables.awaitNoBusyWorker(admin);
            await().until(() -> proxy.cancelled() == 1 && proxy.freeWorkers() == 16);
        }
    }

    /** MariaDB's client shows progress reports on a terminal. */
    @OnServers(ServerName.MARIADB_WITH_PLUGINS)
    void showsTheProgressOfASplit(TestServer server) throws Exception {
        try (FaultProxy faults = FaultProxy.before(server);
                ProxiedServer proxy = ProxiedServer.start(
                        server, ProxySetup.ofDegree(3).relaxed().withWorkerPort(faults.port()));
                WireConnection admin = proxy.direct();
                GenericContainer<?> clients = ContainerServers.clients(server.name())) {
            SlowTables.create(proxy);
            clients.start();
            admin.execute("SET GLOBAL progress_report_time = 1");
            faults.arm(new FaultProxy.Fault(FaultProxy.Kind.HOLD, " PARTITION (", 0, false));
            String call =
                    "(echo '%s;'; echo exit) | script -qfec 'mariadb --compress -h 127.0.0.1 -P %d -u %s' /tmp/seen"
                            .formatted(SlowTables.SHORT, proxy.port(), server.adminUser());
            Future<ExecResult> ended = Background.start(() -> shell(clients, server, call));
            await().until(() -> faults.befallen() == 3);
            faults.release(2);
            await().until(() -> shell(clients, server, "cat /tmp/seen")
                    .getStdout()
                    .contains("Stage: 1 of 1 'Running partition queries'   33.3% of stage done"));
            faults.disarm();
            faults.release(100);
            assertThat(ended.get(20, TimeUnit.SECONDS).getStdout()).contains("990000", "20000");
            // the client runs queries of its own
            await().until(() -> proxy.outcome().fannedOut());
        } finally {
            try (WireConnection admin =
                    ProxiedServer.connect(server.host(), server.port(), server.adminUser(), server.adminPassword())) {
                admin.execute("SET GLOBAL progress_report_time = DEFAULT");
            }
        }
    }

    /**
     * Each side of the proxy with each compression, with and without encryption. Answers of splits are compressed as
     * the client requests.
     */
    @OnServers({ServerName.MYSQL, ServerName.MARIADB_WITH_PLUGINS})
    void compressesEachSideInItsOwnWay(TestServer server) throws Exception {
        boolean mySql = server.kind() == ServerFlavor.MYSQL;
        Map<String, String> clients = mySql
                ? Map.of(
                        "OFF", "mysql --get-server-public-key --ssl-mode=DISABLED",
                        "zlib", "mysql --get-server-public-key --compression-algorithms=zlib",
                        "zstd", "mysql --compression-algorithms=zstd --ssl-mode=REQUIRED")
                : Map.of("OFF", "mariadb", "ON", "mariadb --compress", "TLS", "mariadb --compress --ssl");
        try (GenericContainer<?> container = ContainerServers.clients(server.name())) {
            container.start();
            for (BackendConfig.ServerCompression mode : BackendConfig.ServerCompression.values()) {
                ProxySetup.Tls tls = new ProxySetup.Tls(
                                ListenerTlsConfig.of(ListenerTlsConfig.ListenerTlsMode.PREFERRED),
                                BackendTlsConfig.of(BackendTlsConfig.BackendTlsMode.PREFERRED)
                                        .withClearClients(BackendTlsConfig.ClearClients.ALLOW))
                        .with(mode);
                try (ProxiedServer proxy = ProxiedServer.start(
                        server, ProxySetup.ofDegree(3).relaxed().withTls(tls))) {
                    SlowTables.create(proxy);
                    for (Map.Entry<String, String> client : clients.entrySet()) {
                        String call = client.getValue()
                                + " -h 127.0.0.1 -P %d -u %s -N -B -e ".formatted(proxy.port(), server.adminUser());
                        proxy.forget();
                        ExecResult split = shell(container, server, call + "\"" + SlowTables.SHORT + "\"");
                        assertThat(split.getStdout())
                                .as("%s, %s: %s", client, mode, split.getStderr())
                                .isEqualToIgnoringWhitespace("990000 20000");
                        await().until(() -> proxy.outcome().fannedOut());
                        String large = "SELECT REPEAT('abc', 500000); SHOW SESSION STATUS LIKE 'Compression%'";
                        ExecResult relayed =
                                shell(container, server, call + "\"" + large + "\" | sed -E 's/(abc)+/abc/'");
                        assertThat(relayed.getStdout())
                                .as("%s, %s: %s", client, mode, relayed.getStderr())
                                .startsWith("abc")
                                .contains(expected(mode, client.getKey(), mySql));
                    }
                }
            }
        }
    }

    /** Returns the compression that the server reports for its own connection. */
    private static String expected(BackendConfig.ServerCompression mode, String client, boolean mySql) {
        String algorithm = switch (mode) {
            case OFF -> "";
            case AS_CLIENT -> client.equals("OFF") ? "" : client;
            case ZLIB -> "zlib";
            case ZSTD -> mySql ? "zstd" : "";
        };
        String used = "Compression\t" + (algorithm.isEmpty() ? "OFF" : "ON");
        return mySql ? used + "\nCompression_algorithm\t" + algorithm : used;
    }

    private static ExecResult shell(GenericContainer<?> container, TestServer server, String script) throws Exception {
        // both clients read the password from this variable
        return container.execInContainer(
                "sh", "-c", "MYSQL_PWD='" + server.adminPassword() + "'; export MYSQL_PWD; " + script);
    }
}
