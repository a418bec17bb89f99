/** The server side: worker connections and their pool, session variables, snapshots and their proof, the kill switch. */
@NullMarked
package io.fanfold.backend;

import org.jspecify.annotations.NullMarked;
