package io.fanfold.execute;

import io.fanfold.backend.SessionSettings;
import io.fanfold.backend.SessionVariables;
import io.fanfold.backend.WorkerPool;
import io.fanfold.catalog.CatalogSnapshot;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.execute.ClientPort.ClientGoneException;
import io.fanfold.execute.ClientQuestions.Answers;
import io.fanfold.merge.BudgetExceededException;
import io.fanfold.merge.Fold;
import io.fanfold.merge.FoldException;
import io.fanfold.merge.FoldedRows;
import io.fanfold.merge.MemoryBudget;
import io.fanfold.merge.PartialFold;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.metrics.Reason;
import io.fanfold.plan.CostGate;
import io.fanfold.plan.ExplainedTable;
import io.fanfold.plan.SplitDecision;
import io.fanfold.plan.SplitDecision.PassThrough;
import io.fanfold.plan.SplitDraft;
import io.fanfold.plan.SplitPlanner;
import io.fanfold.plan.StatementDraft;
import io.fanfold.plan.StatementPlan;
import io.fanfold.protocol.ProtocolException;
import io.fanfold.sql.DialectOfSession;
import io.fanfold.sql.ParseResult;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SessionCharset;
import io.fanfold.sql.SqlDialect;
import io.fanfold.sql.StatementModel;
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
    private static final int QUERY_INTERRUPTED = 1317;
    private static final String INTERRUPTED_STATE = "70100";
    private static final String INTERRUPTED = "Query execution was interrupted";
    private static final int UNKNOWN_ERROR = 1105;

    /** No server of today reads twenty million rows a second on one core. */
    private static final long LEAST_NANOS_A_ROW = 50;

    /** What all runs share. */
    record Resources(
            WorkerPool workers,
            CatalogWatch catalog,
            MemoryBudget memory,
            QueryRegistry registry,
            RecentRefusals refusals,
            Experience experience,
            ExecutorService coordinators,
            ExecutorService workerThreads,
            ExecutorService killers) {}

    private final StatementOffer offer;
    private final ClientPort port;
    private final FanfoldConfig config;
    private final FanfoldMetrics metrics;
    private final Resources shared;
    private final Phases phases;
    private @Nullable String digest;

    FanOutRun(StatementOffer offer, FanfoldConfig config, FanfoldMetrics metrics, Resources shared) {
        this.offer = offer;
        this.port = offer.port();
        this.config = config;
        this.metrics = metrics;
        this.shared = shared;
        this.phases = new Phases(offer.arrivalNanos());
    }

    void passThrough(Reason reason, String detail) {
        LOG.debug("session {} passed through: {} ({})", port.backendThreadId(), reason.label(), detail);
        metrics.passedThrough(reason);
        port.passThrough();
    }

    /**
     * The first step: reads and drafts as an ordinary session would be read, without asking the server anything. What
     * is refused here is refused whatever the session is like.
     */
    void read() {
        try {
            String text = ordinaryText();
            StatementDraft guess = guess(text);
            refuseInnerSemicolon(text);
            digest = Digest.of(text);
            Optional<Reason> recent = shared.refusals().byDigest(digest);
            if (recent.isPresent() && !(guess.statement().hint() instanceof SelectModel.Hint.Parallel)) {
                shared.refusals().rememberForNow(offer.sql(), digest, recent.get());
                throw new Abandoned(recent.get(), "a like statement was refused a moment ago");
            }
            if (!gateOpen(guess.statement()) && shared.experience().prefersDirect(digest)) {
                shared.refusals().rememberForNow(offer.sql(), digest, Reason.MEASURED);
                throw new Abandoned(Reason.MEASURED, "no slower without a split");
            }
            shared.coordinators().execute(() -> run(guess));
        } catch (Abandoned e) {
            if (holdsForEverySession(e.reason())) {
                shared.refusals().rememberText(offer.sql(), e.reason());
            }
            passThrough(e.reason(), e.detail());
        } catch (RejectedExecutionException e) {
            passThrough(Reason.POOL_BUSY, "no thread for a fan-out");
        } catch (RuntimeException | Error e) {
            LOG.warn("reading a statement failed", e);
            passThrough(Reason.INTERNAL, e.toString());
        }
    }

    /** Whether costs are not compared: by the setting or by the statement's hint. */
    private boolean gateOpen(StatementModel statement) {
        return config.fanOut().minRows() == 0 || statement.hint() instanceof SelectModel.Hint.Parallel;
    }

    /** The text as an ordinary session means it; a first look only, the session's own reading follows. */
    private String ordinaryText() throws Abandoned {
        return SessionCharset.decode(offer.sql(), StandardCharsets.UTF_8)
                .or(() -> SessionCharset.decode(offer.sql(), StandardCharsets.ISO_8859_1))
                .orElseThrow(() -> new Abandoned(Reason.CHARSET, "not readable as text"));
    }

    /**
     * The session is not known yet: under its sql_mode a string may end earlier and what follows be a statement of its
     * own, which the EXPLAIN sent on the client's connection would then run.
     */
    private static void refuseInnerSemicolon(String text) throws Abandoned {
        int semicolon = text.indexOf(';');
        if (semicolon >= 0 && !text.substring(semicolon + 1).isBlank()) {
            throw new Abandoned(Reason.MULTI_STATEMENT, "text after a semicolon");
        }
    }

    /** Drafts as an ordinary session would read, or else, where it makes a difference, as another mode would. */
    private StatementDraft guess(String text) throws Abandoned {
        Abandoned refused;
        try {
            return draft(text, dialect(false, false), null);
        } catch (Abandoned e) {
            refused = e;
        }
        boolean quotes = text.indexOf('"') >= 0;
        boolean backslash = text.indexOf('\\') >= 0;
        for (SqlDialect other : List.of(dialect(true, false), dialect(false, true), dialect(true, true))) {
            if ((other.ansiQuotes() && !quotes) || (other.noBackslashEscapes() && !backslash)) {
                continue;
            }
            try {
                return draft(text, other, null);
            } catch (Abandoned e) {
                LOG.trace("nor in another mode", e);
            }
        }
        throw refused;
    }

    private SqlDialect dialect(boolean ansiQuotes, boolean noBackslashEscapes) {
        return new SqlDialect(shared.catalog().mariaDb(), ansiQuotes, noBackslashEscapes, StandardCharsets.UTF_8);
    }

    /** Whether a refusal of the text holds in sessions with other settings as well. */
    private static boolean holdsForEverySession(Reason reason) {
        return switch (reason) {
            case NO_SHAPE,
                    WINDOW,
                    SUBQUERY,
                    SET_OPERATION,
                    USER_VARIABLE,
                    LOCKING_READ,
                    SESSION_FUNCTION,
                    HINT,
                    NO_PARTITIONED_TABLE,
                    UNKNOWN_FUNCTION,
                    UNSUPPORTED_SYNTAX,
                    PARSER_REFUSED,
                    UNGROUPED_COLUMN -> true;
            default -> false;
        };
    }

    private StatementDraft draft(String sql, SqlDialect dialect, @Nullable String schema) throws Abandoned {
        ParseResult read = shared.catalog().reader().read(sql, dialect);
        if (read instanceof ParseResult.Refused refused) {
            throw new Abandoned(refused.reason(), refused.detail());
        }
        StatementModel statement = ((ParseResult.Parsed) read).statement();
        SplitPlanner planner = new SplitPlanner(shared.catalog().mariaDb());
        if (planner.countsAllRows(statement)
                && !config.fanOut().splitPlainCount()
                && !(statement.hint() instanceof SelectModel.Hint.Parallel)) {
            throw new Abandoned(Reason.ALREADY_FAST, "COUNT(*) of all rows is read in parallel by InnoDB itself");
        }
        SplitDecision decision = planner.draft(statement, schema, catalog());
        if (decision instanceof PassThrough pass) {
            throw new Abandoned(pass);
        }
        return (StatementDraft) decision;
    }

    private CatalogSnapshot catalog() throws Abandoned {
        return shared.catalog()
                .snapshot()
                .orElseThrow(() -> new Abandoned(Reason.NO_PARTITIONED_TABLE, "the catalog has not been read yet"));
    }

    /** The rest, on a thread of its own. */
    private void run(StatementDraft guess) {
        LiveQuery query = new LiveQuery(port.backendThreadId(), shared.workers().killSwitch(), shared.killers());
        shared.registry().add(query);
        CompletableFuture<Void> watched = port.clientGone().thenRun(() -> query.cancel(LiveQuery.Cancel.CLIENT_GONE));
        try {
            fanOut(query, guess);
        } catch (Abandoned e) {
            remember(e.reason());
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
            watched.cancel(false);
            shared.registry().remove(query);
        }
    }

    /** Takes the time until the server has answered the statement that is passed through next. */
    private void measure() {
        String key = digest;
        if (key == null) {
            return;
        }
        long start = System.nanoTime();
        CompletableFuture<Void> unused =
                port.relayed().thenRun(() -> shared.experience().direct(key, System.nanoTime() - start));
    }

    private void remember(Reason reason) {
        if (digest != null
                && (reason == Reason.FEW_ROWS
                        || reason == Reason.FEW_PARTITIONS
                        || reason == Reason.WORSE_PLAN
                        || reason == Reason.SUBQUERY
                        || reason == Reason.MEMORY
                        || reason == Reason.ALREADY_FAST)) {
            shared.refusals().rememberForNow(offer.sql(), digest, reason);
        }
    }

    private void abandoned(LiveQuery query, Reason reason, String detail) {
        LiveQuery.Cancel cancel = query.cancelled();
        if (cancel == null || cancel == LiveQuery.Cancel.FAILED) {
            passThrough(reason, detail);
            return;
        }
        LOG.debug("session {} cancelled: {}", port.backendThreadId(), cancel);
        metrics.cancelled();
        port.fail(QUERY_INTERRUPTED, INTERRUPTED_STATE, INTERRUPTED);
    }

    private void fanOut(LiveQuery query, StatementDraft guess) throws Abandoned, InterruptedException {
        phases.ended("read");
        boolean mariaDb = shared.catalog().mariaDb();
        SessionVariables variables = shared.workers()
                .facts()
                .orElseThrow(() -> new Abandoned(Reason.POOL_BUSY, "no worker connection yet"))
                .variables();
        Answers client = ClientQuestions.ask(port, offer.sql(), guess.statement(), variables, mariaDb);
        phases.ended("ask");
        Optional<SessionSettings.Unsplittable> unsplittable = client.settings().unsplittable();
        if (unsplittable.isPresent()) {
            throw new Abandoned(unsplittable.get().reason(), unsplittable.get().detail());
        }
        SqlDialect dialect = dialect(client.settings(), mariaDb);
        String text = SessionCharset.decode(offer.sql(), dialect.charset())
                .orElseThrow(() -> new Abandoned(Reason.CHARSET, "not valid in " + dialect.charset()));
        StatementDraft drafted = draft(text, dialect, client.settings().database());
        client.proveTables(drafted);
        ClientQuestions.requirePrepared(port, SplitPlanner.provesUncorrelated(drafted), dialect.charset());
        List<List<ExplainedTable>> plans = drafted.framed()
                ? ClientQuestions.explain(port, drafted.blocks(), dialect.charset(), mariaDb)
                : List.of(client.explained());
        BlockGate gate = BlockGate.judge(
                drafted,
                plans,
                text,
                client.settings().database(),
                new CostGate(config.fanOut().minRows()),
                catalog(),
                shared.catalog());
        StatementDraft draft = gate.draft();
        boolean compared = !gateOpen(draft.statement());
        if (compared
                && digest != null
                && shared.experience().shouldTryDirect(digest, leastNanos(draft, client.explained()))) {
            throw Abandoned.toMeasure("the split took little time: is it shorter without?");
        }
        int visible = client.prepared().columnDefinitions().size();
        WorkerGang.Task task = new WorkerGang.Task(
                draft, gate.work(), client.settings(), visible, Math.min(gate.partitions(), degree(draft.statement())));
        List<byte[]> definitions = definitions(client, draft.statement(), mariaDb);
        try (MemoryBudget budget = shared.memory()
                .child(
                        "query of session " + port.backendThreadId(),
                        config.limits().queryMemoryBytes())) {
            Gathered gathered = gather(query, task, budget);
            try (gathered) {
                Iterable<byte[]> payloads = gathered.finished();
                if (payloads == null) {
                    payloads = Finishing.finish(
                            gathered.plan(),
                            gathered.rows(),
                            visible,
                            dialect.charset(),
                            port,
                            config.limits().finishRows());
                }
                phases.ended("finish");
                answer(definitions, gathered, payloads);
            }
        }
    }

    /** What an aggregation takes at least: it reads the rows of its largest table. Sorted rows may come from an index. */
    private static long leastNanos(StatementDraft draft, List<ExplainedTable> explained) {
        if (draft.blocks().get(0).shape() instanceof SplitDraft.OrderedRows) {
            return 0;
        }
        long rows = explained.stream().mapToLong(ExplainedTable::rows).max().orElse(0);
        return rows > Long.MAX_VALUE / LEAST_NANOS_A_ROW ? Long.MAX_VALUE : rows * LEAST_NANOS_A_ROW;
    }

    private static SqlDialect dialect(SessionSettings settings, boolean mariaDb) throws Abandoned {
        DialectOfSession.Outcome outcome =
                DialectOfSession.of(settings.sqlMode(), mariaDb, settings.characterSetClient());
        if (outcome instanceof DialectOfSession.Outcome.Refused refused) {
            throw new Abandoned(refused.reason(), refused.detail());
        }
        return ((DialectOfSession.Outcome.Known) outcome).dialect();
    }

    private int degree(StatementModel statement) {
        int wished = statement.hint() instanceof SelectModel.Hint.Parallel parallel
                ? parallel.degree().orElse(config.fanOut().degree())
                : config.fanOut().degree();
        return Math.max(1, Math.min(wished, config.workers().connections()));
    }

    /** What the workers brought in, and the answer where one of them finished it; they are free again. */
    private record Gathered(
            StatementPlan plan,
            List<FoldedRows> rows,
            @Nullable List<byte[]> finished,
            int partitions,
            int degree,
            String snapshot)
            implements AutoCloseable {
        @Override
        public void close() {
            rows.forEach(FoldedRows::close);
        }
    }

    private Gathered gather(LiveQuery query, WorkerGang.Task task, MemoryBudget budget)
            throws Abandoned, InterruptedException {
        try (WorkerGang gang =
                WorkerGang.gather(query, task, shared.workers(), config, shared.catalog(), shared.workerThreads())) {
            phases.ended("workers");
            StatementPlan plan = gang.plan(config.fanOut(), shared.workers(), metrics, phases);
            if (!gateOpen(task.draft().statement())) {
                weigh(gang.doubts(plan));
            }
            List<FoldedRows> rows = new ArrayList<>();
            for (int block = 0; block < plan.blocks().size(); block++) {
                Fold fold = Fold.of(plan.blocks().get(block).merge(), budget);
                List<PartialFold> partials = gang.run(plan, block, fold);
                phases.ended("partitions");
                rows.add(fold.combine(partials));
                phases.ended("combine");
            }
            List<byte[]> finished = null;
            if (plan.onWorker()) {
                String statement =
                        Finishing.statement(plan, rows, config.limits().finishRows());
                finished = gang.finish(statement, task.visibleColumns(), budget);
            }
            return new Gathered(plan, rows, finished, gang.partitions(), gang.degree(), gang.snapshot());
        } catch (FoldException e) {
            throw new Abandoned(Reason.VALUE, e.kind() + ": " + e.getMessage());
        } catch (BudgetExceededException e) {
            throw new Abandoned(Reason.MEMORY, String.valueOf(e.getMessage()));
        }
    }

    private static List<byte[]> definitions(Answers client, StatementModel statement, boolean mariaDb)
            throws Abandoned {
        ClientPort.Reply.Prepared prepared = client.prepared();
        if (mariaDb || statement.select().isEmpty()) {
            return prepared.columnDefinitions();
        }
        try {
            return PlanDependentTypes.corrected(
                    statement.select().get(), prepared.columnDefinitions(), prepared.columns(), client.explained());
        } catch (ProtocolException e) {
            throw new Abandoned(Reason.PREPARE_FAILED, String.valueOf(e.getMessage()));
        }
    }

    /** A split whose plan is in doubt is tried only where the statement by itself is known to take long. */
    private void weigh(Optional<PassThrough> doubts) throws Abandoned {
        if (doubts.isEmpty() || digest == null) {
            return;
        }
        if (shared.experience().directUnknown(digest)) {
            throw Abandoned.toMeasure(doubts.get().detail());
        }
        if (!shared.experience().worthATry(digest)) {
            throw new Abandoned(doubts.get());
        }
    }

    private void answer(List<byte[]> definitions, Gathered gathered, Iterable<byte[]> payloads) {
        ClientPort.Answer answer = port.answer(definitions);
        try {
            for (byte[] payload : payloads) {
                answer.row(payload);
            }
            count(gathered);
            answer.end();
        } catch (ClientGoneException e) {
            LOG.debug("session {}: {}", port.backendThreadId(), e.getMessage());
            metrics.cancelled();
        } catch (InterruptedException e) {
            LOG.debug("session {}: the proxy stops while it answers", port.backendThreadId());
            metrics.cancelled();
            answer.fail(QUERY_INTERRUPTED, INTERRUPTED_STATE, INTERRUPTED);
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            LOG.warn("session {}: an answer broke off", port.backendThreadId(), e);
            answer.fail(UNKNOWN_ERROR, "HY000", "the folded answer broke off: " + e);
        }
    }

    /** Before the end of the answer is written, so that whoever has the answer finds it counted. */
    private void count(Gathered gathered) {
        long nanos = System.nanoTime() - offer.arrivalNanos();
        if (digest != null) {
            shared.experience().split(digest, nanos);
        }
        metrics.fannedOut(gathered.partitions(), gathered.degree(), gathered.snapshot(), nanos);
        LOG.info(
                "session {} fanned out: {} partitions, degree {}, snapshot {}, {} ms",
                port.backendThreadId(),
                gathered.partitions(),
                gathered.degree(),
                gathered.snapshot(),
                nanos / 1_000_000);
        LOG.debug("session {}: {}", port.backendThreadId(), phases);
    }
}
