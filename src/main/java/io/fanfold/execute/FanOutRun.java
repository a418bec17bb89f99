package io.fanfold.execute;

import io.fanfold.config.FanOutConfig;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.TransactionConfig;
import io.fanfold.discovery.CatalogService;
import io.fanfold.discovery.SplitObserver;
import io.fanfold.execute.ClientConnection.ClientGoneException;
import io.fanfold.execute.ClientConnection.ResultSetHeader;
import io.fanfold.execute.Preflight.Answers;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.operator.BudgetExceededException;
import io.fanfold.operator.MemoryBudget;
import io.fanfold.operator.Merge;
import io.fanfold.operator.MergeException;
import io.fanfold.operator.MergedRows;
import io.fanfold.operator.PartialMerge;
import io.fanfold.plan.ExplainedTable;
import io.fanfold.plan.LogicalStatement;
import io.fanfold.plan.MergeNode;
import io.fanfold.plan.PreparedQueries;
import io.fanfold.plan.StatementPlan;
import io.fanfold.pool.WorkerPool;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.row.Row;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.StatementDigest;
import io.fanfold.sql.StatementModel;
import io.fanfold.variables.SessionVariables;
import io.fanfold.wire.ProtocolException;
import io.fanfold.wire.ServerFlavor;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Processes one offered statement: reads and plans it, runs the preflight queries on the client's own connection, fans
 * out, folds, runs the final query and answers. Any failure before the first byte of the answer passes the original
 * statement through, with a reason; a cancelled statement gets an error instead.
 */
final class FanOutRun {
    private static final Logger LOG = LoggerFactory.getLogger(FanOutRun.class);

    /** The services and thread pools that all runs share. */
    record Resources(
            WorkerPool workers,
            CatalogService catalog,
            MemoryBudget memory,
            QueryRegistry registry,
            RecentRefusals refusals,
            ExecutionHistory history,
            FailedAttempts attempts,
            SplitObserver observer,
            ExecutorService coordinators,
            ExecutorService workerThreads,
            ExecutorService killers) {}

    private final FanOutRequest request;
    private final ClientConnection port;
    private final FanfoldConfig config;
    private final FanfoldMetrics metrics;
    private final Resources shared;
    private final StatementAnalyzer analyzer;
    private final Phases phases;

    /** Uses the settings of the split tables once these are known; the global settings until then. */
    private CostModel costs;

    /** The session's schema, empty if it has none; null while it is not known. */
    private @Nullable String schema;

    private String digest = "";

    /** The statement without its literals, as its session reads it; "" until that is known. */
    private String shown = "";

    /**
     * Whether preflight queries ran on the client's connection. Inside a transaction they may have taken locks or
     * created a read view.
     */
    private volatile boolean questioned;

    /**
     * The fan-out's part in the client's transaction; null outside transactions, and before the session's settings are
     * known.
     */
    private volatile @Nullable TransactionWork transaction;

    /**
     * Whether all preflight queries are done. If the fan-out is cancelled after this, the statement counts as started.
     */
    private boolean asked;

    /** Whether workers have started. Their work is lost if the split is given up. */
    private boolean begun;

    /**
     * The statement that is split, with values in place of parameters. One thread writes it before another reads it.
     */
    private byte[] sql;

    private @Nullable BoundExecution bound;

    FanOutRun(FanOutRequest request, FanfoldConfig config, FanfoldMetrics metrics, Resources shared) {
        this.request = request;
        this.port = request.port();
        this.config = config;
        this.metrics = metrics;
        this.shared = shared;
        this.analyzer = new StatementAnalyzer(shared.catalog());
        this.costs = new CostModel(config.fanOut(), shared.history());
        this.phases = new Phases(request.arrivalNanos());
        this.sql = request.sql();
        this.schema = request.schema();
    }

