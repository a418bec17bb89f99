package io.fanfold.catalog;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The first column of an index, whose ranges can divide a table. Immutable.
 *
 * @param index the name of the index, {@code PRIMARY} for the primary key
 * @param name the column
 * @param type its type
 */
public record KeyColumn(String index, String name, KeyType type) {
    /** The name of the primary key. */
    public static final String PRIMARY = "PRIMARY";

    /** A name in backticks, or in quotation marks in sessions with ANSI_QUOTES. */
    private static final String NAME = "(?:`((?:[^`]|``)+)`|\"((?:[^\"]|\"\")+)\")";

    private static final Pattern COLUMN = Pattern.compile("^  " + NAME + " (.*?),?$");

    /** An index that begins with a whole column in ascending order: no prefix of it, no expression, not descending. */
    private static final Pattern INDEX =
            Pattern.compile("^  (?:(PRIMARY KEY)|(?:UNIQUE )?KEY " + NAME + ") \\(" + NAME + "(?:[,)].*)$");

    /**
     * Reads the indexes of a table that begin with a column of a usable type.
     *
     * @param showCreateTable the second column of SHOW CREATE TABLE. The server writes each column and each index in a
     *     line of its own, and no line break inside a line but in names.
     * @return the primary key first, then the others in their order
     */
    public static List<KeyColumn> of(String showCreateTable) {
        List<String> lines = showCreateTable.lines().toList();
        List<KeyColumn> keys = new ArrayList<>();
        for (String line : lines) {
            Matcher index = INDEX.matcher(line);
            if (index.matches() && !line.contains("IGNORED") && !line.contains("INVISIBLE")) {
                String name = index.group(1) != null ? PRIMARY : unquoted(index.group(2), index.group(3));
                column(lines, name, unquoted(index.group(4), index.group(5))).ifPresent(keys::add);
            }
        }
        return List.copyOf(keys);
    }

    private static Optional<KeyColumn> column(List<String> lines, String index, String column) {
        for (String line : lines) {
            Matcher definition = COLUMN.matcher(line);
            if (definition.matches()
                    && unquoted(definition.group(1), definition.group(2)).equals(column)) {
                return KeyType.of(definition.group(3)).map(type -> new KeyColumn(index, column, type));
            }
        }
        return Optional.empty();
    }

    /** Whether the column may be NULL. A column of the primary key never is. */
    public boolean nullable() {
        return !index.equals(PRIMARY);
    }

    private static String unquoted(String inBackticks, String inQuotes) {
        return inBackticks != null ? inBackticks.replace("``", "`") : inQuotes.replace("\"\"", "\"");
    }
}
