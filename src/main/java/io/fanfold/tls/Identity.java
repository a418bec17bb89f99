package io.fanfold.tls;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;

/**
 * What one side shows the other. Immutable.
 *
 * @param key the private key of the first certificate
 * @param chain the certificate, and those that sign it in order; at least one
 */
record Identity(PrivateKey key, List<X509Certificate> chain) {
    Identity {
        chain = List.copyOf(chain);
    }

    X509Certificate[] chainArray() {
        return chain.toArray(X509Certificate[]::new);
    }
}
