package io.fanfold.catalog;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The partitioning method and expression of a table. Two of them are equal if the server shows the same partitioning.
 * INFORMATION_SCHEMA and SHOW CREATE TABLE differ only in blanks and quotes, which are removed. Immutable.
 *
 * @param method in lower case, words with one blank between them, e.g. {@code range columns}
 * @param expression without quotes and meaningless blanks
 */
public record Partitioning(String method, String expression) {
    private static final Pattern QUOTES = Pattern.compile("[`\"]");
    private static final Pattern BESIDE_SIGNS = Pattern.compile("(?<=[^\\w$]) | (?=[^\\w$\\s])");
    private static final Pattern COLUMNS = Pattern.compile("[\\w$]++(?:,[\\w$]++)*+");
    private static final Pattern FUNCTION = Pattern.compile("^[a-z_]+\\(([\\w$]+)\\)", Pattern.CASE_INSENSITIVE);
    private static final Pattern BLANKS = Pattern.compile("\\s+");

    public Partitioning {
        method = BLANKS.matcher(method.strip()).replaceAll(" ").toLowerCase(Locale.ROOT);
        String plain = BLANKS.matcher(QUOTES.matcher(expression).replaceAll("").strip())
                .replaceAll(" ");
        expression = BESIDE_SIGNS.matcher(plain).replaceAll("");
    }

    /** Returns the only columns that determine a row's partition; empty if unknown. */
    public List<String> columns() {
        if (COLUMNS.matcher(expression).matches()) {
            return List.of(expression.split(",", -1));
        }
        Matcher function = FUNCTION.matcher(expression);
        return function.matches() ? List.of(function.group(1)) : List.of();
    }

    /**
     * Whether another table distributes its rows in the same way, by its own columns. True for the same method, over
     * the same number of columns or the same function of one. False if the columns are unknown.
     */
    public boolean alike(Partitioning other) {
        return method.equals(other.method)
                && !columns().isEmpty()
                && columns().size() == other.columns().size()
                && function().equals(other.function());
    }

    /** Returns the function applied to the only column, in lower case; empty if there is none. */
    private String function() {
        int open = expression.indexOf('(');
        return open < 0 ? "" : expression.substring(0, open).toLowerCase(Locale.ROOT);
    }

    /** Whether values are compared by their types and collations, not as numbers or by a hash of their bytes. */
    public boolean comparesValues() {
        return method.endsWith(" columns");
    }
}
