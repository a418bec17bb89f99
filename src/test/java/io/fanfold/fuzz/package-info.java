/**
 * {@code fanfold fuzz}: random statements, run direct and through the proxy, and the smallest form of each difference.
 * The tools' jar contains it, the product's jar does not.
 */
@NullMarked
package io.fanfold.fuzz;

import org.jspecify.annotations.NullMarked;