    void passThrough(Reason reason, String detail) {
        if (LOG.isDebugEnabled()) {
            String unseen =
                    reason == Reason.NO_PARTITIONED_TABLE ? shared.catalog().unseen(schema) : "";
            LOG.debug(
                    "{} passed through: {} ({}): {}",
                    sessionName(),
                    reason.label(),
                    unseen.isEmpty() ? detail : unseen,
                    shown.isEmpty() ? shared.catalog().digest(new String(sql, StandardCharsets.UTF_8)) : shown);
        }
        metrics.passedThrough(reason);
        shared.observer().passedThrough(reason, detail);
        if (questioned) {
            request.transaction()
                    .ifPresent(place -> place.beginning().ifPresent(beginning -> putBack(place, beginning)));
        }
        port.passThrough();
    }

    /** Restores the session to its state before the transaction, so that the first statement runs in a fresh one. */
    private void putBack(TransactionPlace place, FreshTransaction beginning) {
        place.transaction().release();
        byte[] restart = beginning.restart().getBytes(StandardCharsets.US_ASCII);
        CompletableFuture<List<ClientConnection.ClientReply>> unused =
                port.ask(List.of(new ClientConnection.Command.Transaction(restart)));
        TransactionWork work = transaction;
        if (work != null && !work.keepsReadView()) {
            work.begunBy(beginning.counted());
        }
    }

    /**
     * The first step: reads and plans the statement as a session with default settings would, without asking the
     * server. A refusal here does not depend on the session's settings.
     */
    void read() {
        try {
            if (request.transaction().isPresent()
                    && config.fanOut().transactions().splits() == TransactionConfig.Splits.OFF) {
                throw new RefusedException(Reason.IN_TRANSACTION, "fan-out.transactions=off");
            }
            if (request.execution().isPresent()) {
                bound = BoundExecution.of(
                        request.execution().get(), shared.catalog().flavor());
                sql = bound.sql();
                bound.requirePlaces();
            }
            String text = analyzer.ordinaryText(sql);
            LogicalStatement preliminary = analyzer.preliminary(text);
            if (schema != null) {
                digest = Digest.of(schema, text);
                refuseAsBefore(preliminary);
            }
            shared.coordinators().execute(() -> run(preliminary, text));
        } catch (RefusedException e) {
            if (StatementAnalyzer.holdsForEverySession(e.reason())) {
                shared.refusals().rememberText(request.sql(), e.reason());
            } else if (e.reason() == Reason.MEASURED) {
                rememberForNow(e.reason());
            } else if (e.reason() == Reason.PARAMETER && bound != null && !bound.bindsNull()) {
                // binding worked for these values, so the refusal is about the places of the parameters
                rememberTextForNow(e.reason());
            }
            passThrough(e.reason(), e.detail());
        } catch (RejectedExecutionException e) {
            passThrough(Reason.POOL_BUSY, "no thread for a fan-out");
        } catch (RuntimeException | Error e) {
            LOG.warn("reading a statement failed", e);
            passThrough(Reason.INTERNAL, e.toString());
        }
    }

    /**
     * Refuses the statement if it, or one with the same digest in that schema, was refused or was slower when split.
     */
    private void refuseAsBefore(LogicalStatement preliminary) throws RefusedException {
        StatementModel statement = preliminary.statement();
        costs = new CostModel(preliminary.settings(analyzer.tables(schema)), shared.history());
        Optional<Reason> recent = shared.refusals().byDigest(digest);
        if (recent.isPresent() && !(statement.hint() instanceof SelectModel.Hint.Parallel)) {
            if (bound == null || !bound.bindsNull()) {
                rememberTextForNow(recent.get());
            }
            throw new RefusedException(recent.get(), "a like statement was refused a moment ago");
        }
        Optional<Reason> paused = shared.attempts().paused(digest);
        if (paused.isPresent() && !costs.open(statement)) {
            throw new RefusedException(paused.get(), "a split of a like statement was given up a while ago");
        }
        costs.requireNotSlower(statement, digest);
    }

