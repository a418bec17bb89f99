package io.fanfold.operator;

import java.util.Arrays;

/**
 * Sorts millions of items by byte strings, of which none is a prefix of another. It takes eight bytes at a time, skips
 * common prefixes, and does a radix sort over the bytes that differ. It reads each string about once, in item order.
 * For one thread.
 */
final class ItemSort {
    /** The heap that sorting takes for each item, in addition to the items. */
    private static final long ITEM_BYTES = 20;

    private static final int FEW = 24;
    private static final int RADIX = 256;

    private final SortKeys keys;
    private final int[] items;
    private final int[] otherItems;
    private final long[] digits;
    private final long[] otherDigits;

    private ItemSort(int[] items, SortKeys keys) {
        this.keys = keys;
        this.items = items;
        this.otherItems = new int[items.length];
        this.digits = new long[items.length];
        this.otherDigits = new long[items.length];
    }

    /**
     * Sorts items by their strings, then by their ranks.
     *
     * @param share counts the heap that sorting takes
     */
    static void byKeys(int[] items, SortKeys keys, BudgetShare share) throws BudgetExceededException {
        share.use(ITEM_BYTES * items.length);
        new ItemSort(items, keys).byKeys(0, items.length, 0);
        share.use(-ITEM_BYTES * items.length);
    }

    /** Sorts items by their ranks. */
    static void byRanks(int[] items, SortKeys keys, BudgetShare share) throws BudgetExceededException {
        boolean sorted = true;
        for (int i = 1; i < items.length && sorted; i++) {
            sorted = keys.rank(items[i - 1]) <= keys.rank(items[i]);
        }
        if (!sorted) {
            share.use(ITEM_BYTES * items.length);
            new ItemSort(items, keys).byRanks(0, items.length);
            share.use(-ITEM_BYTES * items.length);
        }
    }

    private void byKeys(int from, int to, int depth) {
        if (to - from <= FEW) {
            insert(from, to, depth);
            return;
        }
        int same = common(from, to, depth);
        boolean ended = true;
        for (int i = from; i < to; i++) {
            int item = items[i];
            int start = keys.start(item) + same;
            int end = keys.end(item);
            digits[i] = digits(keys.array(item), start, end);
            ended &= start >= end;
        }
        if (ended) {
            byRanks(from, to);
            return;
        }
        byDigits(from, to);
        int begin = from;
        while (begin < to) {
            // copied, because sorting the range overwrites the digits
            long value = digits[begin];
            int end = begin + 1;
            while (end < to && digits[end] == value) {
                end++;
            }
            if (end - begin > 1) {
                byKeys(begin, end, same + Long.BYTES);
            }
            begin = end;
        }
    }

    private static long digits(byte[] array, int start, int end) {
        long value = 0;
        int stop = Math.min(end, start + Long.BYTES);
        for (int at = start; at < stop; at++) {
            value = value << 8 | array[at] & 0xff;
        }
        return value << 8 * (start + Long.BYTES - stop);
    }

    /**
     * The length of the common prefix of some items. The first {@code depth} bytes are known to be equal, or the items
     * are equal and shorter.
     */
    private int common(int from, int to, int depth) {
        int first = items[from];
        byte[] array = keys.array(first);
        int start = keys.start(first);
        int same = keys.end(first) - start;
        for (int i = from + 1; i < to && same > depth; i++) {
            int item = items[i];
            int other = keys.start(item);
            int length = Math.min(same, keys.end(item) - other);
            int differ = Arrays.mismatch(
                    array, start + depth, start + length, keys.array(item), other + depth, other + length);
            same = differ < 0 ? length : depth + differ;
        }
        return same;
    }

    private void byRanks(int from, int to) {
        for (int i = from; i < to; i++) {
            digits[i] = keys.rank(items[i]);
        }
        byDigits(from, to);
    }

    /** Sorts a range by its digits, the last byte first. The sort is stable. */
    private void byDigits(int from, int to) {
        long differ = 0;
        boolean sorted = true;
        for (int i = from + 1; i < to; i++) {
            differ |= digits[i] ^ digits[from];
            sorted &= Long.compareUnsigned(digits[i - 1], digits[i]) <= 0;
        }
        if (sorted) {
            return;
        }
        for (int shift = 0; shift < Long.SIZE; shift += 8) {
            if ((differ >>> shift & 0xff) != 0) {
                pass(from, to, shift);
            }
        }
    }

    private void pass(int from, int to, int shift) {
        int[] next = new int[RADIX];
        for (int i = from; i < to; i++) {
            next[(int) (digits[i] >>> shift) & 0xff]++;
        }
        int at = from;
        for (int value = 0; value < RADIX; value++) {
            int count = next[value];
            next[value] = at;
            at += count;
        }
        for (int i = from; i < to; i++) {
            int place = next[(int) (digits[i] >>> shift) & 0xff]++;
            otherDigits[place] = digits[i];
            otherItems[place] = items[i];
        }
        System.arraycopy(otherDigits, from, digits, from, to - from);
        System.arraycopy(otherItems, from, items, from, to - from);
    }

    private void insert(int from, int to, int depth) {
        for (int i = from + 1; i < to; i++) {
            int moved = items[i];
            int hole = i;
            while (hole > from && compare(moved, items[hole - 1], depth) < 0) {
                items[hole] = items[hole - 1];
                hole--;
            }
            items[hole] = moved;
        }
    }

    private int compare(int one, int other, int depth) {
        int oneEnd = keys.end(one);
        int otherEnd = keys.end(other);
        int order = Arrays.compareUnsigned(
                keys.array(one),
                Math.min(keys.start(one) + depth, oneEnd),
                oneEnd,
                keys.array(other),
                Math.min(keys.start(other) + depth, otherEnd),
                otherEnd);
        return order != 0 ? order : Long.compare(keys.rank(one), keys.rank(other));
    }
}
