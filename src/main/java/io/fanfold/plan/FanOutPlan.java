package io.fanfold.plan;

import io.fanfold.catalog.TableName;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The complete plan of a block. Immutable.
 *
 * @param beforePartition the partition query up to and with the first table's name that has a PARTITION clause
 * @param clauses those clauses in order of position, at least one
 * @param merge how partial rows become rows
 * @param finish how those become the answer
 */
public record FanOutPlan(String beforePartition, List<Clause> clauses, MergeNode merge, Finish finish) {
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
     * @param after the partition query behind the clause, up to the next table's name with one or to the end
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

    /** The partition query for some partitions of the split table, at least one. */
    public String partitionQuery(List<String> partitions) {
        return clauses.stream()
                .map(clause -> clause.of(partitions))
                .collect(Collectors.joining("", beforePartition, ""));
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
         */
        record Query(List<Carrier> carriers, String beforeTable, String afterTable) implements Finish {
            public Query {
                carriers = List.copyOf(carriers);
            }
        }
    }

    /** How a merged column travels in a finish query. */
    public sealed interface Carrier {
        /**
         * Text of a value of a declared type, e.g. {@code decimal(30,2)}; {@code temporal} forbids zeros as year, month
         * or day.
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
