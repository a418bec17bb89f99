/** Finds out which partitioned tables there are, and reports what is split. */
@NullMarked
package io.fanfold.discovery;

import org.jspecify.annotations.NullMarked;
