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
import io.fanfold.config.FanOutConfig;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.merge.BudgetExceededException;
import io.fanfold.merge.Fold;
import io.fanfold.merge.MemoryBudget;
import io.fanfold.merge.PartialFold;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.metrics.Reason;
import io.fanfold.plan.CostGate;
import io.fanfold.plan.CostGate.Verdict;
import io.fanfold.plan.ExplainedTable;
import io.fanfold.plan.FanOutPlan;
import io.fanfold.plan.FanOutPlan.Finish;
import io.fanfold.plan.PartitionShare;
import io.fanfold.plan.SplitDecision;
import io.fanfold.plan.SplitDecision.PassThrough;
import io.fanfold.plan.SplitDraft;
import io.fanfold.plan.SplitPlanner;
import io.fanfold.row.Row;
import io.fanfold.sql.SelectModel.TableRef;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

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
    private String snapshot = "";
    private List<PartitionShare> shares = List.of();
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
        shares = PartitionShare.of(((Verdict.Worth) verdict).partitions(), leases.size());
        return asked.prepared();
    }

    /**
     * Has the largest partition query explained: where its join order differs from the whole statement's, or it reads
     * more, the partition queries together may take longer than the statement.
     *
     * @return what speaks against the split, empty when nothing does
     */
    Optional<PassThrough> doubts(FanOutPlan plan) throws Abandoned {
        if (task.draft().model().tables().size() < 2) {
            return Optional.empty();
        }
        String largest = plan.partitionQuery(shares.get(0).names());
        try {
            Reply.Result explained = first().query(Explain.statement(largest, catalog.mariaDb()));
            return CostGate.worse(
                    wholePlan,
                    Explain.read(explained.columns(), explained.rows()),
                    task.draft().split(),
                    shares.size());
        } catch (ServerException e) {
            throw new Abandoned(Reason.WORKER_ERROR, e.errno() + ": " + e.getMessage());
        } catch (IOException e) {
            throw new Abandoned(Reason.WORKER_ERROR, e.toString());
        }
    }

    private Optional<byte[]> padWeight(String charset, String collation) {
        return catalog.padWeight(charset, collation, first());
    }

    /** There may be fewer partition queries than connections were taken. */
    private void giveBackSpare() {
        while (leases.size() > shares.size()) {
            giveBack(leases.remove(leases.size() - 1));
        }
    }

    /** Runs the partition queries; returns what each worker folded. */
    List<PartialFold> run(FanOutPlan plan, Fold fold) throws Abandoned, InterruptedException {
        AtomicInteger next = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        List<Future<PartialFold>> working = new ArrayList<>();
        @Nullable Abandoned failure = null;
        for (Lease lease : leases) {
            try {
                working.add(threads.submit(new PartitionWork(
                        query,
                        lease,
                        plan,
                        shares,
                        next,
                        done,
                        fold.newPartial(),
                        lease != leases.get(0) || !finishesHere(plan))));
            } catch (RejectedExecutionException e) {
                if (working.isEmpty()) {
                    throw new Abandoned(Reason.POOL_BUSY, "no thread for a worker");
                }
            }
        }
        List<PartialFold> partials = new ArrayList<>();
        for (Future<PartialFold> future : working) {
            try {
                partials.add(ended(future));
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
        if (done.get() != partitions()) {
            throw new Abandoned(Reason.INTERNAL, done.get() + " of " + partitions() + " partitions were read");
        }
        return partials;
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

    /** Waits for a worker also when interrupted: its connection must not be given back before it is through with it. */
    private PartialFold ended(Future<PartialFold> future) throws ExecutionException {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return future.get();
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
        if (known != null && !isConsequence(known)) {
            return known;
        }
        return cause instanceof Abandoned abandoned ? abandoned : new Abandoned(Reason.INTERNAL, String.valueOf(cause));
    }

    private static boolean isConsequence(Abandoned failure) {
        return failure.detail().startsWith("1317") || failure.detail().equals(PartitionWork.CANCELLED);
    }

    private WireConnection first() {
        return leases.get(0).connection();
    }

    private List<WireConnection> connections() {
        return leases.stream().map(Lease::connection).toList();
    }

    int partitions() {
        return shares.stream().mapToInt(share -> share.partitions().size()).sum();
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
