/** The entry point of the tools' jar, {@code target/fanfold-tools.jar}. */
@NullMarked
package io.fanfold.tools;

import org.jspecify.annotations.NullMarked;
