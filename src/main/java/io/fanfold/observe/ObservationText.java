package io.fanfold.observe;

import io.fanfold.demo.TextTable;
import io.fanfold.demo.TextTable.Heading;
import io.fanfold.observe.Observation.ReasonShare;
import io.fanfold.observe.StatementGroups.Load;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** An observation as text for people. */
public final class ObservationText {
    /** The most characters of a statement that the text shows if no width is given. */
    private static final int STATEMENT = 100;

    private static final int LEAST_STATEMENT = 30;

    private final Observation observation;
    private final int top;
    private final int columns;

    /**
     * @param top the most groups that are shown
     * @param columns the width of the output; 0 if there is no limit
     */
    public ObservationText(Observation observation, int top, int columns) {
        this.observation = observation;
        this.top = top;
        this.columns = columns;
    }

    /** Returns lines, each with a line feed at its end. */
    public String render() {
        return head() + "\n" + statements() + "\n" + reasons() + advice();
    }

    private String head() {
        Load load = observation.load();
        long split = observation.splitNanos();
        long saved = observation.savedNanos();
        return observation.source() + "\n" + observation.server() + "\n"
                + text(
                        "%,d statements, %s; of these %,d SELECTs, %s, in %,d groups%n",
                        load.executions(),
                        seconds(load.nanos()),
                        load.selectExecutions(),
                        seconds(load.selectNanos()),
                        load.groups().size())
                + text(
                        "would be split: %.1f %% of the time (%s, %,d of the SELECTs)%n",
                        observation.percent(split), seconds(split), observation.splitExecutions())
                + text(
                        "expected: %s less, %.1f %% of the time (a model, no measurement)%n",
                        seconds(saved), observation.percent(saved));
    }

    private String statements() {
        List<Verdict> shown = observation.verdicts().stream().limit(top).toList();
        int fixed = 0;
        TextTable table = new TextTable(
                Heading.right("share"),
                Heading.right("time"),
                Heading.right("executions"),
                Heading.right("mean"),
                Heading.right("expected"),
                Heading.left("decision"),
                Heading.left("schema"),
                Heading.left("statement"));
        for (Verdict verdict : shown) {
            String schema = verdict.group().schema();
            fixed = Math.max(fixed, verdict.shortText().length() + schema.length());
        }
        int room = columns == 0 ? STATEMENT : Math.max(LEAST_STATEMENT, columns - 58 - fixed);
        for (Verdict verdict : shown) {
            StatementGroup group = verdict.group();
            table.add(
                    text("%.1f %%", observation.percent(group.nanos())),
                    seconds(group.nanos()),
                    text("%,d", group.executions()),
                    seconds(group.meanNanos()),
                    verdict.split() ? seconds(verdict.expectedNanos() / group.executions()) : "",
                    verdict.shortText(),
                    group.schema(),
                    cut(oneLine(group.digest()), room));
        }
        int hidden = observation.verdicts().size() - shown.size();
        return table.render() + (hidden > 0 ? text("and %,d more (--top)%n", hidden) : "");
    }

    private String reasons() {
        List<ReasonShare> reasons = observation.reasons();
        if (reasons.isEmpty()) {
            return "";
        }
        TextTable table = new TextTable(
                Heading.right("share"),
                Heading.right("time"),
                Heading.right("statements"),
                Heading.left("passed through"),
                Heading.left("because"));
        for (ReasonShare reason : reasons) {
            table.add(
                    text("%.1f %%", observation.percent(reason.nanos())),
                    seconds(reason.nanos()),
                    text("%,d", reason.executions()),
                    reason.label(),
                    oneLine(reason.sentence()));
        }
        return table.render();
    }

    private String advice() {
        if (observation.advice().isEmpty()) {
            return "";
        }
        return observation.advice().stream()
                .map(advice -> text("%.1f %% ", observation.percent(advice.nanos())) + advice.reason() + ": "
                        + oneLine(advice.sentence()) + "\n"
                        + advice.remedies().stream()
                                .map(remedy -> "        to change that: " + remedy + "\n")
                                .collect(Collectors.joining()))
                .collect(Collectors.joining("", "\n", ""));
    }

    /** Texts of clients and servers cannot look like lines of the report. */
    private static String oneLine(String text) {
        StringBuilder line = new StringBuilder(text.length());
        text.codePoints().map(c -> Character.isISOControl(c) ? ' ' : c).forEach(line::appendCodePoint);
        return line.toString();
    }

    private static String cut(String text, int room) {
        return text.length() <= room ? text : text.substring(0, Math.max(1, room - 4)) + " ...";
    }

    private static String seconds(long nanos) {
        return nanos < 1_000_000_000 ? text("%.1f ms", nanos / 1e6) : text("%,.2f s", nanos / 1e9);
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
