package io.fanfold.cli.demo;

import io.fanfold.cli.demo.TextTable.Heading;
import java.util.List;
import java.util.Locale;

/** The demo's table. */
final class DemoReport {
    private DemoReport() {}

    /** One line for each statement, and below them each difference in full. */
    static String of(List<QueryComparison.Outcome> outcomes) {
        TextTable table = new TextTable(
                Heading.left("query"),
                Heading.right("direct s"),
                Heading.right("Fanfold s"),
                Heading.right("ratio"),
                Heading.left("same rows"),
                Heading.right("partitions"),
                Heading.right("degree"),
                Heading.left("snapshot"));
        StringBuilder differences = new StringBuilder();
        for (QueryComparison.Outcome outcome : outcomes) {
            boolean split = outcome.report().fannedOut();
            table.add(
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
            if (!outcome.same()) {
                differences
                        .append(outcome.query().name())
                        .append(": ")
                        .append(outcome.difference())
                        .append('\n');
            }
        }
        return table.render() + differences;
    }

    private static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.3f", nanos / 1e9);
    }
}
