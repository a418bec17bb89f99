package io.fanfold.execute;

import io.fanfold.config.FanOutConfig.Mode;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.execute.FailureMap.StatementEnd;
import io.fanfold.execute.FanOutScope.Stage;
import io.fanfold.execute.PreflightStep.AskedStatement;
import io.fanfold.execute.ReadStep.ReadStatement;
import io.fanfold.execute.ScanStep.ScannedRows;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.operator.MemoryBudget;
import io.fanfold.pool.Lease;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.StatementDigest;
import io.fanfold.verify.AnswerChoices;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One offered statement on its way through the steps: {@link ReadStep}, {@link PreflightStep}, {@link ScanStep},
 * {@link AnswerStep}. Any failure before the first byte of the answer passes the original statement through, with a
 * reason; a cancelled statement gets an error instead. {@link FailureMap} decides.
 */
final class FanOut {
    private static final Logger LOG = LoggerFactory.getLogger(FanOut.class);

    private final FanOutScope scope;
    private final ClientConnection client;
    private final FanOutResources shared;
    private final StatementAnalyzer analyzer;
    private FanOutProgress progress = new FanOutProgress();

    /** The workers that the statement would have had; 0 if it was not only observed. */
    private int observedWorkers;

    private Optional<StatementEnd.PassedThrough> passedThrough = Optional.empty();

    /** @param config the settings that hold for this statement until its end */
    FanOut(FanOutRequest request, FanfoldConfig config, FanfoldMetrics metrics, FanOutResources shared) {
        this.scope = new FanOutScope(request, config, metrics, shared);
        this.client = request.client();
        this.shared = shared;
        this.analyzer = new StatementAnalyzer(shared, config, client.user());
    }

    FanOutScope scope() {
        return scope;
    }

    /** The progress of the partition queries. */
    FanOutProgress progress() {
        return progress;
    }

    /** Why the statement was passed through; empty if it was not. */
    Optional<StatementEnd.PassedThrough> passedThrough() {
        return passedThrough;
    }

    /** Processes the statement, on a coordinator thread. */
    void run() {
        try {
            readAndRun();
        } finally {
            shared.forgetUnder(scope.config());
        }
    }

    private void readAndRun() {
        Optional<ReadStatement> read = read();
        if (read.isPresent()) {
            try (RunningStatement running = new RunningStatement(scope)) {
                progress = running.query().progress();
                run(running.query(), read.get());
            }
        }
    }

    private Optional<ReadStatement> read() {
        try {
            return Optional.of(new ReadStep(scope, analyzer).run());
        } catch (RefusedException e) {
            scope.history().rememberUnasked(e.refusal());
            passThrough(e.reason(), e.detail());
        } catch (RuntimeException | Error e) {
            LOG.warn("reading a statement failed", e);
            passThrough(Reason.INTERNAL, e.toString());
        }
        return Optional.empty();
    }

    private void run(QueryExecution query, ReadStatement read) {
        try {
            OtherServer.ifNeeded(scope, query, () -> {
                steps(query, read);
                return true;
            });
        } catch (RefusedException e) {
            QueryExecution.Cancel cancel = FailureMap.cancels(e);
            if (cancel != null) {
                query.cancel(cancel);
            }
            RefusedException failure = slower(query).orElse(e);
            learn(query, failure);
            end(query, failure);
        } catch (InterruptedException e) {
            end(query, new RefusedException(Reason.INTERNAL, "interrupted"));
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            LOG.warn("session {}: a fan-out failed", client.backendThreadId(), e);
            end(query, new RefusedException(Reason.INTERNAL, e.toString()));
        }
    }

    /** Returns the refusal of a statement whose split was ended because of its time. Remembers that time. */
    private Optional<RefusedException> slower(QueryExecution query) {
        if (query.cancelled() != QueryExecution.Cancel.SLOWER) {
            return Optional.empty();
        }
        long nanos = System.nanoTime() - scope.request().arrivalNanos();
        shared.history().split(scope.digest(), nanos);
        return Optional.of(new RefusedException(Reason.MEASURED, "the split takes longer than the whole statement"));
    }

    private void steps(QueryExecution query, ReadStatement read) throws RefusedException, InterruptedException {
        scope.phases().ended("read");
        AskedStatement asked = new PreflightStep(scope, analyzer, query).run(read);
        scope.reaches(Stage.ASKED);
        if (asked.task().mode() == Mode.OBSERVE) {
            observedWorkers = asked.task().degree();
            throw new RefusedException(Reason.OBSERVED, asked.task().degree() + " workers");
        }
        try (MemoryBudget budget = shared.memory()
                .child(
                        "query of session " + client.backendThreadId(),
                        scope.config().limits().queryMemoryBytes())) {
            verified(query, budget, asked);
        }
    }

