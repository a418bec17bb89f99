package io.fanfold.execute;

import io.fanfold.client.ServerFacts;
import io.fanfold.config.ReplicaReads;
import io.fanfold.config.ReplicaReads.ReadFrom;
import io.fanfold.config.ReuseConfig;
import io.fanfold.config.ReuseConfig.Reuse;
import io.fanfold.config.SnapshotConfig.TableLocks;
import io.fanfold.execute.ClientConnection.ResultSetHeader;
import io.fanfold.execute.FanOutScope.Stage;
import io.fanfold.execute.Preflight.Answers;
import io.fanfold.execute.ReadStep.ReadStatement;
import io.fanfold.plan.ExplainedTable;
import io.fanfold.plan.LogicalStatement;
import io.fanfold.plan.PreparedQueries;
import io.fanfold.plan.rule.Rules;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.replica.ReplicaCheck;
import io.fanfold.row.Column;
import io.fanfold.sql.Hint;
import io.fanfold.sql.HintWord;
import io.fanfold.sql.StatementDigest;
import io.fanfold.variables.SessionSettings;
import io.fanfold.variables.SessionVariables;
import java.nio.charset.Charset;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The second step: asks the server on the client's own connection what the statement means in its session, whether the
 * client may run it, and what it costs. For the coordinator thread.
 */
record PreflightStep(FanOutScope scope, StatementAnalyzer analyzer, QueryExecution query) {
    /**
     * A statement that may be split.
     *
     * @param head the part of the answer before the rows
     * @param columns the columns of the answer
     * @param certain whether reading the tables can fail only for external causes, such as a lost connection
     * @param charset the session's character set
     * @param texts refuses rows of the final query whose texts may be cut, because it makes texts of merged numbers
     *     without cutting them
     * @param verifyShare the share of such statements that are verified
     */
    record AskedStatement(
            FanOutTask task,
            ResultSetHeader head,
            List<Column> columns,
            boolean certain,
            Charset charset,
            CutTexts texts,
            double verifyShare) {}

    /** Runs the preflight queries and judges their answers. */
    AskedStatement run(ReadStatement read) throws RefusedException, InterruptedException {
        ClientConnection client = scope.client();
        Answers preflight = ask(read);
        scope.phases().ended("ask");
        useSchema(preflight.settings().database(), read);
        requireSession(preflight.settings());
        StatementAnalyzer.SessionPlan inSession = analyzer.inSession(scope.sql(), preflight.settings());
        join(preflight, inSession.charset());
        scope.normalizedText(StatementDigest.of(inSession.text(), analyzer.dialect(preflight.settings())));
        query.progress().named(scope.runningName());
        LogicalStatement whole = inSession.logical();
        prove(whole, preflight, inSession.charset());
        Optional<SpiderTable> spider = SpiderTable.of(
                whole, preflight.tables(), scope.request().transaction().isPresent());
        List<List<ExplainedTable>> plans =
                whole.embedded() || preflight.explained().isEmpty()
                        ? Preflight.explain(query, client, whole.blocks(), inSession.charset(), scope.flavor())
                        : List.of(preflight.explained());
        BlockSelection selection = BlockSelection.judge(
                whole,
                plans,
                inSession.text(),
                preflight.tables(),
                analyzer.tables(preflight.settings().database()),
                scope.shared().catalog());
        FanOutTask task = task(selection, preflight, plans, spider);
        ResultSetHeader head = new ResultSetHeader(
                AnswerDefinitions.of(preflight, task.logical(), scope.shared().catalog()),
                Explain.indexStatus(task.explained(), scope.flavor()),
                scope.request().execution().map(FanOutRequest.Execution::statement));
        BoundExecution bound = scope.bound();
        if (bound != null) {
            bound.requireAnswer(preflight.prepared(), head.definitions());
            bound.announce(client, preflight.settings());
        }
        boolean certain = !preflight.computedColumns()
                && !task.logical()
                        .blocks()
                        .get(0)
                        .sortsDates(preflight.prepared().columns());
        return new AskedStatement(
                task,
                head,
                preflight.prepared().columns(),
                certain,
                inSession.charset(),
                CutTexts.of(preflight.prepared().columns(), scope.shared().catalog()::bytesPerCharacter),
                selection.settings().verifyShare());
    }

    private Answers ask(ReadStatement read) throws RefusedException, InterruptedException {
        SessionVariables variables = scope.shared()
                .workers()
                .facts()
                .orElseThrow(() -> new RefusedException(Reason.POOL_BUSY, "no worker connection yet"))
                .variables();
        FanOutRequest request = scope.request();
        if (request.transaction().isPresent() && request.transaction().get().uncertain()) {
            Preflight.requireTransaction(
                    query, scope.client(), !request.transaction().get().first());
        }
        scope.reaches(Stage.ASKING);
        BoundExecution bound = scope.bound();
        return Preflight.ask(
                query,
                scope.client(),
                scope.sql(),
                read.logical(),
                bound == null ? List.of() : bound.queries(),
                variables,
                request.transaction().isPresent(),
                request.transaction().isEmpty() && scope.config().readsReplicas(),
                scope.flavor());
    }

