package io.fanfold.bench;

import io.fanfold.bench.Target.Miss;
import io.fanfold.demo.DemoQuery;
import io.fanfold.demo.Endpoint;
import io.fanfold.demo.QueryComparison;
import io.fanfold.demo.SqlClient;
import io.fanfold.demo.SsbQueries;
import io.fanfold.demo.TextTable;
import io.fanfold.demo.TextTable.Heading;
import io.fanfold.metrics.FanOutReport;
import io.fanfold.server.RunningProxy;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Measures how a fan-out grows: its time with the number of partitions and with the number of workers, and the throughput
 * with the number of clients. Not thread-safe.
 */
final class ScaleBench {
    private static final List<Integer> PARTITIONS = List.of(8, 64, 256, 1024);
    private static final List<Integer> DEGREES = List.of(2, 4, 8, 16);
    private static final List<Integer> CLIENTS = List.of(1, 4, 16);

    private static final String TABLE = "fanfold_scale_";
    private static final int ROWS_OF_A_PARTITION = 10;
    private static final int WARM_UPS = 2;

    /** A sum over tiny partitions runs so often to warm up, and so often for each measured run of other statements. */
    private static final int TINY_RUNS = 30;

    private static final int ROUNDS = 3;

    /** The cores of the model. Only the second number was measured too. */
    private static final List<Integer> CORES = List.of(1, 2, 4, 8, 16, 32);

    /** Statements with next to no rows to merge, and with one for each order. */
    private static final List<DemoQuery> MODELLED = List.of(SsbQueries.TOTALS, SsbQueries.TOP_ORDERS);

    private static final String TOTALS = "SUM(LO_Revenue), AVG(LO_Quantity), MAX(LO_ExtendedPrice) FROM lineorder";

    /** Of one of the seven years, so that many clients end it in the time of a round. */
    private static final String YEAR = "SELECT LO_ShipMode, SUM(LO_Revenue) FROM lineorder"
            + " WHERE LO_OrderDateKey BETWEEN 19940101 AND 19941231 GROUP BY LO_ShipMode";

    private final int runs;
    private final int degree;
    private final List<Miss> misses = new ArrayList<>();

    /**
     * How to measure.
     *
     * @param runs the measured runs of each way over all rows, after two of warm-up
     * @param degree the workers of a statement unless it says another number
     */
    ScaleBench(int runs, int degree) {
        this.runs = runs;
        this.degree = degree;
    }

    /** Creates the tables, each with ten rows in a partition. */
    static void prepare(SqlClient client) throws IOException {
        for (int partitions : PARTITIONS) {
            FixedCostBench.create(client, TABLE + partitions, partitions, partitions * ROWS_OF_A_PARTITION);
        }
    }

    static void drop(SqlClient client) throws IOException {
        for (int partitions : PARTITIONS) {
            client.execute("DROP TABLE IF EXISTS " + TABLE + partitions);
        }
    }

    /** The times of a statement, and what the proxy did with it in the last run. */
    private record Measured(double directMillis, double fanfoldMillis, FanOutReport report) {
        String parts() {
            return report.fannedOut()
                    ? report.partitions() + " parts, degree " + report.degree()
                    : "passed through: " + report.reason();
        }
    }

