/** Tests of {@link io.fanfold.execute}. */
@NullMarked
package io.fanfold.execute;

import org.jspecify.annotations.NullMarked;
