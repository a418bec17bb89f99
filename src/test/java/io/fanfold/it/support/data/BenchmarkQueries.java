package io.fanfold.it.support.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.demo.QueryComparison;
import io.fanfold.demo.TextTable;
import io.fanfold.demo.TextTable.Heading;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.proxy.ProxiedServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

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

    /** Odd: {@code -Dfanfold.it.benchmark.runs=1}. One untimed run of each kind comes first. */
    private static final int TIMED_RUNS = Integer.getInteger("fanfold.it.benchmark.runs", 3);

    private final String title;
    private final ProxiedServer proxy;
    private final SameAsServer same;
    private final TextTable table = new TextTable(
            Heading.left("query"),
            Heading.left("split or reason"),
            Heading.right("ratio to direct"),
            Heading.left("same"));
    private int split;
    private final List<String> wrong = new ArrayList<>();

    /**
     * A query of the benchmark.
     *
     * @param expected {@link #SPLIT}, {@link #ANY} or the name of a {@link io.fanfold.reason.Reason}
     */
    public record Query(String name, String expected, String sql) {}

    /** @param title the name of the benchmark and the server, printed above the table */
    public BenchmarkQueries(String title, ProxiedServer proxy, SameAsServer same) {
        this.title = title;
        this.proxy = proxy;
        this.same = same;
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
        table.add(
                query.name(),
                outcome.fannedOut() ? "split: " + outcome.partitions() + " partitions" : decision,
                String.format(Locale.ROOT, "%.2f", ratio(query.sql())),
                difference.isEmpty() ? "yes" : "no");
    }

    private String difference(Query query) throws Exception {
        try {
            same.same(query.sql());
            return "";
        } catch (AssertionError e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** Returns the speedup by the proxy, from the medians of alternating runs. */
    private double ratio(String sql) throws Exception {
        long[] direct = new long[TIMED_RUNS];
        long[] proxied = new long[TIMED_RUNS];
        for (int i = 0; i < TIMED_RUNS; i++) {
            direct[i] = same.directNanos(sql);
            proxied[i] = same.proxiedNanos(sql);
        }
        return (double) QueryComparison.median(direct) / QueryComparison.median(proxied);
    }

    /** Prints the table, and fails with all unexpected results. Returns the number of queries that were split. */
    public int end() {
        System.out.println("\n" + title + "\n" + table.render());
        assertThat(wrong).as(title).isEmpty();
        return split;
    }
}
