package io.fanfold.client;

import io.fanfold.config.BackendConfig;
import io.fanfold.config.BackendConfig.ProxyProtocol;
import io.fanfold.config.HostPort;
import io.fanfold.config.Secret;
import io.fanfold.config.WorkersConfig;
import io.fanfold.tls.BackendTls;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How to open a {@link WireConnection}.
 *
 * @param host name or address
 * @param port TCP port, 1..65535
 * @param user account name
 * @param password its password; may be empty
 * @param connectTimeout limit of connecting, and of the server's silence during login; positive
 * @param readTimeout how long the server may be silent while a reply is awaited; zero for no limit
 * @param keepAlive the idle time before the kernel sends probes; zero for the system's own time
 * @param maxPayloadBytes the largest accepted packet payload, rows included; a larger one breaks the connection
 * @param proxyProtocol the PROXY protocol header to send first; it declares the connection as the proxy's own
 * @param tls how to encrypt; null for no encryption
 */
public record WireSettings(
        String host,
        int port,
        String user,
        Secret password,
        Duration connectTimeout,
        Duration readTimeout,
        Duration keepAlive,
        int maxPayloadBytes,
        ProxyProtocol proxyProtocol,
        @Nullable Tls tls) {

    /**
     * Encryption.
     *
     * @param context encrypts; its mode says whether a server without TLS is acceptable
     * @param name the server's name in its certificate, even if {@code host} is one of its addresses
     */
    public record Tls(BackendTls context, String name) {}

    /** The default limit of one payload. Larger rows are not worth merging in memory. */
    public static final int DEFAULT_MAX_PAYLOAD_BYTES = 128 << 20;

    public WireSettings {
        if (connectTimeout.isNegative() || connectTimeout.isZero()) {
            throw new IllegalArgumentException("connectTimeout is " + connectTimeout + " (expected: positive)");
        }
        if (readTimeout.isNegative()) {
            throw new IllegalArgumentException("readTimeout is " + readTimeout + " (expected: zero or positive)");
        }
        if (maxPayloadBytes < 1024) {
            throw new IllegalArgumentException("maxPayloadBytes is " + maxPayloadBytes + " (expected: 1024 or more)");
        }
    }

    /** Creates settings without a PROXY protocol header and encryption. */
    public WireSettings(
            String host,
            int port,
            String user,
            Secret password,
            Duration connectTimeout,
            Duration readTimeout,
            Duration keepAlive,
            int maxPayloadBytes) {
        this(
                host,
                port,
                user,
                password,
                connectTimeout,
                readTimeout,
                keepAlive,
                maxPayloadBytes,
                ProxyProtocol.OFF,
                null);
    }

    /**
     * Returns the settings of worker connections. They have no read timeout, since a partition query may be silent for
     * long.
     *
     * @param tls null for unencrypted connections
     */
    public static WireSettings of(BackendConfig backend, @Nullable BackendTls tls, WorkersConfig workers) {
        return new WireSettings(
                backend.host(),
                backend.port(),
                workers.user(),
                workers.password(),
                backend.connectTimeout(),
                Duration.ZERO,
                backend.keepAlive(),
                DEFAULT_MAX_PAYLOAD_BYTES,
                backend.proxyProtocol(),
                tls == null ? null : new Tls(tls, backend.host()));
    }

    /** Returns these settings for one of the host's addresses, which is known. */
    public WireSettings at(InetSocketAddress address) {
        return to(address.getAddress().getHostAddress(), address.getPort(), tls);
    }

    /** Returns these settings for another server. */
    public WireSettings to(HostPort server) {
        return to(server.host(), server.port(), tls == null ? null : new Tls(tls.context(), server.host()));
    }

    private WireSettings to(String otherHost, int otherPort, @Nullable Tls itsTls) {
        return new WireSettings(
                otherHost,
                otherPort,
                user,
                password,
                connectTimeout,
                readTimeout,
                keepAlive,
                maxPayloadBytes,
                proxyProtocol,
                itsTls);
    }

    /** Returns these settings with another password. */
    public WireSettings withPassword(Secret other) {
        return new WireSettings(
                host, port, user, other, connectTimeout, readTimeout, keepAlive, maxPayloadBytes, proxyProtocol, tls);
    }

    WireSettings withTimeouts(Duration connect, Duration read) {
        return new WireSettings(
                host, port, user, password, connect, read, keepAlive, maxPayloadBytes, proxyProtocol, tls);
    }
}
