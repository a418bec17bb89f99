package io.fanfold.execute;

import io.fanfold.wire.ServerPacket;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/** The progress of a fan-out, for reports to its client. Safe for all threads. */
final class FanOutProgress implements Supplier<ServerPacket.Progress> {
    /** A complete stage, in thousandths of a percent. */
    private static final int WHOLE = 100_000;

    private final AtomicInteger ended = new AtomicInteger();
    private final LongAdder scanNanos = new LongAdder();

    /** The number of partition queries; 0 while unknown. */
    private volatile int queries;

    private volatile int stages = 1;
    private volatile boolean finishing;

    /**
     * Sets the amount of work.
     *
     * @param all the number of partition queries, 1 or more
     * @param finish whether a final query follows
     */
    void begins(int all, boolean finish) {
        stages = finish ? 2 : 1;
        queries = all;
    }

    /**
     * Counts a partition query that was read to its end.
     *
     * @param nanos how long its worker waited for it and read it
     */
    void queryEnded(long nanos) {
        scanNanos.add(nanos);
        ended.incrementAndGet();
    }

    /** The time of all partition queries that have ended, together. */
    long scanNanos() {
        return scanNanos.sum();
    }

    /** All partition queries have ended; the final query follows, if there is one. */
    void finishes() {
        finishing = stages > 1;
    }

    @Override
    public ServerPacket.Progress get() {
        if (finishing) {
            return new ServerPacket.Progress(stages, stages, 0, "Finishing");
        }
        int all = queries;
        int done = all == 0 ? 0 : (int) Math.min(WHOLE, (long) WHOLE * ended.get() / all);
        return new ServerPacket.Progress(1, stages, done, "Running partition queries");
    }
}
