/** The session variables of a client's session that a fan-out depends on, and how workers take them over. */
@NullMarked
package io.fanfold.variables;

import org.jspecify.annotations.NullMarked;
