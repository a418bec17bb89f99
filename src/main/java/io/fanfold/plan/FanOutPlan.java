package io.fanfold.plan;

import io.fanfold.catalog.TableName;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A complete plan. Immutable.
 *
 * @param beforePartition the partition query up to and with the split table's name
 * @param afterPartition the partition query behind the PARTITION clause
 * @param merge how partial rows become rows
 * @param finish how those become the answer
 */
public record FanOutPlan(String beforePartition, String afterPartition, MergeNode merge, Finish finish)
        implements SplitDecision {

    /**
     * Whether partition queries must deliver text in the client's own results character set, because their bytes go to
     * the client as they are; else they deliver UTF-8. See {@link SplitPlanner#rowsAsClient}.
     */
    public boolean rowsAsClient() {
        return !(finish instanceof Finish.Query);
    }

    /** The partition query for some partitions, at least one. */
    public String partitionQuery(List<String> partitions) {
        return beforePartition
                + partitions.stream().map(TableName::quote).collect(Collectors.joining(", ", " PARTITION (", ")"))
                + afterPartition;
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
         * @param onWorker whether it reads tables and must therefore run in a worker's snapshot, where the client's text
         *     literals are UTF-8, instead of on the client's connection
         */
        record Query(List<Carrier> carriers, String beforeTable, String afterTable, boolean onWorker)
                implements Finish {
            public Query {
                carriers = List.copyOf(carriers);
            }
        }
    }

    /** How a merged column travels in a finish query. */
    public sealed interface Carrier {
        /** Text of a value of a declared type, e.g. {@code decimal(30,2)}; {@code temporal} forbids zeros as year, month or day. */
        record Typed(String declaration, boolean temporal) implements Carrier {}

        /** A character string; the length is declared from the values. */
        record Characters(String charset, String collation) implements Carrier {}

        /** A byte string, as base64. */
        record Bytes() implements Carrier {}
    }
}
