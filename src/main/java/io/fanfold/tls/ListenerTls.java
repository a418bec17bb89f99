package io.fanfold.tls;

import io.fanfold.config.ListenerTlsConfig;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/** The server side of TLS with clients: TLS 1.2 and 1.3. Safe for use by multiple threads. */
public final class ListenerTls {
    static final String[] VERSIONS = {"TLSv1.3", "TLSv1.2"};

    /**
     * The largest number of cached sessions of clients without session tickets. Each takes some kilobytes, and many
     * clients connect only once.
     */
    private static final int SESSIONS = 1000;

    private final WatchedFiles<SslContext> context;

    /** @throws TlsException if a file cannot be used */
    public ListenerTls(ListenerTlsConfig config) throws TlsException {
        this.context = new WatchedFiles<>(() -> context(config), config.certificate(), config.key(), config.clientCa());
    }

    private static SslContext context(ListenerTlsConfig config) throws TlsException {
        Path certificate = config.certificate();
        Path key = config.key();
        Identity identity = certificate == null || key == null
                ? SelfSignedCertificate.identity(config.directory())
                : PemFiles.identity(certificate, key);
        try {
            SslContextBuilder builder = SslContextBuilder.forServer(identity.key(), identity.chainArray())
                    .sslProvider(TlsLibrary.of(identity))
                    .sessionCacheSize(SESSIONS)
                    .protocols(VERSIONS);
            Path authorities = config.clientCa();
            if (authorities != null) {
                builder.trustManager(PemFiles.certificates(authorities))
                        .clientAuth(config.requireClientCertificate() ? ClientAuth.REQUIRE : ClientAuth.OPTIONAL);
            }
            return builder.build();
        } catch (SSLException e) {
            throw new TlsException("TLS cannot be set up", e);
        }
    }

    /**
     * Returns the handler for one client. Add it before the handlers that read the protocol.
     *
     * @param crypto runs slow cryptographic tasks
     */
    public SslHandler handler(ByteBufAllocator allocator, Executor crypto) {
        SslHandler handler = context.current().newHandler(allocator, crypto);
        // the whole connection phase has a time limit
        handler.setHandshakeTimeoutMillis(0);
        return handler;
    }

    /** Whether a client presented a certificate, which was then checked. */
    public static boolean isCertified(SSLSession client) {
        try {
            return client.getPeerCertificates().length > 0;
        } catch (SSLPeerUnverifiedException e) {
            return false;
        }
    }

    /** Reads the files again if they have changed; waits for the file system. */
    public void look() {
        context.look();
    }
}
