package io.fanfold.it.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.it.support.data.SlowTables;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.proxy.SmallProxy;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.row.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * A proxy without any free file handle: connected clients continue, others are refused, and it recovers without a
 * restart.
 */
@DisabledOnOs(OS.WINDOWS)
class HandleLimitIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** Enough for the JVM, its class path, and about thirty clients. */
    private static final int HANDLES = 170;

    private static final int REFUSED = 20;

    /** Errors instead of the greeting: too many connections, or no connection to the server. */
    private static final List<Integer> REFUSALS = List.of(1040, 1158);

    @OnServers(ServerName.MARIADB)
    void clientsAreRefusedAndServedAgainWhenOthersHaveLeft(TestServer server) throws Exception {
        try (ProxiedServer other = ProxiedServer.start(server, ProxySetup.ofDegree(3))) {
            SlowTables.create(other);
        }
        try (WireConnection admin = ProxiedServer.connect(
                        server.host(), server.port(), server.adminUser(), server.adminPassword());
                SmallProxy proxy = SmallProxy.withHandles(server, HANDLES);
                WireConnection first = proxy.connect()) {
            proxy.awaitSplit(first);
            List<WireConnection> clients = new ArrayList<>();
            try {
                connectUntilRefused(proxy, clients);
                // lost workers cannot be replaced, because others take their handles
                for (Row worker : admin.query("SELECT ID FROM information_schema.PROCESSLIST WHERE USER = '"
                                + ProxiedServer.WORKER + "'")
                        .rows()) {
                    admin.execute("KILL " + worker);
                }
                connectUntilRefused(proxy, clients);

                assertThat(clients).hasSizeGreaterThan(5);
                assertThat(first.query(SlowTables.SHORT).rows().toString()).isEqualTo(SlowTables.SHORT_ANSWER);
                for (WireConnection client : clients) {
                    assertThat(client.query("SELECT 6 * 7").rows().toString()).isEqualTo("[42]");
                }
            } finally {
                clients.forEach(WireConnection::close);
            }

            proxy.awaitSplit(first);
            await().atMost(LIMIT)
                    .ignoreExceptionsInstanceOf(ServerException.class)
                    .untilAsserted(() -> {
                        try (WireConnection late = proxy.connect()) {
                            assertThat(late.query(SlowTables.SHORT).rows().toString())
                                    .isEqualTo(SlowTables.SHORT_ANSWER);
                        }
                    });
            List<String> said =
                    proxy.log().lines().filter(line -> line.contains("ulimit")).toList();
            assertThat(said).as("warnings").hasSizeBetween(1, 10);
            assertThat(proxy.log()).as("stack traces").doesNotContain("\tat ");
        }
    }

    /** Every attempt ends with a greeting or an error packet; many in a row with an error. */
    private static void connectUntilRefused(SmallProxy proxy, List<WireConnection> clients) throws Exception {
        int refused = 0;
        while (refused < REFUSED) {
            try {
                clients.add(proxy.connect());
                refused = 0;
            } catch (ServerException e) {
                assertThat(e.errno()).as("%s", e.getMessage()).isIn(REFUSALS);
                refused++;
            }
        }
    }
}
