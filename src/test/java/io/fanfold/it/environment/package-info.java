/** Checks of what the other tests rely on. */
@NullMarked
package io.fanfold.it.environment;

import org.jspecify.annotations.NullMarked;
