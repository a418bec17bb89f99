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
     * @param width the least width of the column
     */
    public record Heading(String title, boolean rightAligned, int width) {
        /** Of a column of words. */
        public static Heading left(String title) {
            return new Heading(title, false, title.length());
        }

        /** Of a column of numbers. */
        public static Heading right(String title) {
            return new Heading(title, true, title.length());
        }

        /** The same with room for more. */
        public Heading atLeast(int wider) {
            return new Heading(title, rightAligned, Math.max(width, wider));
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
            widths.add(Math.max(headings.get(i).width(), widest));
        }
        StringBuilder text = new StringBuilder();
        head(text, widths);
        rows.forEach(row -> line(text, row, widths));
        return text.toString();
    }

    /** The headings and their rule alone, as wide as the headings demand: for rows that are printed as they come. */
    public String head() {
        StringBuilder text = new StringBuilder();
        head(text, headings.stream().map(Heading::width).toList());
        return text.toString();
    }

    /** A row to stand below {@link #head}; it is not kept. A cell may be wider than its column. */
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