    /** Does the rest, on a coordinator thread. */
    private void run(LogicalStatement preliminary, String text) {
        QueryExecution query =
                new QueryExecution(port.backendThreadId(), shared.workers().killSwitch(), shared.killers());
        shared.registry().add(query);
        CompletableFuture<Void> watched =
                port.clientGone().thenRun(() -> query.cancel(QueryExecution.Cancel.CLIENT_GONE));
        try {
            fanOut(query, preliminary, text);
        } catch (RefusedException e) {
            if (Interruption.late(e.getCause())) {
                query.cancel(QueryExecution.Cancel.LATE);
            }
            if (e instanceof KilledException) {
                query.cancel(QueryExecution.Cancel.KILLED);
            }
            if (!cancelled(query)) {
                remember(e.reason());
                if (begun && e.reason() != Reason.MEASURED && e.reason() != Reason.CLIENT_LOST) {
                    shared.attempts().failed(digest, e.reason(), System.nanoTime() - request.arrivalNanos());
                }
            }
            if (e.reason() == Reason.OTHER_SERVER) {
                shared.workers().lookAgain();
                shared.catalog().refreshSoon();
            }
            if (e.reason() == Reason.MEASURED) {
                measure();
            }
            abandoned(query, e.reason(), e.detail());
        } catch (InterruptedException e) {
            abandoned(query, Reason.INTERNAL, "interrupted");
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            LOG.warn("session {}: a fan-out failed", port.backendThreadId(), e);
            abandoned(query, Reason.INTERNAL, e.toString());
        } finally {
            query.end();
            watched.cancel(false);
            shared.registry().remove(query);
        }
    }

    /** Measures the time until the server has answered the statement that is passed through next. */
    private void measure() {
        long start = System.nanoTime();
        CompletableFuture<Void> unused =
                port.relayed().thenRun(() -> shared.history().direct(digest, System.nanoTime() - start));
    }

    private void remember(Reason reason) {
        if (reason == Reason.FEW_ROWS
                || reason == Reason.FEW_PARTITIONS
                || reason == Reason.WORSE_PLAN
                || reason == Reason.SUBQUERY
                || reason == Reason.MEMORY
                || reason == Reason.FINAL_QUERY_FAILED
                || reason == Reason.ENGINE
                || reason == Reason.TABLE_DISABLED
                || reason == Reason.ALREADY_FAST) {
            rememberForNow(reason);
        }
    }

    private void rememberForNow(Reason reason) {
        if (bound != null && bound.bindsNull()) {
            // the prepared text is also executed with other values than NULL, so the text is not remembered
            shared.refusals().rememberForNow(digest, reason);
        } else if (schema != null) {
            shared.refusals().rememberForNow(request.sql(), schema, digest, reason);
        }
    }

    private void rememberTextForNow(Reason reason) {
        if (schema != null) {
            shared.refusals().rememberTextForNow(request.sql(), schema, reason);
        }
    }

    /** Whether the query was ended from outside. Its failure then says nothing about the statement. */
    private static boolean cancelled(QueryExecution query) {
        QueryExecution.Cancel cancel = query.cancelled();
        return cancel != null && cancel != QueryExecution.Cancel.FAILED;
    }

    private void abandoned(QueryExecution query, Reason reason, String detail) {
        // whether the end of the client's connection has already cancelled the query depends on timing
        if (!cancelled(query) || reason == Reason.CLIENT_LOST) {
            passThrough(reason, detail);
            return;
        }
        QueryExecution.Cancel cancel = query.cancelled();
        count().cancelled(String.valueOf(cancel));
        Interruption interruption = Interruption.of(cancel, shared.catalog().flavor());
        port.fail(interruption.errno(), interruption.sqlState(), interruption.message(), asked);
    }

