package io.fanfold.plan;

import io.fanfold.catalog.TableName;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The complete plan of a block. Immutable.
 *
 * @param beforePartition the partition query up to and with the split table's name
 * @param afterPartition the partition query behind the PARTITION clause
 * @param merge how partial rows become rows
 * @param finish how those become the answer
 */
public record FanOutPlan(String beforePartition, String afterPartition, MergeNode merge, Finish finish) {

    /** The partition query for some partitions, at least one. */
    public String partitionQuery(List<String> partitions) {
        return partitions.stream()
                .map(TableName::quote)
                .collect(Collectors.joining(", ", beforePartition + " PARTITION (", ")" + afterPartition));
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
        /** Text of a value of a declared type, e.g. {@code decimal(30,2)}; {@code temporal} forbids zeros as year, month or day. */
        record Typed(String declaration, boolean temporal) implements Carrier {}

        /**
         * A character string. The length is declared from the values.
         *
         * @param atLeast how many characters are declared however short the values are, from 0 on: beside other branches of a
         *     set operation the declared length decides how many digits of a number are shown as text
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
