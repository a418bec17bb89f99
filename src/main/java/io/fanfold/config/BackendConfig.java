package io.fanfold.config;

import java.time.Duration;

/**
 * The server behind the proxy.
 *
 * @param host its name or address
 * @param port its TCP port, 1..65535
 * @param connectTimeout how long connecting may take
 * @param keepAlive how long the server is silent before the kernel asks whether it is there, for connections of clients and of
 *     workers; zero for the system's own time
 */
public record BackendConfig(String host, int port, Duration connectTimeout, Duration keepAlive) {
    public static BackendConfig defaults() {
        return new BackendConfig("127.0.0.1", 3306, Duration.ofSeconds(5), Duration.ofSeconds(60));
    }
}
