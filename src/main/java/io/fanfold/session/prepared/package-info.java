/**
 * The prepared statements of a session, and what an execution needs that the server has not seen.
 */
@NullMarked
package io.fanfold.session.prepared;

import org.jspecify.annotations.NullMarked;
