package io.fanfold.operator;

import java.util.Arrays;

/** Finds the groups of a merge by their keys, with a hash table over their records. Used by one thread at a time. */
final class GroupTable extends GroupRecords {
    private static final int FIRST_SLOTS = 16;
    private static final int MAX_SLOTS = 1 << 30;

    private final BudgetShare share;
    private final long seed;

    /**
     * High half: the hash. Low half: the record's number plus 1; 0 for none. The length is a power of two; at most two
     * thirds are used.
     */
    private long[] slots = {};

    private int size;

    /**
     * Creates a table without groups, which reserves nothing yet.
     *
     * @param seed the seed of the hash
     * @param sums the number of sums of each group
     * @param states whether each group also has states
     */
    GroupTable(BudgetShare share, long seed, int sums, boolean states) {
        super(share, sums, states);
        this.share = share;
        this.seed = seed;
    }

    /** The number of groups. */
    int size() {
        return size;
    }

    int hash(byte[] key, int from, int length) {
        return KeyEncoder.hash(key, from, length, seed);
    }

    /** Returns the record of a key, or -1. */
    int find(byte[] key, int from, int length, int hash) {
        long[] table = slots;
        if (table.length == 0) {
            return -1;
        }
        int mask = table.length - 1;
        int at = hash & mask;
        for (long slot = table[at]; slot != 0; slot = table[at]) {
            if ((int) (slot >>> 32) == hash) {
                int record = (int) slot - 1;
                byte[] chunk = chunk(record);
                int own = key(record);
                int begin = bytesAt(chunk, own);
                int ownLength = length(chunk, own);
                if (ownLength == length && Arrays.equals(chunk, begin, begin + ownLength, key, from, from + length)) {
                    return record;
                }
            }
            at = at + 1 & mask;
        }
        return -1;
    }

    /** The hash of a record's key; the same in all tables of a merge. */
    int keyHash(int record) {
        byte[] chunk = chunk(record);
        int key = key(record);
        return hash(chunk, bytesAt(chunk, key), length(chunk, key));
    }

    /** Reads the slots and records of some hashes ahead, so that their cache misses overlap. */
    void touch(int[] hashes, int count) {
        long[] table = slots;
        long seen = 0;
        for (int i = 0; i < count && table.length > 0; i++) {
            long slot = table[hashes[i] & table.length - 1];
            if ((int) (slot >>> 32) == hashes[i] && slot != 0) {
                int record = (int) slot - 1;
                seen += chunk(record)[start(record)];
            }
        }
        touched = seen;
    }

    /** Adds a group with a new key, without sums or states. */
    int add(byte[] key, int keyLength, int hash, byte[] values, int valuesLength, long rank)
            throws MergeException, BudgetExceededException {
        int record = place(key, 0, keyLength, values, 0, valuesLength, rank);
        link(hash, record);
        return record;
    }

    /** Adds a copy of another table's record with a new key. Both tables must have the same sums and states. */
    int addCopy(GroupTable other, int theirs, int hash) throws MergeException, BudgetExceededException {
        int record = copy(other, theirs);
        link(hash, record);
        return record;
    }

    /** Replaces the shown values of a group, see {@link #rewrite}. */
    int replaceValues(int record, byte[] values, int from, int length) throws MergeException, BudgetExceededException {
        int other = rewrite(record, values, from, length);
        if (other != record) {
            relink(record, other);
        }
        return other;
    }

    private void link(int hash, int record) throws MergeException, BudgetExceededException {
        size++;
        if (3L * size > 2L * slots.length) {
            grow();
        }
        put(slots, (long) hash << 32 | record + 1);
    }

    private static void put(long[] table, long slot) {
        int mask = table.length - 1;
        int at = (int) (slot >>> 32) & mask;
        while (table[at] != 0) {
            at = at + 1 & mask;
        }
        table[at] = slot;
    }

    private void grow() throws MergeException, BudgetExceededException {
        if (slots.length == MAX_SLOTS) {
            throw new MergeException(MergeException.MergeFailure.TOO_LARGE, "more than " + size + " groups");
        }
        long before = slotBytes();
        int larger = Math.max(FIRST_SLOTS, 2 * slots.length);
        share.use(HeapSize.array(8L * larger));
        long[] table = new long[larger];
        for (long slot : slots) {
            if (slot != 0) {
                put(table, slot);
            }
        }
        share.use(-before);
        slots = table;
    }

    private void relink(int record, int other) {
        long low = 0xffffffffL;
        int mask = slots.length - 1;
        for (int at = keyHash(other) & mask; ; at = at + 1 & mask) {
            if ((int) slots[at] - 1 == record) {
                slots[at] = slots[at] & ~low | other + 1;
                return;
            }
        }
    }

    /** Drops all groups, and keeps the heap. */
    void clear() {
        Arrays.fill(slots, 0);
        size = 0;
        clearRecords();
    }

    /** Drops all groups, and releases the heap. */
    void release() throws BudgetExceededException {
        share.use(-slotBytes());
        slots = new long[0];
        size = 0;
        releaseRecords();
    }

    /** The bytes that the table has reserved in the budget. */
    long heapBytes() {
        return slotBytes() + recordBytes();
    }

    private long slotBytes() {
        return slots.length == 0 ? 0 : HeapSize.array(8L * slots.length);
    }
}
