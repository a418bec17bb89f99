/** Helpers for tests of refusals. */
@NullMarked
package io.fanfold.reason;

import org.jspecify.annotations.NullMarked;