    private void verified(QueryExecution query, MemoryBudget budget, AskedStatement asked)
            throws RefusedException, InterruptedException {
        Verifier verifier = shared.verifier();
        if (!Verifier.chooses(asked.verifyShare())) {
            answer(query, budget, asked);
        } else if (asked.task().spider().isPresent() || !verifier.takePlace()) {
            // the server's own answer over several partitions of a Spider table may be wrong
            verifier.skipped();
            answer(query, budget, asked);
        } else {
            try (ShadowCheck check = new ShadowCheck(
                    verifier,
                    asked.task(),
                    scope.sessionName(),
                    client.backendThreadId(),
                    AnswerChoices.of(asked.task().logical(), asked.columns()),
                    this::differs)) {
                scope.verifies(check);
                answer(query, budget, asked);
            }
        }
    }

    private void answer(QueryExecution query, MemoryBudget budget, AskedStatement asked)
            throws RefusedException, InterruptedException {
        Optional<ScannedRows> scanned = new ScanStep(scope, query, budget).run(asked);
        if (scanned.isPresent()) {
            new AnswerStep(scope).run(asked, scanned.get());
        }
    }

    private void differs(Lease worker, ShadowCheck.FoundDifference found) {
        new DifferenceFound(
                        shared.verifier().config(),
                        shared.verifier().differing(),
                        shared.history(),
                        scope.sessionName(),
                        scope.digest(),
                        Objects.requireNonNullElse(scope.schema(), ""),
                        scope.normalizedText())
                .record(scope.planned().orElseThrow(), worker, found);
    }

    /** Keeps what a refusal says about later executions, the server and its tables. */
    private void learn(QueryExecution query, RefusedException refused) {
        StatementHistory history = scope.history();
        Reason reason = refused.reason();
        if (!query.cancelledWithoutFailure()) {
            history.remember(refused.refusal());
            if (scope.reached(Stage.WORKING)
                    && scope.replica().isEmpty()
                    && reason != Reason.MEASURED
                    && reason != Reason.CLIENT_LOST) {
                history.failed(reason, System.nanoTime() - scope.request().arrivalNanos());
            }
        }
        if (reason == Reason.OTHER_SERVER) {
            shared.workers().lookAgain();
            shared.catalog().refreshSoon();
        }
        if (reason == Reason.MEASURED) {
            history.measureUnsplit(scope, true);
        }
    }

    private void end(QueryExecution query, RefusedException failure) {
        StatementEnd end = FailureMap.beforeAnswer(failure, query.cancelled(), scope.flavor());
        if (end instanceof StatementEnd.Cancelled cancelled) {
            scope.count().cancelled(cancelled.why());
            Interruption error = cancelled.error();
            client.fail(error.errno(), error.sqlState(), error.message(), scope.reached(Stage.ASKED));
        } else {
            passThrough(failure.reason(), failure.detail());
        }
    }

    /** Lets the server answer the original statement. */
    void passThrough(Reason reason, String detail) {
        if (LOG.isDebugEnabled()) {
            LOG.debug("{} {}", scope.sessionName(), passedThrough(reason, detail));
        }
        if (shared.slow().on()) {
            whenAnswered(() -> shared.slow()
                    .ended(
                            scope.sessionName(),
                            System.nanoTime() - scope.request().arrivalNanos(),
                            () -> passedThrough(reason, detail)));
        }
        StatementStatistics.StatementCounts counts = scope.counts();
        counts.passed(reason);
        long start = System.nanoTime();
        whenAnswered(() -> answered(counts, System.nanoTime() - start));
        passedThrough = Optional.of(new StatementEnd.PassedThrough(reason, detail));
        if (reason == Reason.CORES_BUSY) {
            scope.history().measureUnsplit(scope, false);
        }
        if (reason == Reason.CORES_BUSY || reason == Reason.MEASURED) {
            shared.registry().addUnsplit(client);
        }
        scope.metrics().passedThrough(reason);
        shared.observer().passedThrough(reason, detail);
        // the original statement follows on the same connection, so nothing waits for the end
        CompletableFuture<?> unusedRestore = scope.restore();
        client.passThrough();
    }

    /** Runs a task on an event loop when the server has answered the statement that is passed through, also with an error. */
    private void whenAnswered(Runnable task) {
        CompletableFuture<Void> unused = client.relayed().thenAccept(end -> {
            if (end != ClientConnection.RelayEnd.LOST) {
                task.run();
            }
        });
    }

    /** The server has answered the statement that was passed through. */
    private void answered(StatementStatistics.StatementCounts counts, long nanos) {
        counts.direct(nanos);
        if (observedWorkers > 0) {
            counts.observed(nanos, shared.history().expectedNanos(nanos, observedWorkers));
        }
    }

    /** What became of the statement, and its text without literals, for the log. */
    private String passedThrough(Reason reason, String detail) {
        String found = shared.catalog().found(reason, scope.schema());
        return "passed through: " + reason.label() + " (" + (found.isEmpty() ? detail : found) + "): "
                + StatementDigest.shortened(scope.normalizedText());
    }
}
