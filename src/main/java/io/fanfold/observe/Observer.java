package io.fanfold.observe;

import io.fanfold.client.ServerIdentity;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.HeapShares;
import io.fanfold.inspect.Finding;
import io.fanfold.inspect.Inspection;
import io.fanfold.observe.SlowLogReader.SlowLog;
import io.fanfold.observe.StatementGroups.Load;
import io.fanfold.sql.SqlDialect;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.stream.Stream;

/** Reads a load, explains its statements through a proxy, and reports. For one thread. */
public final class Observer {
    private final LocalProxy proxy;
    private final Account account;
    private final GainModel model;
    private final int groups;

    /**
     * @param account whose rights the statements need
     * @param groups the most groups that are explained, 1 or more
     */
    public Observer(LocalProxy proxy, Account account, GainModel model, int groups) {
        this.proxy = proxy;
        this.account = account;
        this.model = model;
        this.groups = groups;
    }

    /**
     * Observes the load in a slow query log. Statements of the worker account are left out if it is not the client's.
     *
     * @param name of the log, for the report
     * @param in its bytes, read to their end
     * @param done receives the number of explained groups after each
     */
    public Observation slowLog(String name, InputStream in, IntConsumer done) throws IOException {
        StatementGroups statements;
        try (ExplainClient client = login()) {
            statements = statements(client);
        }
        String workers = proxy.config().workers().user();
        SlowLog log = new SlowLogReader(
                        proxy.config().limits().statementBytes(),
                        workers.equals(account.user()) ? "" : workers,
                        statements::add)
                .read(in);
        if (log.statements() == 0) {
            String why = log.leftOut() > 0
                    ? "has only statements of the worker account " + workers
                    : "has no statement (expected: a slow query log, with lines that begin with # Query_time:)";
            throw new IOException(name + " " + why);
        }
        Load load = statements.load();
        // sessions are opened when they are needed: an idle one may end
        try (ExplainClient client = login()) {
            load = load.with(ServerDigests.apply(client, load.groups()));
        }
        return observe(source(name, log), load, done);
    }

    private String source(String name, SlowLog log) {
        return "slow log " + name + (log.from().isEmpty() ? "" : ", " + log.from() + " to " + log.to())
                + (log.leftOut() == 0
                        ? ""
                        : ", without " + log.leftOut() + " statements of the worker account "
                                + proxy.config().workers().user());
    }

    /** Observes the load that the server has summed up by digest. */
    public Observation digestSummary(IntConsumer done) throws IOException {
        StatementGroups statements;
        String period;
        try (ExplainClient client = login()) {
            statements = statements(client);
            period = DigestSummary.read(client, statements::add);
        }
        return observe("performance_schema.events_statements_summary_by_digest, " + period, statements.load(), done);
    }

    private ExplainClient login() throws IOException {
        return LoadExplainer.login(proxy, account);
    }

    private static SqlDialect dialect(ExplainClient client) {
        return new SqlDialect(client.server().flavor(), false, false, StandardCharsets.UTF_8);
    }

    private StatementGroups statements(ExplainClient client) {
        return new StatementGroups(
                dialect(client), groups, HeapShares.ofThisProcess().cache());
    }

    private Observation observe(String source, Load load, IntConsumer done) throws IOException {
        List<Verdict> verdicts = new LoadExplainer(proxy, account, model).explain(load.groups(), done);
        List<Advice> advice;
        String server;
        try (ExplainClient client = login();
                SampleTables tables = new SampleTables(client, dialect(client))) {
            advice = new Advisor(proxy.config(), model, tables).advise(verdicts);
            server = server(client.server(), proxy.config());
        }
        Inspection inspection = proxy.inspection();
        List<Finding> findings = Stream.concat(
                        inspection.of(Finding.Severity.BLOCKS).stream(),
                        inspection.of(Finding.Severity.ADVICE).stream())
                .toList();
        return new Observation(source, server, load, verdicts, advice, findings);
    }

    private static String server(ServerIdentity server, FanfoldConfig config) {
        return server.title() + " at " + config.backend().host() + ":"
                + config.backend().port();
    }
}
