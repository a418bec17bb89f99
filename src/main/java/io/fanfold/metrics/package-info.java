/**
 * The interface for events that the proxy counts and times, and the meters for monitoring systems and the log.
 *
 * <p>The packages that report events do not depend on how they are counted.
 */
@NullMarked
package io.fanfold.metrics;

import org.jspecify.annotations.NullMarked;
