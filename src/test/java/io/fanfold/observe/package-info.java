/** Tests of {@code io.fanfold.observe}. */
@NullMarked
package io.fanfold.observe;

import org.jspecify.annotations.NullMarked;
