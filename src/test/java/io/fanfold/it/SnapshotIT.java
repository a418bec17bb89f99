package io.fanfold.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.backend.ServerException;
import io.fanfold.backend.WireConnection;
import io.fanfold.cli.demo.EmbeddedMariaDb;
import io.fanfold.cli.demo.UserAccount;
import io.fanfold.metrics.Reason;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.io.TempDir;

/**
 * Money moves between partitions while their sums are taken: a fan-out whose workers saw different commits has a wrong
 * total.
 */
class SnapshotIT {
    private static final int ACCOUNTS = 64;
    private static final String TOTAL = "[64000|64]";
    private static final String SUM = "SELECT SUM(v), COUNT(*) FROM it_snapshot.account";
    private static final int ANSWERS = 100;
    private static final int DEADLOCK = 1213;

    @TempDir
    private Path folder;

    @AllServers
    void noTotalIsWrongWhileMoneyMoves(TestServer server) throws Exception {
        for (int degree : List.of(2, 4)) {
            try (ProxiedServer proxy = ProxiedServer.start(server, degree)) {
                createAccounts(proxy);
                AtomicBoolean stop = new AtomicBoolean();
                List<Future<Integer>> writers = List.of(
                        Background.start(() -> move(proxy, stop, false)),
                        Background.start(() -> move(proxy, stop, true)));
                int verified = 0;
                try (WireConnection client = proxy.proxied()) {
                    for (int i = 0; i < ANSWERS; i++) {
                        assertThat(client.query(SUM).rows().toString()).isEqualTo(TOTAL);
                        ProxiedServer.Outcome outcome = proxy.outcome();
                        if (outcome.fannedOut()) {
                            assertThat(outcome.snapshot()).isEqualTo("verified");
                            assertThat(outcome.degree()).isEqualTo(degree);
                            verified++;
                        } else {
                            assertThat(outcome.reason()).isEqualTo(Reason.SNAPSHOT);
                        }
                    }
                } finally {
                    stop.set(true);
                }
                for (Future<Integer> writer : writers) {
                    assertThat(writer.get(20, TimeUnit.SECONDS)).as("moves").isGreaterThan(ANSWERS / 5);
                }
                assertThat(verified).as("fan-outs at degree %d", degree).isGreaterThan(ANSWERS / 2);
            }
        }
    }

    @AllServers
    void relaxedAnswersSayThatTheyAre(TestServer server) throws Exception {
        try (ProxiedServer proxy =
                        ProxiedServer.start(server, ProxySetup.ofDegree(4).relaxed());
                WireConnection client = proxy.proxied()) {
            createAccounts(proxy);
            for (int i = 0; i < 3; i++) {
                assertThat(client.query(SUM).rows().toString()).isEqualTo(TOTAL);
                ProxiedServer.Outcome outcome = proxy.outcome();
                assertThat(outcome.fannedOut()).isTrue();
                assertThat(outcome.snapshot()).isEqualTo("relaxed");
            }
        }
    }

    @OnServers(ServerName.MYSQL)
    void passesThroughWhileGtidModeIsNotOn(TestServer server) throws Exception {
        try (ProxiedServer proxy = ProxiedServer.start(server, 4);
                SameAsServer same = new SameAsServer(proxy);
                WireConnection admin = proxy.direct()) {
            createAccounts(proxy);
            same.fansOut(SUM);
            admin.execute("SET GLOBAL gtid_mode = ON_PERMISSIVE");
            try {
                same.passesThrough(SUM, Reason.SNAPSHOT);
                try (ProxiedServer later = ProxiedServer.start(server, 4);
                        SameAsServer sameLater = new SameAsServer(later)) {
                    later.tablesChanged();
                    sameLater.passesThrough(SUM, Reason.SNAPSHOT);
                }
            } finally {
                admin.execute("SET GLOBAL gtid_mode = ON");
            }
            same.fansOut(SUM);
        }
    }

