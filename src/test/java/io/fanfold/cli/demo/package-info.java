/** Tests of {@code io.fanfold.cli.demo}. */
@NullMarked
package io.fanfold.cli.demo;

import org.jspecify.annotations.NullMarked;
