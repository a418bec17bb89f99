/**
 * Certificates, keys and TLS contexts for both sides of the proxy, and the RSA keys for passwords that are sent without
 * TLS.
 *
 * <p>{@code io.fanfold.session} decides which connection uses TLS. This package imports only the settings.
 */
@NullMarked
package io.fanfold.tls;

import org.jspecify.annotations.NullMarked;
