package io.fanfold.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.cli.FanOutReport;
import io.fanfold.cli.demo.Endpoint;
import io.fanfold.cli.demo.SqlClient;
import io.fanfold.cli.demo.WireSqlClient;
import io.fanfold.cli.fuzz.FuzzDatabase;
import io.fanfold.cli.fuzz.FuzzRun;
import io.fanfold.cli.fuzz.FuzzSummary;
import io.fanfold.cli.fuzz.Subject;
import io.fanfold.config.Secret;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Some hundred random statements, always the same ones, direct and through proxies of two degrees. */
class FuzzIT {
    private static final String DATABASE = "it_fuzz";
    private static final long SEED = 20;
    private static final int STATEMENTS = 300;
    private static final int FAN_OUT_PERCENT = 45;

    @AllServers
    void randomStatementsHaveTheSameAnswers(TestServer server) throws Exception {
        Endpoint direct =
                new Endpoint(server.host(), server.port(), server.adminUser(), new Secret(server.adminPassword()));
        try (SqlClient admin = WireSqlClient.open(direct)) {
            new FuzzDatabase(admin, DATABASE).create();
        }
        StringWriter told = new StringWriter();
        try (ProxiedServer two = ProxiedServer.start(server, 2);
                ProxiedServer seven = ProxiedServer.start(server, 7)) {
            two.tablesChanged();
            seven.tablesChanged();
            List<Subject> proxies = List.of(
                    new Reached("degree 2", direct.at("127.0.0.1", two.port()), two),
                    new Reached("degree 7", direct.at("127.0.0.1", seven.port()), seven));
            try (FuzzRun run = new FuzzRun(
                    new Reached("direct", direct, null), proxies, DATABASE, SEED, new PrintWriter(told, true))) {
                FuzzSummary summary = run.run(1, STATEMENTS, new FuzzSummary());
                assertThat(summary.differences()).as("%s", told).isZero();
                assertThat(summary.statements()).isEqualTo(STATEMENTS);
                assertThat(summary.fannedOutPercent()).as("%s", summary).isGreaterThanOrEqualTo(FAN_OUT_PERCENT);
            }
        }
    }

    private record Reached(
            String name, Endpoint endpoint, @Nullable ProxiedServer proxy) implements Subject {
        @Override
        public SqlClient connect() throws IOException {
            return WireSqlClient.open(endpoint);
        }

        /** What was done with the last statement; all of it is told before the client's ping is answered. */
        @Override
        public FanOutReport report() {
            FanOutReport last = FanOutReport.NONE;
            try {
                while (proxy != null && !proxy.lookedAtNothing()) {
                    ProxiedServer.Outcome outcome = proxy.outcome();
                    last = outcome.reason() == null
                            ? FanOutReport.split(outcome.partitions(), outcome.degree(), outcome.snapshot())
                            : FanOutReport.passed(outcome.reason().label());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return last;
        }
    }
}
