package io.fanfold.cli.demo;

import java.util.ArrayList;
import java.util.List;

/** Rows of text set in columns as wide as their widest cell. Not thread-safe. */
public final class TextTable {
    private static final String GAP = "  ";

    private final List<Heading> headings;
    private final List<List<String>> rows = new ArrayList<>();

    /**
     * A column's heading.
     *
     * @param rightAligned for numbers
     */
    public record Heading(String title, boolean rightAligned) {
        /** Of a column of words. */
        public static Heading left(String title) {
            return new Heading(title, false);
        }

        /** Of a column of numbers. */
        public static Heading right(String title) {
            return new Heading(title, true);
        }
    }

    public TextTable(Heading... headings) {
        this.headings = List.of(headings);
    }

    /** @throws IllegalArgumentException when there are not as many cells as headings */
    public void add(String... cells) {
        if (cells.length != headings.size()) {
            throw new IllegalArgumentException(cells.length + " cells (expected: " + headings.size() + ")");
        }
        rows.add(List.of(cells));
    }

    /** The table with its headings, a rule under them, and a line feed after each line; no line ends with a space. */
    public String render() {
        List<Integer> widths = new ArrayList<>();
        for (int i = 0; i < headings.size(); i++) {
            int column = i;
            int widest = rows.stream()
                    .mapToInt(row -> row.get(column).length())
                    .max()
                    .orElse(0);
            widths.add(Math.max(headings.get(i).title().length(), widest));
        }
        StringBuilder text = new StringBuilder();
        line(text, headings.stream().map(Heading::title).toList(), widths);
        line(text, widths.stream().map("-"::repeat).toList(), widths);
        rows.forEach(row -> line(text, row, widths));
        return text.toString();
    }

    private void line(StringBuilder text, List<String> cells, List<Integer> widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < cells.size(); i++) {
            String cell = cells.get(i);
            String space = " ".repeat(widths.get(i) - cell.length());
            line.append(i == 0 ? "" : GAP).append(headings.get(i).rightAligned() ? space + cell : cell + space);
        }
        text.append(line.toString().stripTrailing()).append('\n');
    }
}
