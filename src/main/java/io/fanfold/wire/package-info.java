/**
 * The MySQL client/server protocol: packets, commands, capabilities, compression, PROXY protocol headers, and where a
 * response ends.
 *
 * <p>It has no policy: {@code io.fanfold.session} decides what to relay and what to answer.
 */
@NullMarked
package io.fanfold.wire;

import org.jspecify.annotations.NullMarked;
