package io.fanfold.config;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;

/**
 * Which servers fan-outs read, if there are replicas.
 *
 * @param from the servers
 * @param patience how long a fan-out waits until a replica has applied what the server had committed when the statement
 *     arrived, 1 ms or more
 * @param staleness the most seconds that a replica may be behind, as its status shows; whole seconds. With zero, the
 *     replica must have applied all that the server had committed
 * @param servers the most servers that one fan-out reads, 1..100
 */
@RecordBuilder
public record ReplicaReads(ReadFrom from, Duration patience, Duration staleness, int servers)
        implements ReplicaReadsBuilder.With {
    /** The largest valid number of servers. */
    static final int MOST_SERVERS = 100;

    /** The servers that fan-outs read. */
    public enum ReadFrom {
        /** The server of the clients. */
        PRIMARY,
        /** The server and the replicas, the least busy one first. */
        ANY,
        /** The replicas, the least busy one first; the server if none of them can be used. */
        REPLICA
    }

    public static ReplicaReads defaults() {
        return new ReplicaReads(ReadFrom.PRIMARY, Duration.ofMillis(50), Duration.ZERO, 1);
    }
}
