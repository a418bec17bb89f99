package io.fanfold.catalog;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A table's partitioning and its partitions in SHOW CREATE TABLE, without subpartitions. Immutable.
 *
 * @param partitioning method and expression
 * @param partitions in the server's order, at least one
 */
public record PartitionScheme(Partitioning partitioning, List<Definition> partitions) {
    /** Allows blanks and the end of MySQL's version comment around it. */
    private static final Pattern COUNT =
            Pattern.compile("^\\s*PARTITIONS\\s+(\\d{1,5})[\\s*/]*", Pattern.CASE_INSENSITIVE);

    private static final Pattern LIST =
            Pattern.compile("^\\s*(?:PARTITIONS\\s+\\d{1,5}\\s*)?\\(", Pattern.CASE_INSENSITIVE);

    /** A part of values without parentheses. Quantifiers are possessive, because lists of values may be very long. */
    private static final String PLAIN = "[^'\"()]++|'[^']*+'";

    /** Values in parentheses, which may contain rows of values or calls. */
    private static final String VALUES =
            "\\((?:" + PLAIN + "|\\((?:" + PLAIN + "|\\((?:" + PLAIN + ")*+\\))*+\\))*+\\)";

    /** A partition without options other than the engine and a comment, in which Spider keeps the server. */
    private static final Pattern DEFINITION = Pattern.compile(
            "^\\s*PARTITION\\s+(?:`((?:[^`]++|``)++)`|\"((?:[^\"]++|\"\")++)\"|([^\\s`\"',()]+))"
                    + "\\s*(|DEFAULT|VALUES LESS THAN MAXVALUE|VALUES (?:LESS THAN|IN) " + VALUES + ")"
                    + "(?:\\s*COMMENT\\s*=\\s*'((?:[^'\\\\]++|''|\\\\.)*+)')?\\s*ENGINE\\s*=\\s*(InnoDB|SPIDER)\\s*",
            Pattern.CASE_INSENSITIVE);

    private static final Pattern BLANKS = Pattern.compile("\\s+");

    public PartitionScheme {
        partitions = List.copyOf(partitions);
        if (partitions.isEmpty()) {
            throw new IllegalArgumentException("no partitions");
        }
    }

    /**
     * One partition.
     *
     * @param name for a PARTITION clause, unquoted
     * @param values its values, as written apart from blanks, e.g. {@code VALUES LESS THAN (10)}; empty if a hash
     *     selects them
     * @param comment as written; empty if there is none
     */
    public record Definition(String name, String values, String comment) {
        /** Creates a partition without a comment. */
        public Definition(String name, String values) {
            this(name, values, "");
        }
    }

    /**
     * Parses the text after the partitioning expression.
     *
     * @param text from after its closing parenthesis to the end of the statement
     * @param engine that of the table, which each partition must have
     * @return empty if the text is not understood
     */
    static Optional<PartitionScheme> read(Partitioning partitioning, String text, String engine) {
        Matcher count = COUNT.matcher(text);
        if (count.matches()) {
            return numbered(partitioning, Integer.parseInt(count.group(1)));
        }
        Matcher list = LIST.matcher(text);
        if (!list.lookingAt()) {
            // MySQL leaves out PARTITIONS if there is one
            return text.isBlank() || text.strip().equals("*/") ? numbered(partitioning, 1) : Optional.empty();
        }
        List<Definition> definitions = new ArrayList<>();
        for (String part : parts(text, list.end())) {
            Optional<Definition> definition = definition(part, engine);
            if (definition.isEmpty()) {
                return Optional.empty();
            }
            definitions.add(definition.get());
        }
        return definitions.isEmpty() ? Optional.empty() : Optional.of(new PartitionScheme(partitioning, definitions));
    }

    private static Optional<PartitionScheme> numbered(Partitioning partitioning, int count) {
        List<Definition> definitions = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            definitions.add(new Definition("p" + i, ""));
        }
        return definitions.isEmpty() ? Optional.empty() : Optional.of(new PartitionScheme(partitioning, definitions));
    }

    /** Returns the parts of a list between its commas; none if the list is not closed. */
    private static List<String> parts(String text, int from) {
        List<String> parts = new ArrayList<>();
        int depth = 0;
        int start = from;
        for (int i = from; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\'' || c == '"' || c == '`') {
                i = text.indexOf(c, i + 1);
                if (i < 0) {
                    return List.of();
                }
            } else if (depth == 0 && (c == ',' || c == ')')) {
                parts.add(text.substring(start, i));
                start = i + 1;
                if (c == ')') {
                    return parts;
                }
            } else {
                depth += c == '(' ? 1 : c == ')' ? -1 : 0;
            }
        }
        return List.of();
    }

    private static Optional<Definition> definition(String text, String engine) {
        Matcher definition = DEFINITION.matcher(text);
        if (!definition.matches() || !definition.group(6).equalsIgnoreCase(engine)) {
            return Optional.empty();
        }
        return Optional.of(new Definition(
                name(definition),
                BLANKS.matcher(definition.group(4).strip()).replaceAll(" "),
                Objects.requireNonNullElse(definition.group(5), "")));
    }

    private static String name(Matcher definition) {
        if (definition.group(1) != null) {
            return definition.group(1).replace("``", "`");
        }
        // in sessions with ANSI_QUOTES
        return definition.group(2) != null ? definition.group(2).replace("\"\"", "\"") : definition.group(3);
    }

    /**
     * Pairs the partitions with those of a co-partitioned table: equal values of the partitioning columns are in
     * partitions of the same number.
     *
     * @return the other table's partition for each lower-case partition name; empty if the tables are not
     *     co-partitioned
     */
    public Optional<Map<String, String>> pairedWith(PartitionScheme other) {
        if (!partitioning.alike(other.partitioning) || partitions.size() != other.partitions.size()) {
            return Optional.empty();
        }
        Map<String, String> names = new HashMap<>();
        for (int i = 0; i < partitions.size(); i++) {
            if (!partitions.get(i).values().equals(other.partitions.get(i).values())) {
                return Optional.empty();
            }
            names.put(
                    partitions.get(i).name().toLowerCase(Locale.ROOT),
                    other.partitions.get(i).name());
        }
        return Optional.of(Map.copyOf(names));
    }
}
