package io.fanfold.plan;

import java.util.List;

/**
 * One row of the traditional EXPLAIN.
 *
 * @param select the number of the SELECT it belongs to, 1 for the statement's own
 * @param table the table's alias as shown, "" when none is shown
 * @param partitions the partitions column split at commas, empty when it is NULL
 * @param accessType the type column, how its rows are found, e.g. ALL for a scan, "" when NULL
 * @param rows the estimated rows read for each row combination before, 0 when not shown
 * @param extra the Extra column, "" when NULL
 */
public record ExplainedTable(
        long select, String table, List<String> partitions, String accessType, long rows, String extra) {
    public ExplainedTable {
        partitions = List.copyOf(partitions);
    }

    /** Whether only the first entry of each group is read from an index (MySQL manual, Loose Index Scan). */
    public boolean looseIndexScan() {
        return extra.contains("Using index for group-by");
    }
}
