package io.fanfold.config;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.List;

/**
 * The settings of the server.
 *
 * @param host its name or address; of a running proxy, that of the server for new connections
 * @param port its TCP port, 1..65535
 * @param hosts the servers among which Fanfold chooses it, in the order of preference; empty for no choice
 * @param connectTimeout how long connecting may take
 * @param keepAlive the idle time before the kernel sends probes on client and worker connections; zero for the system's
 *     own time
 * @param proxyProtocol the PROXY protocol header to send first on connections to the server
 * @param tls encryption
 * @param compression compression of clients' connections to the server
 */
@RecordBuilder
public record BackendConfig(
        String host,
        int port,
        List<HostPort> hosts,
        Duration connectTimeout,
        Duration keepAlive,
        ProxyProtocol proxyProtocol,
        BackendTlsConfig tls,
        ServerCompression compression)
        implements BackendConfigBuilder.With {

    /** Compression, used if the server offers it. */
    public enum ServerCompression {
        OFF,
        /** Like the client's own connection. */
        AS_CLIENT,
        ZLIB,
        ZSTD
    }

    /** Versions of the PROXY protocol. */
    public enum ProxyProtocol {
        /** No header. */
        OFF,
        /** Text. */
        V1,
        /** Binary. */
        V2
    }

    /** Creates settings without PROXY protocol headers and encryption. */
    public BackendConfig(String host, int port, Duration connectTimeout, Duration keepAlive) {
        this(
                host,
                port,
                List.of(),
                connectTimeout,
                keepAlive,
                ProxyProtocol.OFF,
                BackendTlsConfig.of(BackendTlsConfig.BackendTlsMode.DISABLED),
                ServerCompression.AS_CLIENT);
    }

    public static BackendConfig defaults() {
        return new BackendConfig("127.0.0.1", 3306, Duration.ofSeconds(5), Duration.ofSeconds(60))
                .withTls(BackendTlsConfig.defaults());
    }

    public BackendConfig {
        hosts = List.copyOf(hosts);
    }

    /** The address of the server. */
    public HostPort address() {
        return new HostPort(host, port);
    }

    /** The addresses of all servers that new connections may go to. */
    public List<HostPort> addresses() {
        return hosts.isEmpty() ? List.of(address()) : hosts;
    }

    /** Returns these settings for one server alone. */
    public BackendConfig at(String otherHost, int otherPort) {
        return withHost(otherHost).withPort(otherPort).withHosts(List.of());
    }

    /** Returns these settings with another of {@link #hosts} as the server of new connections. */
    BackendConfig movedTo(HostPort server) {
        return withHost(server.host()).withPort(server.port());
    }
}
