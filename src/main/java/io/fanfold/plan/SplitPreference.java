package io.fanfold.plan;

import io.fanfold.catalog.CatalogTable;
import java.util.Comparator;

/**
 * Which table of a statement is split rather than another: one with partitions before one without, then one with more rows.
 * A larger value is preferred. Immutable.
 *
 * @param partitioned whether the table has partitions
 * @param rows the server's estimate; -1 if the table cannot be split, see {@link #NONE}
 */
record SplitPreference(boolean partitioned, long rows) implements Comparable<SplitPreference> {
    /** That of a table that is not in the catalog, so that no other value is less. */
    static final SplitPreference NONE = new SplitPreference(false, -1);

    private static final Comparator<SplitPreference> ORDER =
            Comparator.comparing(SplitPreference::partitioned).thenComparingLong(SplitPreference::rows);

    static SplitPreference of(CatalogTable table) {
        return new SplitPreference(table.partitioned(), table.estimatedRows());
    }

    /** Whether the table is in the catalog. */
    boolean known() {
        return rows >= 0;
    }

    boolean above(SplitPreference other) {
        return compareTo(other) > 0;
    }

    @Override
    public int compareTo(SplitPreference other) {
        return ORDER.compare(this, other);
    }
}
