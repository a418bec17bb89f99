package io.fanfold.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where clients connect.
 *
 * @param host address to bind
 * @param port TCP port, 0..65535; 0 takes a free one
 * @param backlog pending connections the kernel keeps, 1 or more
 * @param keepAlive how long a client is silent before the kernel asks whether it is there; zero for the system's own time
 * @param proxyNetworks from where PROXY protocol headers are taken; empty for nowhere
 * @param socket absolute path of a Unix domain socket where clients may connect as well; null for none
 * @param tls encryption
 * @param compression whether clients may compress
 */
public record ListenerConfig(
        String host,
        int port,
        int backlog,
        Duration keepAlive,
        List<Network> proxyNetworks,
        @Nullable Path socket,
        ListenerTlsConfig tls,
        Compression compression) {

    /** Whether it is offered. */
    public enum Compression {
        OFF,
        /** By zlib, and by zstd to clients of MySQL. */
        ON
    }

    public ListenerConfig {
        proxyNetworks = List.copyOf(proxyNetworks);
    }

    /** One that takes no PROXY protocol headers and has no Unix domain socket, encryption or compression. */
    public ListenerConfig(String host, int port, int backlog, Duration keepAlive) {
        this(
                host,
                port,
                backlog,
                keepAlive,
                List.of(),
                null,
                ListenerTlsConfig.of(ListenerTlsConfig.Mode.DISABLED),
                Compression.OFF);
    }

    public static ListenerConfig defaults() {
        return new ListenerConfig("127.0.0.1", 3307, 1024, Duration.ofSeconds(60))
                .with(ListenerTlsConfig.defaults())
                .with(Compression.ON);
    }

    /** The same at another host and port. */
    public ListenerConfig at(String otherHost, int otherPort) {
        return new ListenerConfig(otherHost, otherPort, backlog, keepAlive, proxyNetworks, socket, tls, compression);
    }

    public ListenerConfig withProxyNetworks(List<Network> networks) {
        return new ListenerConfig(host, port, backlog, keepAlive, networks, socket, tls, compression);
    }

    public ListenerConfig withSocket(Path path) {
        return new ListenerConfig(host, port, backlog, keepAlive, proxyNetworks, path, tls, compression);
    }

    public ListenerConfig with(ListenerTlsConfig encryption) {
        return new ListenerConfig(host, port, backlog, keepAlive, proxyNetworks, socket, encryption, compression);
    }

    public ListenerConfig with(Compression offered) {
        return new ListenerConfig(host, port, backlog, keepAlive, proxyNetworks, socket, tls, offered);
    }
}
