package io.fanfold.cli;

import io.fanfold.observe.Explanation.ExplainedStep;
import java.util.ArrayList;
import java.util.List;

/**
 * Formats steps in two columns. Long details are wrapped, and their further lines are indented.
 *
 * @param columns the width of the output; 0 for no limit
 */
record StepTable(int columns) {
    private static final String GAP = "  ";

    /** A narrower column for details would be harder to read than lines that the terminal wraps. */
    private static final int LEAST_DETAIL = 20;

    /** Returns one line for each step, or more; each ends with a line feed. */
    String render(List<ExplainedStep> steps) {
        int names = steps.stream().mapToInt(step -> step.name().length()).max().orElse(0);
        int room = columns - names - GAP.length();
        String indent = " ".repeat(names + GAP.length());
        StringBuilder text = new StringBuilder();
        for (ExplainedStep step : steps) {
            String first = step.name() + " ".repeat(names - step.name().length()) + GAP;
            for (String line : wrapped(step.detail(), room < LEAST_DETAIL ? Integer.MAX_VALUE : room)) {
                text.append((first + line).stripTrailing()).append('\n');
                first = indent;
            }
        }
        return text.toString();
    }

    /** Breaks a text at its line feeds, and before a word that does not fit. A longer word has a line of its own. */
    private static List<String> wrapped(String text, int room) {
        List<String> lines = new ArrayList<>();
        for (String line : text.split("\\R", -1)) {
            int start = 0;
            while (line.length() - start > room) {
                int space = line.lastIndexOf(' ', start + room);
                if (space <= start) {
                    space = line.indexOf(' ', start + room);
                }
                if (space < 0) {
                    break;
                }
                lines.add(line.substring(start, space));
                start = space + 1;
            }
            lines.add(line.substring(start));
        }
        return lines;
    }
}
