package io.fanfold.row;

/** Heap that may be taken for values which are held for a while, in bytes. Safe for all threads. */
public interface HeapRoom {
    /**
     * Takes bytes, or none where they do not fit.
     *
     * @param bytes 0 or more
     * @return whether they were taken
     */
    boolean take(long bytes);

    /** Gives back bytes that were taken. */
    void release(long bytes);

    /** About how many bytes could be taken now, 0 or more. */
    long leftBytes();
}
