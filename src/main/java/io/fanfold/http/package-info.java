/**
 * The HTTP port for operators and monitoring systems: routes, who may ask, and a server on an event loop of its own.
 *
 * <p>A route gets a request record and returns a response record; it knows nothing of Netty.
 */
@NullMarked
package io.fanfold.http;

import org.jspecify.annotations.NullMarked;
