package io.fanfold.config;

/**
 * Where clients connect.
 *
 * @param host address to bind
 * @param port TCP port, 0..65535; 0 takes a free one
 * @param backlog pending connections the kernel keeps, 1 or more
 */
public record ListenerConfig(String host, int port, int backlog) {
    public static ListenerConfig defaults() {
        return new ListenerConfig("127.0.0.1", 3307, 1024);
    }
}
