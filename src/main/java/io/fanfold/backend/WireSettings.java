package io.fanfold.backend;

import io.fanfold.config.BackendConfig;
import io.fanfold.config.BackendConfig.ProxyProtocol;
import io.fanfold.config.Secret;
import io.fanfold.config.WorkersConfig;
import io.fanfold.tls.BackendTls;
import java.net.InetAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a {@link WireConnection} is opened.
 *
 * @param host name or address
 * @param port TCP port, 1..65535
 * @param user account name
 * @param password its password; may be empty
 * @param connectTimeout how long connecting may take, and how long the server may be silent while logging in; positive
 * @param readTimeout how long the server may be silent while a reply is awaited; zero is for ever
 * @param keepAlive how long the server is silent before the kernel asks whether it is there; zero for the system's own time
 * @param maxPayloadBytes the largest packet payload taken, rows included; more breaks the connection
 * @param proxyProtocol with which header it begins; the header says that the connection is the proxy's own
 * @param tls how it is encrypted; null for not at all
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
     * @param context makes it; its mode says whether a server that does not offer it will do
     * @param name of the server in its certificate, also where {@code host} is one of its addresses
     */
    public record Tls(BackendTls context, String name) {}

    /** The default bound of one payload: above it, a row is not worth folding in memory. */
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

    /** Without a PROXY protocol header and encryption. */
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
     * The settings of worker connections: no read timeout, since a partition query may be silent for long.
     *
     * @param tls null for connections that are not encrypted
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

    /** The same for an address that the name stood for. */
    WireSettings at(InetAddress address) {
        return new WireSettings(
                address.getHostAddress(),
                port,
                user,
                password,
                connectTimeout,
                readTimeout,
                keepAlive,
                maxPayloadBytes,
                proxyProtocol,
                tls);
    }

    WireSettings withTimeouts(Duration connect, Duration read) {
        return new WireSettings(
                host, port, user, password, connect, read, keepAlive, maxPayloadBytes, proxyProtocol, tls);
    }
}
