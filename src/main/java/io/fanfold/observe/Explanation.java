package io.fanfold.observe;

import io.fanfold.row.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The answer to {@code EXPLAIN FORMAT=FANFOLD}, and the only reader of its form. Immutable.
 *
 * @param steps its rows in order
 */
public record Explanation(List<ExplainedStep> steps) {
    private static final String OF = " of ";
    private static final String IN = ", in ";

    /**
     * A row of the answer.
     *
     * @param name of the step
     * @param detail may have line feeds
     */
    public record ExplainedStep(String name, String detail) {}

    /**
     * What is read of one split table.
     *
     * @param table its name with its schema
     * @param read the number of partitions that are read
     * @param partitions the number of its partitions
     * @param queries the number of partition queries
     */
    public record ReadPartitions(String table, int read, int partitions, int queries) {}

    public Explanation {
        steps = List.copyOf(steps);
    }

    /** @param rows two columns of text, step and detail */
    static Explanation of(List<Row> rows) {
        return new Explanation(rows.stream()
                .map(row -> new ExplainedStep(String.valueOf(row.utf8(0)), String.valueOf(row.utf8(1))))
                .toList());
    }

    /** Whether the statement would be split, now or after one execution without a split. */
    public boolean split() {
        return first("decision").filter("split"::equals).isPresent();
    }

    /** The label of the reason why it is passed through; "" if it is split. */
    public String reason() {
        return first("reason").orElse("");
    }

    /** The sentence of the reason; "" if it is split. */
    public String sentence() {
        return first("because").orElse("");
    }

    /** What was found where, for the reason; may be "". */
    public String found() {
        return first("found").orElse("");
    }

    /** Whether the server's plan is in doubt, so that only a statement that takes long is split. */
    public boolean doubtful() {
        return first("doubt").isPresent();
    }

    /** The number of worker connections; 0 if it is passed through. */
    public int workers() {
        return first("workers").map(Explanation::number).orElse(0);
    }

    /** One for each split block, whose ranges of a key count as partitions; empty if it is passed through. */
    public List<ReadPartitions> partitions() {
        List<ReadPartitions> found = new ArrayList<>();
        for (ExplainedStep step : steps) {
            if (step.name().equals("partitions") || step.name().equals("ranges")) {
                partitions(step.detail()).ifPresent(found::add);
            }
        }
        return found;
    }

    /** Reads {@code 2 of 3 of shop.orders, in 2 queries: p2024, p2025}. A table's name may contain anything. */
    private static Optional<ReadPartitions> partitions(String detail) {
        int first = detail.indexOf(OF);
        int second = detail.indexOf(OF, first + 1);
        int queries = detail.indexOf(" queries: ", Math.max(0, second));
        int table = detail.lastIndexOf(IN, Math.max(0, queries));
        if (first < 0 || second < 0 || table < second + OF.length()) {
            return Optional.empty();
        }
        return Optional.of(new ReadPartitions(
                detail.substring(second + OF.length(), table),
                number(detail.substring(0, first)),
                number(detail.substring(first + OF.length(), second)),
                number(detail.substring(table + IN.length(), queries))));
    }

    private static int number(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private Optional<String> first(String name) {
        return steps.stream()
                .filter(step -> step.name().equals(name))
                .map(ExplainedStep::detail)
                .findFirst();
    }
}
