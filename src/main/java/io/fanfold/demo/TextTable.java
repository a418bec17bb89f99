package io.fanfold.demo;

import java.util.ArrayList;
import java.util.List;

/** Formats rows of text in columns as wide as their widest cell. Not thread-safe. */
public final class TextTable {
    private static final String GAP = "  ";

    private final List<Heading> headings;
    private final List<List<String>> rows = new ArrayList<>();

    /**
     * A column's heading.
     *
     * @param rightAligned for numbers
     * @param width the minimum width of the column
     */
    public record Heading(String title, boolean rightAligned, int width) {
        /** A heading for words. */
        public static Heading left(String title) {
            return new Heading(title, false, title.length());
        }

        /** A heading for numbers. */
        public static Heading right(String title) {
            return new Heading(title, true, title.length());
        }

        /** Returns this heading with at least that width. */
        public Heading atLeast(int wider) {
            return new Heading(title, rightAligned, Math.max(width, wider));
        }
    }

    public TextTable(Heading... headings) {
        this.headings = List.of(headings);
    }

    /** @throws IllegalArgumentException if the number of cells is not that of the headings */
    public void add(String... cells) {
        if (cells.length != headings.size()) {
            throw new IllegalArgumentException(cells.length + " cells (expected: " + headings.size() + ")");
        }
        rows.add(List.of(cells));
    }

    /** The table with its headings and a rule below them. Each line ends with a line feed, and none with a space. */
    public String render() {
        List<Integer> widths = new ArrayList<>();
        for (int i = 0; i < headings.size(); i++) {
            int column = i;
            int widest = rows.stream()
                    .mapToInt(row -> row.get(column).length())
                    .max()
                    .orElse(0);
            widths.add(Math.max(headings.get(i).width(), widest));
        }
        StringBuilder text = new StringBuilder();
        head(text, widths);
        rows.forEach(row -> line(text, row, widths));
        return text.toString();
    }

    /** Only the headings and their rule, as wide as the headings need, for rows that are printed one by one. */
    public String head() {
        StringBuilder text = new StringBuilder();
        head(text, headings.stream().map(Heading::width).toList());
        return text.toString();
    }

    /**
     * Formats a row for a table that begins with {@link #head}; it is not stored. A cell may be wider than its column.
     */
    public String line(String... cells) {
        StringBuilder text = new StringBuilder();
        line(text, List.of(cells), headings.stream().map(Heading::width).toList());
        return text.toString();
    }

    private void head(StringBuilder text, List<Integer> widths) {
        line(text, headings.stream().map(Heading::title).toList(), widths);
        line(text, widths.stream().map("-"::repeat).toList(), widths);
    }

    private void line(StringBuilder text, List<String> cells, List<Integer> widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < cells.size(); i++) {
            String cell = cells.get(i);
            String space = " ".repeat(Math.max(0, widths.get(i) - cell.length()));
            line.append(i == 0 ? "" : GAP).append(headings.get(i).rightAligned() ? space + cell : cell + space);
        }
        text.append(line.toString().stripTrailing()).append('\n');
    }
}
