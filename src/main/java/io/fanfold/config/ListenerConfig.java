package io.fanfold.config;

import java.time.Duration;
import java.util.List;

/**
 * Where clients connect.
 *
 * @param host address to bind
 * @param port TCP port, 0..65535; 0 takes a free one
 * @param backlog pending connections the kernel keeps, 1 or more
 * @param keepAlive how long a client is silent before the kernel asks whether it is there; zero for the system's own time
 * @param proxyNetworks from where PROXY protocol headers are taken; empty for nowhere
 */
public record ListenerConfig(String host, int port, int backlog, Duration keepAlive, List<Network> proxyNetworks) {
    public ListenerConfig {
        proxyNetworks = List.copyOf(proxyNetworks);
    }

    /** One that takes no PROXY protocol headers. */
    public ListenerConfig(String host, int port, int backlog, Duration keepAlive) {
        this(host, port, backlog, keepAlive, List.of());
    }

    public static ListenerConfig defaults() {
        return new ListenerConfig("127.0.0.1", 3307, 1024, Duration.ofSeconds(60));
    }

    /** The same at another address. */
    public ListenerConfig at(String otherHost, int otherPort) {
        return new ListenerConfig(otherHost, otherPort, backlog, keepAlive, proxyNetworks);
    }

    public ListenerConfig withProxyNetworks(List<Network> networks) {
        return new ListenerConfig(host, port, backlog, keepAlive, networks);
    }
}
