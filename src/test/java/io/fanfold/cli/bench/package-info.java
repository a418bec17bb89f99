/** Tests of {@code io.fanfold.cli.bench}. */
@NullMarked
package io.fanfold.cli.bench;

import org.jspecify.annotations.NullMarked;
