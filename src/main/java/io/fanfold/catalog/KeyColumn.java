package io.fanfold.catalog;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The first column of an index, whose ranges can divide a table. Immutable.
 *
 * @param index the name of the index, {@code PRIMARY} for the primary key
 * @param name the column
 * @param type its type
 * @param second the column after it in the index; empty if there is none of a usable type
 */
public record KeyColumn(String index, String name, KeyType type, Optional<Second> second) {
    /**
     * The second column of an index. Its ranges divide the rows that have the same first value.
     *
     * @param name the column
     * @param type its type
     */
    public record Second(String name, KeyType type) {}

    /** The name of the primary key. */
    public static final String PRIMARY = "PRIMARY";

    private static final String COLUMN = "^  `((?:[^`]|``)+)` (.*?),?$";

    /**
     * An index that begins with a whole column in ascending order: no prefix of it, no expression, not descending. The
     * second column is a group if it is such a column too, and so is the bracket after an only column.
     */
    private static final String INDEX = "^  (?:(PRIMARY KEY)|(?:UNIQUE )?KEY `((?:[^`]|``)+)`)"
            + " \\(`((?:[^`]|``)+)`(?:,`((?:[^`]|``)+)`(?=[,)])|(?=(\\))))?(?:[,)].*)$";

    /** The table's own character set, in the line after the last column or index. */
    private static final Pattern OPTIONS = Pattern.compile("^\\) .*?DEFAULT CHARSET=(\\w+)(?: COLLATE=(\\w+))?");

    private static final Pattern COLUMN_IN_BACKTICKS = Pattern.compile(COLUMN);

    private static final Pattern INDEX_IN_BACKTICKS = Pattern.compile(INDEX);

    private static final Pattern COLUMN_IN_QUOTES = Pattern.compile(COLUMN.replace('`', '"'));

    private static final Pattern INDEX_IN_QUOTES = Pattern.compile(INDEX.replace('`', '"'));

    /** What the server writes in a session without and with ANSI_QUOTES. */
    private static final List<Definition> DEFINITIONS = List.of(
            new Definition('`', COLUMN_IN_BACKTICKS::matcher, INDEX_IN_BACKTICKS::matcher),
            new Definition('"', COLUMN_IN_QUOTES::matcher, INDEX_IN_QUOTES::matcher));

    /**
     * How to read the lines of a table's definition. A line break in a name may begin a line that looks like an index.
     * Such a line cannot have whole names: the server doubles the quotes inside a name.
     *
     * @param quote around names
     * @param column matches the line of a column
     * @param index matches the line of a usable index
     */
    private record Definition(char quote, Function<String, Matcher> column, Function<String, Matcher> index) {
        String unquoted(String name) {
            return name.replace("" + quote + quote, "" + quote);
        }
    }

    /**
     * Reads the indexes of a table that begin with a column of a usable type.
     *
     * @param showCreateTable the second column of SHOW CREATE TABLE. The server writes each column and each index in a
     *     line of its own
     * @return the primary key first, then the others in their order
     */
    public static List<KeyColumn> of(String showCreateTable) {
        return DEFINITIONS.stream()
                .filter(known -> showCreateTable.startsWith("CREATE TABLE " + known.quote()))
                .flatMap(known -> of(showCreateTable.lines().toList(), known).stream())
                .toList();
    }

    private static List<KeyColumn> of(List<String> lines, Definition definition) {
        List<KeyColumn> keys = new ArrayList<>();
        for (String line : lines) {
            Matcher index = definition.index().apply(line);
            if (index.matches() && !line.contains("IGNORED") && !line.contains("INVISIBLE")) {
                String name = index.group(1) != null ? PRIMARY : definition.unquoted(index.group(2));
                String column = definition.unquoted(index.group(3));
                Optional<Second> second = index.group(5) != null
                        ? primary(keys, column)
                        : Optional.ofNullable(index.group(4))
                                .map(definition::unquoted)
                                .flatMap(next -> type(lines, definition, next).map(type -> new Second(next, type)));
                type(lines, definition, column).ifPresent(type -> keys.add(new KeyColumn(name, column, type, second)));
            }
        }
        return keys;
    }

    /** Returns the column that follows the only column of an index: InnoDB adds the primary key to each index. */
    private static Optional<Second> primary(List<KeyColumn> before, String column) {
        return before.stream()
                .filter(key -> key.index().equals(PRIMARY) && !key.name().equals(column))
                .map(key -> new Second(key.name(), key.type()))
                .findFirst();
    }

    private static Optional<KeyType> type(List<String> lines, Definition definition, String name) {
        String collation = lines.stream()
                .map(OPTIONS::matcher)
                .filter(Matcher::find)
                .map(options -> KeyType.collation(options.group(1), options.group(2)))
                .reduce("", (before, last) -> last);
        return lines.stream()
                .map(definition.column())
                .filter(Matcher::matches)
                .filter(column -> definition.unquoted(column.group(1)).equals(name))
                .findFirst()
                .flatMap(column -> KeyType.of(column.group(2), collation));
    }

    /** Whether the columns may be NULL. Those of the primary key never are. */
    public boolean nullable() {
        return !index.equals(PRIMARY);
    }
}