    private void fanOut(QueryExecution query, LogicalStatement preliminary, String text)
            throws RefusedException, InterruptedException {
        phases.ended("read");
        SessionVariables variables = shared.workers()
                .facts()
                .orElseThrow(() -> new RefusedException(Reason.POOL_BUSY, "no worker connection yet"))
                .variables();
        if (request.transaction().isPresent() && request.transaction().get().uncertain()) {
            Preflight.requireTransaction(
                    query, port, !request.transaction().get().first());
        }
        questioned = true;
        boolean inside = request.transaction().isPresent();
        Answers client = Preflight.ask(
                query,
                port,
                sql,
                preliminary,
                bound == null ? List.of() : bound.queries(),
                variables,
                inside,
                shared.catalog().flavor());
        phases.ended("ask");
        locate(client.settings().database(), preliminary, text);
        requireOneServer(client.settings().server());
        Preflight.requirePlain(client.settings(), inside);
        // like the server, count from the arrival of the statement
        client.settings()
                .longest()
                .ifPresent(longest -> query.limit(longest.minusNanos(System.nanoTime() - request.arrivalNanos())));
        client.settings().progressEvery().ifPresent(every -> port.reportProgress(every, query.progress()));
        StatementAnalyzer.SessionPlan inSession = analyzer.inSession(sql, client.settings());
        if (inside) {
            transaction = enter(query, request.transaction().get(), client, inSession.charset());
        }
        shown = StatementDigest.of(inSession.text(), analyzer.dialect(client.settings()));
        LogicalStatement whole = inSession.logical();
        client.proveTables(whole, shared.catalog().flavor());
        if (bound != null) {
            bound.require(client.settings(), analyzer.dialect(client.settings()), client.further(), client.prepared());
        }
        // must follow the check of the parameters: a literal in place of a parameter may raise a warning, and that
        // check refuses such values
        client.requireNoWarnings(whole);
        Preflight.requirePrepared(query, port, PreparedQueries.provingUncorrelated(whole), inSession.charset());
        boolean unexplained = client.explained().isEmpty();
        List<List<ExplainedTable>> plans = whole.framed() || unexplained
                ? Preflight.explain(
                        query,
                        port,
                        whole.blocks(),
                        inSession.charset(),
                        shared.catalog().flavor())
                : List.of(client.explained());
        BlockSelection gate = BlockSelection.judge(
                whole,
                plans,
                inSession.text(),
                analyzer.tables(client.settings().database()),
                shared.catalog());
        costs = new CostModel(gate.settings(), shared.history());
        LogicalStatement logical = gate.logical();
        SortedDates.refuse(
                logical.blocks().get(0),
                client.prepared().columns(),
                client.explained(),
                shared.catalog().flavor());
        List<ExplainedTable> explained =
                unexplained ? plans.stream().flatMap(List::stream).toList() : client.explained();
        costs.tryDirect(logical, digest, explained);
        WorkerGroup.Task task = new WorkerGroup.Task(
                logical,
                gate.work(),
                client.settings(),
                gate.settings().snapshots().within(costs.patience(logical, digest, explained)),
                client.prepared().columnDefinitions().size(),
                Math.min(gate.partitions(), degree(logical.statement(), gate.settings())),
                Optional.ofNullable(transaction));
        ResultSetHeader head = new ResultSetHeader(
                definitions(client, logical),
                Explain.indexStatus(explained, shared.catalog().flavor()),
                request.execution().map(FanOutRequest.Execution::statement));
        if (bound != null) {
            bound.requireAnswer(client.prepared(), head.definitions());
            bound.announce(port, client.settings());
        }
        asked = true;
        boolean certain = !client.computedColumns()
                && !SortedDates.mayChange(
                        logical.blocks().get(0), client.prepared().columns());
        try (MemoryBudget budget = shared.memory()
                .child(
                        "query of session " + port.backendThreadId(),
                        config.limits().queryMemoryBytes())) {
            Optional<CollectedRows> collected = collect(query, task, head, certain, inSession.charset(), budget);
            if (collected.isPresent()) {
                CutTexts texts = CutTexts.of(client.prepared().columns(), shared.catalog()::bytesPerCharacter);
                finish(collected.get(), inSession, head, texts);
            }
        }
    }

