package io.fanfold.plan;

import io.fanfold.catalog.TableName;
import io.fanfold.sql.TextRange;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The complete plan of a block. Immutable.
 *
 * @param beforePartition the partition query up to and including the name of the first table with a PARTITION clause
 * @param clauses the PARTITION clauses in order of position, at least one
 * @param tail the partition query after its FROM clause
 * @param merge how partial rows are merged
 * @param completion how merged rows become the answer
 * @param filters the dynamic filters that may be added to the condition of the partition query
 */
public record FanOutPlan(
        String beforePartition,
        List<TablePartitions> clauses,
        Tail tail,
        MergeNode merge,
        Completion completion,
        KeyFilters filters) {
    public FanOutPlan {
        clauses = List.copyOf(clauses);
        if (clauses.isEmpty()) {
            throw new IllegalArgumentException("no PARTITION clause");
        }
    }

    /**
     * A PARTITION clause of the partition query.
     *
     * @param coPartitioned maps each partition of the split table, in lower case, to the partition to read of this table;
     *     empty if this is the split table itself
     * @param after the partition query after this clause, up to the name of the next such table or to the end of FROM
     * @param inner the span of the condition in {@code after} that a range is added to; without length, if there is none,
     *     where it would be. Empty if a range is added to the condition of the {@link Tail}.
     */
    public record TablePartitions(Map<String, String> coPartitioned, String after, Optional<TextRange> inner) {
        public TablePartitions {
            coPartitioned = Map.copyOf(coPartitioned);
        }

        /** Creates a clause of a table in the FROM clause of the block. */
        public TablePartitions(Map<String, String> coPartitioned, String after) {
            this(coPartitioned, after, Optional.empty());
        }

        /**
         * @param range a condition, empty if there is none
         */
        private String of(List<String> partitions, String range) {
            if (partitions.isEmpty()) {
                return after(range);
            }
            return partitions.stream()
                    .map(name -> coPartitioned.isEmpty() ? name : coPartitioned(name))
                    .map(TableName::quote)
                    .collect(Collectors.joining(", ", " PARTITION (", ")" + after(range)));
        }

        private String after(String range) {
            if (inner.isEmpty() || range.isEmpty()) {
                return after;
            }
            TextRange own = inner.get();
            String with = own.start() == own.end() ? " WHERE " + range : range + " AND (" + own.of(after) + ")";
            return after.substring(0, own.start()) + with + after.substring(own.end());
        }

        private String coPartitioned(String name) {
            String found = coPartitioned.get(name.toLowerCase(Locale.ROOT));
            if (found == null) {
                throw new IllegalArgumentException("no co-partitioned partition of " + name);
            }
            return found;
        }
    }

    /**
     * A partition query after its FROM clause.
     *
     * @param condition the statement's own condition, empty if it has none
     * @param rest the text after the condition, with a leading blank
     * @param splitName how a condition names the split table, quoted
     */
    public record Tail(String condition, String rest, String splitName) {
        /** Returns this text with another condition and another rest. */
        public Tail with(String otherCondition, String otherRest) {
            return new Tail(otherCondition, otherRest, splitName);
        }

        /**
         * @param range a further condition, empty if there is none
         */
        private String text(String range) {
            if (range.isEmpty()) {
                return (condition.isEmpty() ? "" : " WHERE " + condition) + rest;
            }
            return " WHERE " + range + and(condition) + rest;
        }

        /** Returns the text that follows the conditions of dynamic filters, joined with AND. */
        private String filtered(String range) {
            return and(range) + and(condition) + rest;
        }

        private static String and(String condition) {
            return condition.isEmpty() ? "" : " AND (" + condition + ")";
        }
    }

    /** Returns the partition query for a part. */
    public String partitionQuery(Part part) {
        return from(part) + tail.text(outerRange(part));
    }

    /** Returns the condition for a range, if it belongs to the block's own condition. */
    private String outerRange(Part part) {
        return clauses.stream().anyMatch(clause -> clause.inner().isPresent()) ? "" : range(part);
    }

    private String range(Part part) {
        return part.range().map(range -> range.condition(tail.splitName())).orElse("");
    }

    private String from(Part part) {
        List<String> partitions = part.names();
        String range = range(part);
        return clauses.stream()
                .map(clause -> clause.of(partitions, range))
                .collect(Collectors.joining("", beforePartition, ""));
    }

    /**
     * Returns the partition query restricted to the keys of dynamic filters.
     *
     * @param prefix the text before the query, used only if there are lists
     * @param lists may be empty
     * @return the text in UTF-8
     */
    public byte[] partitionQuery(String prefix, Part part, List<KeyList> lists) {
        if (lists.isEmpty()) {
            return partitionQuery(part).getBytes(StandardCharsets.UTF_8);
        }
        List<byte[]> pieces = new ArrayList<>();
        String before = prefix + from(part) + " WHERE ";
        for (KeyList list : lists) {
            pieces.add(before.getBytes(StandardCharsets.UTF_8));
            pieces.add(list.before());
            pieces.add(list.literals());
            before = list.after() + " AND ";
        }
        pieces.add((lists.get(lists.size() - 1).after() + tail.filtered(outerRange(part)))
                .getBytes(StandardCharsets.UTF_8));
        ByteBuffer text = ByteBuffer.allocate(
                pieces.stream().mapToInt(piece -> piece.length).sum());
        pieces.forEach(text::put);
        return text.array();
    }

    /** How merged rows become the answer. */
    public sealed interface Completion {
        /** The merged rows are the answer, with their columns in this order. */
        record Direct(List<Integer> columns) implements Completion {
            public Direct {
                columns = List.copyOf(columns);
            }
        }

        /** The merged rows are the answer unchanged, with the columns that the merge makes visible. */
        record AsIs() implements Completion {}

        /**
         * The final query: the server runs it over the merged rows as a JSON_TABLE.
         *
         * @param encodings how each merged column is declared, in order
         * @param beforeTable the query up to FROM and a blank; columns are {@code ff.c0}, {@code ff.c1}, ...
         * @param afterTable the query after the table's alias
         * @param portions the rows of the answer to return, if the query computes each row separately and may receive
         *     merged rows in consecutive portions; empty if it needs all rows at once
         */
        record FinalQuery(
                List<ColumnEncoding> encodings, String beforeTable, String afterTable, Optional<Portions> portions)
                implements Completion {
            public FinalQuery {
                encodings = List.copyOf(encodings);
            }

            /** Creates a final query that needs all merged rows at once. */
            public FinalQuery(List<ColumnEncoding> encodings, String beforeTable, String afterTable) {
                this(encodings, beforeTable, afterTable, Optional.empty());
            }
        }
    }

    /**
     * The rows of all portions that are the answer: {@code count} rows after the first {@code offset}.
     *
     * @param count {@link Long#MAX_VALUE} for all rows
     */
    public record Portions(long offset, long count) {
        static final Portions ALL = new Portions(0, Long.MAX_VALUE);
    }

    /** How a merged column is encoded for the final query. */
    public sealed interface ColumnEncoding {
        /**
         * The text of a value of a declared type, e.g. {@code decimal(30,2)}. {@code temporal} forbids the year zero
         * and days that do not exist.
         */
        record TypedEncoding(String declaration, boolean temporal) implements ColumnEncoding {}

        /**
         * A character string. Its length is declared from the values.
         *
         * @param atLeast the least number of characters to declare, from 0. In a set operation, the declared length
         *     decides how many digits of another branch's number are shown as text.
         */
        record TextEncoding(String charset, String collation, int atLeast) implements ColumnEncoding {
            /** Creates an encoding that is as long as its values. */
            public TextEncoding(String charset, String collation) {
                this(charset, collation, 0);
            }
        }

        /** A byte string in base64. */
        record BinaryEncoding() implements ColumnEncoding {}
    }
}
