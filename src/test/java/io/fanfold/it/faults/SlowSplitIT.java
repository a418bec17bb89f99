package io.fanfold.it.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.data.SlowTables;
import io.fanfold.it.support.proxy.FaultProxy;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import java.time.Duration;

/** A first split that takes much longer than the statement without a split is given up. */
class SlowSplitIT {
    /** By the server's estimate it is so short that Fanfold measures it without a split first. In truth it takes longer. */
    private static final String LONGER_THAN_ESTIMATED =
            "SELECT SUM(LENGTH(SHA2(REPEAT('x', 10000 + v), 512))) FROM it_slow.big";

    @AllServers
    void aFirstSplitThatTakesTooLongIsPassedThroughAndNotTriedAgain(TestServer server) throws Exception {
        try (FaultProxy faults = FaultProxy.before(server);
                ProxiedServer proxy = ProxiedServer.start(
                        server, ProxySetup.ofDegree(3).patient(1000).withWorkerPort(faults.port()));
                WireConnection client = proxy.proxied()) {
            SlowTables.create(proxy);
            assertThat(client.query(SlowTables.SHORT).rows()).hasSize(1);
            assertThat(proxy.outcome().fannedOut())
                    .as("the fixed cost of a split is known")
                    .isTrue();
            String expected = answer(client);
            assertThat(proxy.outcome().reason())
                    .as("the direct execution is measured")
                    .isEqualTo(Reason.MEASURED);

            faults.arm(new FaultProxy.Fault(FaultProxy.Kind.STALL, "PARTITION (", 0, false));
            assertThat(answer(client)).isEqualTo(expected);
            assertThat(proxy.outcome().reason()).isEqualTo(Reason.MEASURED);
            assertThat(faults.befallen()).as("workers that waited").isPositive();

            faults.disarm();
            await().atMost(Duration.ofSeconds(20)).until(() -> proxy.freeWorkers() == 16);
            assertThat(answer(client)).isEqualTo(expected);
            assertThat(proxy.outcome().reason()).isEqualTo(Reason.MEASURED);
        }
    }

    private static String answer(WireConnection client) throws Exception {
        return client.query(LONGER_THAN_ESTIMATED).rows().toString();
    }
}
