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
import io.fanfold.metrics.Reason;
import io.fanfold.plan.ExplainedTable;
import io.fanfold.plan.MergeNode;
import io.fanfold.plan.PreparedQueries;
import io.fanfold.plan.StatementDraft;
import io.fanfold.plan.StatementPlan;
import io.fanfold.protocol.ProtocolException;
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
 * The way of one offered statement: read, draft, ask the client's own connection, fan out, fold, finish, answer. Up to
 * the first byte of the answer every failure ends in passing the original through, with a reason.
 */
final class FanOutRun {
    private static final Logger LOG = LoggerFactory.getLogger(FanOutRun.class);

    /** What all runs share. */
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

    /** By the settings of the tables that are split, as far as it is known which these are. */
    private CostCheck costs;

    /** The session's schema, empty for none; null while it is not known. */
    private @Nullable String schema;

    private String digest = "";

    /** The statement without its literals, as its session reads it; "" until that is known. */
    private String shown = "";

    /** Whether the client's connection was asked anything: inside a transaction it may have taken locks, or a read view. */
    private volatile boolean questioned;

    /** What the fan-out has to do with the client's transaction; null outside of transactions, and before the session is known. */
    private volatile @Nullable TransactionWork transaction;

    /** Whether nothing is left to be asked before the statement runs. */
    private boolean asked;

    /** Whether workers have begun: what they did is lost if the split is given up. */
    private boolean begun;

    /** The statement as it is split: with values in the place of parameters. Written by one thread before another reads it. */
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

