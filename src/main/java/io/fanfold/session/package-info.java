/**
 * One client: the connection phase, the choice of what happens to each command, the relay to its own server connection,
 * and the writer of merged answers.
 *
 * <p>Its code runs on event loops and never blocks. {@code io.fanfold.execute} runs the fan-outs on other threads.
 */
@NullMarked
package io.fanfold.session;

import org.jspecify.annotations.NullMarked;
