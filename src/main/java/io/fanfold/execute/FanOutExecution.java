package io.fanfold.execute;

import io.fanfold.config.FanfoldConfig;
import io.fanfold.execute.ClientConnection.ClientGoneException;
import io.fanfold.execute.ClientConnection.ResultSetHeader;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.operator.BudgetExceededException;
import io.fanfold.operator.MemoryBudget;
import io.fanfold.operator.Merge;
import io.fanfold.operator.MergeException;
import io.fanfold.operator.MergedRows;
import io.fanfold.operator.PartialMerge;
import io.fanfold.plan.MergeNode;
import io.fanfold.plan.StatementPlan;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.row.Row;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one fan-out whose preflight is done: takes workers, opens their snapshots, runs the partition queries, merges
 * their rows, runs the final query and answers. For the coordinator thread.
 */
final class FanOutExecution {
    private static final Logger LOG = LoggerFactory.getLogger(FanOutExecution.class);

    private final QueryExecution query;
    private final FanOutRequest request;
    private final ClientConnection client;
    private final FanfoldConfig config;
    private final FanfoldMetrics metrics;
    private final FanOutResources shared;
    private final CostModel costs;
    private final String digest;
    private final AnswerCount count;
    private final Phases phases;
    private volatile boolean workersStarted;

    /**
     * An execution, not started.
     *
     * @param costs the costs by the settings of the split tables
     * @param digest see {@link StatementHistory}
     */
    FanOutExecution(
            QueryExecution query,
            FanOutRequest request,
            FanfoldConfig config,
            FanfoldMetrics metrics,
            FanOutResources shared,
            CostModel costs,
            String digest,
            AnswerCount count,
            Phases phases) {
        this.query = query;
        this.request = request;
        this.client = request.client();
        this.config = config;
        this.metrics = metrics;
        this.shared = shared;
        this.costs = costs;
        this.digest = digest;
        this.count = count;
        this.phases = phases;
    }

    /** Whether workers have started. Their work is lost if the split is given up. */
    boolean workersStarted() {
        return workersStarted;
    }

    /**
     * Runs the fan-out and answers.
     *
     * @param head the part of the answer before the rows
     * @param certain whether reading the tables can fail only for external causes, such as a lost connection
     * @param charset the session's character set
     * @param texts refuses rows of the final query whose texts may be cut, because it makes texts of merged numbers
     *     without cutting them
     * @throws RefusedException if it failed before the answer began
     */
    void run(FanOutTask task, ResultSetHeader head, boolean certain, Charset charset, CutTexts texts)
            throws RefusedException, InterruptedException {
        try (MemoryBudget budget = shared.memory()
                .child(
                        "query of session " + client.backendThreadId(),
                        config.limits().queryMemoryBytes())) {
            Optional<CollectedRows> collected = collect(task, head, certain, charset, budget);
            if (collected.isPresent()) {
                finish(collected.get(), charset, head, texts);
            }
        }
    }

    /**
     * The merged input of the final query, and the whole answer if a worker ran that query. The workers are free again.
     *
     * @param finished the rows of the answer if a worker ran the final query; else null
     * @param budget counts the buffered bytes; closed by its creator
     */
    private record CollectedRows(
            StatementPlan plan,
            List<MergedRows> rows,
            @Nullable List<byte[]> finished,
            int partitions,
            int degree,
            String snapshot,
            FilterUse filters,
            MemoryBudget budget)
            implements AutoCloseable {
        @Override
        public void close() {
            rows.forEach(MergedRows::close);
        }
    }

