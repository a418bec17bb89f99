package io.fanfold.pool;

import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * When what failed is tried again: after a first pause, then after twice the time of the last pause, at most a minute.
 * One request tries it then, and others stay away until that one has ended. Failures of requests that began before the
 * server was left out do not lengthen the pause. Safe for use by multiple threads.
 */
final class LeftOut {
    private static final long LONGEST_NANOS = Duration.ofMinutes(1).toNanos();

    private final LongSupplier nanoTime;
    private final long first;
    private @Nullable String why;
    private long pause;
    private long until;
    private boolean trial;

    /**
     * Nothing has failed yet.
     *
     * @param nanoTime see {@link System#nanoTime}
     */
    LeftOut(LongSupplier nanoTime, Duration first) {
        this.nanoTime = nanoTime;
        this.first = first.toNanos();
    }

    /** Whether the caller may try the server. If the server failed before, nobody else may during the next pause. */
    synchronized boolean mayTry() {
        if (why == null) {
            return true;
        }
        long now = nanoTime.getAsLong();
        if (now - until < 0) {
            return false;
        }
        trial = true;
        until = now + pause;
        return true;
    }

    /** A caller that was allowed to try the server did not, so another one may at once. */
    synchronized void notTried() {
        if (trial) {
            trial = false;
            until = nanoTime.getAsLong();
        }
    }

    /** The server failed. Returns whether it had not failed before, or for another reason. */
    synchronized boolean failed(String reason) {
        boolean other = !reason.equals(why);
        if (why == null || trial) {
            pause = why == null ? first : Math.min(2 * pause, LONGEST_NANOS);
            until = nanoTime.getAsLong() + pause;
        }
        trial = false;
        why = reason;
        return other;
    }

    /** The server has worked. Returns whether it had failed before. */
    synchronized boolean worked() {
        boolean before = why != null;
        why = null;
        trial = false;
        return before;
    }

    /** Why the server failed last; empty if it works. */
    synchronized Optional<String> why() {
        return Optional.ofNullable(why);
    }
}
