package io.fanfold.backend;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A counter of worker connections from which each query takes its share in one step, so that nobody holds some and waits
 * for more: no deadlock is possible. First come, first served. Safe for all threads.
 */
final class Permits {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<Object> queue = new ArrayDeque<>();
    private final int total;
    private int free;

    Permits(int total) {
        this.total = total;
        this.free = total;
    }

    /**
     * Takes permits.
     *
     * @param atMost how many are wanted, 1 or more
     * @param atLeast how few will do, 1..atMost
     * @param wait how long to wait for the fewest
     * @return how many were taken, atLeast..atMost, or 0 when the wait was over
     */
    int take(int atMost, int atLeast, Duration wait) throws InterruptedException {
        if (atLeast < 1 || atMost < atLeast) {
            throw new IllegalArgumentException("permits wanted: " + atLeast + " to " + atMost);
        }
        if (atLeast > total) {
            return 0;
        }
        lock.lockInterruptibly();
        Object place = new Object();
        try {
            queue.addLast(place);
            long left = wait.toNanos();
            while (queue.peekFirst() != place || free < atLeast) {
                if (left <= 0) {
                    return 0;
                }
                left = changed.awaitNanos(left);
            }
            int taken = Math.min(atMost, free);
            free -= taken;
            return taken;
        } finally {
            queue.remove(place);
            changed.signalAll();
            lock.unlock();
        }
    }

    void giveBack(int count) {
        lock.lock();
        try {
            if (free + count > total) {
                throw new IllegalStateException("more permits were given back than taken");
            }
            free += count;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** How many are free now; for display. */
    int free() {
        lock.lock();
        try {
            return free;
        } finally {
            lock.unlock();
        }
    }

    /** How many threads are waiting now. */
    int waiting() {
        lock.lock();
        try {
            return queue.size();
        } finally {
            lock.unlock();
        }
    }
}
