package io.fanfold.bench;

import io.fanfold.bench.Target.Miss;
import io.fanfold.demo.SqlClient;
import io.fanfold.demo.TextTable;
import io.fanfold.demo.TextTable.Heading;
import io.fanfold.server.RunningProxy;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/**
 * Measures executions of a statement in a row, beginning with the first that a proxy sees. So the sum includes the
 * proxy's trials and wrong decisions. Not thread-safe.
 */
final class SeriesBench {
    /** The width of "20 of 20". */
    private static final int SPLIT_WIDTH = 8;

    private final int executions;
    private final TextTable table = new TextTable(
            Heading.left("query").atLeast(BenchStatement.LONGEST_NAME),
            Heading.right("direct s"),
            Heading.right("Fanfold s"),
            Heading.right("Fanfold/direct"),
            Heading.right("split").atLeast(SPLIT_WIDTH));

    /** @param executions of each statement and way, 1 or more */
    SeriesBench(int executions) {
        this.executions = executions;
    }

    /**
     * The result for a statement.
     *
     * @param name of the statement
     * @param directNanos the sum of all direct executions
     * @param fanfoldNanos the sum through Fanfold
     * @param split the number of them that were split
     */
    record Series(String name, long directNanos, long fanfoldNanos, int split) {
        double ofDirect() {
            return (double) fanfoldNanos / directNanos;
        }
    }

    /**
     * Runs both ways alternately, so that other load on the machine affects both.
     *
     * @param direct to the server, database chosen
     * @param proxied to the proxy, database chosen
     * @param proxy has not seen the statement
     */
    Series run(BenchStatement statement, SqlClient direct, SqlClient proxied, RunningProxy proxy) throws IOException {
        String sql = statement.query().sql();
        // warms the server's caches for both
        direct.drain(sql);
        long directNanos = 0;
        long proxiedNanos = 0;
        int split = 0;
        for (int i = 0; i < executions; i++) {
            long start = System.nanoTime();
            direct.drain(sql);
            long middle = System.nanoTime();
            proxied.drain(sql);
            proxiedNanos += System.nanoTime() - middle;
            directNanos += middle - start;
            proxied.ping();
            split += proxy.lastFanOut().fannedOut() ? 1 : 0;
        }
        return new Series(statement.query().name(), directNanos, proxiedNanos, split);
    }

    /** The targets that were missed. */
    List<Miss> misses(List<Series> all) {
        return all.stream()
                .filter(series -> series.ofDirect() > Target.OF_DIRECT_IN_SUM)
                .map(series -> new Miss(
                        series.name(),
                        "Fanfold/direct of " + executions + " executions in a row",
                        series.ofDirect(),
                        "at most",
                        Target.OF_DIRECT_IN_SUM))
                .toList();
    }

    /** The headings of the table. */
    String head() {
        return table.head();
    }

    /** The line of one statement. */
    String line(Series series) {
        return table.line(
                series.name(),
                String.format(Locale.ROOT, "%.3f", series.directNanos() / 1e9),
                String.format(Locale.ROOT, "%.3f", series.fanfoldNanos() / 1e9),
                String.format(Locale.ROOT, "%.2f", series.ofDirect()),
                series.split() + " of " + executions);
    }
}
