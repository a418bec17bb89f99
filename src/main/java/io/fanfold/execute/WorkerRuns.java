package io.fanfold.execute;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The running workers of one fan-out, each on its own thread. For the coordinator thread. */
final class WorkerRuns {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerRuns.class);

    private final QueryExecution query;
    private final ExecutorService threads;
    private final List<Future<?>> working = new ArrayList<>();
    private int started;

    WorkerRuns(QueryExecution query, ExecutorService threads) {
        this.query = query;
        this.threads = threads;
    }

    /** Starts one worker. Returns false if there is no thread for it. */
    boolean start(Callable<?> work) {
        try {
            working.add(threads.submit(work));
            started++;
            return true;
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            LOG.debug("no thread for a worker", e);
            working.add(CompletableFuture.completedFuture(null));
            return false;
        }
    }

    /** Runs a worker on this thread, to its end. {@link #await} reports a failure. */
    void run(Callable<?> work) {
        FutureTask<?> task = new FutureTask<>(work);
        working.add(task);
        started++;
        task.run();
    }

    /** The number of workers that have a thread. */
    int started() {
        return started;
    }

    /**
     * Waits for all workers, even when interrupted: connections must not be released while workers use them.
     *
     * @throws RefusedException the cause, if any worker failed
     * @throws InterruptedException if the thread was interrupted; the query is then cancelled
     */
    void await() throws RefusedException, InterruptedException {
        @Nullable RefusedException failure = null;
        for (Future<?> future : working) {
            try {
                ended(future);
            } catch (ExecutionException e) {
                failure = worse(failure, e.getCause());
            }
        }
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted while workers ran");
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Waits for all workers after they were cancelled. An interrupted thread stays interrupted. */
    Optional<RefusedException> settle() {
        try {
            await();
            return Optional.empty();
        } catch (RefusedException e) {
            return Optional.of(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    private void ended(Future<?> future) throws ExecutionException {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    future.get();
                    return;
                } catch (InterruptedException e) {
                    interrupted = true;
                    query.cancel(QueryExecution.Cancel.STOPPING);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Selects the failure that is the cause. Others are mostly statements that were killed, or not sent, because of it.
     */
    private static RefusedException worse(@Nullable RefusedException known, @Nullable Throwable cause) {
        RefusedException other;
        if (cause instanceof RefusedException abandoned) {
            other = abandoned;
        } else {
            LOG.warn("a worker failed", cause);
            other = new RefusedException(Reason.INTERNAL, String.valueOf(cause));
        }
        return FailureMap.cause(known, other);
    }
}
