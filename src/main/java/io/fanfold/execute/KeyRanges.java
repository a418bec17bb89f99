package io.fanfold.execute;

import io.fanfold.catalog.KeyColumn;
import io.fanfold.catalog.TableName;
import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.execute.KeyRangeSearch.Interval;
import io.fanfold.row.Row;
import io.fanfold.wire.ServerFlavor;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.LongSupplier;

/**
 * Remembers the intervals of keys by which tables are split. They are found when a statement first needs them, and again
 * when they are old. Intervals of an earlier time only share the work less evenly. Safe for all threads.
 */
final class KeyRanges {
    /** How long intervals are used. */
    private static final long AGE_NANOS = Duration.ofMinutes(10).toNanos();

    /** The most tables and partitions whose intervals are remembered. */
    private static final int MOST_KNOWN = 10_000;

    /**
     * What is divided.
     *
     * @param server the key of the server
     * @param partition the name of a partition; empty for the whole table
     */
    record Divided(String server, TableName table, String partition, KeyColumn key) {
        private String from() {
            return partition.isEmpty()
                    ? table.quoted()
                    : table.quoted() + " PARTITION (" + TableName.quote(partition) + ")";
        }
    }

    /**
     * Known intervals.
     *
     * @param wanted how many were wanted
     * @param nanos when they were found
     */
    private record Found(List<Interval> intervals, int wanted, long nanos) {}

    private final ConcurrentMap<Divided, Found> known = new ConcurrentHashMap<>();
    private final LongSupplier clock;

    KeyRanges(LongSupplier clock) {
        this.clock = clock;
    }

    /**
     * Returns the intervals of a table or partition, in order; none if it has not two values.
     *
     * @param wanted the least number, 1 or more; there are fewer if the key has few values
     * @param worker a connection to the server
     */
    List<Interval> of(Divided divided, int wanted, WireConnection worker, ServerFlavor flavor)
            throws IOException, ServerException {
        Found last = known.get(divided);
        if (last != null && last.wanted() >= wanted && clock.getAsLong() - last.nanos() < AGE_NANOS) {
            return last.intervals();
        }
        List<Interval> intervals = find(divided, wanted, worker, flavor);
        if (known.size() >= MOST_KNOWN) {
            known.clear();
        }
        known.put(divided, new Found(intervals, wanted, clock.getAsLong()));
        return intervals;
    }

    /** Forgets all intervals, since tables have changed. */
    void forget() {
        known.clear();
    }

    private static List<Interval> find(Divided divided, int wanted, WireConnection worker, ServerFlavor flavor)
            throws IOException, ServerException {
        String column = TableName.quote(divided.key().name());
        List<Row> ends = worker.query("SELECT " + divided.key().type().ends(column) + " FROM " + divided.from())
                .rows();
        String least = ends.size() == 1 ? ends.get(0).utf8(0) : null;
        String most = ends.size() == 1 ? ends.get(0).utf8(1) : null;
        if (least == null || most == null || !"1".equals(ends.get(0).ascii(2))) {
            return List.of();
        }
        String select = "SELECT 1 FROM " + divided.from() + " FORCE INDEX ("
                + TableName.quote(divided.key().index()) + ") WHERE ";
        return new KeyRangeSearch(
                        divided.key(),
                        ranges -> Explain.rows(
                                worker,
                                ranges.stream()
                                        .map(range -> select
                                                + range.condition(
                                                        divided.table().quoted()))
                                        .toList(),
                                flavor))
                .ofTable(least, most, wanted);
    }
}
