package io.fanfold.config;

import java.time.Duration;

/**
 * Where clients connect.
 *
 * @param host address to bind
 * @param port TCP port, 0..65535; 0 takes a free one
 * @param backlog pending connections the kernel keeps, 1 or more
 * @param keepAlive how long a client is silent before the kernel asks whether it is there; zero for the system's own time
 */
public record ListenerConfig(String host, int port, int backlog, Duration keepAlive) {
    public static ListenerConfig defaults() {
        return new ListenerConfig("127.0.0.1", 3307, 1024, Duration.ofSeconds(60));
    }
}
