package io.fanfold.execute;

import io.fanfold.client.ServerException;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.ReuseConfig.Reuse;
import io.fanfold.discovery.CatalogService;
import io.fanfold.execute.WorkerSnapshot.OpenSnapshots;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.operator.Exchange;
import io.fanfold.operator.MemoryBudget;
import io.fanfold.operator.Merge;
import io.fanfold.operator.PartialMerge;
import io.fanfold.plan.FanOutPlan;
import io.fanfold.plan.KeyList;
import io.fanfold.plan.MergeNode;
import io.fanfold.plan.PlanDoubt;
import io.fanfold.plan.SplitPlanner;
import io.fanfold.plan.StatementPlan;
import io.fanfold.plan.rule.Rules;
import io.fanfold.pool.Lease;
import io.fanfold.pool.RetainedSnapshots.RetainedWorkers;
import io.fanfold.pool.WorkerServer;
import io.fanfold.pool.WorkerServers;
import io.fanfold.reason.RefusedException;
import io.fanfold.row.Column;
import io.fanfold.snapshot.SnapshotOutcome.SnapshotState;
import io.fanfold.sql.SelectModel.TableRef;
import io.fanfold.variables.ResultsCharset;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The worker connections of one fan-out, from admission to release: their settings, their snapshot and its proof, the
 * partition list that worker 0's open transaction pins, and the partition queries. Used by the coordinator thread;
 * partition queries run on threads of their own.
 */
final class WorkerGroup implements AutoCloseable {
    private final QueryExecution query;
    private final FanOutTask task;
    private final CatalogService catalog;
    private final FanOutResources shared;
    private final List<Lease> leases;

    /** What each server gives to the fan-out, also what has been released. */
    private final List<ServerShare> shares;
    /** Connections that this statement does not need now; a transaction keeps them for its next statement. */
    private final List<Lease> idle = new ArrayList<>();

    private final SplitPlanner planner;
    private FilterUse filters = FilterUse.NONE;

    /** The server of worker 0. */
    private final WorkerServer server;

    private final WorkerAdmission admission;

    /** All servers, of which this fan-out may read several. */
    private final WorkerServers all;

    /** The retained snapshots, if earlier statements of the transaction have opened them. */
    private final Optional<RetainedWorkers> retained;

    private final boolean verified;

    private SnapshotState proof = SnapshotState.NOT_PROVABLE;
    private Optional<StatementReuse> reused = Optional.empty();
    private int degree;

    private WorkerGroup(
            ServerChoice choice, FanOutResources shared, Optional<RetainedWorkers> retained, boolean verified) {
        this.admission = choice.admission();
        this.verified = verified;
        this.query = admission.query();
        this.server = admission.server();
        this.retained = retained;
        this.task = admission.task();
        this.catalog = shared.catalog();
        this.shared = shared;
        this.all = shared.servers();
        this.leases = new ArrayList<>(choice.leases());
        this.shares = new ArrayList<>(List.of(new ServerShare(server, leases)));
        shares.addAll(choice.others());
        choice.others().forEach(share -> idle.addAll(share.leases()));
        this.planner = new SplitPlanner(catalog.flavor(), new Rules());
    }

    /**
     * Takes worker connections; fewer than wanted if fewer are free. Cancelling the query ends the wait.
     *
     * @param verified whether a verification takes over a worker, see {@link #handOver}
     * @throws RefusedException if fewer than two become free in time; one suffices for a table of one partition
     */
    static WorkerGroup collect(
            QueryExecution query, FanOutTask task, FanfoldConfig config, FanOutResources shared, boolean verified)
            throws RefusedException, InterruptedException {
        boolean retains = task.transaction().map(TransactionWork::retains).orElse(false);
        Optional<TransactionWork> later = task.transaction().filter(TransactionWork::needsSnapshots);
        if (later.isPresent()) {
            Optional<RetainedWorkers> held = later.get().place().transaction().snapshots();
            WorkerAdmission admission = ServerChoice.onPrimary(query, task, config, shared, verified && retains);
            ServerChoice choice = new ServerChoice(admission, admission.takeRetained(held), List.of());
            return new WorkerGroup(choice, shared, held, verified);
        }
        ServerChoice choice = ServerChoice.take(query, task, config, shared, verified && retains);
        return new WorkerGroup(choice, shared, Optional.empty(), verified);
    }

    /** The servers that are read, that of worker 0 first. */
    List<WorkerServer> servers() {
        return shares.stream().map(ServerShare::server).toList();
    }

    /** The names of these servers, with commas between them. */
    String serverNames() {
        return servers().stream().map(WorkerServer::name).collect(Collectors.joining(", "));
    }

