/**
 * Runs one fan-out: preflight, admission, snapshots, partition queries, merge and final query. It also keeps the list
 * of running queries.
 *
 * <p>{@code io.fanfold.plan} decides how a statement is split. {@code io.fanfold.session} reads the client's bytes and
 * writes the answer.
 */
@NullMarked
package io.fanfold.execute;

import org.jspecify.annotations.NullMarked;
