package io.fanfold.demo;

import io.fanfold.demo.TextTable.Heading;
import io.fanfold.metrics.FanOutReport;
import io.fanfold.reason.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/** The demo's table, printed line by line, and its explanations. Not thread-safe. */
final class DemoReport {
    private static final int LINE_WIDTH = 120;
    private static final String GAP = "  ";

    private final List<DemoQuery> queries;
    private final int nameWidth;
    private final List<DemoQuery> summed;
    private final TextTable table;
    private final List<QueryComparison.Outcome> outcomes = new ArrayList<>();

    /**
     * Creates a table for these statements.
     *
     * @param summed the statements that are part of the sum line
     */
    DemoReport(List<DemoQuery> queries, List<DemoQuery> summed) {
        this.queries = List.copyOf(queries);
        this.summed = List.copyOf(summed);
        nameWidth =
                queries.stream().mapToInt(query -> query.name().length()).max().orElse(0);
        table = new TextTable(
                Heading.left("query").atLeast(nameWidth),
                Heading.right("direct s"),
                Heading.right("Fanfold s"),
                Heading.right("ratio"),
                Heading.left("same rows"),
                Heading.right("parts"),
                Heading.right("degree"),
                Heading.left("snapshot"));
    }

    /** The headings. */
    String head() {
        return table.head();
    }

    /** The line of one statement. */
    String line(QueryComparison.Outcome outcome) {
        outcomes.add(outcome);
        FanOutReport report = outcome.report();
        boolean split = report.fannedOut();
        return table.line(
                outcome.query().name(),
                seconds(outcome.directNanos()),
                seconds(outcome.proxiedNanos()),
                ratio(outcome.ratio()),
                outcome.same() ? "yes" : "NO",
                split ? Integer.toString(report.partitions()) : "-",
                split ? Integer.toString(report.degree()) : "-",
                split ? report.snapshot() : "passed through: " + report.reason());
    }

    /** The sum line: the sum of the {@code summed} statements among the lines so far. */
    String sum() {
        List<QueryComparison.Outcome> parts = outcomes.stream()
                .filter(outcome -> summed.contains(outcome.query()))
                .toList();
        long direct =
                parts.stream().mapToLong(QueryComparison.Outcome::directNanos).sum();
        long proxied =
                parts.stream().mapToLong(QueryComparison.Outcome::proxiedNanos).sum();
        long split =
                parts.stream().filter(outcome -> outcome.report().fannedOut()).count();
        return table.line(
                "SSB, all " + parts.size(),
                seconds(direct),
                seconds(proxied),
                ratio((double) direct / Math.max(1, proxied)),
                parts.stream().allMatch(QueryComparison.Outcome::same) ? "yes" : "NO",
                "-",
                "-",
                split + " split, " + (parts.size() - split) + " passed through");
    }

    /** Every difference in the lines so far, one per line. */
    String differences() {
        StringBuilder text = new StringBuilder();
        for (QueryComparison.Outcome outcome : outcomes) {
            if (!outcome.same()) {
                text.append(outcome.query().name())
                        .append(": ")
                        .append(outcome.difference())
                        .append('\n');
            }
        }
        return text.toString();
    }

    /** The meaning of the words in the lines so far, one per line. */
    String legend() {
        Set<String> snapshots = new TreeSet<>();
        Set<String> reasons = new TreeSet<>();
        for (QueryComparison.Outcome outcome : outcomes) {
            (outcome.report().fannedOut() ? snapshots : reasons)
                    .add(
                            outcome.report().fannedOut()
                                    ? outcome.report().snapshot()
                                    : outcome.report().reason());
        }
        StringBuilder text = new StringBuilder();
        explain(text, "ratio", "time direct / time through Fanfold: above 1.0 Fanfold is faster");
        if (!snapshots.isEmpty()) {
            explain(text, "parts", "partitions, or ranges of the primary key if the table has no partitions");
        }
        for (String snapshot : snapshots) {
            explain(text, snapshot, snapshotMeaning(snapshot));
        }
        if (!reasons.isEmpty()) {
            explain(text, "passed through", "the server ran the whole statement itself");
            explain(text, "-", "it was not split into partition queries");
        }
        for (Reason reason : Reason.values()) {
            if (reasons.contains(reason.label())) {
                explain(text, reason.label(), reason.sentence());
            }
        }
        return text.toString();
    }

    /** The complete SQL of each statement, wrapped at spaces. */
    String statements() {
        StringBuilder text = new StringBuilder();
        for (DemoQuery query : queries) {
            explain(text, query.name(), query.sql());
        }
        return text.toString();
    }

    private void explain(StringBuilder text, String word, String meaning) {
        StringBuilder line = new StringBuilder(word).append(" ".repeat(Math.max(0, nameWidth - word.length())));
        int start = line.length() + GAP.length();
        line.append(' ');
        for (String part : meaning.strip().split("\\s+", -1)) {
            if (line.length() > start && line.length() + 1 + part.length() > LINE_WIDTH) {
                text.append(line).append('\n');
                line.setLength(0);
                line.append(" ".repeat(start - 1));
            }
            line.append(' ').append(part);
        }
        text.append(line).append('\n');
    }

    private static String snapshotMeaning(String snapshot) {
        return switch (snapshot) {
            case "verified" -> "split; it was proven that all worker connections read the same state of the tables";
            case "locked" -> "split; the tables were locked while the worker connections opened their snapshots";
            case "relaxed" -> "split; nothing proves that all worker connections read the same state of the tables";
            default -> "split";
        };
    }

    private static String ratio(double ratio) {
        return String.format(Locale.ROOT, "%.1f", ratio);
    }

    private static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.3f", nanos / 1e9);
    }
}
