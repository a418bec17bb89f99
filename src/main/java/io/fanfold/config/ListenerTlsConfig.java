package io.fanfold.config;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Encryption between clients and the proxy.
 *
 * @param mode whether TLS is offered
 * @param certificate PEM file of the proxy's certificate, followed by its chain; null for a self-signed one
 * @param key PEM file of its private key; null together with {@code certificate}
 * @param clientCa PEM file of the authorities whose client certificates are accepted; null requests none
 * @param requireClientCertificate whether a client without a certificate is refused; only with {@code clientCa}
 * @param directory where the proxy keeps keys and certificates that it creates; null for memory only
 */
@RecordBuilder
public record ListenerTlsConfig(
        ListenerTlsMode mode,
        @Nullable Path certificate,
        @Nullable Path key,
        @Nullable Path clientCa,
        boolean requireClientCertificate,
        @Nullable Path directory)
        implements ListenerTlsConfigBuilder.With {

    /** Modes, with MySQL Router's names; {@code AS_SERVER} is Fanfold's own. */
    public enum ListenerTlsMode {
        /** Not offered. */
        DISABLED,
        /** Offered; optional for clients. */
        PREFERRED,
        /** Mandatory for clients over TCP. */
        REQUIRED,
        /**
         * Offered as the server offers it. The client's encryption extends to the server, so statements are not split.
         */
        PASSTHROUGH,
        /** Offered only if the server offers it; optional for clients. */
        AS_SERVER;

        /** Whether the proxy itself encrypts, and so needs a certificate. */
        public boolean encrypts() {
            return this != DISABLED && this != PASSTHROUGH;
        }
    }

    /**
     * Returns {@link ListenerTlsMode#AS_SERVER}: a client with default settings can connect to the proxy if it can connect to the
     * server.
     */
    public static ListenerTlsConfig defaults() {
        return of(ListenerTlsMode.AS_SERVER);
    }

    /** Returns a mode with a self-signed certificate kept in memory. */
    public static ListenerTlsConfig of(ListenerTlsMode mode) {
        return new ListenerTlsConfig(mode, null, null, null, false, null);
    }

    public ListenerTlsConfig withCertificate(Path newCertificate, Path newKey) {
        return withCertificate(newCertificate).withKey(newKey);
    }

    public ListenerTlsConfig withClientCa(Path authorities, boolean required) {
        return withClientCa(authorities).withRequireClientCertificate(required);
    }
}