    /** Opens proven snapshots, pins the partition list and completes the plan. */
    StatementPlan plan(FanfoldMetrics metrics, Phases phases) throws RefusedException, InterruptedException {
        try {
            ResultsCharset results =
                    planner.rowsAsClient(task.logical()) ? ResultsCharset.AS_CLIENT : ResultsCharset.UTF8MB4;
            List<TableRef> outside = task.outside();
            OpenSnapshots opened = snapshots(results, metrics);
            proof = opened.proof();
            task.transaction().ifPresent(TransactionWork::begun);
            phases.ended("snapshot");
            List<List<Column>> types = new ArrayList<>();
            for (BlockPlanning block : task.blocks()) {
                types.add(block.judge(leases, task, outside, catalog, shared.keyRanges()));
                outside = List.of();
            }
            phases.ended("worker 0");
            StatementPlan plan = PlanFaults.apply(choice().cheapest(types));
            for (int i = 0; i < task.blocks().size(); i++) {
                task.blocks().get(i).narrow(plan.blocks().get(i), leases.get(0), leases.size(), catalog.flavor());
            }
            ResultsCharset needed = plan.hasFinalQuery() ? ResultsCharset.UTF8MB4 : ResultsCharset.AS_CLIENT;
            if (needed != results) {
                Lease.apply(leases, task.settings(), needed);
            }
            reused = shared.reuse().of(task, opened.position(), needed, catalog.flavor());
            releaseSpare();
            shares.removeIf(
                    share -> share.server() != server && share.leases().stream().noneMatch(leases::contains));
            servers().forEach(WorkerServer::serves);
            phases.ended("plan");
            return plan;
        } catch (ServerException | IOException e) {
            throw FailureMap.of(e);
        }
    }

    private OpenSnapshots snapshots(ResultsCharset results, FanfoldMetrics metrics)
            throws RefusedException, IOException, ServerException, InterruptedException {
        List<ServerShare> others = List.copyOf(shares.subList(1, shares.size()));
        boolean positioned = task.reuse().mode() == Reuse.ON || !others.isEmpty();
        FirstServer first =
                new FirstServer(admission, catalog, retained, leases, task.outside(), results, positioned, metrics);
        SeveralServers.Opened opened = new SeveralServers(query, task, others, all, results, metrics).open(first);
        if (!others.isEmpty()) {
            shares.clear();
            shares.add(new ServerShare(server, leases));
            shares.addAll(opened.equal());
            idle.clear();
            leases.clear();
            leases.addAll(ServerShare.inTurns(shares));
        }
        return opened.first();
    }

    /** How long it took to find ranges of tables, in nanoseconds; 0 if they were known. */
    long searchNanos() {
        return task.blocks().stream().mapToLong(BlockPlanning::searchNanos).sum();
    }

    /** See {@link PlanChoice#regression}. */
    Optional<PlanDoubt> planRegression(StatementPlan plan) throws RefusedException {
        return choice().regression(plan, leases.size());
    }

    private PlanChoice choice() {
        return new PlanChoice(task, planner, catalog, leases.get(0));
    }

    /**
     * Has worker 0 read the keys of the dynamic filters, and releases the connections that are then not needed.
     *
     * @param budget counts the bytes of the keys, until the caller closes it
     */
    void filter(StatementPlan plan, DynamicFilters.FilterLimits bounds, MemoryBudget budget) throws RefusedException {
        try {
            for (int i = 0; i < task.blocks().size(); i++) {
                task.blocks().get(i).filter(plan.blocks().get(i), leases, bounds, budget, catalog.flavor());
            }
            releaseSpare();
            filters = new FilterUse(
                    task.blocks().stream()
                            .flatMap(block -> block.filters().stream())
                            .map(KeyList::keys)
                            .toList(),
                    task.blocks().stream()
                            .mapToDouble(BlockPlanning::left)
                            .max()
                            .orElse(1),
                    false);
        } catch (ServerException | IOException e) {
            throw FailureMap.of(e);
        }
    }

    /** Skips the dynamic filters that this statement may have. */
    void avoidFilters() {
        filters = FilterUse.AVOIDED;
    }

    FilterUse filters() {
        return filters;
    }

    /** Releases the connections for which there is no partition query; a transaction keeps them with their snapshots. */
    private void releaseSpare() {
        int parts = task.blocks().stream()
                .mapToInt(block -> block.parts().size())
                .max()
                .orElse(0);
        int atMost = shares.size() > 1 ? task.degree() : admission.atMost();
        int most = retained.isPresent() ? parts : Math.min(parts, atMost);
        List<Lease> spare = leases.subList(Math.min(most, leases.size()), leases.size());
        if (retains()) {
            idle.addAll(spare);
        } else {
            release(spare);
        }
        spare.clear();
        degree = leases.size();
    }

    /** See {@link PartitionScan#run}. */
    List<PartialMerge> run(StatementPlan plan, int number, Merge merge) throws RefusedException, InterruptedException {
        List<PartialMerge> partials = scan().run(plan, number, merge);
        leases.removeIf(Lease::closed);
        return partials;
    }

