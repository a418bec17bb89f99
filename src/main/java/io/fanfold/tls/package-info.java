/**
 * Certificates, keys and contexts of TLS for both sides, and the RSA keys under which passwords travel without it. Imports
 * only the settings.
 */
@NullMarked
package io.fanfold.tls;

import org.jspecify.annotations.NullMarked;
