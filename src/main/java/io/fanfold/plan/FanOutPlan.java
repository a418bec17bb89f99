package io.fanfold.plan;

import io.fanfold.catalog.TableName;
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
 * @param beforePartition the partition query up to and with the first table's name that has a PARTITION clause
 * @param clauses those clauses in order of position, at least one
 * @param tail the partition query after its FROM clause
 * @param merge how partial rows become rows
 * @param finish how those become the answer
 * @param filters what may be added to the condition of the partition query
 */
public record FanOutPlan(
        String beforePartition, List<Clause> clauses, Tail tail, MergeNode merge, Finish finish, KeyFilters filters) {
    public FanOutPlan {
        clauses = List.copyOf(clauses);
        if (clauses.isEmpty()) {
            throw new IllegalArgumentException("no PARTITION clause");
        }
    }

    /**
     * A PARTITION clause of the partition query.
     *
     * @param partner by the name of each of the split table's partitions, in lower case, that of the partition that is read
     *     of this table; empty when this is the split table itself
     * @param after the partition query behind the clause, up to the next table's name with one or to the end of FROM
     */
    public record Clause(Map<String, String> partner, String after) {
        public Clause {
            partner = Map.copyOf(partner);
        }

        private String of(List<String> partitions) {
            return partitions.stream()
                    .map(name -> partner.isEmpty() ? name : partner(name))
                    .map(TableName::quote)
                    .collect(Collectors.joining(", ", " PARTITION (", ")" + after));
        }

        private String partner(String name) {
            String found = partner.get(name.toLowerCase(Locale.ROOT));
            if (found == null) {
                throw new IllegalArgumentException("no partner of partition " + name);
            }
            return found;
        }
    }

    /**
     * A partition query after its FROM clause.
     *
     * @param condition the statement's own condition, empty without one
     * @param rest what stands after the condition, from a blank on
     */
    public record Tail(String condition, String rest) {
        private String text() {
            return (condition.isEmpty() ? "" : " WHERE " + condition) + rest;
        }

        /** The same between parts of the condition that AND joins to it. */
        private String filtered() {
            return (condition.isEmpty() ? "" : " AND (" + condition + ")") + rest;
        }
    }

    /** The partition query for some partitions of the split table, at least one. */
    public String partitionQuery(List<String> partitions) {
        return from(partitions) + tail.text();
    }

    private String from(List<String> partitions) {
        return clauses.stream()
                .map(clause -> clause.of(partitions))
                .collect(Collectors.joining("", beforePartition, ""));
    }

    /**
     * The same with keys that dynamic filters have left.
     *
     * @param prefix stands before it if there are lists
     * @param lists may be empty
     * @return the text in UTF-8
     */
    public byte[] partitionQuery(String prefix, List<String> partitions, List<KeyList> lists) {
        if (lists.isEmpty()) {
            return partitionQuery(partitions).getBytes(StandardCharsets.UTF_8);
        }
        List<byte[]> pieces = new ArrayList<>();
        String before = prefix + from(partitions) + " WHERE ";
        for (KeyList list : lists) {
            pieces.add(before.getBytes(StandardCharsets.UTF_8));
            pieces.add(list.before());
            pieces.add(list.literals());
            before = list.after() + " AND ";
        }
        pieces.add((lists.get(lists.size() - 1).after() + tail.filtered()).getBytes(StandardCharsets.UTF_8));
        ByteBuffer text = ByteBuffer.allocate(
                pieces.stream().mapToInt(piece -> piece.length).sum());
        pieces.forEach(text::put);
        return text.array();
    }

    /** What happens to merged rows. */
    public sealed interface Finish {
        /** The merged rows are the answer, their columns taken in this order. */
        record Direct(List<Integer> columns) implements Finish {
            public Direct {
                columns = List.copyOf(columns);
            }
        }

        /** The first {@code visibleColumns} columns of the merged rows are the answer, bytes unchanged. */
        record AsIs() implements Finish {}

        /**
         * The server finishes: the merged rows stand as a JSON_TABLE in a query.
         *
         * @param carriers how each merged column is declared, in order
         * @param beforeTable the query up to FROM and a blank; columns are {@code ff.c0}, {@code ff.c1}, ...
         * @param afterTable the query behind the table's alias
         * @param portions which rows of the answer come, if the query computes each row by itself and merged rows may be
         *     given to it in portions, one after the other; empty if it needs all of them at once
         */
        record Query(List<Carrier> carriers, String beforeTable, String afterTable, Optional<Portions> portions)
                implements Finish {
            public Query {
                carriers = List.copyOf(carriers);
            }

            /** One that needs all merged rows at once. */
            public Query(List<Carrier> carriers, String beforeTable, String afterTable) {
                this(carriers, beforeTable, afterTable, Optional.empty());
            }
        }
    }

    /**
     * Which rows of all portions together are the answer: {@code count} of them after {@code offset} are skipped.
     *
     * @param count {@link Long#MAX_VALUE} for all rows
     */
    public record Portions(long offset, long count) {
        /** All rows. */
        static final Portions ALL = new Portions(0, Long.MAX_VALUE);
    }

    /** How a merged column travels in a finish query. */
    public sealed interface Carrier {
        /**
         * Text of a value of a declared type, e.g. {@code decimal(30,2)}; {@code temporal} forbids the year zero
         * and days that the calendar does not have.
         */
        record Typed(String declaration, boolean temporal) implements Carrier {}

        /**
         * A character string. The length is declared from the values.
         *
         * @param atLeast how many characters are declared however short the values are, from 0 on: beside other
         *     branches of a set operation the declared length decides how many digits of a number are shown as text
         */
        record Characters(String charset, String collation, int atLeast) implements Carrier {
            /** One that is as long as its values. */
            public Characters(String charset, String collation) {
                this(charset, collation, 0);
            }
        }

        /** A byte string, as base64. */
        record Bytes() implements Carrier {}
    }
}
