package io.fanfold.execute;

import io.fanfold.backend.Lease;
import io.fanfold.backend.PreparedColumns;
import io.fanfold.backend.Reply;
import io.fanfold.backend.ResultsCharset;
import io.fanfold.backend.RowStream;
import io.fanfold.backend.ServerException;
import io.fanfold.backend.SessionSettings;
import io.fanfold.backend.SnapshotOutcome;
import io.fanfold.backend.WireConnection;
import io.fanfold.backend.WorkerPool;
import io.fanfold.catalog.CatalogSnapshot;
import io.fanfold.catalog.PartitionedTable;
import io.fanfold.catalog.PartitionedTable.Partition;
import io.fanfold.config.FanOutConfig;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.execute.PartitionQueries.PartitionQuery;
import io.fanfold.merge.BudgetExceededException;
import io.fanfold.merge.Fold;
import io.fanfold.merge.MemoryBudget;
import io.fanfold.merge.PartialFold;
import io.fanfold.merge.RowFlow;
import io.fanfold.merge.RowSink;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.metrics.Reason;
import io.fanfold.plan.CostGate;
import io.fanfold.plan.CostGate.Verdict;
import io.fanfold.plan.ExplainedTable;
import io.fanfold.plan.FanOutPlan;
import io.fanfold.plan.FanOutPlan.Finish;
import io.fanfold.plan.MergeNode;
import io.fanfold.plan.SplitDecision;
import io.fanfold.plan.SplitDecision.PassThrough;
import io.fanfold.plan.SplitDraft;
import io.fanfold.plan.SplitPlanner;
import io.fanfold.row.Row;
import io.fanfold.sql.SelectModel.TableRef;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.function.IntFunction;

/**
 * The worker connections of one fan-out, from being taken to being given back: their settings, their snapshot and its
 * proof, the partition list that worker 0's open transaction pins, and the partition queries. For the thread that
 * coordinates the fan-out; the partition queries run on threads of their own.
 */
final class WorkerGang implements AutoCloseable {
    /** What a gang needs to know of the statement. */
    record Task(
            SplitDraft draft,
            String original,
            SessionSettings settings,
            PartitionedTable table,
            int visibleColumns,
            int degree) {}

    private final LiveQuery query;
    private final Task task;
    private final CatalogWatch catalog;
    private final ExecutorService threads;
    private final List<Lease> leases;
    private final SplitPlanner planner;
    private final BitSet givenBack = new BitSet();
    private String snapshot = "";
    private List<Partition> partitions = List.of();
    private List<ExplainedTable> wholePlan = List.of();

    private WorkerGang(LiveQuery query, Task task, CatalogWatch catalog, ExecutorService threads, List<Lease> leases) {
        this.query = query;
        this.task = task;
        this.catalog = catalog;
        this.threads = threads;
        this.leases = new ArrayList<>(leases);
        this.planner = new SplitPlanner(catalog.mariaDb(), false);
    }

    /** Takes worker connections, or abandons the fan-out when no two are free in time. */
    static WorkerGang gather(
            LiveQuery query,
            Task task,
            WorkerPool pool,
            FanfoldConfig config,
            CatalogWatch catalog,
            ExecutorService threads)
            throws Abandoned, InterruptedException {
        int atMost = Math.min(task.degree(), task.table().partitions().size());
        int atLeast = Math.min(2, atMost);
        List<Lease> leases = pool.acquire(atMost, atLeast, config.workers().queueWait());
        if (leases.isEmpty()) {
            throw new Abandoned(Reason.POOL_BUSY, pool.failure().orElse("all in use"));
        }
        leases.forEach(lease -> query.takeOn(lease.connection()));
        return new WorkerGang(query, task, catalog, threads, leases);
    }

    /** Opens proven snapshots, pins the partition list and completes the plan. */
    FanOutPlan plan(FanOutConfig config, WorkerPool pool, FanfoldMetrics metrics, Phases phases)
            throws Abandoned, InterruptedException {
        try {
            ResultsCharset results =
                    planner.rowsAsClient(task.draft()) ? ResultsCharset.AS_CLIENT : ResultsCharset.UTF8MB4;
            Lease.apply(leases, task.settings(), results);
            phases.ended("settings");
            SnapshotOutcome outcome = pool.snapshots().open(connections(), config);
            metrics.snapshot(outcome.usable(), Math.max(1, outcome.rounds()), outcome.nanos());
            if (!outcome.usable()) {
                throw new Abandoned(Reason.SNAPSHOT, outcome.kind() + ": " + outcome.detail());
            }
            snapshot = outcome.label();
            phases.ended("snapshot");
            PreparedColumns types = judge(config, results);
            phases.ended("worker 0");
            SortedDates.refuse(task.draft(), types.columns(), wholePlan, catalog.mariaDb());
            CatalogSnapshot catalogSnapshot = catalog.snapshot()
                    .orElseThrow(() -> new Abandoned(Reason.PARTITIONS, "the catalog has not been read"));
            SplitDecision decision = planner.complete(
                    task.draft(),
                    types.columns(),
                    task.visibleColumns(),
                    catalogSnapshot,
                    this::padWeight,
                    task.settings().fixedTimeZone(leases.get(0).facts().systemUtc()));
            if (decision instanceof PassThrough pass) {
                throw new Abandoned(pass);
            }
            FanOutPlan plan = (FanOutPlan) decision;
            giveBackSpare();
            phases.ended("plan");
            return plan;
        } catch (ServerException e) {
            throw new Abandoned(Reason.WORKER_ERROR, e.errno() + ": " + e.getMessage());
        } catch (IOException e) {
            throw new Abandoned(Reason.WORKER_ERROR, e.toString());
        }
    }

