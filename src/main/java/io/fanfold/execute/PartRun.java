package io.fanfold.execute;

import io.fanfold.plan.Part;
import java.util.concurrent.atomic.AtomicLong;

/** One partition query on its way: waiting, running, or read to its end. Its worker writes, any thread reads. */
final class PartRun {
    private final int block;
    private final Part part;
    private final AtomicLong rows = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private volatile long worker;
    private volatile long startNanos;
    private volatile long nanos = -1;

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

    /** Counts a row. Only the worker's thread calls it, so a plain addition is enough. */
    void row(int payloadBytes) {
        rows.lazySet(rows.getPlain() + 1);
        bytes.lazySet(bytes.getPlain() + payloadBytes);
    }

    /** All rows are read. */
    void ends(long nowNanos) {
        nanos = nowNanos - startNanos;
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
