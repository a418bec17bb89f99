/**
 * The listeners of the proxy, and its start, drain and stop.
 *
 * <p>{@code io.fanfold.session} serves each accepted client.
 */
@NullMarked
package io.fanfold.server;

import org.jspecify.annotations.NullMarked;
