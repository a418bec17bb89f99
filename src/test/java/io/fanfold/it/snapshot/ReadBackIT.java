package io.fanfold.it.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.SmallTable;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.metrics.FanfoldMetrics.ReuseOutcome;
import io.fanfold.reason.Reason;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Each write that the server has confirmed is read back at once, also if rows of earlier answers are reused. */
class ReadBackIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_read_back", SmallTable::create);
    private static final String SUM = "SELECT SUM(v) FROM t";

    /** The write-then-read pairs of each test: {@code -Dfanfold.it.pairs=4000}. */
    private static final int PAIRS = Integer.getInteger("fanfold.it.pairs", 40);

    private static ProxySetup setup(boolean reuses) {
        return reuses ? ProxySetup.ofDegree(3).reuses() : ProxySetup.ofDegree(3);
    }

    private interface Pairs {
        int run(SameAsServer same, WireConnection client) throws Exception;
    }

    private static void with(TestServer server, String title, boolean reuses, Pairs pairs) throws Exception {
        try (SameAsServer same = DATABASE.compared(server, setup(reuses));
                WireConnection client = same.proxy().proxied()) {
            if (reuses) {
                same.proxy().awaitChangeStream();
            }
            client.execute("USE " + DATABASE.name());
            int run = pairs.run(same, client);
            int reused = same.proxy().reuse(ReuseOutcome.REUSED);
            System.out.printf("%s, %s: %d pairs, %d partition queries reused%n", server, title, run, reused);
            assertThat(reused > 0).as("partition queries were reused").isEqualTo(reuses);
        }
    }

    @AllServers
    void writesInTransactions(TestServer server) throws Exception {
        with(server, "writes in transactions", false, ReadBackIT::inTransactions);
    }

    @AllServers
    void writesInTransactionsWithReuse(TestServer server) throws Exception {
        with(server, "writes in transactions, with reuse", true, ReadBackIT::inTransactions);
    }

    @AllServers
    void writesOfClients(TestServer server) throws Exception {
        with(server, "writes of clients", false, ReadBackIT::ofClients);
    }

    @AllServers
    void writesOfClientsWithReuse(TestServer server) throws Exception {
        with(server, "writes of clients, with reuse", true, ReadBackIT::ofClients);
    }

    /** The transaction reads each of its writes back, and the next transaction reads what was committed. */
    private static int inTransactions(SameAsServer same, WireConnection client) throws Exception {
        int pairs = 0;
        client.execute("SET autocommit = 0");
        long total = sum(same, client, null);
        client.execute("COMMIT");
        for (String level : List.of("REPEATABLE READ", "READ COMMITTED")) {
            client.execute("SET SESSION TRANSACTION ISOLATION LEVEL " + level);
            for (int pair = 0; pair < PAIRS / 2; pair++, pairs++) {
                if (pair % 2 == 0) {
                    assertThat(sum(same, client, null))
                            .as("%s, pair %s", level, pair)
                            .isEqualTo(total);
                }
                client.execute("UPDATE t SET v = v + 1 WHERE id = " + pair % 100);
                assertThat(sum(same, client, Reason.IN_TRANSACTION))
                        .as("%s, pair %s", level, pair)
                        .isEqualTo(total + 1);
                boolean commit = pair % 3 == 0;
                client.execute(commit ? "COMMIT" : "ROLLBACK");
                total += commit ? 1 : 0;
            }
            assertThat(sum(same, client, null)).as(level).isEqualTo(total);
            client.execute("COMMIT");
        }
        return pairs;
    }

    /** The client's own writes, those of another client of the proxy, and those that do not pass the proxy. */
    private static int ofClients(SameAsServer same, WireConnection client) throws Exception {
        try (WireConnection other = same.proxy().proxied();
                WireConnection direct = same.proxy().direct()) {
            other.execute("USE " + DATABASE.name());
            direct.execute("USE " + DATABASE.name());
            List<WireConnection> writers = List.of(client, other, direct);
            long total = sum(same, client, null);
            for (int pair = 0; pair < PAIRS; pair++) {
                writers.get(pair % writers.size()).execute("UPDATE t SET v = v + 1 WHERE id = " + pair % 100);
                total++;
                assertThat(sum(same, client, null)).as("pair %s", pair).isEqualTo(total);
                if (pair % 4 == 0) {
                    assertThat(sum(same, client, null))
                            .as("pair %s, again", pair)
                            .isEqualTo(total);
                }
            }
            return PAIRS;
        }
    }

    private static long sum(SameAsServer same, WireConnection client, @Nullable Reason reason) throws Exception {
        same.proxy().forget();
        String sum = client.query(SUM).rows().get(0).ascii(0);
        assertThat(same.proxy().outcome().reason()).isEqualTo(reason);
        return Long.parseLong(String.valueOf(sum));
    }
}