    /** The number of partition queries that {@link #stream} runs. */
    int streams(MergeNode.Streamed node) {
        return node.keys().isEmpty() ? task.blocks().get(0).parts().size() : leases.size();
    }

    /** See {@link PartitionScan#stream}. */
    WorkerRuns stream(FanOutPlan plan, MergeNode.Streamed node, Exchange exchange) throws RefusedException {
        return scan().stream(plan, node, exchange);
    }

    /** Divides the partitions that must be read among the workers, see {@link UnreadParts}. */
    void divideUnread(StatementPlan plan) throws RefusedException, InterruptedException {
        if (reused.isEmpty()) {
            return;
        }
        try {
            for (int i = 0; i < task.blocks().size(); i++) {
                FanOutPlan block = plan.blocks().get(i);
                task.blocks()
                        .get(i)
                        .divideUnread(block, reused.get(), task, leases, shared.keyRanges(), catalog.flavor());
            }
        } catch (ServerException | IOException e) {
            throw FailureMap.of(e);
        }
    }

    /** See {@link PartitionScan#known}. */
    OptionalInt known(StatementPlan plan) throws InterruptedException {
        return scan().known(plan);
    }

    private PartitionScan scan() {
        return new PartitionScan(query, task, leases, shared, retains(), reused, verified);
    }

    /**
     * Runs a final query that reads tables, in worker 0's snapshot.
     *
     * @param sql its text, in UTF-8
     * @return see {@link FinalQueryRun#onWorker}
     */
    List<byte[]> finalQuery(byte[] sql, MemoryBudget budget) throws RefusedException {
        return FinalQueryRun.onWorker(leases.get(0), task.settings(), sql, task.visibleColumns(), budget);
    }

    /** Takes user-level locks on the workers' server. For any thread. */
    ProcessListEntry.Locks locks() {
        Lease lease = leases.get(0);
        return name -> server.pool().lock(lease, name);
    }

    PartCount partitions() {
        return PartCount.of(task, query.progress());
    }

    /** The number of workers that started. */
    int degree() {
        return degree;
    }

    /** The snapshot proof: {@code verified}, {@code locked} or {@code relaxed}. */
    String snapshot() {
        return proof.label();
    }

    private void release(List<Lease> given) {
        given.forEach(query::letGo);
        Lease.closeAll(given);
    }

    private boolean retains() {
        return task.transaction().isPresent() && task.transaction().get().retains();
    }

    /** Returns the workers that are still open, and detaches them from this fan-out. */
    private List<Lease> takeLeft() {
        List<Lease> left = Stream.concat(leases.stream(), idle.stream())
                .filter(lease -> !lease.closed())
                .toList();
        leases.clear();
        idle.clear();
        return left;
    }

    /**
     * Hands a worker with its snapshot over to a verification, unless it has one, the transaction needs all of them, or
     * they are not proven equal. No partition query runs any more.
     */
    void handOver(ShadowCheck check) {
        if (proof == SnapshotState.RELAXED || !check.needsWorker()) {
            return;
        }
        List<Lease> open = Stream.concat(leases.stream(), idle.stream())
                .filter(lease -> !lease.closed() && lease.connection().idle())
                .filter(lease -> lease.connection().inTransaction())
                .toList();
        // the transaction's next statement needs as many, see WorkerAdmission.takeRetained
        int kept = retains() ? Math.min(2, task.degree()) : 0;
        if (open.size() > kept) {
            // the last one, because worker 0 has the transaction's metadata locks
            Lease last = open.get(open.size() - 1);
            leases.remove(last);
            idle.remove(last);
            query.letGo(last);
            check.take(last);
        }
    }

    /**
     * Called before an answer: keeps the snapshots open for the transaction's next statement, or calls {@link #end}.
     */
    void endOrRetain() throws RefusedException {
        if (!retains()) {
            end();
            return;
        }
        TransactionWork work = task.transaction().orElseThrow();
        List<Lease> kept = takeLeft();
        if (kept.isEmpty()) {
            return;
        }
        kept.forEach(query::letGo);
        work.place().transaction().keep(server.pool().retained().keep(kept, proof, task.tables(), work.idle()));
    }

    /**
     * Like {@link #close}, but fails if a worker's transaction does not end cleanly: the worker may then have missed
     * rows. Called before an answer is declared complete.
     */
    void end() throws RefusedException {
        try {
            Lease.endTransactions(leases);
        } catch (ServerException | IOException e) {
            throw FailureMap.of(e);
        }
        shares.forEach(share -> share.server().worked());
        close();
    }

    /** Ends the workers' transactions and releases all connections that are still open. */
    @Override
    public void close() {
        if (!query.cancelledWithoutFailure()) {
            shares.forEach(share -> share.server().ended(share.leases()));
        }
        release(takeLeft());
    }
}
