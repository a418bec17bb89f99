package io.fanfold.sql;

/**
 * A range of a statement's text.
 *
 * @param start index of the first character, 0-based
 * @param end index after the last character
 */
public record TextRange(int start, int end) {
    public TextRange {
        if (start < 0 || end < start) {
            throw new IllegalArgumentException("span " + start + ".." + end);
        }
    }

    public String of(String sql) {
        return sql.substring(start, end);
    }

    public boolean contains(TextRange other) {
        return start <= other.start && other.end <= end;
    }

    /** Returns the same range in a text that begins {@code by} characters earlier. */
    TextRange moved(int by) {
        return new TextRange(start + by, end + by);
    }
}
