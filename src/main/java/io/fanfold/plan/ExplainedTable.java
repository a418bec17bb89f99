package io.fanfold.plan;

import java.util.List;

/**
 * One row of the traditional EXPLAIN.
 *
 * @param select the number of its SELECT, 1 for the outermost
 * @param table the table's alias as shown, "" if none is shown
 * @param partitions the partitions column split at commas, empty if it is NULL
 * @param accessType the type column, which says how rows are found, e.g. ALL for a scan, "" if NULL
 * @param key the index that it uses, "" if NULL
 * @param rows the estimated rows read for each row combination of the previous tables, 0 if not shown
 * @param extra the Extra column, "" if NULL
 */
public record ExplainedTable(
        long select, String table, List<String> partitions, String accessType, String key, long rows, String extra) {
    public ExplainedTable {
        partitions = List.copyOf(partitions);
    }

    /** Creates a row of a table that is read without an index. */
    public ExplainedTable(
            long select, String table, List<String> partitions, String accessType, long rows, String extra) {
        this(select, table, partitions, accessType, "", rows, extra);
    }

    /** Returns this row with another estimate. */
    ExplainedTable withRows(long other) {
        return new ExplainedTable(select, table, partitions, accessType, key, other, extra);
    }

    /** Whether the plan shows a temporary table here. */
    public boolean temporary() {
        return extra.contains("Using temporary");
    }

    /** Whether only the first entry of each group is read from an index (MySQL manual, Loose Index Scan). */
    public boolean looseIndexScan() {
        return extra.contains("Using index for group-by");
    }
}
