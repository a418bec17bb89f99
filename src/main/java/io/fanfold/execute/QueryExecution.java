package io.fanfold.execute;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.fanfold.client.ServerException;
import io.fanfold.pool.KillSwitch;
import io.fanfold.pool.Lease;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state of one running fan-out: its worker connections, and whether it has been cancelled. Safe for all threads.
 * {@link #cancel} returns at once and may be called on an event loop.
 *
 * <p>A worker is killed only while it works for this query. Adding, removing and killing workers exclude each other, so
 * that a kill never hits the connection's next user.
 */
final class QueryExecution {
    private static final Logger LOG = LoggerFactory.getLogger(QueryExecution.class);

    /** Why a query was cancelled. */
    enum Cancel {
        /** The client has disconnected. */
        CLIENT_GONE,
        /** A KILL of the client's own connection, or of its query, succeeded. */
        KILLED,
        /** The session's time limit for a statement is exceeded. */
        LATE,
        /** The proxy stops. */
        STOPPING,
        /** One partition query failed, so the others are useless; the statement is passed through. */
        FAILED,
        /** The split takes much longer than the statement without a split; the statement is passed through. */
        SLOWER;

        /** Whether the statement is passed through, if its answer has not begun. */
        boolean passesThrough() {
            return this == FAILED || this == SLOWER;
        }
    }

    /** How long a killed statement may take to end before it is killed again. */
    private static final Duration KILL_AGAIN = Duration.ofMillis(50);

    /** How long killed workers may take in total. Shorter than the time that a stopping proxy waits. */
    private static final Duration CUT_OFF = Duration.ofSeconds(3);

    private final long backendThreadId;
    private final Executor killers;

    /** Is held also while workers are being killed. */
    private final Object working = new Object();

    @GuardedBy("working")
    private final Set<Lease> workers = new LinkedHashSet<>();

    @GuardedBy("this")
    private final List<Runnable> actions = new ArrayList<>();

    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final FanOutProgress progress = new FanOutProgress();
    private volatile @Nullable Cancel cancelled;

    /**
     * A query without workers.
     *
     * @param killers runs kills, which wait for the server
     */
    QueryExecution(long backendThreadId, Executor killers) {
        this.backendThreadId = backendThreadId;
        this.killers = killers;
    }

    long backendThreadId() {
        return backendThreadId;
    }

    FanOutProgress progress() {
        return progress;
    }

    @Nullable
    Cancel cancelled() {
        return cancelled;
    }

    /** Whether the query was cancelled, and not because it failed. Its workers' errors then say nothing about the statement. */
    boolean cancelledWithoutFailure() {
        Cancel reason = cancelled();
        return reason != null && reason != Cancel.FAILED;
    }

    /**
     * Runs an action when the query is cancelled, or at once if it already is. It runs again for each further reason
     * that replaces the first.
     *
     * @param action safe for all threads; returns at once
     */
    void onCancel(Runnable action) {
        synchronized (this) {
            if (cancelled == null) {
                actions.add(action);
                return;
            }
        }
        action.run();
    }

    /** Cancels the query after that time, unless it has ended by then. */
    void limit(Duration left) {
        after(left, () -> cancel(Cancel.LATE));
    }

    /**
     * Runs a task after that time, unless the query has ended by then.
     *
     * @param time zero or less runs it at once
     * @param task returns at once
     */
    void after(Duration time, Runnable task) {
        CompletableFuture<Void> unused = ended.copy()
                .orTimeout(Math.max(0, time.toNanos()), TimeUnit.NANOSECONDS)
                .exceptionally(late -> {
                    task.run();
                    return null;
                });
    }

    /** Marks the query as ended; pending tasks no longer run. */
    void end() {
        ended.complete(null);
    }

    /** Adds a worker connection, which works for this query from now on. */
    void takeOn(Lease worker) {
        synchronized (working) {
            workers.add(worker);
        }
    }

    /** Removes a worker connection; waits for a kill in progress. */
    void letGo(Lease worker) {
        synchronized (working) {
            workers.remove(worker);
            working.notifyAll();
        }
    }

    /**
     * Cancels the query and kills the statements of its workers. The first reason counts. Only one that passes the
     * statement through is replaced by one that does not.
     */
    void cancel(Cancel why) {
        List<Runnable> due;
        synchronized (this) {
            Cancel before = cancelled;
            if (before != null && (!before.passesThrough() || why.passesThrough())) {
                return;
            }
            cancelled = why;
            due = List.copyOf(actions);
        }
        due.forEach(Runnable::run);
        try {
            killers.execute(this::killWorkers);
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            LOG.debug("the proxy has stopped, or there is no thread: connections are closed instead", e);
            synchronized (working) {
                workers.forEach(worker -> worker.connection().abort());
            }
        }
    }

    /**
     * Kills until no worker is left: a kill between two statements of a worker does not affect the second one. A
     * connection that does not respond in spite of kills is closed.
     */
    private void killWorkers() {
        long start = System.nanoTime();
        synchronized (working) {
            String failure = "they did not end";
            try {
                while (!workers.isEmpty() && System.nanoTime() - start < CUT_OFF.toNanos()) {
                    failure = kill().orElse(failure);
                    working.wait(KILL_AGAIN.toMillis());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            if (!workers.isEmpty()) {
                LOG.warn("session {}: killed workers are cut off: {}", backendThreadId, failure);
                workers.forEach(worker -> worker.connection().abort());
            }
        }
    }

    /**
     * Returns the error if the kill failed. The next attempt may succeed; closing the connection alone would not end
     * the statement.
     */
    @GuardedBy("working")
    private Optional<String> kill() {
        try {
            KillSwitch.killQueries(List.copyOf(workers));
            return Optional.empty();
        } catch (IOException | ServerException e) {
            return Optional.of(e.toString());
        }
    }
}
