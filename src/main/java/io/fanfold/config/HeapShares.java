package io.fanfold.config;

/**
 * How a heap is shared out where the settings say {@code auto}, and how much of it they may give away. Sizes are whole MiB.
 *
 * @param heapBytes the most heap that the JVM takes ({@code -Xmx}, or its share of the machine's or the container's memory)
 */
public record HeapShares(long heapBytes) {
    private static final long MIB = 1L << 20;

    /** The least that may be set for merges, in bytes. */
    static final long LEAST_MEMORY = MIB;

    /** What a proxy without clients takes, with room for collections. */
    private static final long BASE_BYTES = 32 * MIB;

    /** An idle client with an encrypted connection to the server (measured: README, limits.connections). */
    private static final long CLIENT_BYTES = 10 * 1024;

    private static final int MOST_CLIENTS = 10_000;
    private static final int LEAST_CLIENTS = 100;
    private static final long MOST_CACHE_BYTES = 16 * MIB;
    private static final int MOST_WAITING = 1_000;
    private static final int LEAST_WAITING = 16;

    /** Those of this process. */
    public static HeapShares ofThisProcess() {
        return new HeapShares(Runtime.getRuntime().maxMemory());
    }

    /** Heap that all merges together may hold, in bytes: estimates of heap, collections and all else have the other half. */
    long totalMemory() {
        return Math.max(LEAST_MEMORY, mebibytes(Math.max(heapBytes / 8, (heapBytes - BASE_BYTES) / 2)));
    }

    /** The most that may be set for it, in bytes. */
    long mostTotalMemory() {
        return Math.max(LEAST_MEMORY, mebibytes(heapBytes / 3 * 2));
    }

    /** Heap that one query's merge may hold, in bytes: so two can always run. */
    static long queryMemory(long totalMemoryBytes) {
        return Math.max(LEAST_MEMORY, mebibytes(totalMemoryBytes / 2));
    }

    /** How many clients there may be at once: a quarter of the heap has room for them. */
    int connections() {
        return (int) Math.max(LEAST_CLIENTS, Math.min(MOST_CLIENTS, heapBytes / 4 / CLIENT_BYTES));
    }

    /** The most that may be set for it: half of the heap has room for them where their connections are in clear. */
    int mostConnections() {
        return (int) Math.max(LEAST_CLIENTS, Math.min(1_000_000, heapBytes / CLIENT_BYTES));
    }

    /** Heap that one of the caches may hold, in bytes. */
    public long cache() {
        return Math.max(MIB / 4, Math.min(MOST_CACHE_BYTES, heapBytes / 64));
    }

    /** How many statements may wait to be looked at, each so long at most. */
    public int waiting(int statementBytes) {
        return (int) Math.max(LEAST_WAITING, Math.min(MOST_WAITING, heapBytes / 16 / statementBytes));
    }

    private static long mebibytes(long bytes) {
        return bytes / MIB * MIB;
    }
}
