package io.fanfold.binlog;

import io.fanfold.catalog.TableName;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** What one transaction has changed so far. For use by one thread. */
final class GroupChanges {
    /** If more tables and partitions changed, all count as changed. */
    private static final int MOST_REMEMBERED = 200_000;

    /** The mapped tables, each with its changed partitions; none if no rows of it were logged. */
    private final Map<TableName, Set<Integer>> tables = new HashMap<>();

    private final Set<TableName> whole = new HashSet<>();
    private int remembered;
    private boolean everything;
    private boolean cascades;

    /** A statement may change the table. */
    void mapped(TableName table) {
        remember(table, Set.of());
    }

    private void remember(TableName table, Set<Integer> partitions) {
        if (remembered > MOST_REMEMBERED) {
            everything();
        }
        if (everything) {
            return;
        }
        Set<Integer> known = tables.computeIfAbsent(table, name -> {
            remembered++;
            return new HashSet<>();
        });
        for (int partition : partitions) {
            remembered += known.add(partition) ? 1 : 0;
        }
    }

    /** Rows of the table changed; {@code partitions} is empty if their partitions are unknown. */
    void rows(TableName table, Set<Integer> partitions) {
        remember(table, partitions);
        if (partitions.isEmpty() && !everything) {
            whole.add(table);
        }
    }

    /** Any table may have changed. */
    void everything() {
        everything = true;
        tables.clear();
        whole.clear();
    }

    /** Foreign keys may have changed any other tables. */
    void cascades() {
        cascades = true;
    }

    boolean hasCascades() {
        return cascades;
    }

    boolean isEverything() {
        return everything;
    }

    /**
     * Returns the changed tables with their changed partitions; no partitions mean the whole table.
     */
    Map<TableName, Set<Integer>> tables() {
        whole.forEach(table -> tables.put(table, Set.of()));
        return tables;
    }
}
