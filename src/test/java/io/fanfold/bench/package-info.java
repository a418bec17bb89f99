/**
 * {@code fanfold bench}: times of split statements and of statements passed through, beside the server and a split by
 * hand. The tools' jar contains it, the product's jar does not.
 */
@NullMarked
package io.fanfold.bench;

import org.jspecify.annotations.NullMarked;
