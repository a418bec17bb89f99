package io.fanfold.execute;

import io.fanfold.execute.FanOutScope.Stage;
import io.fanfold.execute.PreflightStep.AskedStatement;
import io.fanfold.operator.BudgetExceededException;
import io.fanfold.operator.MemoryBudget;
import io.fanfold.operator.Merge;
import io.fanfold.operator.MergeException;
import io.fanfold.operator.MergedRows;
import io.fanfold.operator.PartialMerge;
import io.fanfold.plan.MergeNode;
import io.fanfold.plan.StatementPlan;
import io.fanfold.reason.RefusedException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The third step: takes workers, opens their snapshots, completes the plan, runs the partition queries and merges their
 * rows. Streamed rows are also answered here, while workers still read. For the coordinator thread.
 */
record ScanStep(FanOutScope scope, QueryExecution query, MemoryBudget budget) {
    /**
     * The merged input of the final query, and the whole answer if a worker ran that query. The workers are free again.
     *
     * @param finished the rows of the answer if a worker ran the final query; else null
     * @param limits of the final query
     */
    record ScannedRows(
            StatementPlan plan,
            List<MergedRows> rows,
            @Nullable List<byte[]> finished,
            PartCount partitions,
            int degree,
            String snapshot,
            FilterUse filters,
            FinalQueryRun.FinalQueryLimits limits)
            implements AutoCloseable {
        @Override
        public void close() {
            rows.forEach(MergedRows::close);
        }
    }

    /**
     * Takes workers and runs the partition queries.
     *
     * @return empty if the statement has already been answered
     * @throws RefusedException if it failed before the answer began
     */
    Optional<ScannedRows> run(AskedStatement asked) throws RefusedException, InterruptedException {
        FanOutTask task = asked.task();
        FanOutResources shared = scope.shared();
        try (WorkerGroup group = WorkerGroup.collect(
                        query, task, scope.config(), shared, scope.check().isPresent());
                ProcessListEntry entry = new ProcessListEntry(query, scope.client(), scope.flavor())) {
            scope.reads(group.servers());
            scope.phases().ended("workers");
            scope.reaches(Stage.WORKING);
            StatementPlan plan = plan(group, entry, asked);
            ServerLoad.Mark begin = shared.registry().load().mark();
            boolean streamed = plan.blocks().get(0).merge() instanceof MergeNode.Streamed;
            begins(task, streamed);
            if (streamed) {
                new StreamedAnswer(scope, query, budget, entry)
                        .run(group, plan.blocks().get(0), asked.head(), asked.certain());
                scanned(task, begin);
                return Optional.empty();
            }
            List<MergedRows> rows = merged(group, plan, task, begin);
            List<byte[]> finished = null;
            if (plan.onWorker()) {
                byte[] statement = FinalQueryRun.statement(plan, rows, StandardCharsets.UTF_8, finalQueryLimits());
                finished = group.finalQuery(statement, budget);
            }
            scope.check().ifPresent(group::handOver);
            group.endOrRetain();
            entry.close();
            if (query.cancelledWithoutFailure()) {
                throw FailureMap.cancelled();
            }
            return Optional.of(new ScannedRows(
                    plan,
                    rows,
                    finished,
                    group.partitions(),
                    group.degree(),
                    group.snapshot(),
                    group.filters(),
                    finalQueryLimits()));
        } catch (MergeException | BudgetExceededException e) {
            throw FailureMap.of(e);
        }
    }

