package io.fanfold.it.support.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.WireConnection;
import io.fanfold.demo.QueryComparison;
import io.fanfold.demo.TextTable;
import io.fanfold.demo.TextTable.Heading;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.proxy.ProxiedServer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;

/**
 * Runs the queries of a benchmark direct and through a proxy, and records the results: whether the decision was as
 * expected, whether the answers are equal, and how the times compare. Times are printed but never checked. For one
 * test.
 */
public final class BenchmarkQueries {
    /** The corpus entry for a query that fans out. For any other query it is the reason. */
    public static final String SPLIT = "SPLIT";

    /** The corpus entry for a query that may fan out or not, by its costs. */
    public static final String ANY = "ANY";

    /** Odd: {@code -Dfanfold.it.benchmark.runs=3}. One untimed run of each kind comes first. */
    private static final int TIMED_RUNS = Integer.getInteger("fanfold.it.benchmark.runs", 1);

    /** So many plain connections also run the partition queries: {@code -Dfanfold.it.benchmark.by-hand=3}. */
    private static final int BY_HAND = Integer.getInteger("fanfold.it.benchmark.by-hand", 0);

    private final String title;
    private final ProxiedServer proxy;
    private final SameAsServer same;
    private final String schema;
    private final TextTable table = new TextTable(
            Heading.left("query"),
            Heading.left("split or reason"),
            Heading.right("ratio to direct"),
            Heading.right("of by hand"),
            Heading.left("same"));
    private int split;
    private final List<String> wrong = new ArrayList<>();

    /**
     * A query of the benchmark.
     *
     * @param expected {@link #SPLIT}, {@link #ANY} or the name of a {@link io.fanfold.reason.Reason}
     */
    public record Query(String name, String expected, String sql) {}

    /**
     * @param title the name of the benchmark and the server, printed above the table
     * @param schema with the tables
     */
    public BenchmarkQueries(String title, ProxiedServer proxy, SameAsServer same, String schema) throws Exception {
        this.title = title;
        this.proxy = proxy;
        this.same = same;
        this.schema = schema;
        same.onBoth("USE " + schema);
    }

    public void run(Query query) throws Exception {
        String difference = difference(query);
        ProxiedServer.Outcome outcome = proxy.outcome();
        String decision = outcome.reason() == null ? SPLIT : outcome.reason().name();
        boolean expected = query.expected().equals(ANY) || decision.equals(query.expected());
        if (!difference.isEmpty() || !expected) {
            wrong.add(query.name() + " (expected: " + query.expected() + "): " + decision + " " + difference);
        }
        split += outcome.fannedOut() ? 1 : 0;
        Times times = times(query.sql());
        table.add(
                query.name(),
                outcome.fannedOut() ? "split: " + outcome.partitions() + " partitions" : decision,
                ratio(times.direct(), times.proxied()),
                times.byHand() == 0 ? "" : ratio(times.proxied(), times.byHand()),
                difference.isEmpty() ? "yes" : "no");
    }

    private static String ratio(long nanos, long of) {
        return String.format(Locale.ROOT, "%.2f", (double) nanos / of);
    }

    private String difference(Query query) throws Exception {
        try {
            same.same(query.sql());
            return "";
        } catch (AssertionError e) {
            return String.valueOf(e.getMessage());
        }
    }

    /**
     * The medians of alternating runs, in nanoseconds.
     *
     * @param byHand for the partition queries alone, whose rows nobody merges; 0 if they were not run
     */
    private record Times(long direct, long proxied, long byHand) {}

    private Times times(String sql) throws Exception {
        Queue<String> partitionQueries = BY_HAND > 0 ? partitionQueries(sql) : new ArrayDeque<>();
        long[] direct = new long[TIMED_RUNS];
        long[] proxied = new long[TIMED_RUNS];
        long[] byHand = new long[TIMED_RUNS];
        for (int i = 0; i < TIMED_RUNS; i++) {
            direct[i] = same.directNanos(sql);
            proxied[i] = same.proxiedNanos(sql);
            byHand[i] = partitionQueries.isEmpty() ? 0 : byHandNanos(partitionQueries);
        }
        return new Times(
                QueryComparison.median(direct), QueryComparison.median(proxied), QueryComparison.median(byHand));
    }

    /** Runs the statement through the proxy, and returns its partition queries in the order in which they began. */
    private Queue<String> partitionQueries(String sql) throws Exception {
        try (GeneralLog log = new GeneralLog(proxy)) {
            same.proxiedNanos(sql);
            return log.ofWorkers().stream()
                    .map(GeneralLog.Entry::sql)
                    .filter(text -> text.startsWith("/* fanfold session="))
                    .collect(Collectors.toCollection(ArrayDeque::new));
        }
    }

    private long byHandNanos(Queue<String> partitionQueries) throws Exception {
        Queue<String> queue = new ConcurrentLinkedQueue<>(partitionQueries);
        List<WireConnection> connections = new ArrayList<>();
        ExecutorService threads = Executors.newFixedThreadPool(BY_HAND);
        try {
            for (int i = 0; i < BY_HAND; i++) {
                WireConnection connection = proxy.direct();
                connections.add(connection);
                connection.execute("USE " + schema);
            }
            long start = System.nanoTime();
            List<Future<?>> running = new ArrayList<>();
            for (WireConnection connection : connections) {
                running.add(threads.submit(() -> {
                    for (String next = queue.poll(); next != null; next = queue.poll()) {
                        connection.query(next);
                    }
                    return null;
                }));
            }
            for (Future<?> one : running) {
                one.get();
            }
            return System.nanoTime() - start;
        } finally {
            threads.shutdownNow();
            connections.forEach(WireConnection::close);
        }
    }

    /** Prints the table, and fails with all unexpected results. Returns the number of queries that were split. */
    public int end() {
        System.out.println("\n" + title + "\n" + table.render());
        assertThat(wrong).as(title).isEmpty();
        return split;
    }
}
