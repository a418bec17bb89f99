package io.fanfold.execute;

import io.fanfold.backend.SessionVariables;
import io.fanfold.backend.WorkerPool;
import io.fanfold.config.FanOutConfig;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.TransactionConfig;
import io.fanfold.execute.ClientPort.ClientGoneException;
import io.fanfold.execute.ClientPort.ResultSetHeader;
import io.fanfold.execute.ClientQuestions.Answers;
import io.fanfold.merge.BudgetExceededException;
import io.fanfold.merge.Fold;
import io.fanfold.merge.FoldException;
import io.fanfold.merge.FoldedRows;
import io.fanfold.merge.MemoryBudget;
import io.fanfold.merge.PartialFold;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.plan.ExplainedTable;
import io.fanfold.plan.MergeNode;
import io.fanfold.plan.PreparedQueries;
import io.fanfold.plan.StatementDraft;
import io.fanfold.plan.StatementPlan;
import io.fanfold.protocol.ProtocolException;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.row.Row;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.StatementDigest;
import io.fanfold.sql.StatementModel;
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
            CatalogWatch catalog,
            MemoryBudget memory,
            QueryRegistry registry,
            RecentRefusals refusals,
            Experience experience,
            FailedAttempts attempts,
            SplitObserver observer,
            ExecutorService coordinators,
            ExecutorService workerThreads,
            ExecutorService killers) {}

    private final StatementOffer offer;
    private final ClientPort port;
    private final FanfoldConfig config;
    private final FanfoldMetrics metrics;
    private final Resources shared;
    private final StatementDrafter drafter;
    private final Phases phases;

    /** Uses the settings of the split tables once these are known; the global settings until then. */
    private CostCheck costs;

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

    FanOutRun(StatementOffer offer, FanfoldConfig config, FanfoldMetrics metrics, Resources shared) {
        this.offer = offer;
        this.port = offer.port();
        this.config = config;
        this.metrics = metrics;
        this.shared = shared;
        this.drafter = new StatementDrafter(shared.catalog());
        this.costs = new CostCheck(config.fanOut(), shared.experience());
        this.phases = new Phases(offer.arrivalNanos());
        this.sql = offer.sql();
        this.schema = offer.schema();
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
            offer.transaction().ifPresent(place -> place.beginning().ifPresent(beginning -> putBack(place, beginning)));
        }
        port.passThrough();
    }

    /** Restores the session to its state before the transaction, so that the first statement runs in a fresh one. */
    private void putBack(TransactionPlace place, FreshTransaction beginning) {
        place.transaction().release();
        byte[] restart = beginning.restart().getBytes(StandardCharsets.US_ASCII);
        CompletableFuture<List<ClientPort.Reply>> unused =
                port.ask(List.of(new ClientPort.Command.Transaction(restart)));
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
            if (offer.transaction().isPresent()
                    && config.fanOut().transactions().splits() == TransactionConfig.Splits.OFF) {
                throw new RefusedException(Reason.IN_TRANSACTION, "fan-out.transactions=off");
            }
            if (offer.execution().isPresent()) {
                bound = BoundExecution.of(
                        offer.execution().get(), shared.catalog().mariaDb());
                sql = bound.sql();
                bound.requirePlaces();
            }
            String text = drafter.ordinaryText(sql);
            StatementDraft guess = drafter.guess(text);
            if (schema != null) {
                digest = Digest.of(schema, text);
                refuseAsBefore(guess);
            }
            shared.coordinators().execute(() -> run(guess, text));
        } catch (RefusedException e) {
            if (StatementDrafter.holdsForEverySession(e.reason())) {
                shared.refusals().rememberText(offer.sql(), e.reason());
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
    private void refuseAsBefore(StatementDraft guess) throws RefusedException {
        StatementModel statement = guess.statement();
        costs = new CostCheck(guess.settings(drafter.tables(schema)), shared.experience());
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
    private void run(StatementDraft guess, String text) {
        LiveQuery query = new LiveQuery(port.backendThreadId(), shared.workers().killSwitch(), shared.killers());
        shared.registry().add(query);
        CompletableFuture<Void> watched = port.clientGone().thenRun(() -> query.cancel(LiveQuery.Cancel.CLIENT_GONE));
        try {
            fanOut(query, guess, text);
        } catch (RefusedException e) {
            if (Interruption.late(e.getCause())) {
                query.cancel(LiveQuery.Cancel.LATE);
            }
            if (e instanceof KilledException) {
                query.cancel(LiveQuery.Cancel.KILLED);
            }
            if (!cancelled(query)) {
                remember(e.reason());
                if (begun && e.reason() != Reason.MEASURED && e.reason() != Reason.CLIENT_LOST) {
                    shared.attempts().failed(digest, e.reason(), System.nanoTime() - offer.arrivalNanos());
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
                port.relayed().thenRun(() -> shared.experience().direct(digest, System.nanoTime() - start));
    }

    private void remember(Reason reason) {
        if (reason == Reason.FEW_ROWS
                || reason == Reason.FEW_PARTITIONS
                || reason == Reason.WORSE_PLAN
                || reason == Reason.SUBQUERY
                || reason == Reason.MEMORY
                || reason == Reason.FINISH_FAILED
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
            shared.refusals().rememberForNow(offer.sql(), schema, digest, reason);
        }
    }

    private void rememberTextForNow(Reason reason) {
        if (schema != null) {
            shared.refusals().rememberTextForNow(offer.sql(), schema, reason);
        }
    }

    /** Whether the query was ended from outside. Its failure then says nothing about the statement. */
    private static boolean cancelled(LiveQuery query) {
        LiveQuery.Cancel cancel = query.cancelled();
        return cancel != null && cancel != LiveQuery.Cancel.FAILED;
    }

    private void abandoned(LiveQuery query, Reason reason, String detail) {
        // whether the end of the client's connection has already cancelled the query depends on timing
        if (!cancelled(query) || reason == Reason.CLIENT_LOST) {
            passThrough(reason, detail);
            return;
        }
        LiveQuery.Cancel cancel = query.cancelled();
        count().cancelled(String.valueOf(cancel));
        Interruption told = Interruption.of(cancel, shared.catalog().mariaDb());
        port.fail(told.errno(), told.sqlState(), told.message(), asked);
    }

    private void fanOut(LiveQuery query, StatementDraft guess, String text)
            throws RefusedException, InterruptedException {
        phases.ended("read");
        SessionVariables variables = shared.workers()
                .facts()
                .orElseThrow(() -> new RefusedException(Reason.POOL_BUSY, "no worker connection yet"))
                .variables();
        if (offer.transaction().isPresent() && offer.transaction().get().untold()) {
            ClientQuestions.requireTransaction(
                    query, port, !offer.transaction().get().first());
        }
        questioned = true;
        boolean inside = offer.transaction().isPresent();
        Answers client = ClientQuestions.ask(
                query,
                port,
                sql,
                guess,
                bound == null ? List.of() : bound.questions(),
                variables,
                inside,
                shared.catalog().mariaDb());
        phases.ended("ask");
        locate(client.settings().database(), guess, text);
        requireOneServer(client.settings().server());
        ClientQuestions.requirePlain(client.settings(), inside);
        // like the server, count from the arrival of the statement
        client.settings()
                .longest()
                .ifPresent(longest -> query.limit(longest.minusNanos(System.nanoTime() - offer.arrivalNanos())));
        client.settings().progressEvery().ifPresent(every -> port.reportProgress(every, query.progress()));
        StatementDrafter.Meant meant = drafter.meant(sql, client.settings());
        if (inside) {
            transaction = enter(query, offer.transaction().get(), client, meant.charset());
        }
        shown = StatementDigest.of(meant.text(), drafter.dialect(client.settings()));
        StatementDraft drafted = meant.draft();
        client.proveTables(drafted, shared.catalog().mariaDb());
        if (bound != null) {
            bound.require(client.settings(), drafter.dialect(client.settings()), client.further(), client.prepared());
        }
        // must follow the check of the parameters: a literal in place of a parameter may raise a warning, and that
        // check refuses such values
        client.requireNoWarnings(drafted);
        ClientQuestions.requirePrepared(query, port, PreparedQueries.provingUncorrelated(drafted), meant.charset());
        boolean unexplained = client.explained().isEmpty();
        List<List<ExplainedTable>> plans = drafted.framed() || unexplained
                ? ClientQuestions.explain(
                        query,
                        port,
                        drafted.blocks(),
                        meant.charset(),
                        shared.catalog().mariaDb())
                : List.of(client.explained());
        BlockGate gate = BlockGate.judge(
                drafted, plans, meant.text(), drafter.tables(client.settings().database()), shared.catalog());
        costs = new CostCheck(gate.settings(), shared.experience());
        StatementDraft draft = gate.draft();
        SortedDates.refuse(
                draft.blocks().get(0),
                client.prepared().columns(),
                client.explained(),
                shared.catalog().mariaDb());
        List<ExplainedTable> explained =
                unexplained ? plans.stream().flatMap(List::stream).toList() : client.explained();
        costs.tryDirect(draft, digest, explained);
        WorkerGang.Task task = new WorkerGang.Task(
                draft,
                gate.work(),
                client.settings(),
                gate.settings().snapshots().within(costs.patience(draft, digest, explained)),
                client.prepared().columnDefinitions().size(),
                Math.min(gate.partitions(), degree(draft.statement(), gate.settings())),
                Optional.ofNullable(transaction));
        ResultSetHeader head = new ResultSetHeader(
                definitions(client, draft),
                Explain.indexStatus(explained, shared.catalog().mariaDb()),
                offer.execution().map(StatementOffer.Execution::statement));
        if (bound != null) {
            bound.requireAnswer(client.prepared(), head.definitions());
            bound.announce(port, client.settings());
        }
        asked = true;
        boolean certain = !client.computedColumns()
                && !SortedDates.mayChange(
                        draft.blocks().get(0), client.prepared().columns());
        try (MemoryBudget budget = shared.memory()
                .child(
                        "query of session " + port.backendThreadId(),
                        config.limits().queryMemoryBytes())) {
            Optional<Gathered> gathered = gather(query, task, head, certain, meant.charset(), budget);
            if (gathered.isPresent()) {
                CutTexts texts = CutTexts.of(client.prepared().columns(), shared.catalog()::bytesPerCharacter);
                finish(gathered.get(), meant, head, texts);
            }
        }
    }

    /** Refuses a statement whose transaction may have changed rows: the workers would not see the changes. */
    private TransactionWork enter(LiveQuery query, TransactionPlace place, Answers client, Charset charset)
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
    private void locate(@Nullable String database, StatementDraft guess, String text) throws RefusedException {
        String name = database == null ? "" : database;
        port.schema(name);
        if (!name.equals(schema)) {
            schema = name;
            digest = Digest.of(name, text);
            refuseAsBefore(guess);
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
    private void finish(Gathered gathered, StatementDrafter.Meant meant, ResultSetHeader head, CutTexts texts)
            throws RefusedException, InterruptedException {
        try (gathered) {
            Iterable<byte[]> payloads = gathered.finished();
            if (payloads == null) {
                payloads = Finishing.finish(
                        gathered.plan(),
                        gathered.rows(),
                        head.columns(),
                        meant.charset(),
                        port,
                        bounds(gathered.budget()));
            }
            if (gathered.plan().finishesByQuery() && !texts.unchecked()) {
                for (byte[] payload : payloads) {
                    texts.refuse(Row.of(payload, head.columns()));
                }
            }
            phases.ended("finish");
            answer(head, gathered, payloads);
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
    private record Gathered(
            StatementPlan plan,
            List<FoldedRows> rows,
            @Nullable List<byte[]> finished,
            int partitions,
            int degree,
            String snapshot,
            FilterUse filters,
            MemoryBudget budget)
            implements AutoCloseable {
        @Override
        public void close() {
            rows.forEach(FoldedRows::close);
        }
    }

    /**
     * Takes workers and runs the partition queries.
     *
     * @param certain whether reading the tables can fail only for external causes, such as a lost connection
     * @param charset the session's character set
     * @return empty if the statement has already been answered
     */
    private Optional<Gathered> gather(
            LiveQuery query,
            WorkerGang.Task task,
            ResultSetHeader head,
            boolean certain,
            Charset charset,
            MemoryBudget budget)
            throws RefusedException, InterruptedException {
        try (WorkerGang gang = WorkerGang.gather(
                        query, task, shared.workers(), config, shared.catalog(), shared.workerThreads());
                ProcessListEntry shown =
                        new ProcessListEntry(query, port, shared.catalog().mariaDb())) {
            phases.ended("workers");
            begun = true;
            StatementPlan plan = gang.plan(metrics, phases);
            // only now, because the client's own connection may have opened one of the snapshots
            shown.showLater(offer.sql(), charset, offer.arrivalNanos(), shared.killers(), gang.locks(shared.workers()));
            if (!costs.open(task.draft().statement())) {
                costs.weigh(gang.doubts(plan), digest);
            }
            shared.experience().began(System.nanoTime() - offer.arrivalNanos());
            if (costs.filters(task.draft().statement(), digest)) {
                gang.filter(plan, filterBounds(task), budget);
            } else {
                gang.avoidFilters();
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
                                shared.catalog().mariaDb())
                        .run(gang, plan.blocks().get(0), head, certain);
                return Optional.empty();
            }
            query.progress().begins(gang.queries(), plan.finishesByQuery());
            List<FoldedRows> rows = new ArrayList<>();
            for (int block = 0; block < plan.blocks().size(); block++) {
                boolean atOnce = plan.finishesByQuery() && plan.portioned().isEmpty();
                long mostRows = atOnce ? config.limits().finishRows() : Long.MAX_VALUE;
                Fold fold = Fold.of(plan.blocks().get(block).merge(), budget, mostRows);
                List<PartialFold> partials = gang.run(plan, block, fold);
                phases.ended("partitions");
                rows.add(fold.combine(partials));
                phases.ended("combine");
            }
            query.progress().finishes();
            List<byte[]> finished = null;
            if (plan.onWorker()) {
                byte[] statement = Finishing.statement(plan, rows, StandardCharsets.UTF_8, bounds(budget));
                finished = gang.finish(statement, task.visibleColumns(), budget);
            }
            gang.endOrRetain();
            shown.close();
            if (cancelled(query)) {
                throw Failure.cancelled();
            }
            return Optional.of(new Gathered(
                    plan, rows, finished, gang.partitions(), gang.degree(), gang.snapshot(), gang.filters(), budget));
        } catch (FoldException e) {
            throw Failure.of(e);
        } catch (BudgetExceededException e) {
            throw new RefusedException(Reason.MEMORY, String.valueOf(e.getMessage()));
        }
    }

    private DynamicFilters.Bounds filterBounds(WorkerGang.Task task) {
        // half of the server's limit, because the lists are part of the statement's text
        long bytes =
                shared.workers().facts().map(facts -> facts.maxPacket() / 2).orElse(0L);
        return new DynamicFilters.Bounds(
                config.fanOut().filters().keys(), bytes, costs.open(task.draft().statement()));
    }

    private Finishing.Bounds bounds(MemoryBudget budget) {
        // half of the server's limit, because the statement also holds the names and types of the columns, after the
        // rows
        long bytes =
                shared.workers().facts().map(facts -> facts.maxPacket() / 2).orElse(Long.MAX_VALUE);
        return new Finishing.Bounds(
                config.limits().finishRows(), bytes, shared.catalog().readsEscapes(), budget);
    }

    private List<byte[]> definitions(Answers client, StatementDraft draft) throws RefusedException {
        StatementModel statement = draft.statement();
        ClientPort.Reply.Prepared prepared = client.prepared();
        boolean mariaDb = shared.catalog().mariaDb();
        PlanDependentTypes.refuseSums(draft, prepared.columns());
        if (statement.select().isEmpty()) {
            PlanDependentTypes.requireCertain(prepared.columns(), mariaDb);
            return prepared.columnDefinitions();
        }
        try {
            if (mariaDb) {
                WindowOrder.refuse(statement.select().get(), client.explained());
                return PlanDependentTypes.ofMariaDb(
                        statement.select().get(),
                        draft.framed(),
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

    private void answer(ResultSetHeader head, Gathered gathered, Iterable<byte[]> payloads) {
        ClientPort.Answer answer = port.answer(head);
        try {
            for (byte[] payload : payloads) {
                answer.row(payload);
            }
            count().fannedOut(gathered.partitions(), gathered.degree(), gathered.snapshot(), gathered.filters());
            answer.end();
        } catch (ClientGoneException e) {
            count().cancelled(String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            count().cancelled("the proxy stops while it answers");
            Interruption told =
                    Interruption.of(LiveQuery.Cancel.STOPPING, shared.catalog().mariaDb());
            answer.fail(told.errno(), told.sqlState(), told.message());
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            LOG.warn("session {}: an answer broke off", port.backendThreadId(), e);
            count().brokeOff(Reason.INTERNAL, e.toString());
            answer.fail(AnswerCount.UNKNOWN_ERROR, "HY000", "the folded answer broke off: " + e);
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
                offer.transaction(),
                offer.arrivalNanos(),
                shared.experience(),
                shared.attempts(),
                metrics,
                shared.observer(),
                phases);
    }
}
