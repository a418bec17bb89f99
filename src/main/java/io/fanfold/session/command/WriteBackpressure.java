package io.fanfold.session.command;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.fanfold.execute.ClientConnection.ClientGoneException;
import io.netty.channel.Channel;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets a thread that writes an answer wait until the client's socket has room. {@link #wake}, {@link #shut} and
 * {@link #stopWaiting} may be called on the event loop, since the lock is only ever held for a moment.
 */
final class WriteBackpressure {
    private final Channel client;
    private final Duration longest;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private boolean shut;

    @GuardedBy("lock")
    private boolean stopped;

    WriteBackpressure(Channel client, Duration longest) {
        this.client = client;
        this.longest = longest;
    }

    /**
     * Waits until the client's socket takes more.
     *
     * @return whether there is room; false after the longest time
     * @throws ClientGoneException if the session has ended
     * @throws InterruptedException if the thread was interrupted, or {@link #stopWaiting} was called
     */
    boolean await() throws ClientGoneException, InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = longest.toNanos();
            while (!shut && !client.isWritable()) {
                if (stopped) {
                    throw new InterruptedException("the answer is not waited for any more");
                }
                if (left <= 0) {
                    return false;
                }
                left = changed.awaitNanos(left);
            }
            if (shut) {
                throw new ClientGoneException("the session has ended");
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    void wake() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Ends all waits, current and later ones. */
    void stopWaiting() {
        lock.lock();
        try {
            stopped = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void shut() {
        lock.lock();
        try {
            shut = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
