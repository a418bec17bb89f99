/** Tests of {@code io.fanfold.verify}. */
@NullMarked
package io.fanfold.verify;

import org.jspecify.annotations.NullMarked;
