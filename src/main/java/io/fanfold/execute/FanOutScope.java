package io.fanfold.execute;

import io.fanfold.config.FanfoldConfig;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.plan.LogicalStatement;
import io.fanfold.pool.WorkerServer;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.StatementDigest;
import io.fanfold.verify.DifferingStatements;
import io.fanfold.wire.ServerFlavor;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One offered statement, and what its steps have found out about it so far. The end of the statement needs these facts
 * wherever the fan-out fails. For the coordinator thread.
 */
final class FanOutScope {
    /** How far a statement has got. Each stage includes the effects of those before. */
    enum Stage {
        /** The server has not been asked. */
        READING,
        /**
         * Preflight queries run on the client's connection. Inside a transaction they may have taken locks or created a
         * read view.
         */
        ASKING,
        /** The preflight queries are done. If the fan-out is cancelled now, the statement counts as started. */
        ASKED,
        /** Workers have started. Their work is lost if the split is given up. */
        WORKING
    }

    private final FanOutRequest request;
    private final FanfoldConfig config;
    private final FanfoldMetrics metrics;
    private final FanOutResources shared;
    private final Phases phases;
    private Stage stage = Stage.READING;
    private boolean onlyExplains;
    private boolean avoidsReplicas;
    private boolean avoidsSeveral;
    private List<WorkerServer> servers = List.of();
    private CostModel costs;
    private byte[] sql;
    private @Nullable BoundExecution bound;
    private @Nullable String schema;
    private String digest = "";
    private @Nullable String normalizedText;
    private Optional<TransactionWork> transaction = Optional.empty();
    private Optional<PlannedScan> planned = Optional.empty();
    private Optional<ShadowCheck> check = Optional.empty();

    FanOutScope(FanOutRequest request, FanfoldConfig config, FanfoldMetrics metrics, FanOutResources shared) {
        this.request = request;
        this.config = config;
        this.metrics = metrics;
        this.shared = shared;
        this.phases = new Phases(request.arrivalNanos());
        this.costs = new CostModel(config.fanOut(), shared.history());
        this.sql = request.sql();
        this.schema = request.schema();
    }

    FanOutRequest request() {
        return request;
    }

    ClientConnection client() {
        return request.client();
    }

    FanfoldConfig config() {
        return config;
    }

    FanfoldMetrics metrics() {
        return metrics;
    }

    FanOutResources shared() {
        return shared;
    }

    ServerFlavor flavor() {
        return shared.catalog().flavor();
    }

    Phases phases() {
        return phases;
    }

    /** Whether the statement is planned and does not run, so its next execution may be another one than the plan's. */
    boolean onlyExplains() {
        return onlyExplains;
    }

    void explainOnly() {
        onlyExplains = true;
    }

    /** A replica that workers read; empty if they read only the primary, or no server has been chosen. */
    Optional<WorkerServer> replica() {
        return servers.stream().filter(server -> !server.primary()).findFirst();
    }

    void reads(List<WorkerServer> chosen) {
        servers = List.copyOf(chosen);
    }

    boolean readsSeveral() {
        return servers.size() > 1;
    }

    /** Whether only one server may be read, because several failed together. */
    boolean avoidsSeveral() {
        return avoidsSeveral;
    }

    void avoidSeveral() {
        avoidsSeveral = true;
    }

    /** Whether only the primary may be read, because a replica has failed. */
    boolean avoidsReplicas() {
        return avoidsReplicas;
    }

    void avoidReplicas() {
        avoidsReplicas = true;
    }

    boolean reached(Stage least) {
        return stage.compareTo(least) >= 0;
    }

    void reaches(Stage next) {
        stage = next;
    }

    /** By the settings of the split tables once these are known; by the global settings until then. */
    CostModel costs() {
        return costs;
    }

    void costs(CostModel ofTables) {
        costs = ofTables;
    }

    /** The statement's bytes, with values in place of parameters once these are bound. */
    byte[] sql() {
        return sql;
    }

    /** The bound parameters of an execution; null for a text. */
    @Nullable
    BoundExecution bound() {
        return bound;
    }

    void bind(BoundExecution execution) {
        bound = execution;
        sql = execution.sql();
    }

    /** Whether a parameter is NULL. */
    boolean bindsNull() {
        return bound != null && bound.bindsNull();
    }

    /** The session's schema, empty if it has none; null while it is not known. */
    @Nullable
    String schema() {
        return schema;
    }

