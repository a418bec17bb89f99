package io.fanfold.execute;

import io.fanfold.config.VerifyConfig;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.metrics.VerifyReport;
import io.fanfold.metrics.VerifyResult;
import io.fanfold.pool.Lease;
import io.fanfold.verify.DifferingStatements;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Runs the verifications of all fan-outs on threads of its own, a bounded number at a time. Safe for all threads. */
final class Verifier implements AutoCloseable {
    private final VerifyConfig config;
    private final ExecutorService killers;
    private final FanfoldMetrics metrics;
    private final DifferingStatements differing = new DifferingStatements();
    private final Semaphore places;
    private final ExecutorService threads;
    private final Set<QueryExecution> running = ConcurrentHashMap.newKeySet();

    /** What a verification does with its worker. */
    @FunctionalInterface
    interface Verification {
        /** @param worker has the snapshot; closed by the caller */
        VerifyReport run(Lease worker);
    }

    Verifier(VerifyConfig config, ExecutorService killers, FanfoldMetrics metrics) {
        this.config = config;
        this.killers = killers;
        this.metrics = metrics;
        this.places = new Semaphore(config.connections());
        this.threads = new ThreadPoolExecutor(
                0, config.connections(), 1, TimeUnit.MINUTES, new SynchronousQueue<>(), FanOutThreads.named("verify"));
    }

    VerifyConfig config() {
        return config;
    }

    /** The statements with different answers. */
    DifferingStatements differing() {
        return differing;
    }

    /** Whether the next statement of a table with that share is verified. */
    static boolean chooses(double share) {
        return share > 0 && ThreadLocalRandom.current().nextDouble() < share;
    }

    /** Takes a place for a verification, if one is free; {@link #run} or {@link #leave} gives it back. */
    boolean takePlace() {
        return places.tryAcquire();
    }

    /** Gives a place back without a verification. */
    void leave() {
        places.release();
    }

    /** Counts a fan-out that was chosen and is not verified. */
    void skipped() {
        metrics.verified(new VerifyReport(VerifyResult.SKIPPED, 0));
    }

    /**
     * Runs a verification on another thread, for at most the configured time. Its place is given back at the end.
     *
     * @param session the thread id of the client's backend connection, for the log
     * @param worker closed at the end
     */
    void run(long session, Lease worker, Verification verification) {
        try {
            threads.execute(() -> bounded(session, worker, verification));
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            worker.close();
            leave();
            skipped();
        }
    }

    private void bounded(long session, Lease worker, Verification verification) {
        QueryExecution query = new QueryExecution(session, killers);
        VerifyReport report = new VerifyReport(VerifyResult.UNFINISHED, 0);
        try {
            running.add(query);
            query.takeOn(worker);
            query.limit(config.time());
            report = verification.run(worker);
        } finally {
            query.letGo(worker);
            query.end();
            running.remove(query);
            worker.close();
            places.release();
            metrics.verified(report);
        }
    }

    /** Ends the running verifications. */
    @Override
    public void close() {
        threads.shutdown();
        running.forEach(query -> query.cancel(QueryExecution.Cancel.STOPPING));
        try {
            if (!threads.awaitTermination(5, TimeUnit.SECONDS)) {
                threads.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
