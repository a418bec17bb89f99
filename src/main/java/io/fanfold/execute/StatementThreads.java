package io.fanfold.execute;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Threads that each run one statement at a time. A statement that finds none free waits for one, but not for long: the
 * statements of all threads may wait for a table that is locked, or for clients that do not read. Thread-safe.
 */
final class StatementThreads {
    private static final Logger LOG = LoggerFactory.getLogger(StatementThreads.class);

    private final ThreadPoolExecutor threads;

    /** The statements that run or wait. */
    private final AtomicInteger statements = new AtomicInteger();

    /**
     * @param name of the threads
     * @param waiting the most statements that wait for a thread
     */
    StatementThreads(String name, int waiting) {
        this.threads = FanOutThreads.pool(name, new LinkedBlockingQueue<>(waiting));
    }

    /** Sets the number of threads, at least one. */
    void allow(int count) {
        FanOutThreads.allowCore(threads, count);
    }

    /**
     * Runs a statement on a thread of its own.
     *
     * @param patience how long it waits for a thread
     * @param givenUp runs instead if there is none in time, on this thread or another; returns at once
     */
    void run(Runnable statement, Duration patience, Runnable givenUp) {
        Task task = new Task(statement, givenUp);
        boolean waits = statements.incrementAndGet() > threads.getMaximumPoolSize();
        try {
            threads.execute(task);
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            LOG.debug("no thread for a statement", e);
            task.giveUp();
            return;
        }
        if (waits) {
            giveUpAfter(patience, task);
        }
    }

    private static void giveUpAfter(Duration patience, Task task) {
        CompletableFuture.delayedExecutor(patience.toNanos(), TimeUnit.NANOSECONDS, Runnable::run)
                .execute(task::giveUp);
    }

    /** Runs, or is given up, whichever comes first. */
    private final class Task implements Runnable {
        private final Runnable statement;
        private final Runnable givenUp;
        private final AtomicBoolean taken = new AtomicBoolean();

        Task(Runnable statement, Runnable givenUp) {
            this.statement = statement;
            this.givenUp = givenUp;
        }

        @Override
        public void run() {
            if (taken.compareAndSet(false, true)) {
                try {
                    statement.run();
                } finally {
                    statements.decrementAndGet();
                }
            }
        }

        void giveUp() {
            if (taken.compareAndSet(false, true)) {
                threads.remove(this);
                statements.decrementAndGet();
                givenUp.run();
            }
        }
    }

    /**
     * Takes no further statements, and waits until all have ended.
     *
     * @return whether they have; otherwise their threads were interrupted
     */
    boolean close(Duration wait) throws InterruptedException {
        threads.shutdown();
        boolean ended = threads.awaitTermination(wait.toMillis(), TimeUnit.MILLISECONDS);
        if (!ended) {
            threads.shutdownNow();
        }
        return ended;
    }
}
