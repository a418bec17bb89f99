package io.fanfold.it.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.WireConnection;
import io.fanfold.config.VerifyConfig;
import io.fanfold.it.answers.SplitIT;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.SplitTables;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.metrics.VerifyResult;
import io.fanfold.reason.Reason;
import io.fanfold.row.Row;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;

/** Shadow verification: no alarm for right answers, an alarm for each mistake, and its limits. */
class VerifyIT {
    private static final TestDatabase CORPUS = new TestDatabase("it_verify_corpus", "", SplitTables::create);

    private static final TestDatabase FAULTS = new TestDatabase("it_verify", admin -> {
        admin.execute("CREATE TABLE verify_faults (id INT PRIMARY KEY, g INT, h INT, d DECIMAL(10,2), t DATE,"
                + " s VARCHAR(10), b VARBINARY(10)) ENGINE=InnoDB PARTITION BY HASH (id) PARTITIONS 4");
        StringBuilder rows = new StringBuilder();
        for (int i = 0; i < 400; i++) {
            String text = "'" + (i % 3 == 0 ? "Alpha" : "alpha") + i % 5 + "'";
            rows.append(i == 0 ? "" : ",")
                    .append("(" + i + "," + i % 7 + "," + i * 31 % 11 + "," + (i * 7919 % 20011 / 100.0 - 50)
                            + ",DATE '2026-01-01' + INTERVAL " + i + " DAY," + text + "," + text + ")");
        }
        admin.execute("INSERT INTO verify_faults VALUES " + rows);
    });

    @TempDir
    Path directory;

    private static ProxySetup verifying(@Nullable Path directory, Duration time) {
        return verifying(3, directory, time);
    }

    private static ProxySetup verifying(int degree, @Nullable Path directory, Duration time) {
        ProxySetup setup = ProxySetup.ofDegree(degree);
        return setup.withFanOut(setup.fanOut().withVerifyShare(1))
                .withVerify(new VerifyConfig(4, time, directory, false));
    }

