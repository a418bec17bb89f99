package io.fanfold.reuse;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.fanfold.operator.MemoryBudget;
import io.fanfold.row.Row;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Keeps rows of partition queries within a budget. If there is no room for more, those go first that save the least
 * time for each byte, and of these the ones that were not used for the longest time (Cao and Irani, Cost-Aware WWW Proxy
 * Caching Algorithms, 1997: GreedyDual-Size). Safe for use by multiple threads.
 */
public final class PartialResults {
    private final MemoryBudget budget;

    @GuardedBy("this")
    private final Map<ResultKey, Entry> entries = new HashMap<>();

    @GuardedBy("this")
    private final TreeSet<Entry> byValue = new TreeSet<>(
            Comparator.comparingDouble((Entry entry) -> entry.value).thenComparingLong(entry -> entry.number));

    /** The value of the last entry that was dropped for another one. It makes entries age that are not used. */
    @GuardedBy("this")
    private double age;

    @GuardedBy("this")
    private long numbers;

    /** @param budget only for these rows */
    public PartialResults(MemoryBudget budget) {
        this.budget = budget;
    }

    private static final class Entry {
        private final ResultKey key;
        private final PartialResult result;
        private final long number;
        private double value;

        private Entry(ResultKey key, PartialResult result, long number) {
            this.key = key;
            this.result = result;
            this.number = number;
        }
    }

    /** Returns the kept rows of a query. */
    public synchronized Optional<PartialResult> find(ResultKey key) {
        Entry entry = entries.get(key);
        if (entry == null) {
            return Optional.empty();
        }
        byValue.remove(entry);
        rank(entry);
        return Optional.of(entry.result);
    }

    @GuardedBy("this")
    private void rank(Entry entry) {
        entry.value = age + (double) entry.result.nanos() / entry.result.rows().heapBytes();
        byValue.add(entry);
    }

    /** Drops the rows of a query if they are these. */
    public synchronized void drop(ResultKey key, PartialResult result) {
        Entry entry = entries.get(key);
        if (entry != null && entry.result.equals(result)) {
            remove(entry);
        }
    }

    @GuardedBy("this")
    private void remove(Entry entry) {
        entries.remove(entry.key);
        byValue.remove(entry);
        budget.release(entry.result.rows().heapBytes());
    }

    /** Drops all rows. Returns how many queries they were of. */
    public synchronized int clear() {
        int dropped = entries.size();
        for (Entry entry : Map.copyOf(entries).values()) {
            remove(entry);
        }
        return dropped;
    }

    /** The number of queries whose rows are kept. */
    public synchronized int size() {
        return entries.size();
    }

    /** The heap of all kept rows, in bytes. */
    public long heapBytes() {
        return budget.heldBytes();
    }

    /** Changes the heap for kept rows, in bytes, and drops the least valuable ones that have no room in it. */
    public synchronized void limit(long bytes) {
        budget.limit(bytes);
        while (budget.heldBytes() > bytes && !byValue.isEmpty()) {
            dropLeast();
        }
    }

    @GuardedBy("this")
    private void dropLeast() {
        Entry least = byValue.first();
        age = least.value;
        remove(least);
    }

    /** Reserves bytes, for which less valuable rows may be dropped. */
    private synchronized boolean take(long bytes, double value) {
        while (!budget.take(bytes)) {
            if (byValue.isEmpty() || byValue.first().value >= age + value) {
                return false;
            }
            dropLeast();
        }
        return true;
    }

    /**
     * Starts to record the rows of a query while they are read.
     *
     * @param columns the number of columns of each row
     * @param startNanos {@link System#nanoTime} when the query was sent
     */
    public Recorder record(ResultKey key, int columns, long startNanos) {
        return new Recorder(key, columns, startNanos);
    }

    /** Records the rows of one query. Must be ended by {@link #keep} or closed. For one thread. */
    public final class Recorder implements AutoCloseable {
        private final ResultKey key;
        private final long startNanos;
        private PackedRows.@Nullable Builder rows;
        private long reserved;

        private Recorder(ResultKey key, int columns, long startNanos) {
            this.key = key;
            this.startNanos = startNanos;
            this.rows = new PackedRows.Builder(columns);
        }

        /** Adds a row. If there is no room for it, none is kept. */
        public void add(Row row) {
            if (rows == null) {
                return;
            }
            long needed = rows.heapBytesWith(row.payload().length);
            double value = (double) (System.nanoTime() - startNanos) / needed;
            if (needed > reserved && (needed > Integer.MAX_VALUE / 2 || !take(needed - reserved, value))) {
                close();
                return;
            }
            reserved = Math.max(reserved, needed);
            rows.add(row);
        }

        /**
         * Keeps the rows, if there is room for them.
         *
         * @param nanos how long it took to read them
         * @param made makes the result of the rows
         * @return whether they are kept
         */
        public boolean keep(long nanos, Function<PackedRows, PartialResult> made) {
            boolean kept = false;
            if (rows != null) {
                PackedRows packed = rows.build();
                // without rows nothing is reserved yet
                kept = packed.heapBytes() <= reserved
                        || take(packed.heapBytes() - reserved, (double) nanos / packed.heapBytes());
                if (kept) {
                    budget.release(Math.max(0, reserved - packed.heapBytes()));
                    reserved = 0;
                    put(key, made.apply(packed));
                }
            }
            close();
            return kept;
        }

        /** Drops what was recorded, unless it is kept. */
        @Override
        public void close() {
            rows = null;
            budget.release(reserved);
            reserved = 0;
        }
    }

    private synchronized void put(ResultKey key, PartialResult result) {
        Entry before = entries.get(key);
        if (before != null) {
            remove(before);
        }
        Entry entry = new Entry(key, result, numbers++);
        entries.put(key, entry);
        rank(entry);
    }
}
