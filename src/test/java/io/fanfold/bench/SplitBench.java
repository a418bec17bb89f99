package io.fanfold.bench;

import io.fanfold.bench.Target.Miss;
import io.fanfold.bench.Target.Times;
import io.fanfold.demo.QueryComparison;
import io.fanfold.demo.SqlClient;
import io.fanfold.demo.SsbQueries;
import io.fanfold.demo.TextTable;
import io.fanfold.demo.TextTable.Heading;
import io.fanfold.metrics.FanOutReport;
import io.fanfold.server.RunningProxy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Measures statements through the proxy, compared with the server itself and with a split by hand. Not thread-safe. */
final class SplitBench {
    /** A statement that takes less than this time directly is measured with more runs. */
    private static final long SHORT_NANOS = 100_000_000L;

    private static final int RUNS_OF_SHORT = 5;

    private static final int WARM_UPS = 2;

    /** The width of "passed through: measured". */
    private static final int SPLIT_WIDTH = 24;

    private final int runs;
    private final List<Integer> degrees;
    private final boolean scaleOne;
    private final TextTable table = new TextTable(
            Heading.left("query").atLeast(BenchStatement.LONGEST_NAME),
            Heading.right("direct s"),
            Heading.right("by hand s"),
            Heading.right("no filters s"),
            Heading.right("Fanfold s"),
            Heading.right("direct/Fanfold"),
            Heading.right("Fanfold/by hand"),
            Heading.right("Fanfold/no filters"),
            Heading.left("split").atLeast(SPLIT_WIDTH),
            Heading.left("target"));

    /**
     * How to measure.
     *
     * @param runs the measured runs of each way, after one warm-up run of the server, two by hand and four of Fanfold; five times as many for a short statement
     * @param degrees the numbers of connections of the split by hand; the one that is fastest in a warm-up run is measured
     * @param scaleOne whether the targets of scale 1 are judged
     */
    SplitBench(int runs, List<Integer> degrees, boolean scaleOne) {
        this.runs = runs;
        this.degrees = List.copyOf(degrees);
        this.scaleOne = scaleOne;
    }

    /** The times of a statement, and what the proxy did with it in the last run. */
    record Measured(BenchStatement statement, Times times, FanOutReport report) {}

    /**
     * Runs all ways alternately.
     *
     * @param direct to the server, database chosen
     * @param proxied to the proxy, database chosen
     */
    Measured run(BenchStatement statement, SqlClient direct, SqlClient proxied, RunningProxy proxy, HandSplit hand)
            throws IOException, InterruptedException {
        String sql = statement.query().sql();
        long first = nanos(direct, sql);
        int turns = first < SHORT_NANOS ? RUNS_OF_SHORT * runs : runs;
        long[] directNanos = new long[turns];
        long[] proxiedNanos = new long[turns];
        long[] unfilteredNanos = new long[turns];
        long[] handNanos = new long[turns];
        Map<Integer, Long> warm = new TreeMap<>();
        for (int turn = -WARM_UPS; turn < turns; turn++) {
            int slot = Math.max(turn, 0);
            if (turn < 0) {
                for (int degree : degrees) {
                    warm.merge(degree, hand.run(statement, degree), Math::min);
                }
                // it times each way, some a second time, before it decides whether it splits the statement
                nanos(proxied, sql);
                proxied.ping();
            } else {
                // chosen before: the faster of two noisy times would favour the split by hand
                directNanos[slot] = nanos(direct, sql);
                handNanos[slot] = hand.run(statement, fastest(warm));
            }
            if (statement.starJoin()) {
                unfilteredNanos[slot] = nanos(proxied, statement.withoutDynamicFilters());
            }
            proxiedNanos[slot] = nanos(proxied, sql);
            // after this round trip the proxy has finished the statement
            proxied.ping();
        }
        FanOutReport report = proxy.lastFanOut();
        Times times = new Times(
                QueryComparison.median(directNanos),
                QueryComparison.median(handNanos),
                QueryComparison.median(unfilteredNanos),
                QueryComparison.median(proxiedNanos),
                report.fannedOut());
        return new Measured(statement, times, report);
    }

    private static int fastest(Map<Integer, Long> nanosByDegree) {
        return nanosByDegree.entrySet().stream()
                .min(Map.Entry.comparingByValue())
                .orElseThrow()
                .getKey();
    }

    /** Returns the time of a statement, with the reading of its rows, in nanoseconds. */
    static long nanos(SqlClient client, String sql) throws IOException {
        long start = System.nanoTime();
        client.drain(sql);
        return System.nanoTime() - start;
    }

    /** The targets that were missed. */
    List<Miss> misses(List<Measured> all) {
        List<Miss> misses = new ArrayList<>();
        for (Measured measured : all) {
            BenchStatement statement = measured.statement();
            misses.addAll(statement.target().misses(statement.query().name(), measured.times(), scaleOne));
        }
        if (scaleOne) {
            misses.addAll(together(all));
        }
        return misses;
    }

    /** The target of the Star Schema Benchmark, if all its statements were measured. */
    private static List<Miss> together(List<Measured> all) {
        List<Measured> benchmark = all.stream()
                .filter(measured ->
                        SsbQueries.BENCHMARK.contains(measured.statement().query()))
                .toList();
        if (benchmark.size() < SsbQueries.BENCHMARK.size()) {
            return List.of();
        }
        double direct = 0;
        double fanfold = 0;
        for (Measured measured : benchmark) {
            direct += measured.times().directNanos();
            fanfold += measured.times().fanfoldNanos();
        }
        return direct / fanfold >= Target.BENCHMARK_TIMES_DIRECT
                ? List.of()
                : List.of(new Miss(
                        "the Star Schema Benchmark together",
                        "direct/Fanfold",
                        direct / fanfold,
                        "at least",
                        Target.BENCHMARK_TIMES_DIRECT));
    }

    /** The headings of the table. */
    String head() {
        return table.head();
    }

    /** The line of one statement. */
    String line(Measured measured) {
        Times times = measured.times();
        FanOutReport report = measured.report();
        boolean starJoin = measured.statement().starJoin();
        return table.line(
                measured.statement().query().name(),
                seconds(times.directNanos()),
                seconds(times.byHandNanos()),
                starJoin ? seconds(times.noFiltersNanos()) : "",
                seconds(times.fanfoldNanos()),
                ratio(times.directNanos(), times.fanfoldNanos()),
                ratio(times.fanfoldNanos(), times.byHandNanos()),
                starJoin ? ratio(times.fanfoldNanos(), times.noFiltersNanos()) : "",
                report.fannedOut()
                        ? report.partitions() + " parts, degree " + report.degree()
                        : "passed through: " + report.reason(),
                measured.statement().target().shown(scaleOne));
    }

    private static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.3f", nanos / 1e9);
    }

    private static String ratio(long nanos, long other) {
        return String.format(Locale.ROOT, "%.2f", (double) nanos / other);
    }
}
