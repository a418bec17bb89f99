package io.fanfold.config;

import java.time.Duration;

/**
 * The worker connections to the same server.
 *
 * @param user the worker account, "" switches fan-out off
 * @param password its password, from the environment or a file
 * @param connections the most worker connections at once over all queries, 2..10000
 * @param connectionsPerUser the most of them at once over all queries of one user, 2..10000; more than there are is no limit
 * @param queueLength the most queries that wait for worker connections, 0 or more; further ones are passed through at once
 * @param queueWait how long a query waits for worker connections before it is passed through
 * @param idleTimeout after which an unused worker connection is closed
 * @param maxLifetime after which a worker connection is replaced
 */
public record WorkersConfig(
        String user,
        Secret password,
        int connections,
        int connectionsPerUser,
        int queueLength,
        Duration queueWait,
        Duration idleTimeout,
        Duration maxLifetime) {
    /** The most connections that can be configured: so many for one user are no limit. */
    static final int MOST_CONNECTIONS = 10_000;

    public static WorkersConfig defaults() {
        return new WorkersConfig(
                "",
                Secret.EMPTY,
                32,
                MOST_CONNECTIONS,
                64,
                Duration.ofMillis(200),
                Duration.ofMinutes(10),
                Duration.ofMinutes(30));
    }

    /** The same with another account and another number of connections. */
    public WorkersConfig with(String otherUser, Secret itsPassword, int otherConnections) {
        return new WorkersConfig(
                otherUser,
                itsPassword,
                otherConnections,
                connectionsPerUser,
                queueLength,
                queueWait,
                idleTimeout,
                maxLifetime);
    }

    public boolean enabled() {
        return !user.isEmpty();
    }
}