    /** Refuses a statement whose transaction may have changed rows: the workers would not see the changes. */
    private TransactionWork enter(QueryExecution query, TransactionPlace place, Answers client, Charset charset)
            throws RefusedException {
        boolean keepsReadView = place.first()
                ? client.settings().repeatableRead()
                : place.transaction().repeatableRead();
        if (!place.first()) {
            Optional<String> changed =
                    client.commands().map(place.transaction()::changed).orElse(Optional.of("unknown"));
            if (changed.isPresent()) {
                throw new RefusedException(Reason.IN_TRANSACTION, "it may have changed rows: " + changed.get());
            }
        }
        return new TransactionWork(
                place,
                new ClientTransaction(query, port, charset, place.beginning().filter(any -> keepsReadView)),
                keepsReadView,
                client.commands(),
                config.fanOut().transactions().idle());
    }

    /**
     * Sets the schema that the server has named, and checks earlier refusals again if it differs from the one assumed.
     */
    private void locate(@Nullable String database, LogicalStatement preliminary, String text) throws RefusedException {
        String name = database == null ? "" : database;
        port.schema(name);
        if (!name.equals(schema)) {
            schema = name;
            digest = Digest.of(name, text);
            refuseAsBefore(preliminary);
        }
    }

    /**
     * Requires that the catalog was read from the client's server. The check that the workers use that server is made
     * when they are admitted.
     */
    private void requireOneServer(String server) throws RefusedException {
        if (!shared.catalog().of(server)) {
            throw new RefusedException(
                    Reason.OTHER_SERVER, "the tables were read from another server than the client's");
        }
    }

