package io.fanfold.execute;

import io.fanfold.plan.Part;
import io.fanfold.wire.ServerPacket;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/** The progress of a fan-out, for reports to its client and for operators. Safe for all threads. */
final class FanOutProgress implements Supplier<ServerPacket.Progress> {
    /** A complete stage, in thousandths of a percent. */
    private static final int WHOLE = 100_000;

    private final AtomicInteger ended = new AtomicInteger();
    private final LongAdder scanNanos = new LongAdder();
    private final AtomicInteger reused = new AtomicInteger();
    private volatile boolean keeps;
    private final Queue<PartRun> parts = new ConcurrentLinkedQueue<>();

    /** The number of partition queries; 0 while unknown. */
    private volatile int queries;

    private volatile SnapshotRounds snapshot = SnapshotRounds.NONE;
    private volatile RunningName name = new RunningName("", "", "", System.nanoTime());

    private volatile int stages = 1;
    private volatile boolean finishing;

    /**
     * Which statement runs.
     *
     * @param user the user name of the client's account
     * @param schema "" if the session has none, or it is not known
     * @param text the statement without its literals
     * @param arrivalNanos {@link System#nanoTime} when it arrived
     */
    record RunningName(String user, String schema, String text, long arrivalNanos) {}

    void named(RunningName running) {
        name = running;
    }

    RunningName name() {
        return name;
    }

    /** What the statement waits for, in words. */
    String state() {
        if (finishing) {
            return "finishing";
        }
        return queries == 0 ? "preparing" : "running partition queries";
    }

    /**
     * How the equal snapshots were found.
     *
     * @param rounds how often they were opened; 0 if they were not, or kept from an earlier statement
     * @param nanos how long that took
     */
    record SnapshotRounds(int rounds, long nanos) {
        static final SnapshotRounds NONE = new SnapshotRounds(0, 0);
    }

    /** The snapshots are open. */
    void opened(SnapshotRounds rounds) {
        snapshot = rounds;
    }

    SnapshotRounds snapshot() {
        return snapshot;
    }

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
     * Adds a partition query that waits for a worker.
     *
     * @param block the index of its block in the statement
     */
    PartRun waits(int block, Part part) {
        PartRun run = new PartRun(block, part);
        parts.add(run);
        return run;
    }

    /** Counts a partition query that was read to its end. */
    void ended(PartRun run) {
        long now = System.nanoTime();
        ended(run, now, run.nanos(now));
    }

    /**
     * Counts a partition query whose rows were known.
     *
     * @param nanos how long it took to read them
     */
    void reused(PartRun run, long nanos) {
        reused.incrementAndGet();
        ended(run, System.nanoTime(), nanos);
    }

    /** Tells that the rows of a partition query were kept. */
    void kept() {
        keeps = true;
    }

    private void ended(PartRun run, long now, long nanos) {
        run.ends(now);
        scanNanos.add(nanos);
        ended.incrementAndGet();
    }

    /** The partition queries of all blocks that have begun, in the order in which workers take them. */
    List<PartRun> parts() {
        return List.copyOf(parts);
    }

    /** The number of partition queries of all blocks; 0 while unknown. */
    int queries() {
        return queries;
    }

    /** The number of partition queries whose rows were known. */
    int reusedQueries() {
        return reused.get();
    }

    /** Whether the rows of a partition query were kept. */
    boolean keeps() {
        return keeps;
    }

    /** The number of partition queries that were read to their ends. */
    int done() {
        return ended.get();
    }

    /**
     * The time of all partition queries that have ended, together. A query whose rows were known counts with the time that
     * it took when it was run.
     */
    long scanNanos() {
        return scanNanos.sum();
    }

    /** The rows that the partition queries have returned so far. */
    long received() {
        return parts.stream().mapToLong(PartRun::rows).sum();
    }

    /** The most rows that one partition query has returned. */
    long mostReceived() {
        return parts.stream().mapToLong(PartRun::rows).max().orElse(0);
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
