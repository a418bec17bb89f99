package io.fanfold.tls;

import io.fanfold.config.BackendTlsConfig;
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
import java.util.concurrent.Executor;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/** The client's side of TLS with the server: TLS 1.2 and 1.3, sessions are resumed. Safe for all threads. */
public final class BackendTls {
    private final BackendTlsConfig config;
    private final WatchedFiles<SslContext> context;

    /** @throws TlsException when a file cannot be used */
    public BackendTls(BackendTlsConfig config) throws TlsException {
        this.config = config;
        this.context = new WatchedFiles<>(() -> context(config), config.ca(), config.certificate(), config.key());
    }

    private static SslContext context(BackendTlsConfig config) throws TlsException {
        try {
            SslContextBuilder builder = SslContextBuilder.forClient()
                    .sslProvider(SslProvider.JDK)
                    .protocols(ListenerTls.VERSIONS)
                    .endpointIdentificationAlgorithm(identification(config));
            Path authorities = config.ca();
            if (config.verify() == Verify.DISABLED) {
                builder.trustManager(InsecureTrustManagerFactory.INSTANCE);
            } else if (authorities != null) {
                builder.trustManager(PemFiles.certificates(authorities));
            }
            Path certificate = config.certificate();
            Path key = config.key();
            if (certificate != null && key != null) {
                Identity own = PemFiles.identity(certificate, key);
                builder.keyManager(own.key(), own.chainArray());
            }
            return builder.build();
        } catch (SSLException e) {
            throw new TlsException("TLS with the server cannot be set up", e);
        }
    }

    /** The rules for names in certificates that the runtime knows under this name. */
    private static @Nullable String identification(BackendTlsConfig config) {
        return config.verify() == Verify.VERIFY_IDENTITY ? "HTTPS" : null;
    }

    /** Whether it is used where the server offers it and the client's own mode does not matter. */
    public BackendTlsConfig.Mode mode() {
        return config.mode();
    }

    /**
     * The handler for one connection to the server, to be added before those that read the protocol.
     *
     * @param host the server's name, as it is configured
     * @param crypto does what takes long
     */
    public SslHandler handler(ByteBufAllocator allocator, String host, int port, Executor crypto) {
        SslHandler handler = context.current().newHandler(allocator, host, port, crypto);
        // the whole connection phase has a time limit
        handler.setHandshakeTimeoutMillis(0);
        return handler;
    }

    /**
     * Encrypts a connected socket; the handshake is done when it returns, within the socket's read timeout for each step.
     *
     * @param host the server's name, as it is configured
     * @return closing it closes the socket below
     */
    public SSLSocket encrypt(Socket socket, String host, int port) throws IOException {
        JdkSslContext current = (JdkSslContext) context.current();
        SSLSocket encrypted = (SSLSocket) current.context().getSocketFactory().createSocket(socket, host, port, true);
        SSLParameters parameters = encrypted.getSSLParameters();
        parameters.setProtocols(ListenerTls.VERSIONS);
        parameters.setEndpointIdentificationAlgorithm(identification(config));
        encrypted.setSSLParameters(parameters);
        encrypted.startHandshake();
        return encrypted;
    }

    /** Reads the files again if they have changed; waits for the file system. */
    public void look() {
        context.look();
    }
}
