package io.fanfold.operator;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Stores groups, millions of them, as records of bytes in large arrays, without an object for each. A record's number
 * stays the same until its values are replaced.
 *
 * <pre>
 *   rank, 8 bytes; -1 for a record that another has replaced
 *   8 bytes for each sum, then 1 byte for each sum: see {@link GroupSums}
 *   the index of the group's states, 4 bytes, if it has any
 *   length and bytes of the key, length and bytes of the shown values, as the payload of a row
 * </pre>
 *
 * <p>{@link GroupTable} extends this class to find records by their keys. It holds no reference to the records, because
 * each row of a merge would have to follow it.
 *
 * <p>Reserves heap in the budget before it allocates. Used by one thread at a time.
 */
class GroupRecords {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    /** Records begin at multiples of this. */
    private static final int ALIGNED = 8;

    private static final int POSITION_BITS = 15;
    private static final int POSITION_MASK = (1 << POSITION_BITS) - 1;
    private static final int CHUNK = ALIGNED << POSITION_BITS;
    private static final int FIRST_CHUNK = 512;
    private static final int MAX_CHUNKS = 1 << 30 - POSITION_BITS;
    private static final long REPLACED = -1;

    private final BudgetShare share;
    private final int sums;
    private final int stateAt;
    private final int keyAt;

    private byte[][] chunks = new byte[4][];

    /** The number of chunks. Chunks after {@link #current} hold no record. */
    private int chunkCount;

    private int current = -1;

    /** The end of the records in each chunk. */
    private int[] ends = new int[4];

    private long filledBytes;

    /** Keeps the compiler from removing reads whose results are not used. */
    @SuppressWarnings("UnusedVariable")
    long touched;

    /**
     * Creates the store without records, which reserves nothing yet.
     *
     * @param sums the number of sums of each group
     * @param states whether each group also has states
     */
    GroupRecords(BudgetShare share, int sums, boolean states) {
        this.share = share;
        this.sums = sums;
        this.stateAt = 8 + 9 * sums;
        this.keyAt = stateAt + (states ? 4 : 0);
    }

    /** The bytes of all records. */
    final long filledBytes() {
        return filledBytes;
    }

    final byte[] chunk(int record) {
        return chunks[record >>> POSITION_BITS];
    }

    /** The start of a record in its {@link #chunk}. */
    static int start(int record) {
        return (record & POSITION_MASK) * ALIGNED;
    }

    static long readLong(byte[] chunk, int at) {
        return (long) LONGS.get(chunk, at);
    }

    static void writeLong(byte[] chunk, int at, long value) {
        LONGS.set(chunk, at, value);
    }

    final long rank(int record) {
        return readLong(chunk(record), start(record));
    }

    final void rank(int record, long rank) {
        writeLong(chunk(record), start(record), rank);
    }

    final int state(int record) {
        return (int) INTS.get(chunk(record), start(record) + stateAt);
    }

    final void state(int record, int index) {
        INTS.set(chunk(record), start(record) + stateAt, index);
    }

    /** The offset of a sum's number from the start of a record. */
    static int numberAt(int sum) {
        return 8 + 8 * sum;
    }

    /** The offset of a sum's mark from the start of a record. */
    final int markAt(int sum) {
        return 8 + 8 * sums + sum;
    }

    /** The position of the key's length in the record's {@link #chunk}. */
    final int key(int record) {
        return start(record) + keyAt;
    }

    /** Reads the length at a position. */
    static int length(byte[] chunk, int at) {
        int value = chunk[at];
        if (value >= 0) {
            return value;
        }
        value &= 0x7f;
        int next = at + 1;
        for (int shift = 7; ; shift += 7) {
            int more = chunk[next++];
            value |= (more & 0x7f) << shift;
            if (more >= 0) {
                return value;
            }
        }
    }

    /** The position of the bytes whose length is at a position. */
    static int bytesAt(byte[] chunk, int at) {
        int next = at;
        while (chunk[next] < 0) {
            next++;
        }
        return next + 1;
    }

    /** The position of the length of the shown values in the record's {@link #chunk}. */
    final int values(int record) {
        byte[] chunk = chunk(record);
        int key = key(record);
        return bytesAt(chunk, key) + length(chunk, key);
    }

    private int end(int record) {
        byte[] chunk = chunk(record);
        int values = values(record);
        return bytesAt(chunk, values) + length(chunk, values);
    }

    private static int lengthBytes(int length) {
        return length < 1 << 7 ? 1 : length < 1 << 14 ? 2 : length < 1 << 21 ? 3 : length < 1 << 28 ? 4 : 5;
    }

