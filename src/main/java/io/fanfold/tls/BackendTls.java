package io.fanfold.tls;

import io.fanfold.config.BackendTlsConfig;
import io.fanfold.config.BackendTlsConfig.ShowCertificate;
import io.fanfold.config.BackendTlsConfig.Verify;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executor;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * The client side of TLS with the server: TLS 1.2 and 1.3, with session resumption. Safe for use by multiple threads.
 */
public final class BackendTls {
    private final BackendTlsConfig config;
    /**
     * The largest number of cached sessions. Each name that clients request has its own sessions, so there may be many.
     */
    private static final int SESSIONS = 1000;

    private final WatchedFiles<Contexts> contexts;

    /**
     * Separate contexts, since a session begun with a certificate must not be resumed without it, or vice versa.
     *
     * @param withCertificate presents the proxy's certificate, if there is one
     * @param withoutCertificate presents none
     * @param ofWorkers for blocking sockets, which the Java runtime alone has; presents the certificate, if there is one
     */
    private record Contexts(SslContext withCertificate, SslContext withoutCertificate, SSLContext ofWorkers) {
        static Contexts of(BackendTlsConfig config) throws TlsException {
            Path certificate = config.certificate();
            Path key = config.key();
            Identity own = certificate == null || key == null ? null : PemFiles.identity(certificate, key);
            SslContext without = context(config, null, TlsLibrary.best());
            SslContext with = own == null ? without : context(config, own, TlsLibrary.of(own));
            return new Contexts(with, without, ((JdkSslContext) context(config, own, SslProvider.JDK)).context());
        }
    }

    /** @throws TlsException if a file cannot be used */
    public BackendTls(BackendTlsConfig config) throws TlsException {
        this.config = config;
        this.contexts = new WatchedFiles<>(() -> Contexts.of(config), config.ca(), config.certificate(), config.key());
    }

    private static SslContext context(BackendTlsConfig config, @Nullable Identity own, SslProvider library)
            throws TlsException {
        try {
            SslContextBuilder builder = SslContextBuilder.forClient()
                    .sslProvider(library)
                    .sessionCacheSize(SESSIONS)
                    .protocols(ListenerTls.VERSIONS)
                    .endpointIdentificationAlgorithm(identification(config));
            Path authorities = config.ca();
            if (config.verify() == Verify.DISABLED) {
                builder.trustManager(InsecureTrustManagerFactory.INSTANCE);
            } else if (authorities != null) {
                builder.trustManager(PemFiles.certificates(authorities));
            }
            if (own != null) {
                builder.keyManager(own.key(), own.chainArray());
            }
            return builder.build();
        } catch (SSLException e) {
            throw new TlsException("TLS with the server cannot be set up", e);
        }
    }

    /** Returns the Java name of the rules for checking host names; null for no check. */
    private static @Nullable String identification(BackendTlsConfig config) {
        return config.verify() == Verify.VERIFY_IDENTITY ? "HTTPS" : null;
    }

    /** Returns the configured mode. */
    public BackendTlsConfig.BackendTlsMode mode() {
        return config.mode();
    }

    /** Returns how the server's certificate is checked. */
    public Verify verify() {
        return config.verify();
    }

    /**
     * Returns the handler for one client's connection to the server. Add it before the handlers that read the protocol.
     *
     * <p>It presents the proxy's certificate according to {@link BackendTlsConfig#showCertificate}. It requests the
     * server name that the client requested (SNI), unless the server's name is verified.
     *
     * @param host the server's configured name
     * @param client the client's own TLS session after its handshake; null for a client without TLS
     * @param crypto runs slow cryptographic tasks
     */
    public SslHandler handler(
            ByteBufAllocator allocator, String host, int port, @Nullable SSLSession client, Executor crypto) {
        Contexts current = contexts.current();
        boolean shown =
                config.showCertificate() == ShowCertificate.ALWAYS || client != null && ListenerTls.isCertified(client);
        SslContext context = shown ? current.withCertificate() : current.withoutCertificate();
        SNIServerName asked = config.verify() == Verify.VERIFY_IDENTITY ? null : askedFor(client);
        SslHandler handler;
        if (asked instanceof SNIHostName name) {
            handler = context.newHandler(allocator, name.getAsciiName(), port, crypto);
            SSLParameters parameters = handler.engine().getSSLParameters();
            parameters.setServerNames(List.of(asked));
            handler.engine().setSSLParameters(parameters);
        } else {
            handler = context.newHandler(allocator, host, port, crypto);
        }
        // the whole connection phase has a time limit
        handler.setHandshakeTimeoutMillis(0);
        return handler;
    }

    private static @Nullable SNIServerName askedFor(@Nullable SSLSession client) {
        List<SNIServerName> names =
                client instanceof ExtendedSSLSession session ? session.getRequestedServerNames() : List.of();
        return names.isEmpty() ? null : names.get(0);
    }

    /**
     * Encrypts a worker's connected socket. The handshake is complete on return; each of its reads is limited by the
     * socket's timeout.
     *
     * @param host the server's configured name
     * @return the TLS socket; closing it closes the underlying socket
     */
    public SSLSocket encrypt(Socket socket, String host, int port) throws IOException {
        SSLContext current = contexts.current().ofWorkers();
        SSLSocket encrypted = (SSLSocket) current.getSocketFactory().createSocket(socket, host, port, true);
        SSLParameters parameters = encrypted.getSSLParameters();
        parameters.setProtocols(ListenerTls.VERSIONS);
        parameters.setEndpointIdentificationAlgorithm(identification(config));
        encrypted.setSSLParameters(parameters);
        encrypted.startHandshake();
        return encrypted;
    }

    /** Reads the files again if they have changed; waits for the file system. */
    public void look() {
        contexts.look();
    }
}
