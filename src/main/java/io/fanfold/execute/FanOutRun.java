package io.fanfold.execute;

import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.TransactionConfig;
import io.fanfold.execute.ClientConnection.ResultSetHeader;
import io.fanfold.execute.Preflight.Answers;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.plan.ExplainedTable;
import io.fanfold.plan.LogicalStatement;
import io.fanfold.plan.PreparedQueries;
import io.fanfold.plan.rule.Rules;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal.HoldsFor;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.Hint;
import io.fanfold.sql.StatementDigest;
import io.fanfold.variables.SessionVariables;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Processes one offered statement: reads and plans it, runs the preflight queries on the client's own connection, fans
 * out, merges, runs the final query and answers. Any failure before the first byte of the answer passes the original
 * statement through, with a reason; a cancelled statement gets an error instead.
 */
final class FanOutRun {
    private static final Logger LOG = LoggerFactory.getLogger(FanOutRun.class);

    private final FanOutRequest request;
    private final ClientConnection client;
    private final FanfoldConfig config;
    private final FanfoldMetrics metrics;
    private final FanOutResources shared;
    private final StatementAnalyzer analyzer;
    private final Phases phases;

    /** Uses the settings of the split tables once these are known; the global settings until then. */
    private CostModel costs;

    /** The session's schema, empty if it has none; null while it is not known. */
    private @Nullable String schema;

    private String digest = "";

    /** The statement without its literals, as its session reads it; "" until that is known. */
    private String normalizedText = "";

    /**
     * Whether preflight queries ran on the client's connection. Inside a transaction they may have taken locks or
     * created a read view.
     */
    private volatile boolean preflightSent;

    /**
     * The fan-out's part in the client's transaction; null outside transactions, and before the session's settings are
     * known.
     */
    private volatile @Nullable TransactionWork transaction;

    /**
     * Whether all preflight queries are done. If the fan-out is cancelled after this, the statement counts as started.
     */
    private boolean preflightDone;

    private @Nullable FanOutExecution execution;

    /** The statement that is split, with values in place of parameters. */
    private byte[] sql;

    private @Nullable BoundExecution bound;