    /**
     * @param texts refuses rows of the final query whose texts may be cut: it makes texts of folded numbers without
     *     cutting them
     */
    private void finish(
            CollectedRows collected, StatementAnalyzer.SessionPlan inSession, ResultSetHeader head, CutTexts texts)
            throws RefusedException, InterruptedException {
        try (collected) {
            Iterable<byte[]> payloads = collected.finished();
            if (payloads == null) {
                payloads = FinalQueryRun.finish(
                        collected.plan(),
                        collected.rows(),
                        head.columns(),
                        inSession.charset(),
                        port,
                        bounds(collected.budget()));
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

    private int degree(StatementModel statement, FanOutConfig settings) {
        int wished = statement.hint() instanceof SelectModel.Hint.Parallel parallel
                ? parallel.degree().orElse(settings.degree())
                : settings.degree();
        return Math.max(1, Math.min(wished, config.workers().connections()));
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
            QueryExecution query,
            WorkerGroup.Task task,
            ResultSetHeader head,
            boolean certain,
            Charset charset,
            MemoryBudget budget)
            throws RefusedException, InterruptedException {
        try (WorkerGroup group = WorkerGroup.collect(
                        query, task, shared.workers(), config, shared.catalog(), shared.workerThreads());
                ProcessListEntry shown =
                        new ProcessListEntry(query, port, shared.catalog().flavor())) {
            phases.ended("workers");
            begun = true;
            StatementPlan plan = group.plan(metrics, phases);
            // only now, because the client's own connection may have opened one of the snapshots
            shown.showLater(
                    request.sql(), charset, request.arrivalNanos(), shared.killers(), group.locks(shared.workers()));
            if (!costs.open(task.logical().statement())) {
                costs.evaluate(group.planRegression(plan), digest);
            }
            shared.history().began(System.nanoTime() - request.arrivalNanos());
            if (costs.filters(task.logical().statement(), digest)) {
                group.filter(plan, filterBounds(task), budget);
            } else {
                group.avoidFilters();
            }
            phases.ended("filters");
            if (plan.blocks().get(0).merge() instanceof MergeNode.Streamed) {
                new StreamedAnswer(
                                query,
                                port,
                                config.limits(),
                                budget,
                                count(),
                                shown,
                                shared.catalog().flavor())
                        .run(group, plan.blocks().get(0), head, certain);
                return Optional.empty();
            }
            query.progress().begins(group.queries(), plan.hasFinalQuery());
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
            List<byte[]> finished = null;
            if (plan.onWorker()) {
                byte[] statement = FinalQueryRun.statement(plan, rows, StandardCharsets.UTF_8, bounds(budget));
                finished = group.finish(statement, task.visibleColumns(), budget);
            }
            group.endOrRetain();
            shown.close();
            if (cancelled(query)) {
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

    private DynamicFilters.FilterLimits filterBounds(WorkerGroup.Task task) {
        // half of the server's limit, because the lists are part of the statement's text
        long bytes =
                shared.workers().facts().map(facts -> facts.maxPacket() / 2).orElse(0L);
        return new DynamicFilters.FilterLimits(
                config.fanOut().filters().keys(),
                bytes,
                costs.open(task.logical().statement()));
    }

    private FinalQueryRun.FinalQueryLimits bounds(MemoryBudget budget) {
        // half of the server's limit, because the statement also holds the names and types of the columns, after the
        // rows
        long bytes =
                shared.workers().facts().map(facts -> facts.maxPacket() / 2).orElse(Long.MAX_VALUE);
        return new FinalQueryRun.FinalQueryLimits(
                config.limits().finalQueryRows(), bytes, shared.catalog().readsEscapes(), budget);
    }

    private List<byte[]> definitions(Answers client, LogicalStatement logical) throws RefusedException {
        StatementModel statement = logical.statement();
        ClientConnection.ClientReply.ClientPrepared prepared = client.prepared();
        ServerFlavor flavor = shared.catalog().flavor();
        PlanDependentTypes.refuseSums(logical, prepared.columns());
        if (statement.select().isEmpty()) {
            PlanDependentTypes.requireCertain(prepared.columns(), flavor);
            return prepared.columnDefinitions();
        }
        try {
            if (flavor.isMariaDb()) {
                WindowOrder.refuse(statement.select().get(), client.explained());
                return PlanDependentTypes.ofMariaDb(
                        statement.select().get(),
                        logical.framed(),
                        prepared.columnDefinitions(),
                        prepared.columns(),
                        client.explained(),
                        shared.catalog()::bytesPerCharacter);
            }
            return PlanDependentTypes.corrected(
                    statement.select().get(), prepared.columnDefinitions(), prepared.columns(), client.explained());
        } catch (ProtocolException e) {
            throw new RefusedException(Reason.PREPARE_FAILED, String.valueOf(e.getMessage()));
        }
    }

    private void answer(ResultSetHeader head, CollectedRows collected, Iterable<byte[]> payloads) {
        ClientConnection.Answer answer = port.answer(head);
        try {
            for (byte[] payload : payloads) {
                answer.row(payload);
            }
            count().fannedOut(collected.partitions(), collected.degree(), collected.snapshot(), collected.filters());
            answer.end();
        } catch (ClientGoneException e) {
            count().cancelled(String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            count().cancelled("the proxy stops while it answers");
            Interruption interruption = Interruption.of(
                    QueryExecution.Cancel.STOPPING, shared.catalog().flavor());
            answer.fail(interruption.errno(), interruption.sqlState(), interruption.message());
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            LOG.warn("session {}: an answer broke off", port.backendThreadId(), e);
            count().brokeOff(Reason.INTERNAL, e.toString());
            answer.fail(AnswerCount.UNKNOWN_ERROR, "HY000", "the merged answer broke off: " + e);
        }
    }

    private String sessionName() {
        return SessionName.of(port.backendThreadId(), port.user(), schema);
    }

    private AnswerCount count() {
        return new AnswerCount(
                sessionName(),
                shown,
                digest,
                request.transaction(),
                request.arrivalNanos(),
                shared.history(),
                shared.attempts(),
                metrics,
                shared.observer(),
                phases);
    }
}
