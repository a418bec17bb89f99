package io.fanfold.config;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Encryption between the proxy and the server, of clients' connections and of workers'.
 *
 * @param mode whether it is used
 * @param verify what is asked of the server's certificate where it is used
 * @param ca PEM file of the authorities that the server's certificate may come from; null for those of the Java runtime
 * @param certificate PEM file of the certificate that the server is shown, those that sign it behind it; null for none
 * @param key PEM file of its private key; null together with {@code certificate}
 */
public record BackendTlsConfig(
        Mode mode,
        Verify verify,
        @Nullable Path ca,
        @Nullable Path certificate,
        @Nullable Path key) {

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
        return new BackendTlsConfig(mode, Verify.DISABLED, null, null, null);
    }

    public BackendTlsConfig with(Verify how, @Nullable Path authorities) {
        return new BackendTlsConfig(mode, how, authorities, certificate, key);
    }

    public BackendTlsConfig withCertificate(Path newCertificate, Path newKey) {
        return new BackendTlsConfig(mode, verify, ca, newCertificate, newKey);
    }
}
