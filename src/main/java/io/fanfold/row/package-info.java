/**
 * Values as the server sends them: bytes of the text protocol with their column definitions, and exact numbers.
 *
 * <p>It evaluates no SQL. It imports nothing of Fanfold.
 */
@NullMarked
package io.fanfold.row;

import org.jspecify.annotations.NullMarked;
