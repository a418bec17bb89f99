package io.fanfold.row;

/** Accounts for the heap of values that are kept for a while, in bytes. Safe for use by multiple threads. */
public interface HeapRoom {
    /**
     * Reserves bytes if they fit.
     *
     * @param bytes 0 or more
     * @return whether they were reserved
     */
    boolean take(long bytes);

    /** Releases reserved bytes. */
    void release(long bytes);

    /** Returns about how many bytes are free, 0 or more. */
    long leftBytes();
}
