package io.fanfold.catalog;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How a table is partitioned: by which method, over what. Two of them are equal where the server shows the same, whether in
 * INFORMATION_SCHEMA or in SHOW CREATE TABLE, which differ in blanks and quotes. Immutable.
 *
 * @param method in lower case, words with one blank between them, e.g. {@code range columns}
 * @param expression without quotes, and without blanks where they mean nothing
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

    /** The columns that alone decide on a row's partition; empty when that is not known. */
    public List<String> columns() {
        if (COLUMNS.matcher(expression).matches()) {
            return List.of(expression.split(",", -1));
        }
        Matcher function = FUNCTION.matcher(expression);
        return function.matches() ? List.of(function.group(1)) : List.of();
    }

    /**
     * Whether another table's rows are dealt out in the same way, by columns of its own: the same method, over as many columns
     * or the same function of one. Of tables of unknown columns nothing is known.
     */
    public boolean alike(Partitioning other) {
        return method.equals(other.method)
                && !columns().isEmpty()
                && columns().size() == other.columns().size()
                && function().equals(other.function());
    }

    /** The function that is applied to the only column, in lower case; empty when none is. */
    private String function() {
        int open = expression.indexOf('(');
        return open < 0 ? "" : expression.substring(0, open).toLowerCase(Locale.ROOT);
    }

    /** Whether values are compared as their types and collations do, and not as numbers or by a hash of their bytes. */
    public boolean comparesValues() {
        return method.endsWith(" columns");
    }
}
