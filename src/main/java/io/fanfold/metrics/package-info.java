/** Counters and timers behind one small interface, and the closed list of reasons for passing a statement through. */
@NullMarked
package io.fanfold.metrics;

import org.jspecify.annotations.NullMarked;
