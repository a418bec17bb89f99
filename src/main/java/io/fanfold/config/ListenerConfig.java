package io.fanfold.config;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where clients connect.
 *
 * @param host address to bind
 * @param port TCP port, 0..65535; 0 selects a free port
 * @param backlog pending connections kept by the kernel, 1 or more
 * @param keepAlive the idle time of a client before the kernel sends probes; zero for the system's own time
 * @param proxyNetworks the networks from which PROXY protocol headers are accepted; empty for none
 * @param socket absolute path of a Unix domain socket on which clients may connect too; null for none
 * @param reusePort whether several processes may listen at the same addresses
 * @param tls encryption
 * @param compression whether clients may compress
 */
@RecordBuilder
public record ListenerConfig(
        String host,
        int port,
        int backlog,
        Duration keepAlive,
        List<Network> proxyNetworks,
        @Nullable Path socket,
        boolean reusePort,
        ListenerTlsConfig tls,
        ClientCompression compression)
        implements ListenerConfigBuilder.With {

    /** Whether compression is offered. */
    public enum ClientCompression {
        OFF,
        /** With zlib, and with zstd to MySQL clients. */
        ON
    }

    public ListenerConfig {
        proxyNetworks = List.copyOf(proxyNetworks);
    }

    /** Creates settings without PROXY protocol headers, Unix domain socket, shared port, encryption and compression. */
    public ListenerConfig(String host, int port, int backlog, Duration keepAlive) {
        this(
                host,
                port,
                backlog,
                keepAlive,
                List.of(),
                null,
                false,
                ListenerTlsConfig.of(ListenerTlsConfig.ListenerTlsMode.DISABLED),
                ClientCompression.OFF);
    }

    public static ListenerConfig defaults() {
        return new ListenerConfig("127.0.0.1", 3307, 1024, Duration.ofSeconds(60))
                .withTls(ListenerTlsConfig.defaults())
                .withCompression(ClientCompression.ON);
    }

    /** Returns these settings with another host and port. */
    public ListenerConfig at(String otherHost, int otherPort) {
        return withHost(otherHost).withPort(otherPort);
    }
}
