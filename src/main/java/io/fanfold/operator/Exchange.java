package io.fanfold.operator;

import io.fanfold.plan.MergeNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * Streams rows from the threads that read partition queries to the one that answers, while both are working:
 *
 * <pre>
 *   RowSink sink = exchange.newSink();                        // one for each thread, all before any row
 *   sink.partitionStarts(3); sink.add(row); ... sink.partitionEnds(); sink.ends();
 *
 *   boolean all = exchange.awaitBegin();                      // in one thread
 *   while (exchange.next(answer)) ...
 * </pre>
 *
 * <p>Without sort keys the rows of partition 0 are first, then those of 1, and so on; threads take partitions in that
 * order. With sort keys each thread has one sorted run, and the runs are merged. Rows that are ahead of the answer wait
 * in one buffer for each thread, see {@link ExchangeBuffer}.
 *
 * <p>There is no deadlock. A buffer that the answer waits for is empty, so its thread has room. No thread starts a
 * partition before the earlier ones have been started.
 *
 * <p>{@link #cancel} and {@link #close} may be called from any thread, at any time, also on an event loop. The lock is
 * held only while a batch is put into a buffer.
 */
public final class Exchange implements AutoCloseable {
    private final MergeNode.Streamed node;
    private final long bufferBytes;
    private final ExchangeBuffer.Common common;
    private final List<ExchangeBuffer> buffers = new ArrayList<>();

    /** The buffer that contains the rows of each partition; null while no thread has started it. */
    private final @Nullable ExchangeBuffer[] owners;

    private @Nullable MergeOrder order;
    private long left;

    /**
     * Creates an empty exchange.
     *
     * @param partitions the number of partition queries
     * @param early whether the answer may begin before all rows are there; else all are buffered
     * @param heldBytes the bytes that are buffered when an early answer begins
     * @param bufferBytes the maximum bytes in one thread's buffer for an early answer
     * @param budget the query's budget, which counts buffered rows; not closed by the exchange
     */
    public Exchange(
            MergeNode.Streamed node,
            int partitions,
            boolean early,
            long heldBytes,
            long bufferBytes,
            MemoryBudget budget) {
        this.node = node;
        this.bufferBytes = bufferBytes;
        this.common = new ExchangeBuffer.Common(budget.child("rows", budget.limitBytes()), early, heldBytes);
        this.owners = new @Nullable ExchangeBuffer[partitions];
        this.left = node.count();
    }

    /** Creates the sink of one thread. All sinks must be created before the first row. */
    public ExchangeSink newSink() {
        common.lock.lock();
        try {
            ExchangeBuffer buffer = new ExchangeBuffer(common, bufferBytes);
            buffers.add(buffer);
            common.open++;
            return new ExchangeSink(this, buffer, node);
        } finally {
            common.lock.unlock();
        }
    }

    /** Records that a thread starts a partition. */
    void begins(int partition, ExchangeBuffer buffer) {
        common.lock.lock();
        try {
            if (owners[partition] != null) {
                throw new IllegalStateException("partition " + partition + " is read twice");
            }
            if (!node.keys().isEmpty() && Arrays.asList(owners).contains(buffer)) {
                // the merge would wait for the second run's rows after those of the first, or mix both runs
                throw new IllegalStateException("one thread reads two runs that are merged");
            }
            owners[partition] = buffer;
            common.news.signal();
        } finally {
            common.lock.unlock();
        }
    }

    /**
     * Waits until all rows are there, or enough for an early answer.
     *
     * @return whether every thread has ended
     * @throws CancellationException if the exchange was cancelled
     */
    public boolean awaitBegin() throws InterruptedException {
        common.lock.lockInterruptibly();
        try {
            common.requireWanted();
            while (common.open > 0) {
                if (common.decideBegin()) {
                    return false;
                }
                common.news.await();
                common.requireWanted();
            }
            return true;
        } finally {
            common.lock.unlock();
        }
    }

    /**
     * Writes the next rows of the answer, with their visible columns; waits until there is one. Called by one thread.
     *
     * @return false if no row is left: then every partition query whose rows count was read to its end
     * @throws CancellationException if the exchange was cancelled
     * @throws E what the output throws
     */
    public <E extends Exception> boolean next(RowOutput<E> out) throws E, InterruptedException {
        MergeOrder rows = order;
        if (rows == null) {
            rows = node.keys().isEmpty()
                    ? new MergeOrder.OfPartitions(this::owner, owners.length)
                    : new MergeOrder.OfKeys(this::owner, owners.length);
            order = rows;
            // the offset applies to the whole answer
            long skip = node.offset();
            while (skip > 0) {
                MergeOrder.MergeSource skipped = rows.next(skip);
                skip -= skipped == null ? skip : skipped.rows();
            }
        }
        MergeOrder.MergeSource next = left == 0 ? null : rows.next(left);
        if (next == null) {
            return false;
        }
        left -= next.rows();
        next.writeTo(out);
        return true;
    }

    private ExchangeBuffer owner(int partition) throws InterruptedException {
        common.lock.lockInterruptibly();
        try {
            common.requireWanted();
            @Nullable ExchangeBuffer owner = owners[partition];
            while (owner == null) {
                if (common.open == 0) {
                    throw new IllegalStateException("nobody has read partition " + partition);
                }
                common.news.await();
                common.requireWanted();
                owner = owners[partition];
            }
            return owner;
        } finally {
            common.lock.unlock();
        }
    }

    /** The approximate heap bytes of the rows that wait. */
    long heldBytes() {
        common.lock.lock();
        try {
            return common.heldBytes;
        } finally {
            common.lock.unlock();
        }
    }

    /**
     * Wakes all waiting threads. They and all later callers fail with a {@link CancellationException}. Cancelling again
     * does nothing.
     */
    public void cancel() {
        common.lock.lock();
        try {
            common.cancelled = true;
            common.news.signalAll();
            buffers.forEach(ExchangeBuffer::wake);
        } finally {
            common.lock.unlock();
        }
    }

    /**
     * Cancels, drops the rows that wait, and releases all bytes to the budget. The rows are dropped because others may
     * refer to this exchange for longer, for example until the client's next statement.
     */
    @Override
    public void close() {
        cancel();
        common.lock.lock();
        try {
            buffers.forEach(ExchangeBuffer::drop);
        } finally {
            common.lock.unlock();
        }
        common.budget.close();
    }
}
