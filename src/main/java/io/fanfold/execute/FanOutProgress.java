package io.fanfold.execute;

import io.fanfold.protocol.ServerPacket;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** How far a fan-out is, as its client may be told. Safe for all threads. */
final class FanOutProgress implements Supplier<ServerPacket.Progress> {
    /** All of a stage, in thousandths of a percent. */
    private static final int WHOLE = 100_000;

    private final AtomicInteger ended = new AtomicInteger();

    /** 0 as long as it is not known. */
    private volatile int queries;

    private volatile int stages = 1;
    private volatile boolean finishing;

    /**
     * It is known what is to be done.
     *
     * @param all how many partition queries there are, 1 or more
     * @param finish whether a finish query follows
     */
    void begins(int all, boolean finish) {
        stages = finish ? 2 : 1;
        queries = all;
    }

    /** A partition query was read to its end. */
    void queryEnded() {
        ended.incrementAndGet();
    }

    /** All partition queries have ended; now comes the finish query, if there is one. */
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
