package io.fanfold.demo;

import io.fanfold.metrics.FanOutReport;
import io.fanfold.server.RunningProxy;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;

/** Runs a statement alternately directly and through the proxy. Not thread-safe. */
public final class QueryComparison {
    /** A warm-up time without which a statement of milliseconds would measure the compilation of the proxy's code. */
    public static final Duration WARM_UP = Duration.ofSeconds(2);

    private static final int MAX_TURNS = 40;

    /** The most runs in which only the proxy is warmed up. */
    private static final int MAX_ALONE = 200;

    private static final long SHORT_NANOS = 100_000_000L;

    private final SqlClient direct;
    private final SqlClient proxied;
    private final RunningProxy proxy;
    private final SentRows sent;
    private final int runs;
    private final long warmUpNanos;

    /**
     * The result for one statement.
     *
     * @param query the statement
     * @param directNanos the median time directly
     * @param proxiedNanos the median time through the proxy
     * @param difference "" if all answers were equal, otherwise the first difference
     * @param report what the proxy did in the last run
     * @param directRows the rows that the servers of Spider's partitions sent in the last run directly
     * @param proxiedRows the rows that they sent in the last run through the proxy
     */
    public record Outcome(
            DemoQuery query,
            long directNanos,
            long proxiedNanos,
            String difference,
            FanOutReport report,
            long directRows,
            long proxiedRows) {
        /** How many times faster the proxy's answer was complete. */
        public double ratio() {
            return (double) directNanos / Math.max(1, proxiedNanos);
        }

        public boolean same() {
            return difference.isEmpty();
        }
    }

    /**
     * Creates one for two open connections. Before the measured runs, both ways warm up alternately, at least once, for
     * up to the warm-up time. Then the proxy warms up alone for up to 3/4 of that time, while it answers in less than
     * 0.1 second.
     *
     * @param direct to the server, database chosen
     * @param proxied to the proxy, database chosen
     * @param sent counts the rows that other servers send
     * @param runs the number of measured runs of each way, odd
     * @param warmUp the warm-up time of each statement, 0 or more
     */
    QueryComparison(SqlClient direct, SqlClient proxied, RunningProxy proxy, SentRows sent, int runs, Duration warmUp) {
        this.direct = direct;
        this.proxied = proxied;
        this.proxy = proxy;
        this.sent = sent;
        this.runs = runs;
        this.warmUpNanos = warmUp.toNanos();
    }

    /** @throws IOException if a connection is lost or the server itself refuses the statement */
    public Outcome run(DemoQuery query) throws IOException {
        long[] directNanos = new long[runs];
        long[] proxiedNanos = new long[runs];
        String difference = "";
        FanOutReport report = FanOutReport.NONE;
        long directRows = 0;
        long proxiedRows = 0;
        long begin = System.nanoTime();
        int warmUps = 0;
        for (int run = -1; run < runs; run++) {
            long rows = sent.now();
            long start = System.nanoTime();
            SqlAnswer expected = direct.query(query.sql());
            long directTime = System.nanoTime() - start;
            directRows = sent.now() - rows;
            long middle = System.nanoTime();
            try {
                SqlAnswer actual = proxied.query(query.sql());
                long end = System.nanoTime();
                proxiedRows = sent.now() - rows - directRows;
                if (run >= 0) {
                    directNanos[run] = directTime;
                    proxiedNanos[run] = end - middle;
                }
                difference = difference.isEmpty()
                        ? AnswerComparison.difference(expected, actual, query.sortColumns())
                        : difference;
            } catch (SqlFailure e) {
                return new Outcome(
                        query,
                        directTime,
                        System.nanoTime() - middle,
                        "error " + e.getMessage(),
                        report,
                        directRows,
                        0);
            }
            // after this round trip the proxy has finished the statement, including its report
            proxied.ping();
            report = proxy.lastFanOut();
            if (run < 0) {
                if (++warmUps < MAX_TURNS && System.nanoTime() - begin < warmUpNanos) {
                    run--;
                } else {
                    warmUpProxy(query);
                }
            }
        }
        return new Outcome(
                query, median(directNanos), median(proxiedNanos), difference, report, directRows, proxiedRows);
    }

    /**
     * Warms the proxy up alone. If the statement takes long directly but not through the proxy, alternate runs are not
     * enough.
     */
    private void warmUpProxy(DemoQuery query) throws IOException {
        int slow = 0;
        long end = System.nanoTime() + warmUpNanos * 3 / 4;
        for (int i = 0; i < MAX_ALONE && System.nanoTime() - end < 0; i++) {
            long start = System.nanoTime();
            try {
                proxied.query(query.sql());
            } catch (SqlFailure e) {
                // the measured runs will fail too and report it
                return;
            }
            proxied.ping();
            // one slow run may be the proxy's own trial of passing it through
            if (System.nanoTime() - start > SHORT_NANOS && ++slow > 1) {
                return;
            }
        }
    }

    /** The median; of two middle values the upper one. */
    public static long median(long[] values) {
        long[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
