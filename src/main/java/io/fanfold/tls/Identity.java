package io.fanfold.tls;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;

/**
 * The private key and certificates of one side. Immutable.
 *
 * @param key the private key of the first certificate
 * @param chain the certificate, followed by its signers in order; at least one
 */
record Identity(PrivateKey key, List<X509Certificate> chain) {
    Identity {
        chain = List.copyOf(chain);
    }

    X509Certificate[] chainArray() {
        return chain.toArray(X509Certificate[]::new);
    }
}