    /**
     * Takes workers and runs the partition queries.
     *
     * @param certain whether reading the tables can fail only for external causes, such as a lost connection
     * @param charset the session's character set
     * @return empty if the statement has already been answered
     */
    private Optional<CollectedRows> collect(
            FanOutTask task, ResultSetHeader head, boolean certain, Charset charset, MemoryBudget budget)
            throws RefusedException, InterruptedException {
        try (WorkerGroup group = WorkerGroup.collect(
                        query, task, shared.workers(), config, shared.catalog(), shared.workerThreads());
                ProcessListEntry entry =
                        new ProcessListEntry(query, client, shared.catalog().flavor())) {
            phases.ended("workers");
            workersStarted = true;
            StatementPlan plan = group.plan(metrics, phases);
            // only now, because the client's own connection may have opened one of the snapshots
            entry.showLater(request.sql(), charset, request.arrivalNanos(), shared.killers(), group.locks());
            if (!costs.open(task.logical().statement())) {
                costs.evaluate(group.planRegression(plan), digest);
            }
            shared.history().began(System.nanoTime() - request.arrivalNanos());
            if (costs.filters(task.logical().statement(), digest)) {
                group.filter(plan, filterLimits(task), budget);
            } else {
                group.avoidFilters();
            }
            phases.ended("filters");
            if (plan.blocks().get(0).merge() instanceof MergeNode.Streamed) {
                new StreamedAnswer(
                                query,
                                client,
                                config.limits(),
                                budget,
                                count,
                                entry,
                                shared.catalog().flavor())
                        .run(group, plan.blocks().get(0), head, certain);
                costs.scanned(digest, task.explained(), query.progress().scanNanos());
                return Optional.empty();
            }
            query.progress().begins(task.queries(), plan.hasFinalQuery());
            List<MergedRows> rows = new ArrayList<>();
            for (int block = 0; block < plan.blocks().size(); block++) {
                boolean atOnce = plan.hasFinalQuery() && plan.portioned().isEmpty();
                long mostRows = atOnce ? config.limits().finalQueryRows() : Long.MAX_VALUE;
                Merge merge = Merge.of(plan.blocks().get(block).merge(), budget, mostRows);
                List<PartialMerge> partials = group.run(plan, block, merge);
                phases.ended("partitions");
                rows.add(merge.combine(partials));
                phases.ended("combine");
            }
            query.progress().finishes();
            costs.scanned(digest, task.explained(), query.progress().scanNanos());
            List<byte[]> finished = null;
            if (plan.onWorker()) {
                byte[] statement =
                        FinalQueryRun.statement(plan, rows, StandardCharsets.UTF_8, finalQueryLimits(budget));
                finished = group.finalQuery(statement, budget);
            }
            group.endOrRetain();
            entry.close();
            if (query.endedFromOutside()) {
                throw Failures.cancelled();
            }
            return Optional.of(new CollectedRows(
                    plan,
                    rows,
                    finished,
                    group.partitions(),
                    group.degree(),
                    group.snapshot(),
                    group.filters(),
                    budget));
        } catch (MergeException e) {
            throw Failures.of(e);
        } catch (BudgetExceededException e) {
            throw new RefusedException(Reason.MEMORY, String.valueOf(e.getMessage()));
        }
    }

    private DynamicFilters.FilterLimits filterLimits(FanOutTask task) {
        // half of the server's limit, because the lists are part of the statement's text
        long bytes =
                shared.workers().facts().map(facts -> facts.maxPacket() / 2).orElse(0L);
        return new DynamicFilters.FilterLimits(
                config.fanOut().filters().keys(),
                bytes,
                costs.open(task.logical().statement()));
    }

    private FinalQueryRun.FinalQueryLimits finalQueryLimits(MemoryBudget budget) {
        // half of the server's limit, because the statement also holds the names and types of the columns, after the
        // rows
        long bytes =
                shared.workers().facts().map(facts -> facts.maxPacket() / 2).orElse(Long.MAX_VALUE);
        return new FinalQueryRun.FinalQueryLimits(
                config.limits().finalQueryRows(), bytes, shared.catalog().readsEscapes(), budget);
    }

    /** Runs the final query, if no worker has, and answers. */
    private void finish(CollectedRows collected, Charset charset, ResultSetHeader head, CutTexts texts)
            throws RefusedException, InterruptedException {
        try (collected) {
            Iterable<byte[]> payloads = collected.finished();
            if (payloads == null) {
                payloads = FinalQueryRun.finish(
                        collected.plan(),
                        collected.rows(),
                        head.columns(),
                        charset,
                        client,
                        finalQueryLimits(collected.budget()));
            }
            if (collected.plan().hasFinalQuery() && !texts.unchecked()) {
                for (byte[] payload : payloads) {
                    texts.refuse(Row.of(payload, head.columns()));
                }
            }
            phases.ended("finish");
            answer(head, collected, payloads);
        }
    }

    private void answer(ResultSetHeader head, CollectedRows collected, Iterable<byte[]> payloads) {
        ClientConnection.Answer answer = client.answer(head);
        try {
            for (byte[] payload : payloads) {
                answer.row(payload);
            }
            count.fannedOut(collected.partitions(), collected.degree(), collected.snapshot(), collected.filters());
            answer.end();
        } catch (ClientGoneException e) {
            count.cancelled(String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            count.cancelled("the proxy stops while it answers");
            Interruption interruption = Interruption.of(
                    QueryExecution.Cancel.STOPPING, shared.catalog().flavor());
            answer.fail(interruption.errno(), interruption.sqlState(), interruption.message());
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            LOG.warn("session {}: an answer broke off", client.backendThreadId(), e);
            count.brokeOff(Reason.INTERNAL, e.toString());
            answer.fail(AnswerCount.UNKNOWN_ERROR, "HY000", "the merged answer broke off: " + e);
        }
    }
}
