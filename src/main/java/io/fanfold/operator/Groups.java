package io.fanfold.operator;

import io.fanfold.row.Row;
import io.fanfold.row.RowBuilder;
import java.util.ArrayList;
import java.util.List;

/** The groups of one thread, or of all threads: their records, sums and states. Used by one thread at a time. */
final class Groups {
    private static final Accumulator.AccumulatorState[] NO_STATES = {};

    /** The number of groups looked up at once. */
    private static final int BATCH = 128;

    private final BudgetShare share;
    private final AccumulatorLayout layout;
    private final Accumulator[] accumulators;
    private final GroupTable table;
    private final GroupSums sums;

    /** The states of each group that has any, by the index in its record. */
    private final List<Accumulator.AccumulatorState[]> states = new ArrayList<>();

    /** The heap of the states and of sums that are objects. */
    private long objectBytes;

    Groups(BudgetShare share, AccumulatorLayout layout, long seed) {
        this.share = share;
        this.layout = layout;
        this.accumulators = layout.newAccumulators(seed);
        this.table = new GroupTable(share, seed, layout.sums().size(), accumulators.length > 0);
        this.sums = new GroupSums(layout.sums(), table);
    }

    GroupTable table() {
        return table;
    }

    GroupSums sums() {
        return sums;
    }

    AccumulatorLayout layout() {
        return layout;
    }

    Accumulator.AccumulatorState[] states(int record) {
        return accumulators.length == 0 ? NO_STATES : states.get(table.state(record));
    }

    /** The approximate bytes of the groups, without spare capacity. */
    long filledBytes() {
        return table.filledBytes() + objectBytes;
    }

    /** Adds a group with a new key, and returns its record. */
    int add(KeyEncoder key, int hash, RowBuilder values, long rank) throws MergeException, BudgetExceededException {
        int record = table.add(key.bytes(), key.length(), hash, values.bytes(), values.length(), rank);
        if (accumulators.length > 0) {
            Accumulator.AccumulatorState[] started = new Accumulator.AccumulatorState[accumulators.length];
            for (int i = 0; i < started.length; i++) {
                started[i] = accumulators[i].start();
            }
            addStates(record, started);
        }
        return record;
    }

    private void addStates(int record, Accumulator.AccumulatorState[] added) throws BudgetExceededException {
        long bytes = HeapSize.REFERENCE + HeapSize.array(HeapSize.REFERENCE * added.length);
        for (Accumulator.AccumulatorState state : added) {
            bytes += state.heapBytes();
        }
        table.state(record, states.size());
        states.add(added);
        count(bytes);
    }

    private void count(long more) throws BudgetExceededException {
        if (more != 0) {
            share.use(more);
            objectBytes += more;
        }
    }

    /** Adds a partial row to the sums and states of a group. */
    void merge(int record, Row row, long rank) throws MergeException, BudgetExceededException {
        long more = -sums.heapBytes();
        sums.add(record, row);
        more += sums.heapBytes();
        for (Accumulator.AccumulatorState state : states(record)) {
            more += state.add(row, rank);
        }
        count(more);
    }

    /**
     * Merges the groups of another object with the same accumulators, which is then empty.
     *
     * @param keepsHeap whether the other keeps its heap
     */
    void merge(Groups others, boolean keepsHeap) throws MergeException, BudgetExceededException {
        int[] records = new int[BATCH];
        int[] hashes = new int[BATCH];
        int theirs = others.table.first();
        while (theirs >= 0) {
            int count = 0;
            for (; theirs >= 0 && count < BATCH; theirs = others.table.next(theirs)) {
                records[count] = theirs;
                hashes[count++] = others.table.keyHash(theirs);
            }
            table.touch(hashes, count);
            for (int i = 0; i < count; i++) {
                merge(others, records[i], hashes[i]);
            }
        }
        others.forget(keepsHeap);
    }

    private void merge(Groups others, int theirs, int hash) throws MergeException, BudgetExceededException {
        byte[] chunk = others.table.chunk(theirs);
        int key = others.table.key(theirs);
        int record = table.find(chunk, GroupRecords.bytesAt(chunk, key), GroupRecords.length(chunk, key), hash);
        if (record < 0) {
            copy(others, theirs, hash);
        } else {
            join(record, others, theirs);
        }
    }

    private void copy(Groups others, int theirs, int hash) throws MergeException, BudgetExceededException {
        int record = table.addCopy(others.table, theirs, hash);
        long more = -sums.heapBytes();
        sums.adopt(record, others.sums);
        count(more + sums.heapBytes());
        if (accumulators.length > 0) {
            addStates(record, others.states(theirs));
        }
    }

    private void join(int record, Groups others, int theirs) throws MergeException, BudgetExceededException {
        long more = -sums.heapBytes();
        sums.merge(record, others.sums, theirs);
        more += sums.heapBytes();
        Accumulator.AccumulatorState[] mine = states(record);
        Accumulator.AccumulatorState[] added = others.states(theirs);
        for (int i = 0; i < mine.length; i++) {
            more -= mine[i].heapBytes();
            mine[i].merge(added[i]);
            more += mine[i].heapBytes();
        }
        count(more);
        long rank = others.table.rank(theirs);
        if (rank < table.rank(record)) {
            table.rank(record, rank);
            byte[] chunk = others.table.chunk(theirs);
            int values = others.table.values(theirs);
            table.replaceValues(record, chunk, GroupRecords.bytesAt(chunk, values), GroupRecords.length(chunk, values));
        }
    }

    private void forget(boolean keepsHeap) throws BudgetExceededException {
        states.clear();
        sums.clear();
        count(-objectBytes);
        if (keepsHeap) {
            table.clear();
        } else {
            table.release();
        }
    }

    /** Checks that all accumulators will return the server's results. */
    void check() throws MergeException {
        for (int record = table.first(); record >= 0; record = table.next(record)) {
            sums.check(record);
        }
        for (Accumulator.AccumulatorState[] group : states) {
            for (Accumulator.AccumulatorState state : group) {
                state.check();
            }
        }
    }
}