    private static int putLength(byte[] to, int at, int length) {
        int next = at;
        int rest = length;
        while (rest > 0x7f) {
            to[next++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        to[next++] = (byte) rest;
        return next;
    }

    private static int aligned(long length) {
        return (int) (length + ALIGNED - 1) / ALIGNED * ALIGNED;
    }

    /** Reads some records ahead, so that their cache misses overlap. */
    final void touch(int[] records, int from, int to) {
        long seen = 0;
        for (int i = from; i < to; i++) {
            byte[] chunk = chunk(records[i]);
            int start = start(records[i]);
            seen += chunk[start] + chunk[Math.min(start + keyAt + ALIGNED, chunk.length - 1)];
        }
        touched = seen;
    }

    /** Stores a group without sums or states, and returns its record. */
    final int place(byte[] key, int keyFrom, int keyLength, byte[] values, int valuesFrom, int valuesLength, long rank)
            throws MergeException, BudgetExceededException {
        long length = (long) keyAt + lengthBytes(keyLength) + keyLength + lengthBytes(valuesLength) + valuesLength;
        int record = reserve(length);
        byte[] chunk = chunk(record);
        int start = start(record);
        // the space may have held another record
        Arrays.fill(chunk, start, start + keyAt, (byte) 0);
        writeLong(chunk, start, rank);
        int at = putLength(chunk, start + keyAt, keyLength);
        System.arraycopy(key, keyFrom, chunk, at, keyLength);
        at = putLength(chunk, at + keyLength, valuesLength);
        System.arraycopy(values, valuesFrom, chunk, at, valuesLength);
        return record;
    }

    /** Copies a record. Its store must have the same sums and states. */
    final int copy(GroupRecords other, int theirs) throws MergeException, BudgetExceededException {
        byte[] from = other.chunk(theirs);
        int begin = start(theirs);
        int length = other.end(theirs) - begin;
        int record = reserve(length);
        System.arraycopy(from, begin, chunk(record), start(record), length);
        return record;
    }

    /**
     * Stores a record's shown values anew: in their place if they have as many bytes, or in another record.
     *
     * @param values an array that contains them
     * @param from their start in it
     * @return the group's record from now on
     */
    final int rewrite(int record, byte[] values, int from, int length) throws MergeException, BudgetExceededException {
        byte[] chunk = chunk(record);
        int at = values(record);
        if (length(chunk, at) == length) {
            System.arraycopy(values, from, chunk, bytesAt(chunk, at), length);
            return record;
        }
        int key = key(record);
        int keyLength = length(chunk, key);
        int other = place(chunk, bytesAt(chunk, key), keyLength, values, from, length, rank(record));
        System.arraycopy(chunk, start(record) + 8, chunk(other), start(other) + 8, keyAt - 8);
        rank(record, REPLACED);
        return other;
    }

    private int reserve(long length) throws MergeException, BudgetExceededException {
        if (length > Integer.MAX_VALUE - 2 * ALIGNED) {
            throw new MergeException(MergeException.MergeFailure.TOO_LARGE, "a group of " + length + " bytes");
        }
        int taken = aligned(length);
        if (current < 0 || taken > chunks[current].length - ends[current]) {
            nextChunk(taken);
        }
        int record = current << POSITION_BITS | ends[current] / ALIGNED;
        ends[current] += taken;
        filledBytes += taken;
        return record;
    }

    private void nextChunk(int needed) throws MergeException, BudgetExceededException {
        while (++current < chunkCount) {
            if (needed <= chunks[current].length) {
                return;
            }
        }
        if (chunkCount == MAX_CHUNKS) {
            throw new MergeException(
                    MergeException.MergeFailure.TOO_LARGE, "groups of more than " + filledBytes + " bytes");
        }
        int bytes = Math.max(needed, (int) Math.min(CHUNK, Math.max(FIRST_CHUNK, filledBytes)));
        share.use(HeapSize.array(bytes));
        byte[] chunk = new byte[bytes];
        if (chunkCount == chunks.length) {
            chunks = Arrays.copyOf(chunks, 2 * chunkCount);
            ends = Arrays.copyOf(ends, 2 * chunkCount);
        }
        chunks[chunkCount++] = chunk;
    }

    /** The first record; -1 if there is none. */
    final int first() {
        return from(0, 0);
    }

    /** The next record in insertion order; -1 after the last one. Replacing values inserts a group's record again. */
    final int next(int record) {
        return from(record >>> POSITION_BITS, aligned(end(record)));
    }

    private int from(int firstChunk, int firstAt) {
        int at = firstAt;
        for (int chunk = firstChunk; chunk <= current; chunk++, at = 0) {
            while (at < ends[chunk]) {
                int record = chunk << POSITION_BITS | at / ALIGNED;
                if (readLong(chunks[chunk], at) != REPLACED) {
                    return record;
                }
                at = aligned(end(record));
            }
        }
        return -1;
    }

    /** Drops all records, and keeps the heap. */
    final void clearRecords() {
        Arrays.fill(ends, 0);
        current = -1;
        filledBytes = 0;
    }

    /** Drops all records, and releases the heap. */
    final void releaseRecords() throws BudgetExceededException {
        share.use(-recordBytes());
        chunks = new byte[4][];
        chunkCount = 0;
        clearRecords();
    }

    /** The bytes that the records have reserved in the budget. */
    final long recordBytes() {
        long bytes = 0;
        for (int i = 0; i < chunkCount; i++) {
            bytes += HeapSize.array(chunks[i].length);
        }
        return bytes;
    }
}