    private static void awaitVerified(ProxiedServer proxy, int number) {
        await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(2))
                .atMost(Duration.ofSeconds(60))
                .until(() -> proxy.verified() == number);
    }

    @AllServers
    void rightAnswersAreAllVerifiedWithoutAnAlarm(TestServer server) throws Exception {
        List<String> statements = SplitTables.statements("split-fans-out.sql");
        try (SameAsServer same = CORPUS.shared(server, verifying(null, Duration.ofMinutes(1)))) {
            ProxiedServer proxy = same.proxy();
            List<String> open = new ArrayList<>();
            int number = 0;
            for (String statement : statements) {
                String sql = SplitIT.on(statement, "t_hash").replace("it_split.", "it_verify_corpus.");
                int before = proxy.verified(VerifyResult.OPEN);
                same.fansOut(sql);
                number++;
                awaitVerified(proxy, number);
                assertThat(proxy.differing().all()).as("%s", sql).isEmpty();
                assertThat(proxy.verified(VerifyResult.UNFINISHED))
                        .as("%s", sql)
                        .isZero();
                if (proxy.verified(VerifyResult.OPEN) > before) {
                    open.add(sql);
                }
            }
            assertThat(proxy.verified(VerifyResult.SKIPPED)).isZero();
            // otherwise a verification that decides nothing would pass
            assertThat(open).hasSizeLessThan(number / 10);
        }
    }

    @AllServers
    void everyMistakeIsFound(TestServer server) throws Exception {
        List<String> missed = new ArrayList<>();
        List<MergeFaults.Fault> faults = MergeFaults.all();
        try (SameAsServer same = FAULTS.shared(server, verifying(null, Duration.ofMinutes(1)));
                WireConnection client = same.proxy().proxied()) {
            ProxiedServer proxy = same.proxy();
            client.execute("USE it_verify");
            int number = 0;
            for (MergeFaults.Fault fault : faults) {
                proxy.forget();
                // the verification itself must not depend on what is wrong
                try (MergeFaults.Effect wrong = fault.begin().get()) {
                    client.query(fault.sql());
                    assertThat(proxy.outcome().reason()).as(fault.name()).isNull();
                    number++;
                    awaitVerified(proxy, number);
                }
                if (proxy.verified(VerifyResult.DIFFERENT) + missed.size() < number) {
                    missed.add(fault.name());
                }
                // other mistakes may have the same statement
                proxy.differing().all().forEach(found -> proxy.differing().allow(found.id()));
            }
        }
        assertThat(missed).isEmpty();
    }

    @AllServers
    void aStatementWithAnotherAnswerIsNotSplitUntilItIsAllowed(TestServer server) throws Exception {
        String sql = "SELECT g, MAX(d) FROM verify_faults WHERE h <> 4711 GROUP BY g";
        MergeFaults.Fault fault = MergeFaults.all().get(0);
        try (SameAsServer same = FAULTS.shared(server, verifying(directory, Duration.ofMinutes(1)));
                WireConnection client = same.proxy().proxied()) {
            ProxiedServer proxy = same.proxy();
            client.execute("USE it_verify");
            try (MergeFaults.Effect wrong = fault.begin().get()) {
                client.query(sql);
            }
            awaitVerified(proxy, 1);
            same.passesThrough(sql.replace("4711", "1"), Reason.VERIFY_DIFFERS);
            Row shown = client.query("SHOW FANFOLD DIFFERENCES").rows().get(0);
            String id = String.valueOf(shown.utf8(0));
            assertThat(shown.utf8(2)).contains("MAX(d)").doesNotContain("4711");
            assertThat(shown.utf8(4)).isEqualTo("values differ");

            Path report = report();
            assertThat(report.getFileName().toString()).startsWith(id);
            assertThat(Files.readString(report))
                    .contains("merge: ", "PARTITION (", "START TRANSACTION", "sent by Fanfold: 7 rows")
                    .doesNotContain("4711");

            assertThat(proxy.differing().allow(id)).isTrue();
            same.fansOut(sql.replace("4711", "2"));
        }
    }

    private Path report() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.findFirst().orElseThrow();
        }
    }

    @AllServers
    void aReportHasNoLiteralWhateverTheSqlModeIs(TestServer server) throws Exception {
        MergeFaults.Fault fault = MergeFaults.all().get(0);
        try (SameAsServer same = FAULTS.shared(server, verifying(directory, Duration.ofMinutes(1)));
                WireConnection client = same.proxy().proxied()) {
            client.execute("USE it_verify");
            client.execute("SET sql_mode = CONCAT(@@sql_mode, ',NO_BACKSLASH_ESCAPES')");
            try (MergeFaults.Effect wrong = fault.begin().get()) {
                client.query("SELECT g, MAX(d) FROM verify_faults WHERE 'a\\' <> 'secret' GROUP BY g");
            }
            awaitVerified(same.proxy(), 1);
            assertThat(same.proxy().verified(VerifyResult.DIFFERENT)).isEqualTo(1);
            assertThat(Files.readString(report())).contains("MAX(d)").doesNotContain("secret");
        }
    }

    @AllServers
    void equalRowsMayStandInAnyOrder(TestServer server) throws Exception {
        try (SameAsServer same = FAULTS.shared(server, verifying(null, Duration.ofMinutes(1)));
                WireConnection client = same.proxy().proxied()) {
            client.execute("USE it_verify");
            int number = 0;
            for (String sql : List.of(
                    "SELECT id, g FROM verify_faults WHERE h > 3 ORDER BY g LIMIT 20",
                    "SELECT id FROM verify_faults WHERE h > 3 ORDER BY g DESC LIMIT 5 OFFSET 70",
                    "SELECT h, COUNT(*) AS n FROM verify_faults WHERE id < 44 GROUP BY h ORDER BY n DESC LIMIT 3",
                    "SELECT s, MIN(s), COUNT(*) FROM verify_faults GROUP BY s ORDER BY s")) {
                client.query(sql);
                number++;
                awaitVerified(same.proxy(), number);
            }
            assertThat(same.proxy().differing().all()).isEmpty();
            assertThat(same.proxy().verified(VerifyResult.SAME) + same.proxy().verified(VerifyResult.OPEN))
                    .isEqualTo(number);
            assertThat(same.proxy().verified(VerifyResult.OPEN)).isLessThanOrEqualTo(1);
        }
    }

    /** The only worker must not end its transaction with its last query. */
    @AllServers
    void anAnswerOfOneWorkerIsVerified(TestServer server) throws Exception {
        try (SameAsServer same = FAULTS.shared(server, verifying(1, null, Duration.ofMinutes(1)))) {
            same.fansOut("SELECT g, COUNT(*) FROM verify_faults GROUP BY g");
            awaitVerified(same.proxy(), 1);
            assertThat(same.proxy().verified(VerifyResult.SAME)).isEqualTo(1);
        }
    }

    /**
     * The first statement takes a fourth worker for its verification. The second gives one of the three away that the
     * transaction has kept. The third has only two.
     */
    @AllServers
    void statementsOfATransactionAreVerifiedInItsSnapshot(TestServer server) throws Exception {
        String sql = "SELECT g, SUM(d) FROM verify_faults GROUP BY g";
        try (SameAsServer same = FAULTS.compared(server, verifying(null, Duration.ofMinutes(1)));
                WireConnection client = same.proxy().proxied();
                WireConnection other = same.proxy().direct()) {
            ProxiedServer proxy = same.proxy();
            client.execute("USE it_verify");
            client.execute("SET autocommit = 0");
            splitAndVerified(proxy, client, sql, 1);
            assertThat(proxy.verified(VerifyResult.SAME)).isEqualTo(1);
            other.execute("UPDATE it_verify.verify_faults SET d = d + 1");
            splitAndVerified(proxy, client, sql, 2);
            assertThat(proxy.verified(VerifyResult.SAME)).isEqualTo(2);
            splitAndVerified(proxy, client, sql, 3);
            assertThat(proxy.verified(VerifyResult.SKIPPED)).isEqualTo(1);
            assertThat(proxy.inTransaction(false)).isEqualTo(2);

            client.execute("COMMIT");
            try (MergeFaults.Effect wrong = MergeFaults.all().get(0).begin().get()) {
                splitAndVerified(proxy, client, "SELECT g, MAX(d) FROM verify_faults GROUP BY g", 4);
            }
            assertThat(proxy.verified(VerifyResult.DIFFERENT)).isEqualTo(1);
        }
    }

    private static void splitAndVerified(ProxiedServer proxy, WireConnection client, String sql, int number)
            throws Exception {
        proxy.forget();
        client.query(sql);
        assertThat(proxy.outcome().reason()).isNull();
        awaitVerified(proxy, number);
    }

    @AllServers
    void nothingIsVerifiedWithoutAProof(TestServer server) throws Exception {
        ProxySetup relaxed = verifying(null, Duration.ofMinutes(1)).relaxed();
        try (SameAsServer same = FAULTS.shared(server, relaxed)) {
            same.fansOut("SELECT g, COUNT(*) FROM verify_faults GROUP BY g");
            awaitVerified(same.proxy(), 1);
            assertThat(same.proxy().verified(VerifyResult.SKIPPED)).isEqualTo(1);
        }
    }

    @AllServers
    void aLongVerificationIsEnded(TestServer server) throws Exception {
        try (SameAsServer same = FAULTS.shared(server, verifying(null, Duration.ofMillis(100)));
                WireConnection client = same.proxy().proxied()) {
            client.execute("USE it_verify");
            client.query("SELECT COUNT(*) FROM verify_faults a JOIN verify_faults b JOIN verify_faults c"
                    + " WHERE b.id < 200 AND c.id < 100 AND a.d + b.d + c.d > 1");
            awaitVerified(same.proxy(), 1);
            assertThat(same.proxy().verified(VerifyResult.UNFINISHED)).isEqualTo(1);
            assertThat(same.proxy().differing().all()).isEmpty();
        }
    }
}
