package io.fanfold.config;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The tables of an entry in the settings: {@code schema.table}, each a name or a pattern. In a pattern {@code *}
 * matches any characters, also none, and {@code ?} matches one. In backticks all characters are literal, and a backtick
 * is doubled, as in SQL. Immutable.
 *
 * @param text as in the file
 * @param schema the schema's part
 * @param table the table's part
 */
public record TablePattern(String text, NamePattern schema, NamePattern table) {
    private static final String PART = "`(?:[^`]|``)+`|[^.`\\s](?:[^.`]*[^.`\\s])?";
    private static final Pattern TEXT = Pattern.compile("(" + PART + ")\\.(" + PART + ")");

    /**
     * One of the two names.
     *
     * @param text without backticks
     * @param wild whether {@code *} and {@code ?} in it are wildcards
     */
    public record NamePattern(String text, boolean wild) {
        static NamePattern of(String written) {
            if (written.startsWith("`")) {
                return new NamePattern(
                        written.substring(1, written.length() - 1).replace("``", "`"), false);
            }
            return new NamePattern(written, written.indexOf('*') >= 0 || written.indexOf('?') >= 0);
        }

        int literals() {
            return (int) text.chars().filter(c -> !wild || c != '*' && c != '?').count();
        }

        boolean matches(String name, boolean caseSensitive) {
            return caseSensitive
                    ? matches(text, name)
                    : matches(text.toLowerCase(Locale.ROOT), name.toLowerCase(Locale.ROOT));
        }

        /** Matches as few characters as possible for each *; after a mismatch, extends the last * by one character. */
        private boolean matches(String pattern, String name) {
            int at = 0;
            int star = -1;
            int resume = 0;
            int i = 0;
            while (i < name.length()) {
                if (wild && at < pattern.length() && pattern.charAt(at) == '*') {
                    star = at++;
                    resume = i;
                } else if (at < pattern.length()
                        && (wild && pattern.charAt(at) == '?' || pattern.charAt(at) == name.charAt(i))) {
                    at++;
                    i++;
                } else if (star >= 0) {
                    at = star + 1;
                    i = ++resume;
                } else {
                    return false;
                }
            }
            while (wild && at < pattern.length() && pattern.charAt(at) == '*') {
                at++;
            }
            return at == pattern.length();
        }
    }

    /** Parses a key of the file; empty if it is not of that form. */
    public static Optional<TablePattern> parse(String text) {
        Matcher parts = TEXT.matcher(text);
        return parts.matches()
                ? Optional.of(new TablePattern(text, NamePattern.of(parts.group(1)), NamePattern.of(parts.group(2))))
                : Optional.empty();
    }

    /** Whether it names one table. */
    public boolean exact() {
        return !schema.wild && !table.wild;
    }

    /** Returns the number of characters that are not wildcards. */
    int literals() {
        return schema.literals() + table.literals();
    }

    /**
     * Whether it matches a table.
     *
     * @param caseSensitive whether table names are case-sensitive on the server (lower_case_table_names is 0)
     */
    public boolean matches(String schemaName, String tableName, boolean caseSensitive) {
        return schema.matches(schemaName, caseSensitive) && table.matches(tableName, caseSensitive);
    }

    /** Returns the edit distance from that table; 0 or more. */
    public int distance(String schemaName, String tableName) {
        return EditDistance.between(schema.text, schema.wild, schemaName)
                + EditDistance.between(table.text, table.wild, tableName);
    }

    /** Whether both are the same pattern, apart from backticks. */
    boolean same(TablePattern other) {
        return schema.equals(other.schema) && table.equals(other.table);
    }
}
