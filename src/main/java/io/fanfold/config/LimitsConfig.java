package io.fanfold.config;

import java.time.Duration;

/**
 * What bounds memory, time and numbers.
 *
 * @param statementBytes the longest statement looked at for splitting, in bytes
 * @param queryMemoryBytes heap one query's merge may hold, in bytes
 * @param totalMemoryBytes heap all merges together may hold, in bytes
 * @param heldAnswerBytes heap of rows that are held before an answer begins that goes on while tables are read, in bytes
 * @param finishRows the most rows a finish query is given
 * @param connections the most clients at once
 * @param slowClient how long a client may leave its socket full while a folded answer waits
 * @param handshakeTimeout how long a connection may take until it is authenticated
 * @param drainTime how long running statements and open transactions may take when the proxy is told to stop
 */
public record LimitsConfig(
        int statementBytes,
        long queryMemoryBytes,
        long totalMemoryBytes,
        long heldAnswerBytes,
        int finishRows,
        int connections,
        Duration slowClient,
        Duration handshakeTimeout,
        Duration drainTime) {

    /** What holds when nothing is configured, in a process with that heap. */
    static LimitsConfig of(HeapShares heap) {
        return new LimitsConfig(
                64 * 1024,
                HeapShares.queryMemory(heap.totalMemory()),
                heap.totalMemory(),
                8L << 20,
                100_000,
                heap.connections(),
                Duration.ofSeconds(60),
                Duration.ofSeconds(30),
                Duration.ofSeconds(60));
    }

    /** What holds in this process when nothing is configured. */
    public static LimitsConfig defaults() {
        return of(HeapShares.ofThisProcess());
    }
}
