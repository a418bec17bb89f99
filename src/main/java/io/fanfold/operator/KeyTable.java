package io.fanfold.operator;

import java.util.Arrays;

/**
 * A set of byte strings, numbered from 0 in insertion order. Uses open addressing over the numbers; a small set has no
 * table and is searched by hashes. For one thread.
 */
final class KeyTable {
    private static final long SHELL_BYTES = 40;
    private static final int WITHOUT_TABLE = 8;
    private static final int MAX_SIZE = 1 << 29;

    private byte[][] keys = new byte[2][];
    private int[] hashes = new int[2];

    /** A string's number plus 1, or 0. The length is a power of two, at most half used; 0 for a small set. */
    private int[] slots = new int[0];

    private int size;
    private long keyBytes;

    int size() {
        return size;
    }

    byte[] key(int number) {
        return keys[number];
    }

    int hash(int number) {
        return hashes[number];
    }

    /** The number of the string that {@code probe} holds, or -1. */
    int find(KeyEncoder probe, int hash) {
        return find(probe.bytes(), probe.length(), hash);
    }

    /** The number of a string, or -1. */
    int find(byte[] key, int hash) {
        return find(key, key.length, hash);
    }

    private int find(byte[] key, int length, int hash) {
        if (slots.length == 0) {
            for (int number = 0; number < size; number++) {
                if (holds(number, key, length, hash)) {
                    return number;
                }
            }
            return -1;
        }
        int mask = slots.length - 1;
        for (int at = hash & mask; slots[at] != 0; at = at + 1 & mask) {
            if (holds(slots[at] - 1, key, length, hash)) {
                return slots[at] - 1;
            }
        }
        return -1;
    }

    private boolean holds(int number, byte[] key, int length, int hash) {
        byte[] own = keys[number];
        return hashes[number] == hash && Arrays.equals(own, 0, own.length, key, 0, length);
    }

    /** Adds a string that is not in the set, and returns its number. The array is retained. */
    int add(byte[] key, int hash) throws MergeException {
        if (size == keys.length) {
            grow();
        }
        int number = size++;
        keys[number] = key;
        hashes[number] = hash;
        keyBytes += HeapSize.of(key);
        if (slots.length > 0) {
            link(number);
        }
        return number;
    }

    private void grow() throws MergeException {
        if (size >= MAX_SIZE) {
            throw new MergeException(
                    MergeException.MergeFailure.TOO_LARGE, "more than " + MAX_SIZE + " different keys");
        }
        int capacity = 2 * keys.length;
        keys = Arrays.copyOf(keys, capacity);
        hashes = Arrays.copyOf(hashes, capacity);
        if (capacity > WITHOUT_TABLE) {
            slots = new int[2 * capacity];
            for (int i = 0; i < size; i++) {
                link(i);
            }
        }
    }

    private void link(int number) {
        int mask = slots.length - 1;
        int at = hashes[number] & mask;
        while (slots[at] != 0) {
            at = at + 1 & mask;
        }
        slots[at] = number + 1;
    }

    /** The heap bytes of the set, including its strings. */
    long heapBytes() {
        return SHELL_BYTES
                + HeapSize.array(HeapSize.REFERENCE * keys.length)
                + HeapSize.array(4L * hashes.length)
                + HeapSize.array(4L * slots.length)
                + keyBytes;
    }
}
