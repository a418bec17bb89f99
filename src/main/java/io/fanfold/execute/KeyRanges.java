package io.fanfold.execute;

import io.fanfold.catalog.KeyColumn;
import io.fanfold.catalog.KeyType;
import io.fanfold.catalog.TableName;
import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.execute.KeyRangeSearch.Estimates;
import io.fanfold.execute.KeyRangeSearch.Interval;
import io.fanfold.execute.KeyRangeSearch.Values;
import io.fanfold.plan.KeyRange;
import io.fanfold.row.Row;
import io.fanfold.wire.ServerFlavor;
import java.io.IOException;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.LongSupplier;

/**
 * Remembers the intervals of keys by which tables are split. They are found when a statement first needs them, and again
 * when they are old or the table has grown. Intervals of an earlier time only share the work less evenly. Safe for all threads.
 */
final class KeyRanges {
    /** How long intervals are used. */
    private static final long AGE_NANOS = Duration.ofMinutes(10).toNanos();

    /** Intervals are found again if the table has this many times the rows, or as many times fewer. */
    private static final double GROWTH = 1.5;

    /** The most tables and partitions whose intervals are remembered. */
    private static final int MOST_KNOWN = 10_000;

    /**
     * What is divided.
     *
     * @param server the key of the server
     * @param partition the name of a partition; empty for the whole table
     */
    record Divided(String server, TableName table, String partition, KeyColumn key) {
        /** Returns the table or partition for FROM, by the index. */
        private String indexed() {
            String part = partition.isEmpty() ? "" : " PARTITION (" + TableName.quote(partition) + ")";
            return table.quoted() + part + " FORCE INDEX (" + TableName.quote(key.index()) + ")";
        }
    }

    /**
     * Known intervals.
     *
     * @param wanted how many were wanted
     * @param rows the estimated rows of all
     * @param nanos when they were found
     */
    private record Found(List<Interval> intervals, int wanted, long rows, long nanos) {
        boolean serves(int more, long nowRows, long now) {
            return wanted >= more && now - nanos < AGE_NANOS && nowRows <= rows * GROWTH && rows <= nowRows * GROWTH;
        }
    }

    private final ConcurrentMap<Divided, Found> known = new ConcurrentHashMap<>();
    private final LongSupplier clock;

    KeyRanges(LongSupplier clock) {
        this.clock = clock;
    }

    /**
     * Returns the intervals of a table or partition, in order; none if it has not two values.
     *
     * @param rows its estimated rows, as the catalog has them
     * @param wanted the least number, 1 or more; there are fewer if the key has few values
     * @param worker a connection to the server
     */
    List<Interval> of(Divided divided, long rows, int wanted, WireConnection worker, ServerFlavor flavor)
            throws IOException, ServerException {
        Optional<List<Interval>> last = known(divided, rows, wanted);
        if (last.isPresent()) {
            return last.get();
        }
        List<Interval> intervals = find(divided, wanted, worker, flavor);
        if (known.size() >= MOST_KNOWN) {
            known.clear();
        }
        known.put(divided, new Found(intervals, wanted, rows, clock.getAsLong()));
        return intervals;
    }

    /** Like {@link #of}, but does not ask the server; empty if they are not known. */
    Optional<List<Interval>> known(Divided divided, long rows, int wanted) {
        return Optional.ofNullable(known.get(divided))
                .filter(found -> found.serves(wanted, rows, clock.getAsLong()))
                .map(Found::intervals);
    }

    /** Forgets all intervals, since tables have changed. */
    void forget() {
        known.clear();
    }

    private static List<Interval> find(Divided divided, int wanted, WireConnection worker, ServerFlavor flavor)
            throws IOException, ServerException {
        KeyColumn key = divided.key();
        Optional<Values> firsts = values(divided, key.name(), key.type(), "", worker);
        if (firsts.isEmpty()) {
            return List.of();
        }
        return new KeyRangeSearch(key, new Estimates() {
                    @Override
                    public List<Long> of(List<KeyRange> ranges) throws IOException, ServerException {
                        String select = "SELECT 1 FROM " + divided.indexed() + " WHERE ";
                        String table = divided.table().quoted();
                        return Explain.rows(
                                worker,
                                ranges.stream()
                                        .map(range -> select + range.condition(table))
                                        .toList(),
                                flavor);
                    }

                    @Override
                    public Optional<Values> second(BigInteger first) throws IOException, ServerException {
                        return KeyRanges.second(divided, first, worker);
                    }
                })
                .ofTable(firsts.get(), wanted);
    }

    /**
     * Returns the values of the key's second column, over the rows that have a value in the first one. The server finds
     * the smallest and the largest by the index.
     *
     * @param first the position of the value
     * @return empty if there is no second column or no row, or if its values have no positions
     */
    static Optional<Values> second(Divided divided, BigInteger first, WireConnection worker)
            throws IOException, ServerException {
        KeyColumn key = divided.key();
        String where =
                " WHERE " + TableName.quote(key.name()) + " = " + key.type().literal(first);
        return key.second().isEmpty()
                ? Optional.empty()
                : values(divided, key.second().get().name(), key.second().get().type(), where, worker);
    }

    private static Optional<Values> values(
            Divided divided, String column, KeyType type, String where, WireConnection worker)
            throws IOException, ServerException {
        List<Row> ends = worker.query(
                        "SELECT " + type.ends(TableName.quote(column)) + " FROM " + divided.indexed() + where)
                .rows();
        String least = ends.size() == 1 ? ends.get(0).utf8(0) : null;
        String most = ends.size() == 1 ? ends.get(0).utf8(1) : null;
        return least == null || most == null || !"1".equals(ends.get(0).ascii(2))
                ? Optional.empty()
                : Values.of(type, least, most);
    }
}
