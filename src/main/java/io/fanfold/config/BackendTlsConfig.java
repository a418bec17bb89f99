package io.fanfold.config;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Encryption between the proxy and the server, for clients' and workers' connections.
 *
 * @param mode whether TLS is used
 * @param clearClients the treatment of a TCP client without TLS whose connection to the server would be encrypted
 * @param verify how the server's certificate is checked
 * @param ca PEM file of the authorities that may sign the server's certificate; null for those of the Java runtime
 * @param certificate PEM file of the proxy's certificate, followed by its chain; null for none
 * @param key PEM file of its private key; null together with {@code certificate}
 * @param showCertificate for which clients the proxy presents its certificate to the server; workers always present it
 */
@RecordBuilder
public record BackendTlsConfig(
        BackendTlsMode mode,
        ClearClients clearClients,
        Verify verify,
        @Nullable Path ca,
        @Nullable Path certificate,
        @Nullable Path key,
        ShowCertificate showCertificate)
        implements BackendTlsConfigBuilder.With {

    /** Modes, with MySQL Router's names. */
    public enum BackendTlsMode {
        /** Not used. */
        DISABLED,
        /** Used if the server offers it. */
        PREFERRED,
        /** Always used; connections to a server without TLS fail. */
        REQUIRED,
        /** Used if the client uses it; for workers, if the server offers it. */
        AS_CLIENT
    }

    /**
     * The treatment of clients without TLS. With the modes {@code PREFERRED} and {@code REQUIRED} the server sees TLS
     * and accepts accounts with REQUIRE SSL, even if the client uses none.
     */
    public enum ClearClients {
        /** The client is refused. */
        REFUSE,
        /** The client is served. */
        ALLOW
    }

    /**
     * When the proxy presents its certificate. The server then accepts accounts with REQUIRE X509, even if the client
     * presented none.
     */
    public enum ShowCertificate {
        /** Only for a client that presented a certificate of {@link ListenerTlsConfig#clientCa}. */
        AS_CLIENT,
        /** For every client. */
        ALWAYS
    }

    /** How the server's certificate is checked. */
    public enum Verify {
        /** Any certificate is accepted. */
        DISABLED,
        /** It must be signed by a known authority. */
        VERIFY_CA,
        /** It must be signed by a known authority and contain the name in {@link BackendConfig#host}. */
        VERIFY_IDENTITY
    }

    /**
     * Returns {@link BackendTlsMode#AS_CLIENT}. Only then does the server see whether its client uses TLS, as REQUIRE SSL
     * demands.
     */
    public static BackendTlsConfig defaults() {
        return of(BackendTlsMode.AS_CLIENT);
    }

    /** Returns a mode that accepts any server certificate and has no own certificate. */
    public static BackendTlsConfig of(BackendTlsMode mode) {
        return new BackendTlsConfig(
                mode, ClearClients.REFUSE, Verify.DISABLED, null, null, null, ShowCertificate.AS_CLIENT);
    }

    public BackendTlsConfig with(Verify how, @Nullable Path authorities) {
        return withVerify(how).withCa(authorities);
    }

    public BackendTlsConfig withCertificate(Path newCertificate, Path newKey) {
        return withCertificate(newCertificate).withKey(newKey);
    }
}
