package io.fanfold.config;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;

/**
 * The settings of the server.
 *
 * @param host its name or address
 * @param port its TCP port, 1..65535
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

    /** Returns these settings with another address. */
    public BackendConfig at(String otherHost, int otherPort) {
        return withHost(otherHost).withPort(otherPort);
    }
}
