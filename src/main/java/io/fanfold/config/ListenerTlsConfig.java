package io.fanfold.config;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Encryption between clients and the proxy.
 *
 * @param mode whether it is offered
 * @param certificate PEM file of the proxy's certificate, those that sign it behind it; null for one that the proxy makes
 * @param key PEM file of its private key; null together with {@code certificate}
 * @param clientCa PEM file of the authorities whose client certificates are taken; null asks for none
 * @param requireClientCertificate whether a client that has none is refused; only with {@code clientCa}
 * @param directory where what the proxy makes itself is kept; null for memory only
 */
public record ListenerTlsConfig(
        Mode mode,
        @Nullable Path certificate,
        @Nullable Path key,
        @Nullable Path clientCa,
        boolean requireClientCertificate,
        @Nullable Path directory) {

    /** Modes, named as MySQL Router names them; {@code AS_SERVER} is Fanfold's own. */
    public enum Mode {
        /** Not offered. */
        DISABLED,
        /** Offered; a client may do without. */
        PREFERRED,
        /** A client over TCP must use it. */
        REQUIRED,
        /** What the server offers is offered, and the client's encryption goes through to the server; nothing is split. */
        PASSTHROUGH,
        /** Offered exactly if the server offers it; a client may do without. */
        AS_SERVER;

        /** Whether the proxy itself encrypts, and so needs a certificate. */
        public boolean encrypts() {
            return this != DISABLED && this != PASSTHROUGH;
        }
    }

    /** {@link Mode#AS_SERVER}: a client in its default settings then connects through the proxy if it connects to the server. */
    public static ListenerTlsConfig defaults() {
        return of(Mode.AS_SERVER);
    }

    /** A mode, with a certificate that the proxy makes and keeps in memory. */
    public static ListenerTlsConfig of(Mode mode) {
        return new ListenerTlsConfig(mode, null, null, null, false, null);
    }

    public ListenerTlsConfig withCertificate(Path newCertificate, Path newKey) {
        return new ListenerTlsConfig(mode, newCertificate, newKey, clientCa, requireClientCertificate, directory);
    }

    public ListenerTlsConfig withDirectory(Path newDirectory) {
        return new ListenerTlsConfig(mode, certificate, key, clientCa, requireClientCertificate, newDirectory);
    }

    public ListenerTlsConfig withClientCa(Path authorities, boolean required) {
        return new ListenerTlsConfig(mode, certificate, key, authorities, required, directory);
    }
}
