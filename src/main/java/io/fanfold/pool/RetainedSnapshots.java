package io.fanfold.pool;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.fanfold.catalog.TableName;
import io.fanfold.client.ServerException;
import io.fanfold.snapshot.SnapshotOutcome.SnapshotState;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Workers whose snapshots stay open between two statements of a client's transaction. They are released when they have
 * been idle for too long, or when another request needs their connections. Safe for use by multiple threads.
 */
public final class RetainedSnapshots implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RetainedSnapshots.class);

    private final BooleanSupplier awaited;
    private final ScheduledThreadPoolExecutor timer;

    /** Ends snapshots. Submitting a task here does not block; an event loop could block on the timer's lock. */
    private final ThreadPoolExecutor closing;

    /** Snapshots that no statement uses, oldest first. */
    @GuardedBy("this")
    private final Set<RetainedWorkers> idle = new LinkedHashSet<>();

    /** @param awaited whether any request waits for worker connections */
    RetainedSnapshots(BooleanSupplier awaited) {
        this.awaited = awaited;
        this.timer = new ScheduledThreadPoolExecutor(1, RetainedSnapshots::thread);
        timer.setRemoveOnCancelPolicy(true);
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        this.closing = new ThreadPoolExecutor(
                1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), RetainedSnapshots::thread);
    }

    private static Thread thread(Runnable task) {
        Thread thread = new Thread(task, "snapshots");
        thread.setDaemon(true);
        return thread;
    }

    /** The workers of one transaction with their snapshots, worker 0 first. */
    public final class RetainedWorkers {
        private final List<Lease> leases;
        private final SnapshotState proof;
        private final Set<TableName> tables;
        private volatile @Nullable ScheduledFuture<?> end;

        private RetainedWorkers(List<Lease> leases, SnapshotState proof, Collection<TableName> tables) {
            this.leases = List.copyOf(leases);
            this.proof = proof;
            this.tables = Set.copyOf(tables);
        }

        /** Returns how the snapshots were proven. */
        public SnapshotState proof() {
            return proof;
        }

        /** Whether the proof holds for these tables too: a lock proves only the tables that it locked. */
        public boolean covers(Collection<TableName> others) {
            return proof == SnapshotState.VERIFIED || tables.containsAll(others);
        }

        /** Takes the workers for the next statement. Empty if they have been released. Not on an event loop. */
        public Optional<List<Lease>> take() {
            if (!remove(this)) {
                return Optional.empty();
            }
            endTimer();
            return Optional.of(leases);
        }

        /** Releases the workers on another thread; returns at once. */
        public void release() {
            if (remove(this)) {
                closeSoon(this);
            }
        }

        private void endTimer() {
            ScheduledFuture<?> scheduled = end;
            if (scheduled != null) {
                scheduled.cancel(false);
            }
        }
    }

    /**
     * Keeps workers whose transactions are open. Releases them at once if requests wait for connections.
     *
     * @param leases worker 0 first; closed here unless {@link RetainedWorkers#take} hands them over, whose caller then closes them
     * @param proof how their snapshots were proven
     * @param tables the tables that the transaction's statements have read so far
     * @param longest how long they may be idle, more than 0
     */
    public RetainedWorkers keep(
            List<Lease> leases, SnapshotState proof, Collection<TableName> tables, Duration longest) {
        RetainedWorkers held = new RetainedWorkers(leases, proof, tables);
        synchronized (this) {
            idle.add(held);
        }
        try {
            held.end = timer.schedule(held::release, longest.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            // the proxy stops
            held.release();
        }
        // a request that has just begun to wait could not find these workers
        if (awaited.getAsBoolean()) {
            held.release();
        }
        return held;
    }

    private synchronized boolean remove(RetainedWorkers held) {
        return idle.remove(held);
    }

    /** Releases the oldest snapshots until enough connections are free; returns when that is done. */
    void makeRoom(BooleanSupplier enough) {
        while (!enough.getAsBoolean()) {
            RetainedWorkers oldest;
            synchronized (this) {
                if (idle.isEmpty()) {
                    return;
                }
                oldest = idle.iterator().next();
            }
            if (remove(oldest)) {
                close(oldest);
            }
        }
    }

    /** Releases all on another thread; returns at once. */
    void releaseAll() {
        List<RetainedWorkers> all;
        synchronized (this) {
            all = new ArrayList<>(idle);
        }
        all.forEach(RetainedWorkers::release);
    }

    private void closeSoon(RetainedWorkers held) {
        try {
            closing.execute(() -> close(held));
        } catch (RejectedExecutionException e) {
            LOG.debug("the pool stops, and closes the connections of these snapshots");
        }
    }

    private static void close(RetainedWorkers held) {
        held.endTimer();
        try {
            Lease.endTransactions(held.leases);
        } catch (IOException | ServerException e) {
            LOG.debug("a worker's snapshot did not end: {}", e.toString());
        }
        Lease.closeAll(held.leases);
    }

    /** Returns the number of transactions whose snapshots are open and unused at the moment. */
    public synchronized int idle() {
        return idle.size();
    }

    @Override
    public void close() {
        timer.shutdown();
        closing.shutdown();
        makeRoom(() -> false);
    }
}
