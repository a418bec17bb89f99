/** Tests of {@code io.fanfold.config}. */
@NullMarked
package io.fanfold.config;

import org.jspecify.annotations.NullMarked;
