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
    private final boolean spider;
    private final TextTable table;
    private final List<QueryComparison.Outcome> outcomes = new ArrayList<>();

    /**
     * Creates a table for these statements.
     *
     * @param summed the statements that are part of the sum line
     * @param spider whether the partitions are on other servers, so that the rows count that these send
     */
    DemoReport(List<DemoQuery> queries, List<DemoQuery> summed, boolean spider) {
        this.queries = List.copyOf(queries);
        this.summed = List.copyOf(summed);
        this.spider = spider;
        nameWidth =
                queries.stream().mapToInt(query -> query.name().length()).max().orElse(0);
        List<Heading> headings = new ArrayList<>(List.of(
                Heading.left("query").atLeast(nameWidth),
                Heading.right("direct s"),
                Heading.right("Fanfold s"),
                Heading.right("ratio")));
        if (spider) {
            headings.addAll(List.of(Heading.right("direct rows"), Heading.right("Fanfold rows")));
        }
        headings.addAll(List.of(
                Heading.left("same rows"), Heading.right("parts"), Heading.right("degree"), Heading.left("snapshot")));
        table = new TextTable(headings.toArray(Heading[]::new));
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
        return line(
                outcome.query().name(),
                outcome.directNanos(),
                outcome.proxiedNanos(),
                outcome.directRows(),
                outcome.proxiedRows(),
                outcome.same(),
                split ? Integer.toString(report.partitions()) : "-",
                split ? Integer.toString(report.degree()) : "-",
                split ? report.snapshot() : "passed through: " + report.reason());
    }

    private String line(
            String name,
            long directNanos,
            long proxiedNanos,
            long directRows,
            long proxiedRows,
            boolean same,
            String... split) {
        List<String> cells = new ArrayList<>(List.of(
                name,
                seconds(directNanos),
                seconds(proxiedNanos),
                String.format(Locale.ROOT, "%.1f", (double) directNanos / Math.max(1, proxiedNanos))));
        if (spider) {
            cells.add(String.format(Locale.ROOT, "%,d", directRows));
            cells.add(String.format(Locale.ROOT, "%,d", proxiedRows));
        }
        cells.add(same ? "yes" : "NO");
        cells.addAll(List.of(split));
        return table.line(cells.toArray(String[]::new));
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
        return line(
                (spider ? "all " : "SSB, all ") + parts.size(),
                direct,
                proxied,
                parts.stream().mapToLong(QueryComparison.Outcome::directRows).sum(),
                parts.stream().mapToLong(QueryComparison.Outcome::proxiedRows).sum(),
                parts.stream().allMatch(QueryComparison.Outcome::same),
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
        if (spider) {
            explain(text, "rows", "rows that the servers of the partitions sent in the last run");
        }
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

    private static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.3f", nanos / 1e9);
    }
}
