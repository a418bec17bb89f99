/** Tests of {@code io.fanfold.inspect}. */
@NullMarked
package io.fanfold.inspect;

import org.jspecify.annotations.NullMarked;
