package io.fanfold.cli.bench;

import io.fanfold.cli.FanOutReport;
import io.fanfold.cli.RunningProxy;
import io.fanfold.cli.demo.QueryComparison;
import io.fanfold.cli.demo.SqlClient;
import io.fanfold.cli.demo.TextTable;
import io.fanfold.cli.demo.TextTable.Heading;
import java.io.IOException;
import java.util.Locale;

/** Split queries against the server itself and against a split by hand over as many connections. */
final class SplitBench {
    private final int runs;

    /** @param runs measured runs of each way after one that warms up */
    SplitBench(int runs) {
        this.runs = runs;
    }

    /**
     * Runs each way by turns.
     *
     * @param direct to the server, database chosen
     * @param proxied to the proxy, database chosen
     */
    String run(SqlClient direct, SqlClient proxied, RunningProxy proxy, HandSplit hand)
            throws IOException, InterruptedException {
        TextTable table = new TextTable(
                Heading.left("query"),
                Heading.right("direct s"),
                Heading.right("by hand s"),
                Heading.right("Fanfold s"),
                Heading.right("direct/Fanfold"),
                Heading.right("Fanfold/by hand"),
                Heading.left("split"));
        for (HandQuery query : HandQuery.ALL) {
            long[] directNanos = new long[runs];
            long[] handNanos = new long[runs];
            long[] proxiedNanos = new long[runs];
            for (int run = -1; run < runs; run++) {
                int slot = Math.max(run, 0);
                long start = System.nanoTime();
                direct.query(query.query().sql());
                directNanos[slot] = System.nanoTime() - start;
                start = System.nanoTime();
                hand.run(query);
                handNanos[slot] = System.nanoTime() - start;
                start = System.nanoTime();
                proxied.query(query.query().sql());
                proxiedNanos[slot] = System.nanoTime() - start;
            }
            proxied.ping();
            add(table, query, directNanos, handNanos, proxiedNanos, proxy.lastFanOut());
        }
        return table.render();
    }

    private static void add(
            TextTable table,
            HandQuery query,
            long[] directNanos,
            long[] handNanos,
            long[] proxiedNanos,
            FanOutReport report) {
        double direct = QueryComparison.median(directNanos) / 1e9;
        double hand = QueryComparison.median(handNanos) / 1e9;
        double proxied = QueryComparison.median(proxiedNanos) / 1e9;
        table.add(
                query.query().name(),
                String.format(Locale.ROOT, "%.3f", direct),
                String.format(Locale.ROOT, "%.3f", hand),
                String.format(Locale.ROOT, "%.3f", proxied),
                String.format(Locale.ROOT, "%.2f", direct / proxied),
                String.format(Locale.ROOT, "%.2f", proxied / hand),
                report.fannedOut()
                        ? report.partitions() + " partitions, degree " + report.degree()
                        : "NOT SPLIT: " + report.reason());
    }
}
