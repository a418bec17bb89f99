package io.fanfold.execute;

import io.fanfold.plan.Part;
import java.util.concurrent.atomic.AtomicLong;

/** One partition query on its way: waiting, running, or read to its end. Its worker writes, any thread reads. */
final class PartRun {
    private final int block;
    private final Part part;
    private final AtomicLong rows = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private volatile boolean reused;
    private volatile long worker;
    private volatile long startNanos;
    private volatile long nanos = -1;
    private volatile long readNanos;

    /** A query that waits for a worker. */
    PartRun(int block, Part part) {
        this.block = block;
        this.part = part;
    }

    /** A worker starts to wait for the first row. */
    void starts(long workerThreadId, long nowNanos) {
        startNanos = nowNanos;
        worker = workerThreadId;
    }

    /** When the worker began to wait for the first row, as {@link System#nanoTime}. */
    long startNanos() {
        return startNanos;
    }

    /** Counts a row. */
    void row(int payloadBytes) {
        rows(1, payloadBytes);
    }

    /** Counts rows. Only the worker's thread calls it, so a plain addition is enough. */
    void rows(int count, int payloadBytes) {
        rows.lazySet(rows.getPlain() + count);
        bytes.lazySet(bytes.getPlain() + payloadBytes);
    }

    /**
     * The rows of an earlier query are used.
     *
     * @param readAtNanos {@link System#nanoTime} when they were read
     */
    void reuses(long readAtNanos, long nowNanos) {
        startNanos = nowNanos;
        readNanos = readAtNanos;
        reused = true;
    }

    /** All rows are read. */
    void ends(long nowNanos) {
        nanos = nowNanos - startNanos;
    }

    /** Whether the rows are those of an earlier query. */
    boolean reused() {
        return reused;
    }

    /** How long ago the rows of an earlier query were read, in nanoseconds. */
    long ageNanos(long nowNanos) {
        return nowNanos - readNanos;
    }

    /** The index of the block in its statement, from 0. */
    int block() {
        return block;
    }

    Part part() {
        return part;
    }

    /** The rows read so far. */
    long rows() {
        return rows.get();
    }

    /** The bytes of these rows, as the server sent them, without packet headers. */
    long bytes() {
        return bytes.get();
    }

    /** The server's thread id of the worker connection; 0 while the query waits. */
    long worker() {
        return worker;
    }

    /** Whether no worker has begun it, and no rows of an earlier query stand in its place. */
    boolean waits() {
        return worker == 0 && !reused;
    }

    boolean done() {
        return nanos >= 0;
    }

    /** How long its worker has waited for it and read it until now, in nanoseconds; 0 while the query waits. */
    long nanos(long nowNanos) {
        long whole = nanos;
        if (whole >= 0) {
            return whole;
        }
        return worker == 0 ? 0 : nowNanos - startNanos;
    }
}