    /** Identifies executions of similar statements; "" while the schema is not known. */
    String digest() {
        return digest;
    }

    void schema(String name, String text) {
        schema = name;
        digest = Digest.of(name, text);
    }

    /**
     * The statement without its literals; as its session reads it once that is known, and until then as a session with
     * default settings does. If the lexer refuses it, without what looks like a literal.
     */
    String normalizedText() {
        if (normalizedText == null) {
            String text = new String(request.sql(), StandardCharsets.UTF_8);
            String read = shared.catalog().digest(text);
            normalizedText = read.isEmpty() ? StatementDigest.cut(Digest.of(text)) : read;
        }
        return normalizedText;
    }

    /** The statement as far as it is known, for operators. */
    FanOutProgress.RunningName runningName() {
        return new FanOutProgress.RunningName(
                client().user(), Objects.requireNonNullElse(schema, ""), normalizedText(), request.arrivalNanos());
    }

    /** Counts executions of statements like this one. */
    StatementStatistics.StatementCounts counts() {
        return shared.statistics()
                .of(Objects.requireNonNullElse(schema, ""), client().user(), normalizedText(), request.sql());
    }

    /**
     * If the server was asked inside a transaction, restores the session, so that the next statement is the first of its
     * transaction as this one was.
     *
     * @return completes when that is done; exceptionally if the client's connection is lost
     */
    CompletableFuture<?> restore() {
        Optional<FreshTransaction> beginning =
                request.transaction().flatMap(TransactionPlace::beginning).filter(fresh -> reached(Stage.ASKING));
        return beginning.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : request.transaction()
                        .orElseThrow()
                        .restore(client(), beginning.get(), transaction().orElse(null));
    }

    void normalizedText(String text) {
        normalizedText = text;
    }

    /** The fan-out's part in the client's transaction; empty outside, and until the session's settings are known. */
    Optional<TransactionWork> transaction() {
        return transaction;
    }

    void joins(TransactionWork work) {
        transaction = Optional.of(work);
    }

    /** The plan whose partition queries run; empty before. */
    Optional<PlannedScan> planned() {
        return planned;
    }

    void planned(PlannedScan scan) {
        planned = Optional.of(scan);
    }

    /** The verification of the answer; empty if it is not verified. */
    Optional<ShadowCheck> check() {
        return check;
    }

    void verifies(ShadowCheck chosen) {
        check = Optional.of(chosen);
    }

    /** Starts the answer; see {@link ClientConnection#answer}. */
    ClientConnection.Answer answer(ClientConnection.ResultSetHeader head) {
        ClientConnection.Answer answer = client().answer(head);
        return check.map(chosen -> chosen.over(answer)).orElse(answer);
    }

    StatementHistory history() {
        return new StatementHistory(
                shared.refusals(),
                shared.history(),
                shared.attempts(),
                request.sql(),
                schema,
                digest,
                normalizedText(),
                bindsNull(),
                config.accounts().entries().isEmpty());
    }

    /** Refuses a statement that was refused before, was slower when it was split, or gains nothing while others run. */
    void requireNotRefused(StatementAnalyzer analyzer, LogicalStatement read) throws RefusedException {
        if (shared.verifier().differing().contains(digest)) {
            throw new RefusedException(Reason.VERIFY_DIFFERS, DifferingStatements.id(digest));
        }
        costs = new CostModel(read.settings(analyzer.tables(schema)), shared.history());
        history().requireNotRefused(read.statement(), costs);
        costs.requireFreeCores(
                read.statement().hint(),
                digest,
                shared.registry().others(client().backendThreadId()),
                shared.servers().all().size(),
                config.workers().connections());
    }

    /** Returns how many queries have shared a core of the servers since then, see {@link CostModel#load}. */
    double loadSince(ServerLoad.Mark begin) {
        return costs.load(
                shared.registry().load().meanSince(begin),
                shared.servers().all().size(),
                config.workers().connections());
    }

    /** The session's name in the log. */
    String sessionName() {
        return SessionName.of(client().backendThreadId(), client().user(), schema);
    }

    AnswerCount count() {
        return new AnswerCount(
                sessionName(),
                normalizedText(),
                counts(),
                digest,
                request.transaction(),
                request.arrivalNanos(),
                shared.history(),
                shared.attempts(),
                metrics,
                shared.observer(),
                shared.slow(),
                phases);
    }
}
