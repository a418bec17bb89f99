/**
 * The worker connections: their pool, admission and its queue, leases, retained snapshots, and the kill switch.
 *
 * <p>This is the only package that uses HikariCP.
 */
@NullMarked
package io.fanfold.pool;

import org.jspecify.annotations.NullMarked;