    /**
     * Sets the schema that the server has named, and checks earlier refusals again if it differs from the one assumed.
     */
    private void useSchema(@Nullable String database, ReadStatement read) throws RefusedException {
        String name = database == null ? "" : database;
        scope.client().schema(name);
        if (!name.equals(scope.schema())) {
            scope.schema(name, read.text());
            scope.requireNotRefused(analyzer, read.logical());
        }
    }

    /** Requires the server whose tables are known, and a session in which statements may be split. Limits the time. */
    private void requireSession(SessionSettings settings) throws RefusedException {
        // whether the workers use the same server is checked when they are admitted
        if (!scope.shared().catalog().of(settings.server())) {
            throw new RefusedException(
                    Reason.OTHER_SERVER, "the tables were read from another server than the client's");
        }
        Preflight.requirePlain(settings, scope.request().transaction().isPresent());
        // like the server, count from the arrival of the statement
        settings.longest()
                .ifPresent(longest -> query.limit(
                        longest.minusNanos(System.nanoTime() - scope.request().arrivalNanos())));
        settings.progressEvery().ifPresent(every -> scope.client().reportProgress(every, query.progress()));
    }

    private void join(Answers preflight, Charset charset) throws RefusedException {
        if (scope.request().transaction().isPresent()) {
            scope.joins(TransactionWork.join(
                    query,
                    scope.request().transaction().get(),
                    preflight,
                    scope.client(),
                    charset,
                    scope.config().fanOut().transactions().idle()));
        }
    }

    /** Proves that names are tables, that parameters mean what their literals mean, and that nothing warns. */
    private void prove(LogicalStatement whole, Answers preflight, Charset charset)
            throws RefusedException, InterruptedException {
        preflight.proveTables(whole, scope.flavor());
        BoundExecution bound = scope.bound();
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
        Preflight.requirePrepared(query, scope.client(), PreparedQueries.provingUncorrelated(whole), charset);
    }

    /** Decides by the costs whether the statement is split, and by how many workers. */
    private FanOutTask task(
            BlockSelection selection, Answers preflight, List<List<ExplainedTable>> plans, Optional<SpiderTable> spider)
            throws RefusedException {
        if (spider.isPresent()) {
            spider.get().require(selection.settings().snapshots());
        }
        CostModel costs = new CostModel(selection.settings(), scope.shared().history());
        scope.costs(costs);
        LogicalStatement logical = selection.logical();
        RefusedException.throwIf(Rules.ofExplain(
                logical.blocks().get(0), preflight.prepared().columns(), preflight.explained(), scope.flavor()));
        List<ExplainedTable> explained = preflight.explained().isEmpty()
                ? plans.stream().flatMap(List::stream).toList()
                : preflight.explained();
        for (BlockPlanning block : selection.blocks()) {
            explained = block.corrected(explained);
        }
        String digest = scope.digest();
        if (!scope.onlyExplains()) {
            costs.tryDirect(logical, digest, explained, BlockPlanning.atMost(selection.blocks(), explained));
        }
        Hint hint = logical.statement().hint();
        int connections = scope.config().workers().connections();
        int workers;
        if (spider.isPresent()) {
            // they only wait for the servers of the partitions, and the head's estimates may be of long ago
            workers = costs.most(hint, connections, spider.get().servers());
        } else if (scope.transaction().isPresent()) {
            workers = costs.most(hint, connections);
        } else {
            workers = costs.degree(hint, digest, explained, connections);
        }
        int degree = Math.min(selection.partitions(), workers);
        if (degree == 1 && selection.rangesOnly()) {
            throw new RefusedException(Reason.KEY_RANGE, "one worker would read all ranges");
        }
        return new FanOutTask(
                logical,
                selection.blocks(),
                preflight.settings(),
                selection.settings().snapshots().within(costs.patience(logical, digest, explained)),
                preflight.prepared().columnDefinitions().size(),
                explained,
                costs.byWork(hint),
                costs.scanNanos(digest, explained),
                selection.settings().reuse().mode() == Reuse.OFF && costs.manyGroups(digest, scope.flavor()),
                degree,
                selection.settings().mode(),
                spider.isPresent() ? selection.settings().reuse().withMode(Reuse.OFF) : reuse(selection),
                spider.isPresent() ? Optional.empty() : replica(selection, preflight),
                spider,
                scope.transaction());
    }

    private Optional<ReplicaRead> replica(BlockSelection selection, Answers preflight) {
        ReplicaReads reads = selection.settings().replicas();
        Optional<ServerFacts> primary = scope.shared().workers().facts();
        if (reads.from() == ReadFrom.PRIMARY || primary.isEmpty() || scope.avoidsReplicas()) {
            return Optional.empty();
        }
        return preflight
                .position()
                .map(position -> new ReplicaRead(
                        reads.from(),
                        scope.avoidsSeveral() ? 1 : reads.servers(),
                        selection.settings().snapshots().tableLocks() == TableLocks.ALLOW,
                        new ReplicaCheck(primary.get(), position, reads.patience(), reads.staleness()),
                        preflight.tables()));
    }

    private static ReuseConfig reuse(BlockSelection selection) {
        ReuseConfig settings = selection.settings().reuse();
        LogicalStatement logical = selection.logical();
        boolean allowed =
                settings.mode() == Reuse.ON && !logical.statement().has(HintWord.NO_REUSE) && !logical.dependsOnTime();
        return settings.withMode(allowed ? Reuse.ON : Reuse.OFF);
    }
}
