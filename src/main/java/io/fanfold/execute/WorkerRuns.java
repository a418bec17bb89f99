package io.fanfold.execute;

import io.fanfold.metrics.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Workers of one fan-out while they run, each on a thread of its own. For the thread that coordinates the fan-out. */
final class WorkerRuns {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerRuns.class);

    private final LiveQuery query;
    private final ExecutorService threads;
    private final List<Future<?>> working = new ArrayList<>();
    private int started;

    WorkerRuns(LiveQuery query, ExecutorService threads) {
        this.query = query;
        this.threads = threads;
    }

    /** Starts one worker; false when there is no thread for it. */
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

    /** How many workers have a thread. */
    int started() {
        return started;
    }

    /**
     * Waits for all workers, also when interrupted: connections must not be given back before workers are through with
     * them.
     *
     * @throws Abandoned the cause, when any of them failed
     * @throws InterruptedException when interrupted meanwhile; the query is cancelled then
     */
    void await() throws Abandoned, InterruptedException {
        @Nullable Abandoned failure = null;
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

    /** Waits for all workers after they were cancelled; the thread stays interrupted when it was. */
    Optional<Abandoned> settle() {
        try {
            await();
            return Optional.empty();
        } catch (Abandoned e) {
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
                    query.cancel(LiveQuery.Cancel.STOPPING);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** One failure is the cause; the others are mostly statements killed, or not even sent, because of it. */
    private static Abandoned worse(@Nullable Abandoned known, @Nullable Throwable cause) {
        Abandoned other;
        if (cause instanceof Abandoned abandoned) {
            other = abandoned;
        } else {
            LOG.warn("a worker failed", cause);
            other = new Abandoned(Reason.INTERNAL, String.valueOf(cause));
        }
        return known == null || other.tellsMoreThan(known) ? other : known;
    }
}
