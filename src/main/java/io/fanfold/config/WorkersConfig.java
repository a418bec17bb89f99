package io.fanfold.config;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.List;

/**
 * Settings of the worker connections to the server.
 *
 * @param user the worker account, "" switches fan-out off
 * @param password its password, from the environment or a file
 * @param connections the most worker connections at once over all queries, 2..10000
 * @param connectionsPerUser the most worker connections at once over all queries of one user, 2..10000; no limit if
 *     larger than {@code connections}
 * @param queueLength the most queries that wait for worker connections, 0 or more; further ones are passed through at
 *     once
 * @param queueWait how long a query waits for a thread, and then for worker connections, before it is passed through
 * @param idleTimeout the time after which an unused worker connection is closed
 * @param maxLifetime the time after which a worker connection is replaced
 * @param servers the replicas that worker connections may read, in the order of the file
 */
@RecordBuilder
public record WorkersConfig(
        String user,
        Secret password,
        int connections,
        int connectionsPerUser,
        int queueLength,
        Duration queueWait,
        Duration idleTimeout,
        Duration maxLifetime,
        List<ReplicaConfig> servers)
        implements WorkersConfigBuilder.With {
    /** The largest valid number of connections. For one user it means no limit. */
    static final int MOST_CONNECTIONS = 10_000;

    public WorkersConfig {
        servers = List.copyOf(servers);
    }

    public static WorkersConfig defaults() {
        return new WorkersConfig(
                "",
                Secret.EMPTY,
                32,
                MOST_CONNECTIONS,
                64,
                Duration.ofMillis(200),
                Duration.ofMinutes(10),
                Duration.ofMinutes(30),
                List.of());
    }

    /** Returns these settings with another account and number of connections. */
    public WorkersConfig with(String otherUser, Secret itsPassword, int otherConnections) {
        return withUser(otherUser).withPassword(itsPassword).withConnections(otherConnections);
    }

    public boolean enabled() {
        return !user.isEmpty();
    }
}