    /** Returns the table of the number of partitions. */
    String partitions(SqlClient direct, SqlClient proxied, RunningProxy proxy) throws IOException {
        TextTable table = new TextTable(
                Heading.right("partitions"),
                Heading.right("direct ms"),
                Heading.right("Fanfold ms"),
                Heading.right("ms for each further one"),
                Heading.left("split"));
        @Nullable Measured smallest = null;
        for (int partitions : PARTITIONS) {
            String from = "SUM(v) FROM " + TABLE + partitions;
            FixedCostBench.awaitSplit(proxied, proxy, hinted(from, degree));
            Measured one = measure(
                    direct, proxied, proxy, "SELECT " + from, hinted(from, degree), TINY_RUNS, TINY_RUNS * runs);
            String each = "";
            if (smallest == null) {
                smallest = one;
            } else {
                double millis = (one.fanfoldMillis() - smallest.fanfoldMillis()) / (partitions - PARTITIONS.get(0));
                each = String.format(Locale.ROOT, "%.3f", millis);
                judge(
                        partitions + " partitions",
                        "ms for each further partition",
                        millis,
                        one.report(),
                        millis <= Target.MILLIS_OF_A_PARTITION,
                        "at most",
                        Target.MILLIS_OF_A_PARTITION);
            }
            table.add(
                    Integer.toString(partitions),
                    String.format(Locale.ROOT, "%.2f", one.directMillis()),
                    String.format(Locale.ROOT, "%.2f", one.fanfoldMillis()),
                    each,
                    one.parts());
        }
        return String.format(
                Locale.ROOT,
                "a sum over partitions of %d rows (target: at most %.2f ms for each further one)%n%s",
                ROWS_OF_A_PARTITION,
                Target.MILLIS_OF_A_PARTITION,
                table.render());
    }

    /** Returns the table of the number of workers. */
    String workers(SqlClient direct, SqlClient proxied, RunningProxy proxy) throws IOException {
        TextTable table = new TextTable(
                Heading.right("workers"),
                Heading.right("direct s"),
                Heading.right("Fanfold s"),
                Heading.right("direct/Fanfold"),
                Heading.left("split"));
        for (int workers : DEGREES) {
            Measured one = measure(direct, proxied, proxy, "SELECT " + TOTALS, hinted(TOTALS, workers), WARM_UPS, runs);
            double ratio = one.directMillis() / one.fanfoldMillis();
            judge(workers + " workers", "direct/Fanfold", ratio, one.report(), ratio >= 1, "at least", 1);
            table.add(
                    Integer.toString(workers),
                    String.format(Locale.ROOT, "%.3f", one.directMillis() / 1e3),
                    String.format(Locale.ROOT, "%.3f", one.fanfoldMillis() / 1e3),
                    String.format(Locale.ROOT, "%.2f", ratio),
                    one.parts());
        }
        return "totals of all rows by the number of workers (target: direct/Fanfold at least 1)\n" + table.render();
    }

    /** Returns the table of {@link ScaleModel}, with what was measured beside it for two workers. */
    String model(SqlClient direct, SqlClient proxied, RunningProxy proxy) throws IOException {
        List<Heading> headings = new ArrayList<>(List.of(
                Heading.left("statement"),
                Heading.right("direct s"),
                Heading.right("fixed ms"),
                Heading.right("work s"),
                Heading.right("rows"),
                Heading.right("merge µs")));
        CORES.forEach(cores -> headings.add(Heading.right("model " + cores)));
        headings.add(Heading.right("measured 2"));
        TextTable table = new TextTable(headings.toArray(Heading[]::new));
        for (DemoQuery query : MODELLED) {
            String rest = query.sql().substring("SELECT ".length());
            Measured two = measure(direct, proxied, proxy, query.sql(), hinted(rest, 2), WARM_UPS, runs);
            List<ScaleModel.Step> steps = proxied.query("ANALYZE FORMAT=FANFOLD " + hinted(rest, 1)).rows().stream()
                    .map(row -> new ScaleModel.Step(String.valueOf(row.utf8(0)), String.valueOf(row.utf8(1))))
                    .toList();
            ScaleModel model = ScaleModel.of(two.directMillis(), steps);
            List<String> cells = new ArrayList<>(List.of(
                    query.name(),
                    String.format(Locale.ROOT, "%.2f", model.directMillis() / 1e3),
                    String.format(Locale.ROOT, "%.1f", model.fixedMillis()),
                    String.format(Locale.ROOT, "%.2f", model.workMillis() / 1e3),
                    String.format(Locale.ROOT, "%,d", model.rows()),
                    String.format(Locale.ROOT, "%.2f", model.mergeMicros())));
            CORES.forEach(cores -> cells.add(String.format(Locale.ROOT, "%.1f", model.timesDirect(cores))));
            cells.add(
                    two.report().fannedOut()
                            ? String.format(Locale.ROOT, "%.1f", two.directMillis() / two.fanfoldMillis())
                            : two.report().reason());
            table.add(cells.toArray(String[]::new));
        }
        return "direct/Fanfold by the number of the server's cores: a model, see docs/benchmark.md, and what this machine"
                + " measured with 2 workers\n" + table.render();
    }

