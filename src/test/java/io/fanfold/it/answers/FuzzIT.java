package io.fanfold.it.answers;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.config.Secret;
import io.fanfold.config.VerifyConfig;
import io.fanfold.demo.Endpoint;
import io.fanfold.demo.SqlClient;
import io.fanfold.demo.WireSqlClient;
import io.fanfold.fuzz.FuzzDatabase;
import io.fanfold.fuzz.FuzzRun;
import io.fanfold.fuzz.FuzzSummary;
import io.fanfold.fuzz.Subject;
import io.fanfold.it.support.client.BinaryClient;
import io.fanfold.it.support.client.PreparedSqlClient;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.metrics.FanOutReport;
import io.fanfold.metrics.VerifyResult;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Some hundred random statements, always the same ones, direct and through proxies of two degrees, as text and
 * prepared.
 */
class FuzzIT {
    private static final String DATABASE = "it_fuzz";
    private static final long SEED = 20;
    private static final int STARS = 25;
    private static final int STATEMENTS = 110;
    private static final int PREPARED = 80;
    private static final int VERIFIED = 80;
    private static final int OVER_RANGES = 110;
    private static final int OVER_RANGES_PREPARED = 40;
    private static final int FAN_OUT_PERCENT = 45;
    private static final int RANGES_PERCENT = 25;
    private static final int FILTERED_PERCENT = 25;
    private static final int IN_TRANSACTIONS = 60;

    /** Under REPEATABLE READ nothing is split after a first statement that passed through. */
    private static final int IN_TRANSACTIONS_PERCENT = 25;

    @AllServers
    void randomStatementsHaveTheSameAnswers(TestServer server) throws Exception {
        run(server, STATEMENTS, false, false);
    }

    @AllServers
    void randomPreparedStatementsHaveTheSameAnswers(TestServer server) throws Exception {
        run(server, PREPARED, true, false);
    }

    @AllServers
    void randomStatementsInTransactionsHaveTheSameAnswers(TestServer server) throws Exception {
        run(server, IN_TRANSACTIONS, false, true);
        run(server, IN_TRANSACTIONS, true, true);
    }

    @AllServers
    void randomStatementsOverKeyRangesHaveTheServersAnswers(TestServer server) throws Exception {
        try (ProxiedServer two =
                        ProxiedServer.start(server, ProxySetup.ofDegree(2).keyRanges());
                ProxiedServer seven =
                        ProxiedServer.start(server, ProxySetup.ofDegree(7).keyRanges())) {
            run(server, OVER_RANGES, false, false, true, List.of(two, seven));
            run(server, OVER_RANGES_PREPARED, true, false, true, List.of(two, seven));
        }
    }

    @AllServers
    void randomStatementsAreVerifiedWithoutAnAlarm(TestServer server) throws Exception {
        ProxySetup two = ProxySetup.ofDegree(2);
        ProxySetup setup = two.withFanOut(two.fanOut().withVerifyShare(1))
                .withVerify(new VerifyConfig(8, Duration.ofMinutes(1), null, false));
        try (ProxiedServer proxy = ProxiedServer.start(server, setup)) {
            run(server, VERIFIED, false, false, false, List.of(proxy));
            assertThat(proxy.differing().all()).isEmpty();
            assertThat(proxy.verified(VerifyResult.SAME)).isGreaterThan(VERIFIED * FAN_OUT_PERCENT / 200);
        }
    }

    static void run(TestServer server, int statements, boolean prepared, boolean transactions) throws Exception {
        try (ProxiedServer two = ProxiedServer.start(server, 2);
                ProxiedServer seven = ProxiedServer.start(server, 7)) {
            run(server, statements, prepared, transactions, false, List.of(two, seven));
        }
    }

    private static void run(
            TestServer server,
            int statements,
            boolean prepared,
            boolean transactions,
            boolean ranges,
            List<ProxiedServer> tested)
            throws Exception {
        Endpoint direct =
                new Endpoint(server.host(), server.port(), server.adminUser(), new Secret(server.adminPassword()));
        String version;
        try (SqlClient admin = WireSqlClient.open(direct)) {
            new FuzzDatabase(admin, DATABASE).create(ranges);
            admin.execute("CREATE USER IF NOT EXISTS '" + BinaryClient.USER + "'@'%' IDENTIFIED BY ''");
            admin.execute("GRANT ALL ON *.* TO '" + BinaryClient.USER + "'@'%'");
            version = admin.serverVersion();
        }
        StringWriter told = new StringWriter();
        tested.forEach(ProxiedServer::tablesChanged);
        SqlClient.Factory clients = endpoint -> prepared
                ? new PreparedSqlClient(new BinaryClient(endpoint.host(), endpoint.port(), BinaryClient.USUAL), version)
                : WireSqlClient.open(endpoint);
        List<Subject> proxies = new ArrayList<>();
        for (ProxiedServer proxy : tested) {
            proxies.add(
                    new Reached("proxy " + (proxies.size() + 1), direct.at("127.0.0.1", proxy.port()), clients, proxy));
        }
        try (FuzzRun run = new FuzzRun(
                new Reached("direct", direct, clients, null),
                proxies,
                DATABASE,
                SEED,
                ranges ? 0 : STARS,
                ranges,
                transactions,
                new PrintWriter(told, true))) {
            FuzzSummary summary = run.run(1, statements, new FuzzSummary());
            assertThat(summary.differences()).as("%s", told).isZero();
            assertThat(summary.statements()).isEqualTo(statements);
            int least = ranges ? RANGES_PERCENT : transactions ? IN_TRANSACTIONS_PERCENT : FAN_OUT_PERCENT;
            assertThat(summary.fannedOutPercent()).as("%s", summary).isGreaterThanOrEqualTo(least);
            if (!ranges) {
                assertThat(summary.starsFannedOutPercent()).as("%s", summary).isGreaterThanOrEqualTo(least);
                assertThat(summary.starsFilteredPercent()).as("%s", summary).isGreaterThanOrEqualTo(FILTERED_PERCENT);
            }
        }
    }

    private record Reached(
            String name,
            Endpoint endpoint,
            SqlClient.Factory clients,
            @Nullable ProxiedServer proxy) implements Subject {
        @Override
        public SqlClient connect() throws IOException {
            return clients.open(endpoint);
        }

        /** Returns the report on the last statement. It is complete before the client's ping is answered. */
        @Override
        public FanOutReport report() {
            FanOutReport last = FanOutReport.NONE;
            try {
                while (proxy != null && !proxy.lookedAtNothing()) {
                    ProxiedServer.Outcome outcome = proxy.outcome();
                    last = outcome.reason() == null
                            ? FanOutReport.split(
                                    outcome.partitions(),
                                    outcome.degree(),
                                    outcome.snapshot(),
                                    outcome.filterKeys().size())
                            : FanOutReport.passed(outcome.reason().label());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return last;
        }
    }
}
