/**
 * One client: the connection phase, the choice of what happens to each command, the relay to its own server connection,
 * and the writer of merged answers.
 *
 * <p>A session runs on one event loop, which it never blocks. {@code io.fanfold.execute} runs the fan-outs, on threads
 * of its own.
 */
@NullMarked
package io.fanfold.session;

import org.jspecify.annotations.NullMarked;
