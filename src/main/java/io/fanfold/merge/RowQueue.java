package io.fanfold.merge;

import io.fanfold.row.HeapRoom;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The batches of one thread that reads, first in, first out. One that answers early holds so many bytes at most and lets
 * the reading thread wait; any other holds all there is, or fails.
 *
 * <p>All queues of a {@link RowFlow} share its lock and what is counted below. An empty queue takes a batch of any size, also
 * one that the budget has no room for: else a large row, or a budget that others have used up, would end an answer that
 * has begun. So each reading thread holds one batch beyond the budget at most, and a row that it reads.
 */
final class RowQueue {
    /** What the queues of a flow have in common; guarded by its lock. */
    static final class Common {
        final ReentrantLock lock = new ReentrantLock();

        /** Anything that the answering thread may wait for. */
        final Condition news = lock.newCondition();

        final MemoryBudget budget;
        final boolean early;

        /** How many bytes are there when an early answer begins. */
        final long beginBytes;

        long heldBytes;
        int waiting;
        int open;
        boolean begun;

        /** A large row has ended its thread before the answer could begin. */
        boolean failed;

        boolean cancelled;

        Common(MemoryBudget budget, boolean early, long beginBytes) {
            this.budget = budget;
            this.early = early;
            this.beginBytes = beginBytes;
        }

        /** Whether the answer may begin, or has. Once it may, it does: under the lock. */
        boolean begins() {
            begun = begun || early && !failed && (heldBytes >= beginBytes || waiting > 0);
            return begun;
        }

        /** A large row comes. Returns whether it is read, since the answer has begun. */
        boolean readsOn() {
            lock.lock();
            try {
                failed = !begins();
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

    RowQueue(Common common, long limitBytes) {
        this.common = common;
        this.limitBytes = limitBytes;
        this.room = common.lock.newCondition();
    }

    /**
     * Puts a batch behind the others; waits for room where the answer begins early.
     *
     * @throws BudgetExceededException where it does not, and the budget has no room
     * @throws CancellationException when the flow was cancelled
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
     * Where the reading thread counts a large row. An answer that may begin early does not begin with large rows: many such answers
     * at once would need more than there is, and gain little. Once it has begun, one is read though there is no room for it.
     */
    HeapRoom room() {
        return new ReadingRoom(common);
    }

    /** For one reading thread. */
    private static final class ReadingRoom implements HeapRoom {
        private final Common common;
        private long uncounted;

        ReadingRoom(Common common) {
            this.common = common;
        }

        @Override
        public boolean take(long count) {
            if (common.early && !common.readsOn()) {
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
     * @throws CancellationException when the flow was cancelled
     * @throws IllegalStateException when the reading thread ended before its rows did
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

    /** The reading thread puts nothing more. */
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

    /** Wakes the reading thread; under the lock. */
    void wake() {
        room.signalAll();
    }
}
