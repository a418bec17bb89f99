package io.fanfold.operator;

import io.fanfold.plan.MergeNode.MergeFunction;
import io.fanfold.row.ExactDecimal;
import io.fanfold.row.MalformedValueException;
import io.fanfold.row.Row;
import io.fanfold.row.RowBuilder;
import io.fanfold.row.ShortDecimal;
import java.util.ArrayList;
import java.util.List;

/**
 * The exact sums of the groups of a {@link GroupRecords}. NULLs are ignored. Without a number, a sum is NULL, or 0 if its
 * accumulator says so.
 *
 * <p>A sum that fits into a long is stored in the group's record. Its mark is its number of decimals plus 1; mark 0
 * means that there is no number yet. The few other sums are objects. Their mark is {@link #LARGE}, and their number is
 * an index. Used by one thread at a time.
 */
final class GroupSums {
    /**
     * The maximum precision of a DECIMAL. If a sum is longer, the server clamps it or fails, so that is left to the
     * server.
     */
    private static final int SERVER_DIGITS = 65;

    private static final int LARGE = -1;

    private final int[] columns;
    private final boolean[] zeroWhenEmpty;
    private final List<ExactDecimal> large = new ArrayList<>();
    private final ShortDecimal number = new ShortDecimal();
    private final GroupRecords records;
    private long heapBytes;

    GroupSums(List<MergeFunction.Sum> accumulators, GroupRecords records) {
        this.columns = accumulators.stream().mapToInt(MergeFunction.Sum::column).toArray();
        this.zeroWhenEmpty = new boolean[columns.length];
        for (int i = 0; i < columns.length; i++) {
            zeroWhenEmpty[i] = accumulators.get(i).zeroWhenEmpty();
        }
        this.records = records;
    }

    static void checkDigits(ExactDecimal sum) throws MergeException {
        int digits = sum.precision();
        if (digits > SERVER_DIGITS) {
            throw new MergeException(
                    MergeException.MergeFailure.TOO_LARGE,
                    "a sum has " + digits + " digits, a DECIMAL holds at most " + SERVER_DIGITS);
        }
    }

    static void add(ExactDecimal sum, Row row, int column) throws MergeException {
        requireWhole(row, column);
        try {
            sum.add(row.payload(), row.start(column), row.length(column));
        } catch (MalformedValueException e) {
            throw malformed(column, e);
        }
    }

    private static void requireWhole(Row row, int column) throws MergeException {
        if (row.length(column) >= SERVER_DIGITS) {
            throw new MergeException(
                    MergeException.MergeFailure.TOO_LARGE,
                    "a partial sum is so long that the server may have clamped it");
        }
    }

    private static MergeException malformed(int column, MalformedValueException e) {
        return new MergeException(
                MergeException.MergeFailure.MALFORMED_VALUE, "column " + column + ": " + e.getMessage());
    }

    /** Adds the numbers of a row to the sums of a group. */
    void add(int record, Row row) throws MergeException {
        byte[] chunk = records.chunk(record);
        int start = GroupRecords.start(record);
        for (int sum = 0; sum < columns.length; sum++) {
            int column = columns[sum];
            if (row.isNull(column)) {
                continue;
            }
            requireWhole(row, column);
            try {
                boolean isShort = number.read(row.payload(), row.start(column), row.length(column));
                if (!isShort || !addShort(chunk, start, sum, number.unscaled(), number.scale())) {
                    ExactDecimal all = large(chunk, start, sum);
                    heapBytes -= all.heapBytes();
                    all.add(row.payload(), row.start(column), row.length(column));
                    heapBytes += all.heapBytes();
                }
            } catch (MalformedValueException e) {
                throw malformed(column, e);
            }
        }
    }

    /** Adds a number to a sum if that is a long with the same number of decimals, and the result fits into a long. */
    private boolean addShort(byte[] chunk, int start, int sum, long unscaled, int scale) {
        int at = start + GroupRecords.numberAt(sum);
        int markAt = start + records.markAt(sum);
        if (chunk[markAt] == 0) {
            GroupRecords.writeLong(chunk, at, unscaled);
            chunk[markAt] = (byte) (scale + 1);
            return true;
        }
        if (chunk[markAt] != scale + 1) {
            return false;
        }
        long before = GroupRecords.readLong(chunk, at);
        long after = before + unscaled;
        if (((before ^ after) & (unscaled ^ after)) < 0) {
            return false;
        }
        GroupRecords.writeLong(chunk, at, after);
        return true;
    }

