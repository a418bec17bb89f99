package io.fanfold.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.demo.QueryComparison;
import io.fanfold.demo.TextTable;
import io.fanfold.demo.TextTable.Heading;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Runs the queries of a benchmark straight and through a proxy and keeps what became of each: whether it was decided as
 * expected, whether the answers are the same, and how the times compare, which is shown and never judged. For one test.
 */
final class BenchmarkQueries {
    /** What the corpus says of a query that fans out; of any other it says the reason. */
    static final String SPLIT = "SPLIT";

    /** Odd; after one run of each kind that nobody times. */
    private static final int TIMED_RUNS = 3;

    private final String title;
    private final ProxiedServer proxy;
    private final SameAsServer same;
    private final TextTable table = new TextTable(
            Heading.left("query"),
            Heading.left("split or reason"),
            Heading.right("ratio to direct"),
            Heading.left("same"));
    private final List<String> wrong = new ArrayList<>();

    /**
     * A query of the benchmark.
     *
     * @param expected {@link #SPLIT} or the name of a {@link io.fanfold.reason.Reason}
     */
    record Query(String name, String expected, String sql) {}

    /** @param title names benchmark and server above the table */
    BenchmarkQueries(String title, ProxiedServer proxy, SameAsServer same) {
        this.title = title;
        this.proxy = proxy;
        this.same = same;
    }

    void run(Query query) throws Exception {
        String difference = difference(query);
        ProxiedServer.Outcome outcome = proxy.outcome();
        String decision = outcome.reason() == null ? SPLIT : outcome.reason().name();
        if (!difference.isEmpty() || !decision.equals(query.expected())) {
            wrong.add(query.name() + " (expected: " + query.expected() + "): " + decision + " " + difference);
        }
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

    /** How many times sooner the proxy answers, by the medians of runs by turns. */
    private double ratio(String sql) throws Exception {
        long[] direct = new long[TIMED_RUNS];
        long[] proxied = new long[TIMED_RUNS];
        for (int i = 0; i < TIMED_RUNS; i++) {
            direct[i] = same.directNanos(sql);
            proxied[i] = same.proxiedNanos(sql);
        }
        return (double) QueryComparison.median(direct) / QueryComparison.median(proxied);
    }

    /** Prints the table and fails with all that was not as expected. */
    void end() {
        System.out.println("\n" + title + "\n" + table.render());
        assertThat(wrong).as(title).isEmpty();
    }
}
