package io.fanfold.bench;

import io.fanfold.bench.Target.Miss;
import io.fanfold.demo.QueryComparison;
import io.fanfold.demo.SqlClient;
import io.fanfold.metrics.FanOutReport;
import io.fanfold.server.RunningProxy;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Measures the fixed cost of a fan-out over eight partitions of ten rows. */
final class FixedCostBench {
    private static final int PARTITIONS = 8;
    private static final int ROWS = 80;
    private static final int WARM_UP = 100;
    private static final long CATALOG_WAIT_NANOS = 15_000_000_000L;
    private static final long CATALOG_POLL_NANOS = 100_000_000L;
    private static final String TABLE = "fanfold_tiny";

    private final int runs;

    /**
     * The result.
     *
     * @param text of the report
     * @param millis how much longer the statement takes through the proxy
     * @param transactionMillis how much longer it takes through the proxy in a transaction than with autocommit
     * @param split whether it was split in each run
     */
    record FixedCost(String text, double millis, double transactionMillis, boolean split) {
        /** The targets that were missed. */
        List<Miss> misses() {
            return Stream.of(
                            miss("fixed cost of a fan-out", millis),
                            miss("fixed cost in a transaction", transactionMillis))
                    .flatMap(Optional::stream)
                    .toList();
        }

        private Optional<Miss> miss(String name, double measured) {
            double target = Target.FIXED_COST_NANOS / 1e6;
            return split && measured <= target
                    ? Optional.empty()
                    : Optional.of(new Miss(
                            name,
                            split ? "difference in ms" : "NOT SPLIT IN EACH RUN, difference in ms",
                            measured,
                            "at most",
                            target));
        }
    }

    /** @param runs the measured runs of each way, after 100 warm-up runs */
    FixedCostBench(int runs) {
        this.runs = runs;
    }

    /** Creates the table if it is missing. */
    static void prepare(SqlClient client) throws IOException {
        create(client, TABLE, PARTITIONS, ROWS);
    }

    /** Creates a table of few rows, spread evenly over its partitions, if it is missing. */
    static void create(SqlClient client, String table, int partitions, int rows) throws IOException {
        client.execute("CREATE TABLE IF NOT EXISTS " + table + " (id int not null primary key, v int not null)"
                + " PARTITION BY HASH(id) PARTITIONS " + partitions);
        client.execute(IntStream.range(0, rows)
                .mapToObj(i -> "(" + i + "," + i + ")")
                .collect(Collectors.joining(",", "REPLACE INTO " + table + " VALUES ", "")));
    }

    /**
     * Runs the statement alternately directly and through the proxy. Through the proxy it runs four times. It runs
     * after a statement that was split; after one that was not, so that the proxy must ask the server for FOUND_ROWS();
     * and as the first and as the second statement of a transaction. Then it runs with as many workers as partitions.
     */
    FixedCost run(SqlClient direct, SqlClient proxied, RunningProxy proxy) throws IOException {
        String sql = "SELECT /*+ PARALLEL */ SUM(v) FROM " + TABLE;
        String wide = "SELECT /*+ PARALLEL(" + PARTITIONS + ") */ SUM(v) FROM " + TABLE;
        long[] directNanos = new long[runs];
        long[] wideNanos = new long[runs];
        long[] proxiedNanos = new long[runs];
        long[] askedNanos = new long[runs];
        long[] firstNanos = new long[runs];
        long[] laterNanos = new long[runs];
        int split = 0;
        awaitSplit(proxied, proxy, sql);
        FanOutReport report = FanOutReport.NONE;
        for (int run = -WARM_UP; run < runs; run++) {
            int slot = Math.max(run, 0);
            directNanos[slot] = SplitBench.nanos(direct, sql);
            proxied.ping();
            proxiedNanos[slot] = SplitBench.nanos(proxied, sql);
            proxied.ping();
            report = proxy.lastFanOut();
            wideNanos[slot] = SplitBench.nanos(proxied, wide);
            direct.query(sql);
            proxied.query("SELECT 1");
            askedNanos[slot] = SplitBench.nanos(proxied, sql);
            proxied.ping();
            proxied.execute("BEGIN");
            firstNanos[slot] = SplitBench.nanos(proxied, sql);
            laterNanos[slot] = SplitBench.nanos(proxied, sql);
            proxied.ping();
            split += run >= 0 && report.fannedOut() && proxy.lastFanOut().fannedOut() ? 1 : 0;
            proxied.execute("COMMIT");
        }
        double directMillis = QueryComparison.median(directNanos) / 1e6;
        double proxiedMillis = QueryComparison.median(proxiedNanos) / 1e6;
        double wideMillis = QueryComparison.median(wideNanos) / 1e6;
        double askedMillis = QueryComparison.median(askedNanos) / 1e6;
        double firstMillis = QueryComparison.median(firstNanos) / 1e6 - proxiedMillis;
        double laterMillis = QueryComparison.median(laterNanos) / 1e6 - proxiedMillis;
        String text = String.format(
                Locale.ROOT,
                "median of %d: direct %.2f ms, Fanfold %.2f ms, difference %.2f ms; %d of %d runs were split%s%n"
                        + "with degree %d: Fanfold %.2f ms, difference %.2f ms%n"
                        + "after a statement that was not split, including the question for FOUND_ROWS(): Fanfold"
                        + " %.2f ms, %+.2f ms%n"
                        + "in a transaction (target: at most +5 ms): first statement %+.2f ms, later statement %+.2f ms%n",
                runs,
                directMillis,
                proxiedMillis,
                proxiedMillis - directMillis,
                split,
                runs,
                report.fannedOut()
                        ? " (last: degree " + report.degree() + ", snapshot " + report.snapshot() + ")"
                        : " (last: " + report.reason() + ")",
                PARTITIONS,
                wideMillis,
                wideMillis - directMillis,
                askedMillis,
                askedMillis - proxiedMillis,
                firstMillis,
                laterMillis);
        return new FixedCost(text, proxiedMillis - directMillis, Math.max(firstMillis, laterMillis), split == runs);
    }

    /** Waits until the proxy knows the new table, which it does after it has next read the catalog. */
    static void awaitSplit(SqlClient proxied, RunningProxy proxy, String sql) throws IOException {
        long deadline = System.nanoTime() + CATALOG_WAIT_NANOS;
        do {
            proxied.query(sql);
            proxied.ping();
            if (proxy.lastFanOut().fannedOut()) {
                return;
            }
            LockSupport.parkNanos(CATALOG_POLL_NANOS);
        } while (System.nanoTime() < deadline);
    }
}
