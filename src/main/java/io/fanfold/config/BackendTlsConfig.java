package io.fanfold.config;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Encryption between the proxy and the server, of clients' connections and of workers'.
 *
 * @param mode whether it is used
 * @param clearClients what becomes of a client over TCP without TLS whose connection to the server would be encrypted
 * @param verify what is asked of the server's certificate where it is used
 * @param ca PEM file of the authorities that the server's certificate may come from; null for those of the Java runtime
 * @param certificate PEM file of the certificate that the server is shown, those that sign it behind it; null for none
 * @param key PEM file of its private key; null together with {@code certificate}
 * @param showCertificate for which clients the server is shown the certificate; workers always show it
 */
public record BackendTlsConfig(
        Mode mode,
        ClearClients clearClients,
        Verify verify,
        @Nullable Path ca,
        @Nullable Path certificate,
        @Nullable Path key,
        ShowCertificate showCertificate) {

    /** Modes, named as MySQL Router names them. */
    public enum Mode {
        /** Not used. */
        DISABLED,
        /** Used where the server offers it. */
        PREFERRED,
        /** Used; a server that does not offer it is none. */
        REQUIRED,
        /** Used where the client uses it; of workers where the server offers it. */
        AS_CLIENT
    }

    /**
     * The server sees TLS and opens accounts with REQUIRE SSL, though the client uses none. The modes {@code PREFERRED} and
     * {@code REQUIRED} make that possible.
     */
    public enum ClearClients {
        /** The client is refused. */
        REFUSE,
        /** The client is served. */
        ALLOW
    }

    /** The server sees a certificate and opens accounts with REQUIRE X509, though the client may have shown none. */
    public enum ShowCertificate {
        /** Only for a client that has shown a certificate of {@link ListenerTlsConfig#clientCa} itself. */
        AS_CLIENT,
        /** For every client. */
        ALWAYS
    }

    /** How far the server's certificate is looked at. */
    public enum Verify {
        /** Any certificate will do. */
        DISABLED,
        /** It has to come from a known authority. */
        VERIFY_CA,
        /** It has to come from a known authority and bear the name in {@link BackendConfig#host}. */
        VERIFY_IDENTITY
    }

    /** {@link Mode#AS_CLIENT}: only so a server sees whether its client uses TLS, as accounts with REQUIRE SSL demand. */
    public static BackendTlsConfig defaults() {
        return of(Mode.AS_CLIENT);
    }

    /** A mode, with any certificate of the server and none of the proxy. */
    public static BackendTlsConfig of(Mode mode) {
        return new BackendTlsConfig(
                mode, ClearClients.REFUSE, Verify.DISABLED, null, null, null, ShowCertificate.AS_CLIENT);
    }

    public BackendTlsConfig with(Verify how, @Nullable Path authorities) {
        return new BackendTlsConfig(mode, clearClients, how, authorities, certificate, key, showCertificate);
    }

    public BackendTlsConfig withCertificate(Path newCertificate, Path newKey) {
        return new BackendTlsConfig(mode, clearClients, verify, ca, newCertificate, newKey, showCertificate);
    }

    public BackendTlsConfig with(ClearClients other) {
        return new BackendTlsConfig(mode, other, verify, ca, certificate, key, showCertificate);
    }

    public BackendTlsConfig with(ShowCertificate other) {
        return new BackendTlsConfig(mode, clearClients, verify, ca, certificate, key, other);
    }
}
