package io.fanfold.config;

import java.time.Duration;

/**
 * The worker connections to the same server.
 *
 * @param user the worker account, "" switches fan-out off
 * @param password its password, from the environment or a file
 * @param connections the most worker connections at once over all queries, 2..10000
 * @param queueWait how long a query waits for worker connections before it is passed through
 * @param idleTimeout after which an unused worker connection is closed
 * @param maxLifetime after which a worker connection is replaced
 */
public record WorkersConfig(
        String user, Secret password, int connections, Duration queueWait, Duration idleTimeout, Duration maxLifetime) {

    public static WorkersConfig defaults() {
        return new WorkersConfig(
                "", Secret.EMPTY, 32, Duration.ofMillis(200), Duration.ofMinutes(10), Duration.ofMinutes(30));
    }

    public boolean enabled() {
        return !user.isEmpty();
    }
}