    /** The first statement of a transaction finds its session as it was. */
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
     * The first step: reads and drafts as an ordinary session would be read, without asking the server anything. What
     * is refused here is refused whatever the session is like.
     */
    void read() {
        try {
            if (offer.transaction().isPresent()
                    && config.fanOut().transactions().splits() == TransactionConfig.Splits.OFF) {
                throw new Abandoned(Reason.IN_TRANSACTION, "fan-out.transactions=off");
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
        } catch (Abandoned e) {
            if (StatementDrafter.holdsForEverySession(e.reason())) {
                shared.refusals().rememberText(offer.sql(), e.reason());
            } else if (e.reason() == Reason.MEASURED) {
                rememberForNow(e.reason());
            } else if (e.reason() == Reason.PARAMETER && bound != null && !bound.bindsNull()) {
                // with its values it could be bound, so it is the places that are refused
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

    /** What was found out about it, or a like one, in that schema. */
    private void refuseAsBefore(StatementDraft guess) throws Abandoned {
        StatementModel statement = guess.statement();
        costs = new CostCheck(guess.settings(drafter.tables(schema)), shared.experience());
        Optional<Reason> recent = shared.refusals().byDigest(digest);
        if (recent.isPresent() && !(statement.hint() instanceof SelectModel.Hint.Parallel)) {
            if (bound == null || !bound.bindsNull()) {
                rememberTextForNow(recent.get());
            }
            throw new Abandoned(recent.get(), "a like statement was refused a moment ago");
        }
        Optional<Reason> paused = shared.attempts().paused(digest);
        if (paused.isPresent() && !costs.open(statement)) {
            throw new Abandoned(paused.get(), "a split of a like statement was given up a while ago");
        }
        costs.requireNotSlower(statement, digest);
    }

    /** The rest, on a thread of its own. */
    private void run(StatementDraft guess, String text) {
        LiveQuery query = new LiveQuery(port.backendThreadId(), shared.workers().killSwitch(), shared.killers());
        shared.registry().add(query);
        CompletableFuture<Void> watched = port.clientGone().thenRun(() -> query.cancel(LiveQuery.Cancel.CLIENT_GONE));
        try {
            fanOut(query, guess, text);
        } catch (Abandoned e) {
            if (Interruption.late(e.getCause())) {
                query.cancel(LiveQuery.Cancel.LATE);
            }
            if (e.killed()) {
                query.cancel(LiveQuery.Cancel.KILLED);
            }
            if (!cancelled(query)) {
                remember(e.reason());
                if (begun && !e.measured() && e.reason() != Reason.CLIENT_LOST) {
                    shared.attempts().failed(digest, e.reason(), System.nanoTime() - offer.arrivalNanos());
                }
            }
            if (e.reason() == Reason.OTHER_SERVER) {
                shared.workers().lookAgain();
                shared.catalog().refreshSoon();
            }
            if (e.measured()) {
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

    /** Takes the time until the server has answered the statement that is passed through next. */
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
            // the text that was prepared stands for executions with values as well
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

    /** Whether the query was ended from outside: then its failure tells nothing of the statement. */
    private static boolean cancelled(LiveQuery query) {
        LiveQuery.Cancel cancel = query.cancelled();
        return cancel != null && cancel != LiveQuery.Cancel.FAILED;
    }

    private void abandoned(LiveQuery query, Reason reason, String detail) {
        // whether the end of its connection has cancelled the query by now is a matter of chance
        if (!cancelled(query) || reason == Reason.CLIENT_LOST) {
            passThrough(reason, detail);
            return;
        }
        LiveQuery.Cancel cancel = query.cancelled();
        count().cancelled(String.valueOf(cancel));
        Interruption told = Interruption.of(cancel, shared.catalog().mariaDb());
        port.fail(told.errno(), told.sqlState(), told.message(), asked);
    }

    private void fanOut(LiveQuery query, StatementDraft guess, String text) throws Abandoned, InterruptedException {
        phases.ended("read");
        SessionVariables variables = shared.workers()
                .facts()
                .orElseThrow(() -> new Abandoned(Reason.POOL_BUSY, "no worker connection yet"))
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
        // the server would count from the statement's arrival as well
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
        // after the parameters: a literal that stands for one may raise a warning, and such values are refused there
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

    /** Refuses a statement whose transaction may have changed rows: the workers would not see them. */
    private TransactionWork enter(LiveQuery query, TransactionPlace place, Answers client, Charset charset)
            throws Abandoned {
        boolean keepsReadView = place.first()
                ? client.settings().repeatableRead()
                : place.transaction().repeatableRead();
        if (!place.first()) {
            Optional<String> changed =
                    client.commands().map(place.transaction()::changed).orElse(Optional.of("unknown"));
            if (changed.isPresent()) {
                throw new Abandoned(Reason.IN_TRANSACTION, "it may have changed rows: " + changed.get());
            }
        }
        return new TransactionWork(
                place,
                new ClientTransaction(query, port, charset, place.beginning().filter(any -> keepsReadView)),
                keepsReadView,
                client.commands(),
                config.fanOut().transactions().idle());
    }

    /** The server has named the session's schema. */
    private void locate(@Nullable String database, StatementDraft guess, String text) throws Abandoned {
        String name = database == null ? "" : database;
        port.schema(name);
        if (!name.equals(schema)) {
            schema = name;
            digest = Digest.of(name, text);
            refuseAsBefore(guess);
        }
    }

    /** What is known of the tables has to be of the client's server; that the workers are is seen to when they are taken. */
    private void requireOneServer(String server) throws Abandoned {
        if (!shared.catalog().of(server)) {
            throw new Abandoned(Reason.OTHER_SERVER, "the tables were read from another server than the client's");
        }
    }

    /** @param texts refuses those of the final query's answer: it makes texts of folded numbers, and does not cut them */
    private void finish(Gathered gathered, StatementDrafter.Meant meant, ResultSetHeader head, CutTexts texts)
            throws Abandoned, InterruptedException {
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
     * What the workers brought in, and the answer where one of them finished it; they are free again.
     *
     * @param budget counts what is held; closed by whoever made it
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
     * Has the workers run the partition queries.
     *
     * @param certain whether nothing but an accident can go wrong while the tables are read
     * @param charset the session's character set
     * @return empty when the statement has been answered meanwhile
     */
    private Optional<Gathered> gather(
            LiveQuery query,
            WorkerGang.Task task,
            ResultSetHeader head,
            boolean certain,
            Charset charset,
            MemoryBudget budget)
            throws Abandoned, InterruptedException {
        try (WorkerGang gang = WorkerGang.gather(
                        query, task, shared.workers(), config, shared.catalog(), shared.workerThreads());
                ProcessListEntry shown =
                        new ProcessListEntry(query, port, shared.catalog().mariaDb())) {
            phases.ended("workers");
            begun = true;
            StatementPlan plan = gang.plan(metrics, phases);
            // only now: the client's own connection may have opened one of the snapshots
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
                throw Abandoned.cancelled();
            }
            return Optional.of(new Gathered(
                    plan, rows, finished, gang.partitions(), gang.degree(), gang.snapshot(), gang.filters(), budget));
        } catch (FoldException e) {
            throw Abandoned.by(e);
        } catch (BudgetExceededException e) {
            throw new Abandoned(Reason.MEMORY, String.valueOf(e.getMessage()));
        }
    }

    private DynamicFilters.Bounds filterBounds(WorkerGang.Task task) {
        // half of what the server takes: the lists stand in the statement's own text
        long bytes =
                shared.workers().facts().map(facts -> facts.maxPacket() / 2).orElse(0L);
        return new DynamicFilters.Bounds(
                config.fanOut().filters().keys(), bytes, costs.open(task.draft().statement()));
    }

    private Finishing.Bounds bounds(MemoryBudget budget) {
        // half of what the server accepts: the statement also holds the names and types of the columns, after the rows
        long bytes =
                shared.workers().facts().map(facts -> facts.maxPacket() / 2).orElse(Long.MAX_VALUE);
        return new Finishing.Bounds(
                config.limits().finishRows(), bytes, shared.catalog().readsEscapes(), budget);
    }

    private List<byte[]> definitions(Answers client, StatementDraft draft) throws Abandoned {
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
            throw new Abandoned(Reason.PREPARE_FAILED, String.valueOf(e.getMessage()));
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
