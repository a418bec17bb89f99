/** Tests of {@code io.fanfold.demo}. */
@NullMarked
package io.fanfold.demo;

import org.jspecify.annotations.NullMarked;
