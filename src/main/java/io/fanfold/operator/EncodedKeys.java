package io.fanfold.operator;

import java.util.Arrays;

/**
 * The sort keys of groups, encoded into byte arrays because the keys in the groups' records have another order. For one
 * thread.
 */
final class EncodedKeys implements SortKeys {
    private static final int CHUNK = 1 << 20;

    private final GroupTable table;
    private final BudgetShare share;

    /** The records in their original order; an item is an index into it. */
    private final int[] records;

    /** The start of each item's string: high half the chunk's index, low half the position in it. */
    private final long[] starts;

    private final int[] lengths;
    private byte[][] chunks = new byte[4][];
    private int chunkCount;
    private int at = CHUNK;

    private EncodedKeys(int[] records, GroupTable table, BudgetShare share) throws BudgetExceededException {
        share.use(HeapSize.array(8L * records.length) + 2 * HeapSize.array(4L * records.length));
        this.records = records.clone();
        this.table = table;
        this.share = share;
        this.starts = new long[records.length];
        this.lengths = new int[records.length];
    }

    /** Sorts the records of groups. */
    static void sort(int[] records, GroupTable table, MergedColumns columns, BudgetShare share)
            throws MergeException, BudgetExceededException {
        EncodedKeys keys = new EncodedKeys(records, table, share);
        KeyBuffer key = new KeyBuffer();
        for (int item = 0; item < records.length; item++) {
            columns.sortKey(records[item], key);
            keys.put(item, key);
        }
        for (int item = 0; item < records.length; item++) {
            records[item] = item;
        }
        ItemSort.byKeys(records, keys, share);
        for (int i = 0; i < records.length; i++) {
            records[i] = keys.records[records[i]];
        }
    }

    private void put(int item, KeyBuffer key) throws BudgetExceededException {
        int length = key.length();
        if (chunkCount == 0 || length > chunks[chunkCount - 1].length - at) {
            int bytes = Math.max(length, Math.min(CHUNK, 64 * records.length));
            share.use(HeapSize.array(bytes));
            if (chunkCount == chunks.length) {
                chunks = Arrays.copyOf(chunks, 2 * chunkCount);
            }
            chunks[chunkCount++] = new byte[bytes];
            at = 0;
        }
        System.arraycopy(key.bytes(), 0, chunks[chunkCount - 1], at, length);
        starts[item] = (chunkCount - 1L) << 32 | at;
        lengths[item] = length;
        at += length;
    }

    @Override
    public byte[] array(int item) {
        return chunks[(int) (starts[item] >>> 32)];
    }

    @Override
    public int start(int item) {
        return (int) starts[item];
    }

    @Override
    public int end(int item) {
        return start(item) + lengths[item];
    }

    @Override
    public long rank(int item) {
        return table.rank(records[item]);
    }
}
