package io.fanfold.config;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;

/**
 * Limits of memory, time and numbers.
 *
 * @param statementBytes the longest statement analyzed for splitting, in bytes
 * @param queryMemoryBytes heap for one query's merge, in bytes
 * @param totalMemoryBytes heap for all merges together, in bytes
 * @param reuseMemoryBytes the part of {@code totalMemoryBytes} for rows that may be used again, in bytes
 * @param heldAnswerBytes heap for rows buffered before a streamed result starts, in bytes
 * @param finalQueryRows the most rows of a final query's input
 * @param connections the most clients at once
 * @param slowClient how long a client may leave its socket full while a merged result waits
 * @param handshakeTimeout time limit from connecting to the end of authentication
 * @param drainTime how long running statements and open transactions may take after the proxy is asked to stop
 */
@RecordBuilder
public record LimitsConfig(
        int statementBytes,
        long queryMemoryBytes,
        long totalMemoryBytes,
        long reuseMemoryBytes,
        long heldAnswerBytes,
        int finalQueryRows,
        int connections,
        Duration slowClient,
        Duration handshakeTimeout,
        Duration drainTime)
        implements LimitsConfigBuilder.With {

    /** Returns the defaults in a process with that heap. */
    static LimitsConfig of(HeapShares heap) {
        return new LimitsConfig(
                64 * 1024,
                HeapShares.queryMemory(heap.totalMemory()),
                heap.totalMemory(),
                HeapShares.reuseMemory(heap.totalMemory()),
                8L << 20,
                100_000,
                heap.connections(),
                Duration.ofSeconds(60),
                Duration.ofSeconds(30),
                Duration.ofSeconds(60));
    }

    /** Returns the defaults in this process. */
    public static LimitsConfig defaults() {
        return of(HeapShares.ofThisProcess());
    }
}