    FanOutRun(FanOutRequest request, FanfoldConfig config, FanfoldMetrics metrics, FanOutResources shared) {
        this.request = request;
        this.client = request.client();
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
                    normalizedText.isEmpty()
                            ? shared.catalog().digest(new String(sql, StandardCharsets.UTF_8))
                            : normalizedText);
        }
        metrics.passedThrough(reason);
        shared.observer().passedThrough(reason, detail);
        if (preflightSent) {
            request.transaction()
                    .ifPresent(place ->
                            place.beginning().ifPresent(beginning -> place.restore(client, beginning, transaction)));
        }
        client.passThrough();
    }

    /** Processes the statement, on a coordinator thread. */
    void run() {
        Preliminary preliminary;
        shared.reading().acquireUninterruptibly();
        try {
            preliminary = read();
        } finally {
            shared.reading().release();
        }
        if (preliminary != null) {
            run(preliminary.logical(), preliminary.text());
        }
    }

    /** A statement as a session with default settings reads it. */
    private record Preliminary(LogicalStatement logical, String text) {}

    /**
     * The first step: reads and plans the statement as a session with default settings would, without asking the
     * server. A refusal here does not depend on the session's settings.
     *
     * @return null if the statement has been passed through
     */
    private @Nullable Preliminary read() {
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
            return new Preliminary(preliminary, text);
        } catch (RefusedException e) {
            if (e.refusal().holdsFor() == HoldsFor.TEXT) {
                shared.refusals().rememberText(request.sql(), e.reason());
            } else if (e.reason() == Reason.MEASURED) {
                earlier().rememberForNow(e.reason());
            } else if (e.reason() == Reason.PARAMETER && bound != null && !bound.bindsNull()) {
                // binding worked for these values, so the refusal is about the places of the parameters
                earlier().rememberTextForNow(e.reason());
            }
            passThrough(e.reason(), e.detail());
        } catch (RuntimeException | Error e) {
            LOG.warn("reading a statement failed", e);
            passThrough(Reason.INTERNAL, e.toString());
        }
        return null;
    }

    private StatementHistory earlier() {
        return new StatementHistory(
                shared.refusals(),
                shared.history(),
                shared.attempts(),
                request.sql(),
                schema,
                digest,
                bound != null && bound.bindsNull());
    }

    private void refuseAsBefore(LogicalStatement preliminary) throws RefusedException {
        costs = new CostModel(preliminary.settings(analyzer.tables(schema)), shared.history());
        earlier().requireNotRefused(preliminary.statement(), costs);
    }

    /** Does the rest. */
    private void run(LogicalStatement preliminary, String text) {
        QueryExecution query =
                new QueryExecution(client.backendThreadId(), shared.workers().killSwitch(), shared.killers());
        shared.registry().add(query);
        CompletableFuture<Void> watched =
                client.clientGone().thenRun(() -> query.cancel(QueryExecution.Cancel.CLIENT_GONE));
        try {
            fanOut(query, preliminary, text);
        } catch (RefusedException e) {
            if (Interruption.late(e.getCause())) {
                query.cancel(QueryExecution.Cancel.LATE);
            }
            if (e instanceof KilledException) {
                query.cancel(QueryExecution.Cancel.KILLED);
            }
            if (!query.endedFromOutside()) {
                earlier().remember(e.refusal());
                if (execution != null
                        && execution.workersStarted()
                        && e.reason() != Reason.MEASURED
                        && e.reason() != Reason.CLIENT_LOST) {
                    earlier().failed(e.reason(), System.nanoTime() - request.arrivalNanos());
                }
            }
            if (e.reason() == Reason.OTHER_SERVER) {
                shared.workers().lookAgain();
                shared.catalog().refreshSoon();
            }
            if (e.reason() == Reason.MEASURED) {
                earlier().measureDirect(client);
            }
            endWithout(query, e.reason(), e.detail());
        } catch (InterruptedException e) {
            endWithout(query, Reason.INTERNAL, "interrupted");
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            LOG.warn("session {}: a fan-out failed", client.backendThreadId(), e);
            endWithout(query, Reason.INTERNAL, e.toString());
        } finally {
            query.end();
            watched.cancel(false);
            shared.registry().remove(query);
        }
    }

    private void endWithout(QueryExecution query, Reason reason, String detail) {
        // whether the end of the client's connection has already cancelled the query depends on timing
        if (!query.endedFromOutside() || reason == Reason.CLIENT_LOST) {
            passThrough(reason, detail);
            return;
        }
        QueryExecution.Cancel cancel = query.cancelled();
        count().cancelled(String.valueOf(cancel));
        Interruption interruption = Interruption.of(cancel, shared.catalog().flavor());
        client.fail(interruption.errno(), interruption.sqlState(), interruption.message(), preflightDone);
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
                    query, client, !request.transaction().get().first());
        }
        preflightSent = true;
        boolean inside = request.transaction().isPresent();
        Answers preflight = Preflight.ask(
                query,
                client,
                sql,
                preliminary,
                bound == null ? List.of() : bound.queries(),
                variables,
                inside,
                shared.catalog().flavor());
        phases.ended("ask");
        useSchema(preflight.settings().database(), preliminary, text);
        // whether the workers use the same server is checked when they are admitted
        if (!shared.catalog().of(preflight.settings().server())) {
            throw new RefusedException(
                    Reason.OTHER_SERVER, "the tables were read from another server than the client's");
        }
        Preflight.requirePlain(preflight.settings(), inside);
        // like the server, count from the arrival of the statement
        preflight
                .settings()
                .longest()
                .ifPresent(longest -> query.limit(longest.minusNanos(System.nanoTime() - request.arrivalNanos())));
        preflight.settings().progressEvery().ifPresent(every -> client.reportProgress(every, query.progress()));
        StatementAnalyzer.SessionPlan inSession = analyzer.inSession(sql, preflight.settings());
        if (inside) {
            transaction = TransactionWork.join(
                    query,
                    request.transaction().get(),
                    preflight,
                    client,
                    inSession.charset(),
                    config.fanOut().transactions().idle());
        }
        normalizedText = StatementDigest.of(inSession.text(), analyzer.dialect(preflight.settings()));
        LogicalStatement whole = inSession.logical();
        preflight.proveTables(whole, shared.catalog().flavor());
        if (bound != null) {
            bound.require(
                    preflight.settings(),
                    analyzer.dialect(preflight.settings()),
                    preflight.further(),
                    preflight.prepared());
        }
        // must follow the check of the parameters: a literal in place of a parameter may raise a warning, and that
        // check refuses such values
        preflight.requireNoWarnings(whole);
        Preflight.requirePrepared(query, client, PreparedQueries.provingUncorrelated(whole), inSession.charset());
        boolean unexplained = preflight.explained().isEmpty();
        List<List<ExplainedTable>> plans = whole.framed() || unexplained
                ? Preflight.explain(
                        query,
                        client,
                        whole.blocks(),
                        inSession.charset(),
                        shared.catalog().flavor())
                : List.of(preflight.explained());
        BlockSelection selection = BlockSelection.judge(
                whole,
                plans,
                inSession.text(),
                analyzer.tables(preflight.settings().database()),
                shared.catalog());
        costs = new CostModel(selection.settings(), shared.history());
        LogicalStatement logical = selection.logical();
        RefusedException.throwIf(Rules.ofExplain(
                logical.blocks().get(0),
                preflight.prepared().columns(),
                preflight.explained(),
                shared.catalog().flavor()));
        List<ExplainedTable> explained =
                unexplained ? plans.stream().flatMap(List::stream).toList() : preflight.explained();
        costs.tryDirect(logical, digest, explained);
        Hint hint = logical.statement().hint();
        int connections = config.workers().connections();
        FanOutTask task = new FanOutTask(
                logical,
                selection.work(),
                preflight.settings(),
                selection.settings().snapshots().within(costs.patience(logical, digest, explained)),
                preflight.prepared().columnDefinitions().size(),
                explained,
                costs.byWork(hint),
                costs.scanNanos(digest, explained),
                Math.min(
                        selection.partitions(),
                        inside ? costs.most(hint, connections) : costs.degree(hint, digest, explained, connections)),
                Optional.ofNullable(transaction));
        ResultSetHeader head = new ResultSetHeader(
                AnswerDefinitions.of(preflight, logical, shared.catalog()),
                Explain.indexStatus(explained, shared.catalog().flavor()),
                request.execution().map(FanOutRequest.Execution::statement));
        if (bound != null) {
            bound.requireAnswer(preflight.prepared(), head.definitions());
            bound.announce(client, preflight.settings());
        }
        preflightDone = true;
        boolean certain = !preflight.computedColumns()
                && !logical.blocks().get(0).sortsDates(preflight.prepared().columns());
        FanOutExecution run =
                new FanOutExecution(query, request, config, metrics, shared, costs, digest, count(), phases);
        execution = run;
        run.run(
                task,
                head,
                certain,
                inSession.charset(),
                CutTexts.of(preflight.prepared().columns(), shared.catalog()::bytesPerCharacter));
    }

    /**
     * Sets the schema that the server has named, and checks earlier refusals again if it differs from the one assumed.
     */
    private void useSchema(@Nullable String database, LogicalStatement preliminary, String text)
            throws RefusedException {
        String name = database == null ? "" : database;
        client.schema(name);
        if (!name.equals(schema)) {
            schema = name;
            digest = Digest.of(name, text);
            refuseAsBefore(preliminary);
        }
    }

    private String sessionName() {
        return SessionName.of(client.backendThreadId(), client.user(), schema);
    }

    private AnswerCount count() {
        return new AnswerCount(
                sessionName(),
                normalizedText,
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
