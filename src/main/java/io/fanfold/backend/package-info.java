/**
 * The worker connections to the server: their pool, admission, session variables, snapshots with their proofs, and the
 * kill switch.
 *
 * <p>Connections are blocking sockets for one thread at a time. The clients' own connections to the server are in
 * {@code io.fanfold.session}. This is the only package that uses HikariCP.
 */
@NullMarked
package io.fanfold.backend;

import org.jspecify.annotations.NullMarked;
