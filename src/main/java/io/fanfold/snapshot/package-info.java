/** Snapshots of several workers, and the proofs that they are equal: one class for each proof. */
@NullMarked
package io.fanfold.snapshot;

import org.jspecify.annotations.NullMarked;
