package io.fanfold.execute;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.function.LongSupplier;

/**
 * How many queries the servers execute, over time: partition queries, and statements that run unsplit although they could be
 * split. Safe for all threads.
 */
final class ServerLoad {
    private final LongSupplier clock;

    @GuardedBy("this")
    private int running;

    @GuardedBy("this")
    private long changedNanos;

    @GuardedBy("this")
    private long spentNanos;

    /** @param clock nanoseconds, as {@link System#nanoTime} */
    ServerLoad(LongSupplier clock) {
        this.clock = clock;
        this.changedNanos = clock.getAsLong();
    }

    /**
     * The beginning of an interval.
     *
     * @param nanos when it began, by the clock
     * @param spentNanos the time of all queries until then, together
     */
    record Mark(long nanos, long spentNanos) {}

    /** A query begins. The caller ends it. */
    synchronized void begins() {
        advance();
        running++;
    }

    synchronized void ends() {
        advance();
        running--;
    }

    /** Begins an interval. */
    synchronized Mark mark() {
        advance();
        return new Mark(changedNanos, spentNanos);
    }

    /** The mean number of queries that the servers have executed at once since then. */
    double meanSince(Mark begin) {
        Mark now = mark();
        long nanos = now.nanos() - begin.nanos();
        return nanos <= 0 ? 0 : (double) (now.spentNanos() - begin.spentNanos()) / nanos;
    }

    @GuardedBy("this")
    private void advance() {
        long now = clock.getAsLong();
        spentNanos += running * (now - changedNanos);
        changedNanos = now;
    }
}