    @OnServers(ServerName.MYSQL)
    void passesThroughWhileACommitIsUnderWay(TestServer server) throws Exception {
        try (ProxiedServer proxy = ProxiedServer.start(server, 4);
                SameAsServer same = new SameAsServer(proxy);
                WireConnection writer = proxy.direct()) {
            createAccounts(proxy);
            writer.execute("SET gtid_next = '11111111-2222-3333-4444-555555555555:1'");
            writer.execute("BEGIN");
            writer.execute("UPDATE it_snapshot.account SET v = v + 1 WHERE id = 1");
            same.passesThrough(SUM, Reason.SNAPSHOT);
            writer.execute("ROLLBACK");
            writer.execute("SET gtid_next = 'AUTOMATIC'");
            same.fansOut(SUM);
        }
    }

    @OnServers(ServerName.MARIADB)
    void passesThroughWithoutABinaryLog(TestServer server) throws Exception {
        EmbeddedMariaDb.Options options = new EmbeddedMariaDb.Options(
                EmbeddedServer.jar(),
                EmbeddedServer.cacheDirectory(),
                folder.resolve("data"),
                0,
                List.of(UserAccount.administrator(server.adminUser(), server.adminPassword())),
                List.of());
        try (EmbeddedMariaDb plain = EmbeddedMariaDb.start(options)) {
            TestServer unlogged = new TestServer(
                    server.name(),
                    server.kind(),
                    plain.host(),
                    plain.port(),
                    server.adminUser(),
                    server.adminPassword());
            try (ProxiedServer proxy = ProxiedServer.start(unlogged, 4);
                    SameAsServer same = new SameAsServer(proxy)) {
                createAccounts(proxy);
                same.passesThrough(SUM, Reason.SNAPSHOT);
            }
            try (ProxiedServer proxy =
                            ProxiedServer.start(unlogged, ProxySetup.ofDegree(4).relaxed());
                    SameAsServer same = new SameAsServer(proxy)) {
                proxy.tablesChanged();
                assertThat(same.fansOut(SUM).snapshot()).isEqualTo("relaxed");
            }
        }
    }

    /** Moves money until told to stop; in one statement, or in two of one transaction. Returns how often. */
    private static int move(ProxiedServer proxy, AtomicBoolean stop, boolean transactions) throws Exception {
        Random random = new Random(transactions ? 1 : 2);
        int moves = 0;
        try (WireConnection writer = proxy.direct()) {
            writer.execute("USE it_snapshot");
            while (!stop.get()) {
                int from = random.nextInt(ACCOUNTS - 1);
                int to = from + 1 + random.nextInt(ACCOUNTS - from - 1);
                try {
                    for (String statement : transactions ? transaction(from, to) : List.of(oneStatement(from, to))) {
                        writer.execute(statement);
                    }
                    moves++;
                } catch (ServerException e) {
                    // the server has rolled the whole transaction back
                    assertThat(e.errno()).as("%s", e).isEqualTo(DEADLOCK);
                }
            }
        }
        return moves;
    }

    private static List<String> transaction(int from, int to) {
        return List.of(
                "BEGIN",
                "UPDATE account SET v = v - 7 WHERE id = " + from,
                "UPDATE account SET v = v + 7 WHERE id = " + to,
                "COMMIT");
    }

    private static String oneStatement(int from, int to) {
        return "UPDATE account SET v = v + IF(id = " + from + ", -5, 5) WHERE id IN (" + from + ", " + to
                + ") ORDER BY id";
    }

    private static void createAccounts(ProxiedServer proxy) throws Exception {
        try (WireConnection admin = proxy.direct()) {
            admin.execute("DROP DATABASE IF EXISTS it_snapshot");
            admin.execute("CREATE DATABASE it_snapshot");
            admin.execute("CREATE TABLE it_snapshot.account (id INT PRIMARY KEY, v INT NOT NULL) ENGINE=InnoDB"
                    + " PARTITION BY HASH (id) PARTITIONS 8");
            StringBuilder values = new StringBuilder("(0, 1000)");
            for (int i = 1; i < ACCOUNTS; i++) {
                values.append(", (").append(i).append(", 1000)");
            }
            admin.execute("INSERT INTO it_snapshot.account VALUES " + values);
            admin.query("ANALYZE TABLE it_snapshot.account");
        }
        proxy.tablesChanged();
    }
}
