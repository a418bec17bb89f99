package io.fanfold.catalog;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the primary key of a table from the text of SHOW CREATE TABLE. */
public final class PrimaryKey {
    private static final String CREATE = "CREATE TABLE ";
    private static final String LINE = "\n  PRIMARY KEY (";

    /** What follows the name of a column: the length of a prefix, the direction, and the comma or bracket after it. */
    private static final Pattern AFTER_NAME = Pattern.compile("\\G(?:\\(\\d+\\))?(?: DESC)?([,)])");

    private PrimaryKey() {}

    /**
     * Returns the columns of the primary key. No two rows of the table have equal values in all of them.
     *
     * @param showCreateTable the second column of SHOW CREATE TABLE
     * @return in the order of the key; empty if there is none, or if the text is not understood
     */
    public static List<String> columns(String showCreateTable) {
        int line = showCreateTable.indexOf(LINE);
        boolean one = line >= 0 && line == showCreateTable.lastIndexOf(LINE);
        if (!one || !showCreateTable.startsWith(CREATE)) {
            return List.of();
        }
        char quote = showCreateTable.charAt(CREATE.length());
        boolean quotes = quote == '`' || quote == '"';
        return quotes ? columns(showCreateTable, line + LINE.length(), quote) : List.of();
    }

    private static List<String> columns(String text, int first, char quote) {
        List<String> columns = new ArrayList<>();
        Matcher after = AFTER_NAME.matcher(text);
        int at = first;
        while (at < text.length() && text.charAt(at) == quote) {
            int end = nameEnd(text, at + 1, quote);
            if (end < 0 || !after.find(end + 1)) {
                return List.of();
            }
            columns.add(text.substring(at + 1, end).replace("" + quote + quote, "" + quote));
            if (after.group(1).equals(")")) {
                return columns;
            }
            at = after.end();
        }
        return List.of();
    }

    /** The position of the quote that ends a name; -1 if there is none. A quote inside a name is doubled. */
    private static int nameEnd(String text, int from, char quote) {
        for (int at = from; at < text.length(); at++) {
            if (text.charAt(at) == quote) {
                if (at + 1 == text.length() || text.charAt(at + 1) != quote) {
                    return at == from ? -1 : at;
                }
                at++;
            }
        }
        return -1;
    }
}
