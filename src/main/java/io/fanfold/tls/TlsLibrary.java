package io.fanfold.tls;

import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslProvider;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Chooses the library that encrypts what channels send. */
final class TlsLibrary {
    private static final Logger LOG = LoggerFactory.getLogger(TlsLibrary.class);
    private static final SslProvider BEST = find();
    private static final Set<String> KEYS = Set.of("RSA", "EC", "ECDSA");

    private TlsLibrary() {}

    /**
     * Returns BoringSSL where its native code can be loaded, because it takes less CPU time, else the Java runtime's
     * library. Always the same in a process.
     */
    static SslProvider best() {
        return BEST;
    }

    /** Returns the library for a side that shows a certificate; BoringSSL shows none but those with RSA and EC keys. */
    static SslProvider of(Identity own) {
        return KEYS.contains(own.key().getAlgorithm()) ? BEST : SslProvider.JDK;
    }

    private static SslProvider find() {
        if (OpenSsl.isAvailable()) {
            return SslProvider.OPENSSL;
        }
        if (System.getProperty("os.name", "").equals("Linux")) {
            Throwable cause = OpenSsl.unavailabilityCause();
            LOG.info(
                    "TLS is that of the Java runtime, because BoringSSL cannot be used: {}",
                    cause == null ? "unknown cause" : cause.getMessage());
            LOG.debug("no native code for TLS", cause);
        }
        return SslProvider.JDK;
    }
}
