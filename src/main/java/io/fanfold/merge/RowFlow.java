package io.fanfold.merge;

import io.fanfold.plan.MergeNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * Rows on their way from the threads that read partition queries to the one that answers, while both are at work:
 *
 * <pre>
 *   RowSink sink = flow.newSink();                        // one for each thread, all before any row
 *   sink.partitionStarts(3); sink.add(row); ... sink.partitionEnds(); sink.ends();
 *
 *   boolean all = flow.awaitBegin();                      // in one thread
 *   for (byte[] row = flow.next(); row != null; row = flow.next()) ...
 * </pre>
 *
 * <p>Without keys the rows of partition 0 come first, then those of 1, and so on; threads take partitions in that order.
 * With keys each thread has one run of sorted rows, and they are merged. What is ahead of the answer waits in a queue for
 * each thread, see {@link RowQueue}.
 *
 * <p>No wait is for ever: of the queues that the answer waits for, each is empty, so that its thread finds room; and no
 * thread begins with a partition before those in front of it have been begun.
 *
 * <p>{@link #cancel} and {@link #close} may be called from any thread, at any time, also by an event loop: the lock is held
 * for as long as it takes to put a batch into a queue.
 */
public final class RowFlow implements AutoCloseable {
    private final MergeNode.Streamed node;
    private final long queueBytes;
    private final RowQueue.Common common;
    private final List<RowQueue> queues = new ArrayList<>();

    /** For each partition the queue its rows come in; null while no thread has begun with it. */
    private final @Nullable RowQueue[] owners;

    private @Nullable RowOrder order;
    private long left;

    /**
     * A flow that holds nothing yet.
     *
     * @param partitions how many partition queries there are
     * @param early whether the answer may begin before all rows are there; else all are held
     * @param heldBytes how many bytes are there when an early answer begins
     * @param queueBytes how many bytes the queue of one thread holds of an early answer
     * @param budget of the query; what waits counts in it. Not closed by the flow
     */
    public RowFlow(
            MergeNode.Streamed node,
            int partitions,
            boolean early,
            long heldBytes,
            long queueBytes,
            MemoryBudget budget) {
        this.node = node;
        this.queueBytes = queueBytes;
        this.common = new RowQueue.Common(budget.child("rows", budget.limitBytes()), early, heldBytes);
        this.owners = new @Nullable RowQueue[partitions];
        this.left = node.count();
    }

    /** What one thread puts its rows into. All are made before the first row. */
    public RowSink newSink() {
        common.lock.lock();
        try {
            RowQueue queue = new RowQueue(common, queueBytes);
            queues.add(queue);
            common.open++;
            return new FlowSink(this, queue, node);
        } finally {
            common.lock.unlock();
        }
    }

    /** A thread begins with a partition. */
    void begins(int partition, RowQueue queue) {
        common.lock.lock();
        try {
            if (owners[partition] != null) {
                throw new IllegalStateException("partition " + partition + " is read twice");
            }
            if (!node.keys().isEmpty() && Arrays.asList(owners).contains(queue)) {
                // the merge would wait for the second run's rows behind those of the first, or mix them
                throw new IllegalStateException("one thread reads two runs that are merged");
            }
            owners[partition] = queue;
            common.news.signal();
        } finally {
            common.lock.unlock();
        }
    }

    /**
     * Waits until all rows are there, or enough of an early answer.
     *
     * @return whether every thread has ended
     * @throws CancellationException when the flow was cancelled
     */
    public boolean awaitBegin() throws InterruptedException {
        common.lock.lockInterruptibly();
        try {
            common.requireWanted();
            while (common.open > 0) {
                if (common.begins()) {
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
     * The next row of the answer; waits until it is there. For one thread.
     *
     * @return the payload of its visible columns; null after the last one: then every partition query whose rows count
     *     was read to its end
     * @throws CancellationException when the flow was cancelled
     */
    public byte @Nullable [] next() throws InterruptedException {
        RowOrder rows = order;
        if (rows == null) {
            rows = node.keys().isEmpty()
                    ? new RowOrder.OfPartitions(this::owner, owners.length)
                    : new RowOrder.OfKeys(this::owner, owners.length);
            order = rows;
            for (long skipped = 0; skipped < node.offset() && rows.next() != null; skipped++) {
                // The offset is the whole answer's.
            }
        }
        if (left == 0) {
            return null;
        }
        left--;
        return rows.next();
    }

    private RowQueue owner(int partition) throws InterruptedException {
        common.lock.lockInterruptibly();
        try {
            common.requireWanted();
            @Nullable RowQueue owner = owners[partition];
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

    /** Wakes all who wait; they and all who come later fail with a {@link CancellationException}. Again: does nothing. */
    public void cancel() {
        common.lock.lock();
        try {
            common.cancelled = true;
            common.news.signalAll();
            queues.forEach(RowQueue::wake);
        } finally {
            common.lock.unlock();
        }
    }

    /** Cancels, and gives all bytes back to the budget. */
    @Override
    public void close() {
        cancel();
        common.budget.close();
    }
}
