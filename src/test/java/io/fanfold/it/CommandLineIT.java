package io.fanfold.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.backend.WireConnection;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.testcontainers.containers.Container.ExecResult;
import org.testcontainers.containers.GenericContainer;

/** The servers' own command-line clients. */
class CommandLineIT {
    /** Ctrl-C has the client send KILL QUERY on a connection of its own, which goes through the proxy as well. */
    @OnServers({ServerName.MYSQL, ServerName.MARIADB_WITH_PLUGINS})
    void ctrlCEndsASplit(TestServer server) throws Exception {
        // another test may have prepared transactions on the server, which proves nothing since
        try (ProxiedServer proxy =
                        ProxiedServer.start(server, ProxySetup.ofDegree(3).relaxed());
                WireConnection admin = proxy.direct();
                GenericContainer<?> clients = ContainerServers.clients(server.name())) {
            SlowTables.create(proxy);
            clients.start();
            String client = server.kind() == ServerKind.MYSQL ? "mysql --get-server-public-key" : "mariadb";
            String call = "echo $$ > /tmp/client.pid; exec %s -h 127.0.0.1 -P %d -u %s -N -B -e \"%s\""
                    .formatted(client, proxy.port(), server.adminUser(), "%s");

            ExecResult split = shell(clients, server, call.formatted(SlowTables.SHORT));
            assertThat(split.getStdout()).isEqualToIgnoringWhitespace("990000 20000");
            // MySQL's asks for the server's version first; where nothing was fanned out at last there is no next
            // outcome
            while (!proxy.outcome().fannedOut()) {
                assertThat(server.kind()).isEqualTo(ServerKind.MYSQL);
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

    private static ExecResult shell(GenericContainer<?> container, TestServer server, String script) throws Exception {
        // both clients take the password from there
        return container.execInContainer(
                "sh", "-c", "MYSQL_PWD='" + server.adminPassword() + "'; export MYSQL_PWD; " + script);
    }
}