    /**
     * Returns the table of the number of clients.
     *
     * @param time of one round of one endpoint
     */
    String clients(PointLoad load, Duration time, Endpoint server, Endpoint proxy)
            throws IOException, InterruptedException {
        TextTable table = new TextTable(
                Heading.right("clients"),
                Heading.right("direct/s"),
                Heading.right("Fanfold/s"),
                Heading.right("Fanfold/direct"));
        for (int clients : CLIENTS) {
            double[] direct = new double[ROUNDS];
            double[] fanfold = new double[ROUNDS];
            // the first round is for caches, and for Fanfold to know the statement under this load
            for (int round = -1; round < ROUNDS; round++) {
                int slot = Math.max(round, 0);
                direct[slot] = load.run(server, clients, time, random -> YEAR).perSecond();
                fanfold[slot] = load.run(proxy, clients, time, random -> YEAR).perSecond();
            }
            double ratio = PassThroughBench.median(fanfold) / PassThroughBench.median(direct);
            if (ratio < Target.OF_DIRECT_THROUGHPUT) {
                misses.add(new Miss(
                        "one year by " + clients + (clients == 1 ? " client" : " clients"),
                        "Fanfold/direct",
                        ratio,
                        "at least",
                        Target.OF_DIRECT_THROUGHPUT));
            }
            table.add(
                    Integer.toString(clients),
                    String.format(Locale.ROOT, "%.2f", PassThroughBench.median(direct)),
                    String.format(Locale.ROOT, "%.2f", PassThroughBench.median(fanfold)),
                    String.format(Locale.ROOT, "%.2f", ratio));
        }
        return String.format(
                Locale.ROOT,
                "the revenue of one year by ship mode, statements per second of all clients (target: Fanfold/direct at"
                        + " least %.2f)%n%s",
                Target.OF_DIRECT_THROUGHPUT,
                table.render());
    }

    /** The targets that were missed so far. */
    List<Miss> misses() {
        return List.copyOf(misses);
    }

    private void judge(
            String statement,
            String figure,
            double value,
            FanOutReport report,
            boolean met,
            String bound,
            double target) {
        if (!met || !report.fannedOut()) {
            misses.add(new Miss(
                    statement,
                    (report.fannedOut() ? "" : "NOT SPLIT IN THE LAST RUN, ") + figure,
                    value,
                    bound,
                    target));
        }
    }

    private static String hinted(String from, int workers) {
        return "SELECT /*+ PARALLEL(" + workers + ") */ " + from;
    }

    private Measured measure(
            SqlClient direct,
            SqlClient proxied,
            RunningProxy proxy,
            String directSql,
            String fanfoldSql,
            int warmUps,
            int measured)
            throws IOException {
        long[] directNanos = new long[measured];
        long[] fanfoldNanos = new long[measured];
        for (int run = -warmUps; run < measured; run++) {
            int slot = Math.max(run, 0);
            directNanos[slot] = SplitBench.nanos(direct, directSql);
            fanfoldNanos[slot] = SplitBench.nanos(proxied, fanfoldSql);
            // after this round trip the proxy has finished the statement
            proxied.ping();
        }
        return new Measured(
                QueryComparison.median(directNanos) / 1e6,
                QueryComparison.median(fanfoldNanos) / 1e6,
                proxy.lastFanOut());
    }
}
