package io.fanfold.session.handshake;

import io.fanfold.config.BackendTlsConfig;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.HostPort;
import io.fanfold.config.ListenerTlsConfig;
import io.fanfold.session.channel.PlainCause;
import io.fanfold.session.channel.RateLimitedWarning;
import io.fanfold.tls.BackendTls;
import io.fanfold.tls.Encryption;
import io.fanfold.tls.ListenerTls;
import io.fanfold.wire.Capability;
import io.netty.channel.Channel;
import io.netty.handler.ssl.SslHandler;
import java.util.Locale;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * The encryption of sessions on both sides. Thread-safe.
 *
 * @param listenerMode towards clients
 * @param listener null if the mode is disabled or passthrough
 * @param backendMode towards the server
 * @param clearClients what to do with a client without TLS if its connection to the server would be encrypted
 * @param backend null if the mode is disabled
 * @param passwordKeys the proxy's own RSA keys
 * @param crypto runs cryptographic work that takes long
 * @param warning logs that clients are refused
 */
public record SessionTls(
        ListenerTlsConfig.ListenerTlsMode listenerMode,
        @Nullable ListenerTls listener,
        BackendTlsConfig.BackendTlsMode backendMode,
        BackendTlsConfig.ClearClients clearClients,
        @Nullable BackendTls backend,
        PasswordKeys passwordKeys,
        Executor crypto,
        RateLimitedWarning warning) {

    public static SessionTls of(FanfoldConfig config, Encryption encryption) {
        return new SessionTls(
                config.listener().tls().mode(),
                encryption.listener(),
                config.backend().tls().mode(),
                config.backend().tls().clearClients(),
                encryption.backend(),
                encryption::passwordKeys,
                encryption.crypto(),
                new RateLimitedWarning(LoggerFactory.getLogger(SessionTls.class)));
    }

    /** The capability offered to clients, given what the server offers. */
    public long offered(long serverCapabilities) {
        return switch (listenerMode) {
            case DISABLED -> 0;
            case PREFERRED, REQUIRED -> Capability.SSL;
            case PASSTHROUGH, AS_SERVER -> serverCapabilities & Capability.SSL;
        };
    }

    /** Whether the server's connection must be encrypted. */
    boolean wantedOfServer(boolean clientEncrypted, boolean offeredByServer) {
        return switch (backendMode) {
            case DISABLED -> false;
            case PREFERRED -> offeredByServer;
            case REQUIRED -> true;
            case AS_CLIENT -> clientEncrypted;
        };
    }

    /**
     * Whether a client is refused because the server would see TLS although its client uses none.
     *
     * @param clientSecure whether the client's connection is encrypted or local
     * @param serverEncrypted whether the server's connection will be encrypted
     */
    boolean refuses(boolean clientSecure, boolean serverEncrypted) {
        return serverEncrypted && !clientSecure && clearClients == BackendTlsConfig.ClearClients.REFUSE;
    }

    /**
     * The message for a client that is refused because its connection to the server must be encrypted, but the server
     * does not request TLS.
     */
    String serverOffersNone(HostPort address) {
        String server = "the server at " + address + " does not offer TLS";
        return backendMode == BackendTlsConfig.BackendTlsMode.AS_CLIENT
                ? "this client uses TLS, but " + server
                        + " (backend.tls.mode is as_client; expected preferred to encrypt only between clients and Fanfold)"
                : server + " (backend.tls.mode is required)";
    }

    /** The message for a client that is refused because TLS with the server failed. */
    String serverFailed(HostPort server, @Nullable Throwable cause) {
        String why = PlainCause.text(cause);
        return cause != null && backend != null && PlainCause.isCertificate(cause)
                ? "the certificate of the server at " + server + " is not accepted: " + why + " (backend.tls.verify is "
                        + backend.verify().name().toLowerCase(Locale.ROOT) + ")"
                : "the TLS handshake with the server at " + server + " failed: " + why;
    }

    SslHandler forClient(Channel client) {
        if (listener == null) {
            throw new IllegalStateException("TLS was not offered");
        }
        return listener.handler(client.alloc(), crypto);
    }

    /**
     * @param address the server as configured
     * @param client the client's TLS handler; null without TLS
     */
    SslHandler forServer(Channel server, HostPort address, @Nullable SslHandler client) {
        if (backend == null) {
            throw new IllegalStateException("TLS is not wanted");
        }
        return backend.handler(
                server.alloc(),
                address.host(),
                address.port(),
                client == null ? null : client.engine().getSession(),
                crypto);
    }
}