    /**
     * Asks worker 0 inside its transaction, which from then on keeps the table's definition as it is.
     *
     * @return the types of the draft's inputs
     */
    private PreparedColumns judge(FanOutConfig config, ResultsCharset results)
            throws Abandoned, IOException, ServerException {
        TableRef split = task.draft().split();
        Lease.Asked asked = leases.get(0)
                .ask(
                        List.of(Explain.statement(task.original(), catalog.mariaDb()), TableProof.statement(split)),
                        SplitPlanner.typingQuery(task.draft()),
                        task.settings(),
                        results);
        List<Reply> replies = asked.replies();
        if (replies.get(0) instanceof Reply.Failed failed) {
            throw failed.exception();
        }
        if (!(replies.get(0) instanceof Reply.Result explained) || !(replies.get(1) instanceof Reply.Result shown)) {
            throw new Abandoned(Reason.TABLE_UNREADABLE, split.name() + " as the workers see it");
        }
        // the name may have become a view's since the client's session was asked
        TableProof.check(
                split,
                new ClientPort.Reply.Rows(shown.columns(), shown.rows(), shown.warnings()),
                true,
                task.draft().notColumnsOf(split));
        wholePlan = Explain.read(explained.columns(), explained.rows());
        Verdict verdict = new CostGate(config.minRows())
                .judge(wholePlan, split, task.table(), task.draft().model().hint());
        if (verdict instanceof Verdict.NotWorth no) {
            if (no.decision().reason() == Reason.PARTITIONS) {
                catalog.refreshSoon();
            }
            throw new Abandoned(no.decision());
        }
        partitions = ((Verdict.Worth) verdict).partitions();
        return asked.prepared();
    }

    /**
     * Has the largest partition query explained: where its join order differs from the whole statement's, or it reads
     * more, the partitions together may take longer than the statement.
     *
     * @return what speaks against the split, empty when nothing does
     */
    Optional<PassThrough> doubts(FanOutPlan plan) throws Abandoned {
        if (task.draft().model().tables().size() < 2) {
            return Optional.empty();
        }
        boolean merged =
                plan.merge() instanceof MergeNode.Streamed rows && !rows.keys().isEmpty();
        List<List<Partition>> groups = merged
                ? PartitionGroups.balanced(partitions, task.table().partitions(), leases.size())
                : List.of(List.of(partitions.get(0)));
        String largest = query(plan, 0, groups.get(0)).sql();
        try {
            Reply.Result explained = first().query(Explain.statement(largest, catalog.mariaDb()));
            return CostGate.worse(
                    wholePlan,
                    Explain.read(explained.columns(), explained.rows()),
                    task.draft().split(),
                    merged ? groups.size() : partitions.size());
        } catch (ServerException e) {
            throw new Abandoned(Reason.WORKER_ERROR, e.errno() + ": " + e.getMessage());
        } catch (IOException e) {
            throw new Abandoned(Reason.WORKER_ERROR, e.toString());
        }
    }

    private Optional<byte[]> padWeight(String charset, String collation) {
        return catalog.padWeight(charset, collation, first());
    }

    /** Fewer partitions may be left than connections were taken. */
    private void giveBackSpare() {
        while (leases.size() > partitions.size()) {
            giveBack(leases.remove(leases.size() - 1));
        }
    }

    /** Runs the partition queries, the largest first; returns what each worker folded. */
    List<PartialFold> run(FanOutPlan plan, Fold fold) throws Abandoned, InterruptedException {
        List<Partition> order = task.table().partitions();
        List<PartitionQuery> queries = partitions.stream()
                .map(partition -> query(plan, order.indexOf(partition), List.of(partition)))
                .toList();
        List<PartialFold> partials = new ArrayList<>();
        leases.forEach(lease -> partials.add(fold.newPartial()));
        PartitionQueries shared = new PartitionQueries(queries);
        start(worker -> shared, partials, !finishesHere(plan)).await();
        if (shared.done() != partitions.size()) {
            throw new Abandoned(Reason.INTERNAL, shared.done() + " of " + partitions.size() + " partitions were read");
        }
        return partials;
    }

    /** How many partition queries {@link #stream} runs. */
    int streams(MergeNode.Streamed node) {
        return node.keys().isEmpty() ? partitions.size() : leases.size();
    }

