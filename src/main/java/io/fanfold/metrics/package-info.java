/**
 * The interface for events that the proxy counts and times, and the counters that the log shows when the proxy stops.
 *
 * <p>The packages that report events do not depend on how they are counted.
 */
@NullMarked
package io.fanfold.metrics;

import org.jspecify.annotations.NullMarked;
