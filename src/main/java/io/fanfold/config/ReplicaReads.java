package io.fanfold.config;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;

/**
 * Which servers fan-outs read, if there are replicas.
 *
 * @param from the servers
 * @param patience how long a fan-out waits until a replica has applied what the server had committed when the statement
 *     arrived, 1 ms or more
 */
@RecordBuilder
public record ReplicaReads(ReadFrom from, Duration patience) implements ReplicaReadsBuilder.With {
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
        return new ReplicaReads(ReadFrom.PRIMARY, Duration.ofMillis(50));
    }
}
