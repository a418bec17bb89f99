/**
 * Compares the answer to a split statement with the server's own answer: digests of rows, what SQL leaves open in an
 * answer, and which statements have had different answers.
 *
 * <p>This package does not know how statements are split. A mistake there must not hide itself here.
 */
@NullMarked
package io.fanfold.verify;

import org.jspecify.annotations.NullMarked;
