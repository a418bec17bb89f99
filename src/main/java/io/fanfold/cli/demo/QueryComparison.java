package io.fanfold.cli.demo;

import io.fanfold.cli.FanOutReport;
import io.fanfold.cli.RunningProxy;
import java.io.IOException;
import java.util.Arrays;

/** Runs a statement direct and through the proxy by turns. For use by one thread. */
public final class QueryComparison {
    /** A statement of milliseconds would else measure how the proxy's code is compiled. */
    private static final long WARM_UP_NANOS = 2_000_000_000L;

    private static final int MAX_TURNS = 40;

    /** How often, and how long, the proxy is warmed up alone. */
    private static final int MAX_ALONE = 200;

    private static final long ALONE_NANOS = 1_500_000_000L;

    private static final long SHORT_NANOS = 100_000_000L;

    private final SqlClient direct;
    private final SqlClient proxied;
    private final RunningProxy proxy;
    private final int runs;

    /**
     * What came of one statement.
     *
     * @param query the statement
     * @param directNanos the median time direct
     * @param proxiedNanos the median time through the proxy
     * @param difference "" when every answer was the same, else the first difference
     * @param report what the proxy did in the last run
     */
    public record Outcome(
            DemoQuery query, long directNanos, long proxiedNanos, String difference, FanOutReport report) {
        /** How many times sooner the proxy's answer was complete. */
        public double ratio() {
            return (double) directNanos / Math.max(1, proxiedNanos);
        }

        public boolean same() {
            return difference.isEmpty();
        }
    }

    /**
     * For two open connections.
     *
     * @param direct to the server, database chosen
     * @param proxied to the proxy, database chosen
     * @param runs measured runs of each, odd; before them both warm up by turns: once, or up to
     *     two seconds; then the proxy alone for up to a second and a half while it answers within a tenth of one
     */
    public QueryComparison(SqlClient direct, SqlClient proxied, RunningProxy proxy, int runs) {
        this.direct = direct;
        this.proxied = proxied;
        this.proxy = proxy;
        this.runs = runs;
    }

    /** @throws IOException when a connection is lost or the server refuses the statement direct */
    public Outcome run(DemoQuery query) throws IOException {
        long[] directNanos = new long[runs];
        long[] proxiedNanos = new long[runs];
        String difference = "";
        FanOutReport report = FanOutReport.NONE;
        long begin = System.nanoTime();
        int warmUps = 0;
        for (int run = -1; run < runs; run++) {
            long start = System.nanoTime();
            SqlAnswer expected = direct.query(query.sql());
            long middle = System.nanoTime();
            try {
                SqlAnswer actual = proxied.query(query.sql());
                long end = System.nanoTime();
                if (run >= 0) {
                    directNanos[run] = middle - start;
                    proxiedNanos[run] = end - middle;
                }
                difference = difference.isEmpty()
                        ? AnswerComparison.difference(expected, actual, query.sortColumns())
                        : difference;
            } catch (SqlFailure e) {
                return new Outcome(
                        query, middle - start, System.nanoTime() - middle, "error " + e.getMessage(), report);
            }
            // After this round trip the proxy has done all it does for the statement, also its report.
            proxied.ping();
            report = proxy.lastFanOut();
            if (run < 0) {
                if (++warmUps < MAX_TURNS && System.nanoTime() - begin < WARM_UP_NANOS) {
                    run--;
                } else {
                    warmUpProxy(query);
                }
            }
        }
        return new Outcome(query, median(directNanos), median(proxiedNanos), difference, report);
    }

    /** Where the statement takes long direct but not through the proxy, turns alone would not warm the proxy up. */
    private void warmUpProxy(DemoQuery query) throws IOException {
        int slow = 0;
        long end = System.nanoTime() + ALONE_NANOS;
        for (int i = 0; i < MAX_ALONE && System.nanoTime() - end < 0; i++) {
            long start = System.nanoTime();
            try {
                proxied.query(query.sql());
            } catch (SqlFailure e) {
                // the measured runs will meet it and tell
                return;
            }
            proxied.ping();
            // one slow turn may be the proxy's own trial of the direct way
            if (System.nanoTime() - start > SHORT_NANOS && ++slow > 1) {
                return;
            }
        }
    }

    /** The middle one of the values, the upper one of two. */
    public static long median(long[] values) {
        long[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
