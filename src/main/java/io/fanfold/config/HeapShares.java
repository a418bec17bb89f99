package io.fanfold.config;

/**
 * Derives limits from the heap if the settings say {@code auto}, and bounds their values. Sizes are whole MiB.
 *
 * @param heapBytes the largest heap of the JVM ({@code -Xmx}, or its share of the memory of the machine or container)
 */
public record HeapShares(long heapBytes) {
    private static final long MIB = 1L << 20;

    /** The smallest valid memory for merges, in bytes. */
    static final long LEAST_MEMORY = MIB;

    /** Heap of a proxy without clients, with room for garbage collection. */
    private static final long BASE_BYTES = 32 * MIB;

    /** Heap of an idle client with an encrypted connection to the server (measured: README, limits.connections). */
    private static final long CLIENT_BYTES = 10 * 1024;

    private static final int MOST_CLIENTS = 10_000;
    private static final int LEAST_CLIENTS = 100;
    private static final long MOST_CACHE_BYTES = 16 * MIB;
    private static final int MOST_WAITING = 1_000;
    private static final int LEAST_WAITING = 16;

    /** Returns the shares of this process. */
    public static HeapShares ofThisProcess() {
        return new HeapShares(Runtime.getRuntime().maxMemory());
    }

    /**
     * Returns the heap for all merges together, in bytes. The other half is for inexact estimates, garbage collection
     * and everything else.
     */
    long totalMemory() {
        return Math.max(LEAST_MEMORY, mebibytes(Math.max(heapBytes / 8, (heapBytes - BASE_BYTES) / 2)));
    }

    /** Returns the largest valid total memory, in bytes. */
    long mostTotalMemory() {
        return Math.max(LEAST_MEMORY, mebibytes(heapBytes / 3 * 2));
    }

    /** Returns the heap for one query's merge, in bytes: half of the total, so two queries can always run. */
    static long queryMemory(long totalMemoryBytes) {
        return Math.max(LEAST_MEMORY, mebibytes(totalMemoryBytes / 2));
    }

    /** Returns the heap for rows that may be used again, in bytes. */
    static long reuseMemory(long totalMemoryBytes) {
        return mebibytes(totalMemoryBytes / 4);
    }

    /** Returns the number of clients, for which a quarter of the heap suffices. */
    int connections() {
        return (int) Math.max(LEAST_CLIENTS, Math.min(MOST_CLIENTS, heapBytes / 4 / CLIENT_BYTES));
    }

    /** Returns the largest valid number of clients. Half of the heap suffices if their connections are unencrypted. */
    int mostConnections() {
        return (int) Math.max(LEAST_CLIENTS, Math.min(1_000_000, heapBytes / CLIENT_BYTES));
    }

    /** Returns the heap for each cache, in bytes. */
    public long cache() {
        return Math.max(MIB / 4, Math.min(MOST_CACHE_BYTES, heapBytes / 64));
    }

    /** Returns the number of statements of at most this size that may wait for analysis. */
    public int waiting(int statementBytes) {
        return (int) Math.max(LEAST_WAITING, Math.min(MOST_WAITING, heapBytes / 16 / statementBytes));
    }

    private static long mebibytes(long bytes) {
        return bytes / MIB * MIB;
    }
}
