package io.fanfold.cli.demo;

import io.fanfold.cli.demo.TextTable.Heading;
import java.util.List;
import java.util.Locale;

/** The demo's table, a line as soon as it is known. For use by one thread. */
final class DemoReport {
    private final TextTable table;
    private final StringBuilder differences = new StringBuilder();

    /** A table for these statements. */
    DemoReport(List<DemoQuery> queries) {
        int longestName =
                queries.stream().mapToInt(query -> query.name().length()).max().orElse(0);
        table = new TextTable(
                Heading.left("query").atLeast(longestName),
                Heading.right("direct s"),
                Heading.right("Fanfold s"),
                Heading.right("ratio").atLeast(6),
                Heading.left("same rows"),
                Heading.right("partitions"),
                Heading.right("degree"),
                Heading.left("snapshot"));
    }

    /** The headings. */
    String head() {
        return table.head();
    }

    /** The line of one statement. */
    String line(QueryComparison.Outcome outcome) {
        boolean split = outcome.report().fannedOut();
        if (!outcome.same()) {
            differences
                    .append(outcome.query().name())
                    .append(": ")
                    .append(outcome.difference())
                    .append('\n');
        }
        return table.line(
                outcome.query().name(),
                seconds(outcome.directNanos()),
                seconds(outcome.proxiedNanos()),
                String.format(Locale.ROOT, "%.1fx", outcome.ratio()),
                outcome.same() ? "yes" : "NO",
                split ? Integer.toString(outcome.report().partitions()) : "-",
                split ? Integer.toString(outcome.report().degree()) : "-",
                split
                        ? outcome.report().snapshot()
                        : "passed through: " + outcome.report().reason());
    }

    /** Each difference of the lines so far in full, a line each. */
    String differences() {
        return differences.toString();
    }

    private static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.3f", nanos / 1e9);
    }
}
