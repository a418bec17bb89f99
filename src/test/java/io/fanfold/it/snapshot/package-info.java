/** All workers of a fan-out and the transaction of its client see one state of the data. */
@NullMarked
package io.fanfold.it.snapshot;

import org.jspecify.annotations.NullMarked;
