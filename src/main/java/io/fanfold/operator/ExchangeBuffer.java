package io.fanfold.operator;

import io.fanfold.row.HeapRoom;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A first-in, first-out buffer of the batches of one reading thread. For an early answer it has a size limit, and the
 * reading thread waits for room. Otherwise it holds everything, or fails.
 *
 * <p>All buffers of an {@link Exchange} share its lock and the counters below. An empty buffer accepts a batch of any size,
 * even if the budget has no room. Otherwise a large row, or a budget used up by others, would end an answer that has
 * begun. So each reading thread exceeds the budget by at most one batch and the row that it reads.
 */
final class ExchangeBuffer {
    /** The state that the buffers of a exchange share; guarded by its lock. */
    static final class Common {
        final ReentrantLock lock = new ReentrantLock();

        /** Signals everything that the answering thread may wait for. */
        final Condition news = lock.newCondition();

        final MemoryBudget budget;
        final boolean early;

        /** The buffered bytes at which an early answer begins. */
        final long beginBytes;

        long heldBytes;

        /** The reading threads that wait for room. One is enough for an early answer to begin. */
        int waiting;

        /** The reading threads that have not ended. */
        int open;

        boolean begun;

        /** Whether a large row has ended its thread before the answer could begin. */
        boolean failed;

        boolean cancelled;

        Common(MemoryBudget budget, boolean early, long beginBytes) {
            this.budget = budget;
            this.early = early;
            this.beginBytes = beginBytes;
        }

        /** Decides whether the answer begins, unless it has begun. Returns whether it has. Called under the lock. */
        boolean decideBegin() {
            begun = begun || early && !failed && (heldBytes >= beginBytes || waiting > 0);
            return begun;
        }

        /** Decides about a large row. Returns true if the answer has begun, so the row is read; else its thread ends. */
        boolean decideLargeRow() {
            lock.lock();
            try {
                failed = !decideBegin();
                return !failed;
            } finally {
                lock.unlock();
            }
        }

        void requireWanted() {
            if (cancelled) {
                throw new CancellationException("the rows are not wanted any more");
            }
        }
    }

    private final Common common;
    private final long limitBytes;
    private final Condition room;
    private final Deque<RowBatch> batches = new ArrayDeque<>();
    private long bytes;
    private boolean ended;

    ExchangeBuffer(Common common, long limitBytes) {
        this.common = common;
        this.limitBytes = limitBytes;
        this.room = common.lock.newCondition();
    }

    /**
     * Appends a batch. For an early answer, waits for room.
     *
     * @throws BudgetExceededException if the answer is not early and the budget has no room
     * @throws CancellationException if the exchange was cancelled
     */
    void put(RowBatch batch) throws BudgetExceededException {
        common.lock.lock();
        try {
            common.requireWanted();
            while (!fits(batch)) {
                common.waiting++;
                common.news.signal();
                room.awaitUninterruptibly();
                common.waiting--;
                common.requireWanted();
            }
            batches.add(batch);
            bytes += batch.bytes();
            common.heldBytes += batch.bytes();
            common.news.signal();
        } finally {
            common.lock.unlock();
        }
    }

    /**
     * The budget in which the reading thread reserves a large row. An early answer does not begin with large rows: many
     * such answers at once would need more memory than there is, for little gain. After it has begun, a large row is
     * read even without room.
     */
    HeapRoom room() {
        return new ReadingRoom(common);
    }

    /** The budget of one reading thread. */
    private static final class ReadingRoom implements HeapRoom {
        private final Common common;
        private long uncounted;

        ReadingRoom(Common common) {
            this.common = common;
        }

        @Override
        public boolean take(long count) {
            if (common.early && !common.decideLargeRow()) {
                return false;
            }
            if (common.budget.take(count)) {
                return true;
            }
            uncounted += common.early ? count : 0;
            return common.early;
        }

        @Override
        public void release(long count) {
            long never = Math.min(count, uncounted);
            uncounted -= never;
            common.budget.release(count - never);
        }

        @Override
        public long leftBytes() {
            return common.budget.leftBytes();
        }
    }

    private boolean fits(RowBatch batch) throws BudgetExceededException {
        if (common.early && !batches.isEmpty() && bytes + batch.bytes() > limitBytes) {
            return false;
        }
        try {
            common.budget.reserve(batch.bytes());
            batch.setCounted(true);
            return true;
        } catch (BudgetExceededException e) {
            if (!common.early) {
                throw e;
            }
            return batches.isEmpty();
        }
    }

    /**
     * Takes the oldest batch; waits until there is one.
     *
     * @throws CancellationException if the exchange was cancelled
     * @throws IllegalStateException if the reading thread ended before its rows were complete
     */
    RowBatch take() throws InterruptedException {
        common.lock.lockInterruptibly();
        try {
            common.requireWanted();
            @Nullable RowBatch batch = batches.poll();
            while (batch == null) {
                if (ended) {
                    throw new IllegalStateException("a worker ended before its rows did");
                }
                common.news.await();
                common.requireWanted();
                batch = batches.poll();
            }
            bytes -= batch.bytes();
            common.heldBytes -= batch.bytes();
            if (batch.counted()) {
                common.budget.release(batch.bytes());
            }
            room.signal();
            return batch;
        } finally {
            common.lock.unlock();
        }
    }

    /** Marks that the reading thread adds no more batches. */
    void end() {
        common.lock.lock();
        try {
            if (!ended) {
                ended = true;
                common.open--;
                common.news.signal();
            }
        } finally {
            common.lock.unlock();
        }
    }

    /** Drops all batches of a cancelled exchange. Called under the lock. */
    void drop() {
        batches.clear();
        common.heldBytes -= bytes;
        bytes = 0;
    }

    /** Wakes the reading thread. Called under the lock. */
    void wake() {
        room.signalAll();
    }
}