    /** Opens the snapshots, completes the plan, and reads the keys of the dynamic filters. */
    private StatementPlan plan(WorkerGroup group, ProcessListEntry entry, AskedStatement asked)
            throws RefusedException, InterruptedException {
        FanOutTask task = asked.task();
        FanOutRequest request = scope.request();
        CostModel costs = scope.costs();
        StatementPlan plan = group.plan(scope.metrics(), scope.phases());
        if (task.spider().isPresent()) {
            task.spider().get().require(plan.blocks().get(0), task.queries(), group.degree());
        }
        // only now, because the client's own connection may have opened one of the snapshots
        entry.showLater(
                request.sql(),
                asked.charset(),
                request.arrivalNanos(),
                scope.shared().killers(),
                group.locks());
        if (!costs.open(task.logical().statement())) {
            costs.evaluate(group.planRegression(plan), scope.digest());
        }
        scope.shared().history().began(System.nanoTime() - request.arrivalNanos() - group.searchNanos());
        // a list of keys would go to other servers, which may read it with other settings
        if (task.spider().isEmpty() && costs.filters(task.logical().statement(), scope.digest())) {
            group.filter(plan, filterLimits(task), budget);
        } else {
            group.avoidFilters();
        }
        group.divideUnread(plan);
        scope.phases().ended("filters");
        scope.planned(new PlannedScan(task, plan, group.serverNames(), group.degree(), group.snapshot()));
        return plan;
    }

    /**
     * Ends the split later if it takes much longer than the statement without a split.
     *
     * @param streamed whether its answer begins while workers still read; then it has no limit
     */
    private void begins(FanOutTask task, boolean streamed) {
        long passed = System.nanoTime() - scope.request().arrivalNanos();
        Optional<Duration> limit =
                scope.costs().splitLimit(task.logical().statement().hint(), scope.digest());
        if (!scope.costs().open(task.logical().statement())) {
            scope.shared().history().splitBegins(scope.digest());
        }
        if (!streamed) {
            limit.ifPresent(
                    most -> query.after(most.minusNanos(passed), () -> query.cancel(QueryExecution.Cancel.SLOWER)));
        }
    }

    /** Runs the partition queries of all blocks. */
    private List<MergedRows> merged(WorkerGroup group, StatementPlan plan, FanOutTask task, ServerLoad.Mark begin)
            throws RefusedException, InterruptedException, MergeException, BudgetExceededException {
        query.progress().begins(task.queries(), plan.hasFinalQuery());
        boolean atOnce = plan.hasFinalQuery() && plan.portioned().isEmpty();
        long mostRows = atOnce ? scope.config().limits().finalQueryRows() : Long.MAX_VALUE;
        List<MergedRows> rows = new ArrayList<>();
        long groups = 0;
        for (int block = 0; block < plan.blocks().size(); block++) {
            Merge merge = Merge.of(plan.blocks().get(block).merge(), budget, mostRows);
            List<PartialMerge> partials = group.run(plan, block, merge);
            scope.phases().ended("partitions");
            rows.add(merge.combine(partials));
            groups = merge.mergedGroups();
            scope.phases().ended("combine");
        }
        scanned(task, begin);
        if (rows.size() == 1 && groups > 0) {
            scope.shared().history().grouped(scope.digest(), query.progress().mostReceived(), groups);
        }
        query.progress().finishes();
        return rows;
    }

    private void scanned(FanOutTask task, ServerLoad.Mark begin) {
        FanOutProgress progress = query.progress();
        long nanos = progress.scanNanos();
        long coreNanos = (long) (nanos / scope.loadSince(begin));
        scope.costs().scanned(scope.digest(), task.explained(), nanos, coreNanos, progress.received());
    }

    private DynamicFilters.FilterLimits filterLimits(FanOutTask task) {
        // half of the server's limit, because the lists are part of the statement's text
        return new DynamicFilters.FilterLimits(
                scope.config().fanOut().filters().keys(),
                halfPacket().orElse(0L),
                scope.costs().open(task.logical().statement()));
    }

    private FinalQueryRun.FinalQueryLimits finalQueryLimits() {
        // half of the server's limit, because the statement also holds the names and types of the columns, after the
        // rows
        return new FinalQueryRun.FinalQueryLimits(
                scope.config().limits().finalQueryRows(),
                halfPacket().orElse(Long.MAX_VALUE),
                scope.shared().catalog().probes().readsEscapes(),
                budget);
    }

    private Optional<Long> halfPacket() {
        return scope.shared().workers().facts().map(facts -> facts.maxPacket() / 2);
    }
}
