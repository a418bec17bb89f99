/**
 * The connection phase: PROXY header, greeting, TLS on both sides, and the relayed authentication.
 */
@NullMarked
package io.fanfold.session.handshake;

import org.jspecify.annotations.NullMarked;
