/** Tests of {@code io.fanfold.cli}. */
@NullMarked
package io.fanfold.cli;

import org.jspecify.annotations.NullMarked;
