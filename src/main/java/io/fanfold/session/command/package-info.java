/**
 * The command phase: what happens to each command, the relay, the pending statement, and the writer of its answer.
 */
@NullMarked
package io.fanfold.session.command;

import org.jspecify.annotations.NullMarked;
