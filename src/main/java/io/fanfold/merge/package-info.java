/** Folding partial rows: aggregation, distinct, top rows, under a byte budget. */
@NullMarked
package io.fanfold.merge;

import org.jspecify.annotations.NullMarked;