    /**
     * Starts the partition queries of rows that flow: those of single partitions, in the order of the partitions; or, where
     * they are merged, one for each worker over a group of partitions.
     */
    WorkerRuns stream(FanOutPlan plan, MergeNode.Streamed node, RowFlow flow) throws Abandoned {
        List<Partition> order = task.table().partitions();
        boolean merged = !node.keys().isEmpty();
        List<PartitionQuery> queries = new ArrayList<>();
        for (List<Partition> group : merged
                ? PartitionGroups.balanced(partitions, order, leases.size())
                : PartitionGroups.single(partitions, order)) {
            queries.add(query(plan, queries.size(), group));
        }
        List<RowSink> sinks = new ArrayList<>();
        leases.forEach(lease -> sinks.add(flow.newSink()));
        // the first worker's transaction keeps the partitions as they are until all have been read
        PartitionQueries shared = new PartitionQueries(queries);
        // runs that are merged are needed at the same time: no worker may have two of them
        IntFunction<PartitionQueries> own = worker -> new PartitionQueries(List.of(queries.get(worker)));
        WorkerRuns runs = start(merged ? own : worker -> shared, sinks, false);
        if (merged && runs.started() < leases.size()) {
            query.cancel(LiveQuery.Cancel.FAILED);
            runs.settle();
            throw new Abandoned(Reason.POOL_BUSY, "no thread for a worker");
        }
        return runs;
    }

    private static PartitionQuery query(FanOutPlan plan, int index, List<Partition> group) {
        return new PartitionQuery(
                index,
                plan.partitionQuery(group.stream().map(Partition::selectName).toList()));
    }

    /**
     * Starts the workers.
     *
     * @param queries what the worker of a number takes
     * @param firstEnds whether the snapshot of worker 0 is of no further use when it is through
     */
    private WorkerRuns start(IntFunction<PartitionQueries> queries, List<? extends RowSink> sinks, boolean firstEnds)
            throws Abandoned {
        WorkerRuns runs = new WorkerRuns(query, threads);
        for (int i = 0; i < leases.size(); i++) {
            boolean started = runs.start(
                    new PartitionWork(query, leases.get(i), queries.apply(i), sinks.get(i), i > 0 || firstEnds));
            if (!started) {
                sinks.get(i).ends();
            }
        }
        if (runs.started() == 0) {
            throw new Abandoned(Reason.POOL_BUSY, "no thread for a worker");
        }
        return runs;
    }

    /** Gives back the connections of workers that are through, but for the first, whose transaction is needed. */
    void giveBackEnded(WorkerRuns runs) {
        for (int i = 1; i < leases.size(); i++) {
            if (!givenBack.get(i) && runs.ended(i)) {
                givenBack.set(i);
                giveBack(leases.get(i));
            }
        }
    }

    private static boolean finishesHere(FanOutPlan plan) {
        return plan.finish() instanceof Finish.Query query && query.onWorker();
    }

    /**
     * Runs a finish query that reads tables, in the snapshot of worker 0.
     *
     * @param sql its text
     * @param columns how many columns the answer has
     * @param budget holds the rows; whoever closes it gives them back
     * @return payloads of text rows in the client's results character set
     */
    List<byte[]> finish(String sql, int columns, MemoryBudget budget) throws Abandoned {
        try {
            Lease.apply(List.of(leases.get(0)), task.settings(), ResultsCharset.AS_CLIENT);
            List<byte[]> payloads = new ArrayList<>();
            try (RowStream rows = first().stream(sql.getBytes(StandardCharsets.UTF_8))) {
                if (rows.columns().size() != columns) {
                    throw new Abandoned(Reason.FINISH_FAILED, "no result set of " + columns + " columns");
                }
                for (Row row = rows.next(); row != null; row = rows.next()) {
                    budget.reserve(row.heapBytes());
                    payloads.add(row.payload());
                }
                if (rows.warnings() > 0) {
                    throw new Abandoned(Reason.WARNINGS, "the finish query raised " + rows.warnings());
                }
            }
            return payloads;
        } catch (ServerException e) {
            throw new Abandoned(Reason.FINISH_FAILED, e.errno() + ": " + e.getMessage());
        } catch (IOException e) {
            throw new Abandoned(Reason.FINISH_FAILED, e.toString());
        } catch (BudgetExceededException e) {
            throw new Abandoned(Reason.MEMORY, String.valueOf(e.getMessage()));
        }
    }

    private WireConnection first() {
        return leases.get(0).connection();
    }

    private List<WireConnection> connections() {
        return leases.stream().map(Lease::connection).toList();
    }

    int partitions() {
        return partitions.size();
    }

    int degree() {
        return leases.size();
    }

    /** The proof: {@code verified} or {@code relaxed}. */
    String snapshot() {
        return snapshot;
    }

    private void giveBack(Lease lease) {
        query.letGo(lease.connection());
        lease.close();
    }

    /** Ends the workers' transactions and gives all connections back. */
    @Override
    public void close() {
        leases.forEach(this::giveBack);
        leases.clear();
    }
}
