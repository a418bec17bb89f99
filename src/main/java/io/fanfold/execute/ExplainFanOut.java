package io.fanfold.execute;

import io.fanfold.config.FanfoldConfig;
import io.fanfold.execute.ClientConnection.ClientGoneException;
import io.fanfold.execute.ClientConnection.ResultSetHeader;
import io.fanfold.execute.FailureMap.StatementEnd;
import io.fanfold.execute.PreflightStep.AskedStatement;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.plan.CostGate;
import io.fanfold.plan.Part;
import io.fanfold.plan.PlanPrinter;
import io.fanfold.plan.StatementPlan;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.row.Row;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers {@code EXPLAIN FORMAT=FANFOLD}: takes a statement through the steps of a fan-out up to its plan, and shows the
 * plan, or the reason why the statement is passed through. No partition query runs. The preflight checks the client's
 * rights, so that it shows nothing that the client's own EXPLAIN would not.
 *
 * <p>The answer has two columns of text, {@code step} and {@code detail}.
 */
final class ExplainFanOut {
    private static final Logger LOG = LoggerFactory.getLogger(ExplainFanOut.class);

    /** Longer lists of partitions are cut. */
    private static final int SHOWN_PARTITIONS = 20;

    private final FanOutScope scope;
    private final ClientConnection client;
    private final FanOutResources shared;
    private final StatementAnalyzer analyzer;
    private final FanOutDispatcher dispatcher;
    private final List<byte[]> rows = new ArrayList<>();

    /**
     * @param request the statement that is explained, without the words before it
     * @param dispatcher says whether the statement would be offered at all
     */
    ExplainFanOut(
            FanOutRequest request,
            FanfoldConfig config,
            FanfoldMetrics metrics,
            FanOutResources shared,
            FanOutDispatcher dispatcher) {
        this.scope = new FanOutScope(request, config, metrics, shared);
        this.client = request.client();
        this.shared = shared;
        this.analyzer = new StatementAnalyzer(shared.catalog());
        this.dispatcher = dispatcher;
    }

    /** Explains and answers, on a coordinator thread. In a transaction the server answers that it knows no such format. */
    void run() {
        if (scope.request().transaction().isPresent()) {
            client.passThrough();
            return;
        }
        try (RunningStatement running = new RunningStatement(client, shared)) {
            run(running.query());
        }
    }

    private void run(QueryExecution query) {
        Optional<RefusedException> refusal = explained(query);
        if (refusal.isEmpty() || shows(query, refusal.get())) {
            answer();
        }
    }

    private Optional<RefusedException> explained(QueryExecution query) {
        try {
            explain(query);
            return Optional.empty();
        } catch (RefusedException e) {
            return Optional.of(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.of(new RefusedException(Reason.INTERNAL, "interrupted"));
        } catch (RuntimeException | Error e) {
            LOG.warn("session {}: a statement could not be explained", client.backendThreadId(), e);
            return Optional.of(new RefusedException(Reason.INTERNAL, e.toString()));
        }
    }

    private void explain(QueryExecution query) throws RefusedException, InterruptedException {
        byte[] sql = scope.sql();
        Optional<Reason> unread = dispatcher.filter(sql, 0, sql.length, scope.schema());
        if (unread.isPresent()) {
            throw new RefusedException(
                    unread.get(),
                    unread.get() == Reason.NO_PARTITIONED_TABLE
                            ? shared.catalog().unseen(scope.schema())
                            : "");
        }
        ReadStep.ReadStatement read = new ReadStep(scope, analyzer).run();
        AskedStatement asked = new PreflightStep(scope, analyzer, query).run(read);
        FanOutTask task = asked.task();
        try (WorkerGroup group = WorkerGroup.collect(
                query, task, shared.workers(), scope.config(), shared.catalog(), shared.workerThreads())) {
            StatementPlan plan = group.plan(scope.metrics(), scope.phases());
            if (!scope.costs().open(task.logical().statement())) {
                scope.costs().evaluate(group.planRegression(plan), scope.digest());
            }
            row("decision", "split");
            row("workers", String.valueOf(group.degree()));
            row("snapshot", group.snapshot());
            task.blocks().forEach(block -> row("partitions", partitions(block)));
            row("estimated rows", String.valueOf(CostGate.total(task.explained())));
            for (String line : PlanPrinter.print(
                    plan,
                    task.blocks().stream().map(block -> block.parts().get(0)).toList())) {
                int colon = line.indexOf(": ");
                row(line.substring(0, colon), line.substring(colon + 2));
            }
            group.end();
        }
    }

    private static String partitions(BlockScan block) {
        Part all = Part.together(block.parts());
        List<String> names = all.names();
        return names.size() + " of " + block.table().partitions().size() + " of "
                + block.table().name() + ", in "
                + block.parts().size() + " queries: "
                + names.stream().limit(SHOWN_PARTITIONS).collect(Collectors.joining(", "))
                + (names.size() > SHOWN_PARTITIONS ? ", ..." : "");
    }

    /** Makes the rows of a refusal. Returns false if there is no answer: it was killed, or the connection is lost. */
    private boolean shows(QueryExecution query, RefusedException failure) {
        QueryExecution.Cancel cancel = FailureMap.cancels(failure);
        if (cancel != null) {
            query.cancel(cancel);
        }
        StatementEnd end = FailureMap.beforeAnswer(failure, query.cancelled(), scope.flavor());
        if (end instanceof StatementEnd.Cancelled cancelled) {
            Interruption error = cancelled.error();
            client.fail(error.errno(), error.sqlState(), error.message(), true);
            return false;
        }
        if (failure.reason() == Reason.CLIENT_LOST) {
            client.passThrough();
            return false;
        }
        rows.clear();
        row("decision", "passed through");
        row("reason", failure.reason().label());
        row("because", failure.reason().sentence());
        if (!failure.detail().isEmpty()) {
            row("found", failure.detail());
        }
        return true;
    }

    private void row(String step, String detail) {
        rows.add(Row.ofValues(List.of(step.getBytes(StandardCharsets.UTF_8), detail.getBytes(StandardCharsets.UTF_8)))
                .payload());
    }

    private void answer() {
        ClientConnection.Answer answer = client.answer(new ResultSetHeader(
                List.of(client.textColumn("step"), client.textColumn("detail")), 0, Optional.empty()));
        try {
            for (byte[] row : rows) {
                answer.row(row);
            }
            answer.end();
        } catch (ClientGoneException e) {
            LOG.debug("session {}: the client left before it had the explanation", client.backendThreadId());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            Interruption.of(QueryExecution.Cancel.STOPPING, scope.flavor()).end(answer);
        }
    }
}
