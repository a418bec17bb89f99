/** The two ways in which MySQL's protocol compresses. Imports nothing of Fanfold. */
@NullMarked
package io.fanfold.compress;

import org.jspecify.annotations.NullMarked;
