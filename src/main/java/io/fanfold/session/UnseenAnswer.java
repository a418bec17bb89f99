package io.fanfold.session;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * Remembers that the server did not see the last statement, because it was answered by folding. The next statement may
 * ask for what the server keeps about the last one: FOUND_ROWS(), ROW_COUNT(), warnings. Then a query that leaves the
 * server in the right state has to run first. Event loop only.
 */
final class UnseenAnswer {
    /** The last two run what was named before, and may ask. */
    private static final List<String> WORDS =
            List.of("found_rows", "row_count", "warning", "error", "diagnostics", "execute", "call");

    /** Longer ones might not fit into max_allowed_packet. */
    private static final long LONGEST_LIST = 1_000;

    private long rows = -1;
    private boolean preparedAsks;

    /** @param count rows of the folded answer, 0 or more */
    void folded(long count) {
        rows = count;
    }

    /** The server saw a statement, or forgot the last one. */
    void clear() {
        rows = -1;
    }

    /** The session was reset: the prepared statements are gone too. */
    void reset() {
        rows = -1;
        preparedAsks = false;
    }

    boolean pending() {
        return rows >= 0;
    }

    /**
     * Looks at a statement to be run or prepared.
     *
     * @param prepare whether it is only prepared
     * @return a query to be run first, its result to be dropped
     */
    Optional<byte[]> before(byte[] sql, int offset, int length, boolean prepare) {
        if (!pending() && !prepare) {
            return Optional.empty();
        }
        boolean asks = mentions(sql, offset, length);
        preparedAsks |= prepare && asks;
        return asks ? repair() : Optional.empty();
    }

    /** A prepared statement is to be executed; it may be one that asks. */
    Optional<byte[]> beforeExecute() {
        return preparedAsks ? repair() : Optional.empty();
    }

    private Optional<byte[]> repair() {
        return pending() ? Optional.of(query(rows).getBytes(StandardCharsets.US_ASCII)) : Optional.empty();
    }

    /** A query of {@code count} rows that raises no warning and needs no table; many rows are made by a join of few. */
    static String query(long count) {
        if (count == 0) {
            return "SELECT 1 FROM DUAL WHERE 1=0";
        }
        if (count <= LONGEST_LIST) {
            return "SELECT 1 FROM " + list(count, "t");
        }
        long squares = (count - 1) / (LONGEST_LIST * LONGEST_LIST) + 1;
        return "SELECT 1 FROM " + list(LONGEST_LIST, "t") + ", " + list(LONGEST_LIST, "u") + ", " + list(squares, "v")
                + " LIMIT " + count;
    }

    private static String list(long rows, String name) {
        return "JSON_TABLE(CONCAT('[1',REPEAT(',1'," + (rows - 1) + "),']'),'$[*]' COLUMNS(x INT PATH '$')) " + name;
    }

    private static boolean mentions(byte[] sql, int offset, int length) {
        for (String word : WORDS) {
            if (contains(sql, offset, length, word)) {
                return true;
            }
        }
        return false;
    }

    private static boolean contains(byte[] sql, int offset, int length, String word) {
        for (int start = offset; start <= offset + length - word.length(); start++) {
            int matched = 0;
            while (matched < word.length() && lower(sql[start + matched]) == word.charAt(matched)) {
                matched++;
            }
            if (matched == word.length()) {
                return true;
            }
        }
        return false;
    }

    private static int lower(byte letter) {
        return letter >= 'A' && letter <= 'Z' ? letter + ('a' - 'A') : letter;
    }
}
