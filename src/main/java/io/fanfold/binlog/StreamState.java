package io.fanfold.binlog;

import org.jspecify.annotations.Nullable;

/**
 * What a change stream is doing. Immutable.
 *
 * @param connected whether it reads the log
 * @param cause why it does not; "" if it does, or has not tried yet
 * @param position up to where it has read; null if it is not connected
 * @param events the number of events read since the stream was created
 * @param lastEvent when the last event arrived, as in {@link System#nanoTime}; meaningless without events. A server
 *     sends one each second
 */
public record StreamState(
        boolean connected, String cause, @Nullable LogPosition position, long events, long lastEvent) {}
