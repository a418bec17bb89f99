package io.fanfold.execute;

import io.fanfold.config.FanfoldConfig;
import io.fanfold.execute.FailureMap.StatementEnd;
import io.fanfold.execute.PreflightStep.AskedStatement;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.plan.PlanDoubt;
import io.fanfold.plan.StatementPlan;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.ProxyStatement;
import java.util.Optional;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers {@code EXPLAIN FORMAT=FANFOLD}: takes a statement through the steps of a fan-out up to its plan, and shows the
 * plan, or the reason why the statement is passed through. No partition query runs. With ANALYZE the statement runs, and
 * its rows are counted in place of sent. The preflight checks the client's rights, so that the answer shows nothing that
 * the client's own EXPLAIN would not.
 *
 * <p>The answer has two columns of text, {@code step} and {@code detail}, or one with a JSON document.
 */
final class ExplainFanOut {
    private static final Logger LOG = LoggerFactory.getLogger(ExplainFanOut.class);

    /** ER_NOT_SUPPORTED_YET. */
    private static final int NOT_SUPPORTED = 1235;

    private final FanOutScope scope;
    private final ClientConnection client;
    private final FanOutResources shared;
    private final StatementAnalyzer analyzer;
    private final FanOutDispatcher dispatcher;
    private final ProxyStatement.Explain explain;
    private final Optional<TransactionPlace> transaction;

    /**
     * @param request the statement with EXPLAIN
     * @param dispatcher says whether the explained statement would be offered at all
     */
    ExplainFanOut(
            FanOutRequest request,
            ProxyStatement.Explain explain,
            FanfoldConfig config,
            FanfoldMetrics metrics,
            FanOutResources shared,
            FanOutDispatcher dispatcher) {
        this.scope = new FanOutScope(request.explained(explain), config, metrics, shared);
        this.client = request.client();
        this.shared = shared;
        this.analyzer = new StatementAnalyzer(shared, config, client.user());
        this.dispatcher = dispatcher;
        this.explain = explain;
        this.transaction = request.transaction();
    }

    /** Explains and answers, on a coordinator thread. */
    void run() {
        byte[] sql = scope.sql();
        Optional<Reason> unread = dispatcher.filter(sql, 0, sql.length, scope.schema());
        if (unread.isPresent()) {
            answer(Explanation.refused(unread.get(), shared.catalog().found(unread.get(), scope.schema())));
        } else if (client.inTransaction() && transaction.isEmpty()) {
            answer(Explanation.refused(Reason.IN_TRANSACTION, ""));
        } else if (explain.analyze()) {
            analyze();
        } else if (transaction.isPresent() && !transaction.get().first()) {
            client.fail(
                    NOT_SUPPORTED,
                    "42000",
                    "EXPLAIN FORMAT=FANFOLD explains the first statement of a transaction only; ANALYZE runs any",
                    false);
        } else {
            try (RunningStatement running = new RunningStatement(scope)) {
                plan(running.query());
            }
        }
    }

    private void analyze() {
        MeasuredClient measured = new MeasuredClient(client);
        scope.metrics().attempted();
        FanOut run = new FanOut(scope.request().from(measured), scope.config(), scope.metrics(), shared);
        run.run();
        if (measured.outcome() == MeasuredClient.Outcome.ANSWERED) {
            FanOutScope ran = run.scope();
            Explanation explanation = Explanation.split(ran.planned().orElseThrow(), ran.digest(), shared.history());
            explanation.ran(run.progress(), ran.phases(), measured);
            answer(explanation);
        } else if (measured.outcome() == MeasuredClient.Outcome.PASSED_THROUGH) {
            refused(run.passedThrough().orElseThrow());
        }
    }

    private void plan(QueryExecution query) {
        try {
            scope.explainOnly();
            ReadStep.ReadStatement read = new ReadStep(scope, analyzer).run();
            answer(OtherServer.ifNeeded(scope, query, () -> planned(query, read)));
        } catch (RefusedException e) {
            refused(query, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            refused(query, new RefusedException(Reason.INTERNAL, "interrupted"));
        } catch (RuntimeException | Error e) {
            LOG.warn("session {}: a statement could not be explained", client.backendThreadId(), e);
            refused(query, new RefusedException(Reason.INTERNAL, e.toString()));
        }
    }

    private Explanation planned(QueryExecution query, ReadStep.ReadStatement read)
            throws RefusedException, InterruptedException {
        AskedStatement asked = new PreflightStep(scope, analyzer, query).run(read);
        FanOutTask task = asked.task();
        try (WorkerGroup group = WorkerGroup.collect(query, task, scope.config(), shared, false)) {
            scope.reads(group.servers());
            StatementPlan plan = group.plan(scope.metrics(), scope.phases());
            Optional<Refusal> doubt = doubt(group, plan, task);
            group.divideUnread(plan);
            OptionalInt known = group.known(plan);
            PlannedScan planned = new PlannedScan(task, plan, group.serverNames(), group.degree(), group.snapshot());
            group.end();
            Explanation explanation = Explanation.split(planned, scope.digest(), shared.history());
            known.ifPresent(explanation::reuses);
            boolean triesDirect = scope.costs()
                    .triesDirect(
                            task.logical(),
                            scope.digest(),
                            task.explained(),
                            BlockPlanning.atMost(task.blocks(), task.explained()));
            if (doubt.isPresent() || triesDirect) {
                explanation.measuredFirst(doubt);
            }
            return explanation;
        } finally {
            Preflight.get(scope.restore());
        }
    }

    /**
     * Returns why the plan is in doubt, if the time of the unsplit statement is needed to decide that and is not known.
     *
     * @throws RefusedException if it is known, and too short for such a plan
     */
    private Optional<Refusal> doubt(WorkerGroup group, StatementPlan plan, FanOutTask task) throws RefusedException {
        CostModel costs = scope.costs();
        if (costs.open(task.logical().statement())) {
            return Optional.empty();
        }
        Optional<PlanDoubt> regression = group.planRegression(plan);
        if (shared.history().directUnknown(scope.digest())) {
            return regression.map(PlanDoubt::refusal);
        }
        costs.evaluate(regression, scope.digest());
        return Optional.empty();
    }

    private void refused(QueryExecution query, RefusedException failure) {
        QueryExecution.Cancel cancel = FailureMap.cancels(failure);
        if (cancel != null) {
            query.cancel(cancel);
        }
        StatementEnd end = FailureMap.beforeAnswer(failure, query.cancelled(), scope.flavor());
        if (end instanceof StatementEnd.Cancelled cancelled) {
            Interruption error = cancelled.error();
            client.fail(error.errno(), error.sqlState(), error.message(), true);
        } else {
            refused(new StatementEnd.PassedThrough(failure.reason(), failure.detail()));
        }
    }

    private void refused(StatementEnd.PassedThrough end) {
        if (end.reason() == Reason.CLIENT_LOST) {
            client.passThrough();
        } else {
            answer(Explanation.refused(end.reason(), end.detail()));
        }
    }

    private void answer(Explanation explanation) {
        ProxyAnswer.send(
                client,
                explain.format() == ProxyStatement.Format.JSON ? explanation.document() : explanation.table(),
                scope.flavor());
    }
}