    /** Converts a sum to an object. */
    private ExactDecimal large(byte[] chunk, int start, int sum) {
        int at = start + GroupRecords.numberAt(sum);
        int markAt = start + records.markAt(sum);
        long held = GroupRecords.readLong(chunk, at);
        int mark = chunk[markAt];
        if (mark == LARGE) {
            return large.get((int) held);
        }
        ExactDecimal all = mark == 0 ? new ExactDecimal() : ExactDecimal.of(held, mark - 1);
        GroupRecords.writeLong(chunk, at, keep(all));
        chunk[markAt] = LARGE;
        return all;
    }

    private long keep(ExactDecimal sum) {
        large.add(sum);
        heapBytes += HeapSize.REFERENCE + sum.heapBytes();
        return large.size() - 1L;
    }

    /** Adds a group's sums in another table to those of a group in this one. */
    void merge(int record, GroupSums others, int theirs) {
        byte[] chunk = records.chunk(record);
        int start = GroupRecords.start(record);
        byte[] theirChunk = others.records.chunk(theirs);
        int theirStart = GroupRecords.start(theirs);
        for (int sum = 0; sum < columns.length; sum++) {
            int mark = theirChunk[theirStart + records.markAt(sum)];
            if (mark == 0) {
                continue;
            }
            long held = GroupRecords.readLong(theirChunk, theirStart + GroupRecords.numberAt(sum));
            if (mark == LARGE || !addShort(chunk, start, sum, held, mark - 1)) {
                ExactDecimal all = large(chunk, start, sum);
                heapBytes -= all.heapBytes();
                all.add(mark == LARGE ? others.large.get((int) held) : ExactDecimal.of(held, mark - 1));
                heapBytes += all.heapBytes();
            }
        }
    }

    /** Takes over the objects of a record that was copied from another table. */
    void adopt(int record, GroupSums others) {
        byte[] chunk = records.chunk(record);
        int start = GroupRecords.start(record);
        for (int sum = 0; sum < columns.length; sum++) {
            if (chunk[start + records.markAt(sum)] == LARGE) {
                int at = start + GroupRecords.numberAt(sum);
                GroupRecords.writeLong(chunk, at, keep(others.large.get((int) GroupRecords.readLong(chunk, at))));
            }
        }
    }

    /** Checks that {@link #write} will return the server's result. */
    void check(int record) throws MergeException {
        byte[] chunk = records.chunk(record);
        int start = GroupRecords.start(record);
        for (int sum = 0; sum < columns.length; sum++) {
            if (chunk[start + records.markAt(sum)] == LARGE) {
                checkDigits(sum(record, sum));
            }
        }
    }

    /** Whether no number was added to a sum. */
    boolean none(int record, int sum) {
        return records.chunk(record)[GroupRecords.start(record) + records.markAt(sum)] == 0;
    }

    /** The number of decimals of a sum that is a long; negative for others. */
    int shortScale(int record, int sum) {
        int mark = records.chunk(record)[GroupRecords.start(record) + records.markAt(sum)];
        return mark == LARGE ? -1 : Math.max(mark - 1, 0);
    }

    /** A sum that is a long, without its decimal point; 0 if there is none. */
    long shortSum(int record, int sum) {
        return GroupRecords.readLong(records.chunk(record), GroupRecords.start(record) + GroupRecords.numberAt(sum));
    }

    /** A sum; 0 if there is none. */
    ExactDecimal sum(int record, int sum) {
        int scale = shortScale(record, sum);
        long held = shortSum(record, sum);
        return scale < 0 ? large.get((int) held) : ExactDecimal.of(held, scale);
    }

    /** Adds a sum as a value of a row. */
    void write(int record, int sum, RowBuilder to) {
        int scale = shortScale(record, sum);
        if (scale < 0) {
            to.add(sum(record, sum).toText());
        } else if (zeroWhenEmpty[sum] || !none(record, sum)) {
            to.add(shortSum(record, sum), scale);
        } else {
            to.addNull();
        }
    }

    /** The heap bytes held outside the records. */
    long heapBytes() {
        return heapBytes;
    }

    /** Drops all sums. */
    void clear() {
        large.clear();
        heapBytes = 0;
    }
}
