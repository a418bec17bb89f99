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
 * @param proxyProtocol with which header connections to it begin
 * @param tls encryption
 * @param compression how the server's connections of clients are compressed
 */
public record BackendConfig(
        String host,
        int port,
        Duration connectTimeout,
        Duration keepAlive,
        ProxyProtocol proxyProtocol,
        BackendTlsConfig tls,
        Compression compression) {

    /** How, where the server offers it. */
    public enum Compression {
        OFF,
        /** As the client compresses its own connection. */
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

    /** One that is sent no headers, without encryption. */
    public BackendConfig(String host, int port, Duration connectTimeout, Duration keepAlive) {
        this(
                host,
                port,
                connectTimeout,
                keepAlive,
                ProxyProtocol.OFF,
                BackendTlsConfig.of(BackendTlsConfig.Mode.DISABLED),
                Compression.AS_CLIENT);
    }

    public static BackendConfig defaults() {
        return new BackendConfig("127.0.0.1", 3306, Duration.ofSeconds(5), Duration.ofSeconds(60))
                .with(BackendTlsConfig.defaults());
    }

    /** The same at another address. */
    public BackendConfig at(String otherHost, int otherPort) {
        return new BackendConfig(otherHost, otherPort, connectTimeout, keepAlive, proxyProtocol, tls, compression);
    }

    public BackendConfig with(ProxyProtocol version) {
        return new BackendConfig(host, port, connectTimeout, keepAlive, version, tls, compression);
    }

    public BackendConfig with(BackendTlsConfig encryption) {
        return new BackendConfig(host, port, connectTimeout, keepAlive, proxyProtocol, encryption, compression);
    }

    public BackendConfig with(Compression used) {
        return new BackendConfig(host, port, connectTimeout, keepAlive, proxyProtocol, tls, used);
    }
}
