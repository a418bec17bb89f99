/** Tests of {@code io.fanfold.metrics}. */
@NullMarked
package io.fanfold.metrics;

import org.jspecify.annotations.NullMarked;
