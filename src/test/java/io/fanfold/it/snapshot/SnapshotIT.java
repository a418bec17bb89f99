package io.fanfold.it.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.GeneralLog;
import io.fanfold.it.support.load.Background;
import io.fanfold.it.support.load.Spread;
import io.fanfold.it.support.load.Transfers;
import io.fanfold.it.support.load.Victim;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.it.support.server.own.OwnMariaDb;
import io.fanfold.reason.Reason;
import io.fanfold.wire.Reply;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import org.junit.jupiter.api.io.TempDir;

/**
 * Transfers money between partitions while queries sum it. If workers of a fan-out saw different commits, the total
 * would be wrong.
 */
class SnapshotIT {
    private static final String TOTAL = "[64000|64]";
    private static final String SUM = "SELECT SUM(v), COUNT(*) FROM it_snapshot.account";
    /** The last value changes with each transfer. */
    private static final String STATE = "SELECT SUM(v), COUNT(*), SUM(v * id) FROM it_snapshot.account";

    private static final String SUM_OF_BOTH = "SELECT x.s + b.s, x.n FROM (SELECT SUM(v) AS s, COUNT(*) AS n"
            + " FROM it_snapshot.account) x, (SELECT SUM(v) AS s FROM it_snapshot.bank) b";
    /** The number of fan-outs that each test requires: {@code -Dfanfold.it.snapshot.answers=3400}. */
    private static final int ANSWERS = Integer.getInteger("fanfold.it.snapshot.answers", 40);

    @TempDir
    private Path folder;

    @AllServers
    void noTotalIsWrongWhileMoneyMoves(TestServer server) throws Exception {
        for (int degree : List.of(2, 4, 8)) {
            try (ProxiedServer proxy = ProxiedServer.start(server, degree)) {
                Transfers.createAccounts(proxy);
                sumsStaySame(proxy, "verified", degree, SUM, Transfers::inOneStatement, Transfers::inATransaction);
            }
        }
    }

    /** Rows also move from one range of the key to another. */
    @AllServers
    void noTotalIsWrongWhileRowsChangeTheirRange(TestServer server) throws Exception {
        for (int degree : List.of(2, 4)) {
            try (ProxiedServer proxy =
                    ProxiedServer.start(server, ProxySetup.ofDegree(degree).keyRanges())) {
                Transfers.createAccountsWithoutPartitions(proxy);
                sumsStaySame(proxy, "verified", degree, SUM, Transfers::toOtherKeys);
            }
        }
    }

    /** The server offers no proof. The snapshots of each answer are opened while both tables are locked. */
    @OnServers(ServerName.MYSQL)
    void noTotalIsWrongUnderLocks(TestServer server) throws Exception {
        try (ProxiedServer proxy =
                        ProxiedServer.start(server, ProxySetup.ofDegree(3).locking());
                WireConnection admin = proxy.direct()) {
            Transfers.createAccounts(proxy);
            admin.execute("SET GLOBAL gtid_mode = ON_PERMISSIVE");
            try {
                sumsStaySame(proxy, "locked", 3, SUM_OF_BOTH, Transfers::toTheBank, Transfers::inATransaction);
            } finally {
                admin.execute("SET GLOBAL gtid_mode = ON");
            }
        }
    }

    @OnServers(ServerName.MYSQL)
    void noTotalIsWrongWhilePreparedTransactionsCommit(TestServer server) throws Exception {
        try (ProxiedServer proxy = ProxiedServer.start(server, 4)) {
            Transfers.createAccounts(proxy);
            sumsStaySame(proxy, "verified", 4, SUM, Transfers::prepared, Transfers::inATransaction);
        }
    }

    /**
     * XA COMMIT writes to MariaDB's binary log before its changes are visible. With log positions alone, such totals
     * were wrong.
     */
    @OnServers(ServerName.MARIADB)
    void noTotalIsWrongBesideXaOnMariaDb(TestServer server) throws Exception {
        try (OwnMariaDb own = OwnMariaDb.start(server, folder.resolve("data"), "--server-id=77", "--log-bin=binlog");
                ProxiedServer proxy = ProxiedServer.start(own.server(), 4);
                SameAsServer same = new SameAsServer(proxy)) {
            Transfers.createAccounts(proxy);
            assertThat(same.fansOut(SUM).snapshot()).isEqualTo("verified");
            sumsStaySame(
                    proxy, "verified", 4, SUM, Transfers::prepared, Transfers::inOnePhase, Transfers::inATransaction);
            sumsStaySame(proxy, "verified", 4, SUM, Transfers::detached, Transfers::inATransaction);
            assertThat(same.fansOut(SUM).snapshot()).isEqualTo("verified");
        }
    }

    @OnServers(ServerName.MARIADB)
    void noTotalIsWrongBesideXaUnderLocks(TestServer server) throws Exception {
        try (OwnMariaDb own = OwnMariaDb.start(server, folder.resolve("data"));
                ProxiedServer proxy =
                        ProxiedServer.start(own.server(), ProxySetup.ofDegree(4).locking())) {
            Transfers.createAccounts(proxy);
            sumsStaySame(
                    proxy, "locked", 4, SUM, Transfers::prepared, Transfers::inOnePhase, Transfers::inATransaction);
        }
    }

    /**
     * After the first XA COMMIT, a prepared transaction makes a proof impossible on MariaDB. Table locks do not help:
     * the transaction holds none after its session has ended. Proofs work again after the transaction ends.
     */
    @OnServers(ServerName.MARIADB)
    void preparedTransactionsPreventProofsOnMariaDb(TestServer server) throws Exception {
        try (OwnMariaDb own = OwnMariaDb.start(server, folder.resolve("data"), "--server-id=77", "--log-bin=binlog")) {
            TestServer logged = own.server();
            try (ProxiedServer proxy = ProxiedServer.start(logged, 4);
                    SameAsServer same = new SameAsServer(proxy);
                    ProxiedServer locked =
                            ProxiedServer.start(logged, ProxySetup.ofDegree(4).locking());
                    SameAsServer sameLocked = new SameAsServer(locked);
                    WireConnection admin = proxy.direct()) {
                Transfers.createAccounts(proxy);
                locked.tablesChanged();
                prepareAndLeave(proxy, admin);
                assertThat(same.fansOut(SUM).snapshot())
                        .as("none was ever committed")
                        .isEqualTo("verified");
                admin.execute("XA COMMIT 'it'");
                assertThat(same.fansOut(SUM).snapshot()).isEqualTo("verified");
                for (String end : List.of("XA COMMIT 'it'", "XA ROLLBACK 'it'")) {
                    prepareAndLeave(proxy, admin);
                    same.passesThrough(SUM, Reason.SNAPSHOT);
                    sameLocked.passesThrough(SUM, Reason.SNAPSHOT);
                    admin.execute("SET lock_wait_timeout = 1");
                    admin.execute("LOCK TABLES it_snapshot.account READ");
                    admin.execute("UNLOCK TABLES");
                    admin.execute(end);
                    assertThat(same.fansOut(SUM).snapshot()).isEqualTo("verified");
                    // the proxy does not retry a refused lock at once
                    await().untilAsserted(() ->
                            assertThat(sameLocked.fansOut(SUM).snapshot()).isEqualTo("verified"));
                }
            }
        }
        try (OwnMariaDb own = OwnMariaDb.start(server, folder.resolve("data"));
                ProxiedServer proxy =
                        ProxiedServer.start(own.server(), ProxySetup.ofDegree(4).locking());
                SameAsServer same = new SameAsServer(proxy);
                WireConnection admin = proxy.direct()) {
            Transfers.createAccounts(proxy);
            prepareAndLeave(proxy, admin);
            same.passesThrough(SUM, Reason.SNAPSHOT);
            admin.execute("XA COMMIT 'it'");
            // the proxy does not retry a refused lock at once
            await().untilAsserted(() -> assertThat(same.fansOut(SUM).snapshot()).isEqualTo("locked"));
        }
    }

    /** Prepares a transfer in a session that then ends. */
    private static void prepareAndLeave(ProxiedServer proxy, WireConnection admin) throws Exception {
        try (WireConnection gone = proxy.direct()) {
            gone.execute("USE it_snapshot");
            for (String statement : Transfers.prepared(1, 2).subList(0, 5)) {
                gone.execute(statement);
            }
        }
        // no other session can commit it while its session exists
        await().until(() -> admin.query("XA RECOVER").rows().size() == 1
                && admin.query("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE DB = 'it_snapshot'")
                        .rows()
                        .toString()
                        .equals("[0]"));
    }

    /** A single snapshot is equal to no other, so it needs no proof. All partition queries read in it. */
    @AllServers
    void oneWorkerReadsOneState(TestServer server) throws Exception {
        try (ProxiedServer proxy = ProxiedServer.start(server, 1)) {
            Transfers.createAccounts(proxy);
            sumsStaySame(proxy, "verified", 1, SUM, Transfers::inOneStatement, Transfers::inATransaction);
            assertThat(proxy.attempts()).allMatch(attempt -> attempt.rounds() == 1);
        }
    }

    /**
     * The final query reads the second table in the same snapshot in which a worker read its partitions of the first.
     */
    @AllServers
    void finalQuerySeesTheWorkersSnapshot(TestServer server) throws Exception {
        try (ProxiedServer proxy = ProxiedServer.start(server, 3)) {
            Transfers.createAccounts(proxy);
            sumsStaySame(proxy, "verified", 3, SUM_OF_BOTH, Transfers::toTheBank, Transfers::inATransaction);
        }
    }

    /** Sums repeatedly while writers transfer money, until enough queries were fanned out. */
    private static void sumsStaySame(ProxiedServer proxy, String proof, int degree, String sum, Transfers.Move... moves)
            throws Exception {
        proxy.forget();
        int answers = 0;
        long commits;
        try (Transfers transfers = Transfers.start(proxy, moves);
                WireConnection client = proxy.proxied()) {
            for (int proven = 0; proven < ANSWERS; answers++) {
                assertThat(answers)
                        .as("answers of which %d were fanned out", proven)
                        .isLessThan(5 * ANSWERS);
                assertThat(client.query(sum).rows().toString()).isEqualTo(TOTAL);
                ProxiedServer.Outcome outcome = proxy.outcome();
                if (outcome.fannedOut()) {
                    assertThat(outcome.snapshot()).isEqualTo(proof);
                    assertThat(outcome.degree()).isEqualTo(degree);
                    proven++;
                } else {
                    assertThat(outcome.reason()).isEqualTo(Reason.SNAPSHOT);
                }
            }
            commits = transfers.end();
        }
        report(
                proxy,
                "%s, degree %d, %d commits/s: %d of %d answers were fanned out"
                        .formatted(proxy.server(), degree, commits, ANSWERS, answers));
    }

    /**
     * The first statement of a transaction reads on several connections. Under REPEATABLE READ, later statements on the
     * client's own connection see the same state.
     */
    @AllServers
    void transactionsSeeOneState(TestServer server) throws Exception {
        try (ProxiedServer proxy = ProxiedServer.start(server, 4)) {
            Transfers.createAccounts(proxy);
            for (String level : List.of("REPEATABLE READ", "READ COMMITTED")) {
                try (Transfers transfers =
                                Transfers.start(proxy, Transfers::inOneStatement, Transfers::inATransaction);
                        WireConnection client = proxy.proxied()) {
                    client.execute("SET SESSION TRANSACTION ISOLATION LEVEL " + level);
                    client.execute("SET autocommit = 0");
                    int splits = 0;
                    int transactions = 0;
                    for (; splits < ANSWERS; transactions++) {
                        assertThat(transactions).isLessThan(5 * ANSWERS);
                        splits += oneState(proxy, client, level.equals("REPEATABLE READ"), transactions) ? 1 : 0;
                    }
                    System.out.printf(
                            "%s, %s, %d commits/s: %d transactions of %d began with a fan-out%n",
                            proxy.server(), level, transfers.end(), splits, transactions);
                }
            }
        }
    }

    /**
     * Runs three to six reads in one transaction. The third is passed through.
     *
     * @return whether the transaction's first statement was fanned out
     */
    private static boolean oneState(ProxiedServer proxy, WireConnection client, boolean repeatableRead, int transaction)
            throws Exception {
        proxy.forget();
        List<String> states = new ArrayList<>();
        for (int i = 0; i < 3 + transaction % 4; i++) {
            String sql = i == 2 ? STATE.replace("SELECT", "SELECT /*+ NO_PARALLEL */") : STATE;
            states.add(client.query(sql).rows().toString());
        }
        client.execute("COMMIT");
        assertThat(states).allMatch(state -> state.startsWith(TOTAL.substring(0, TOTAL.length() - 1) + "|"));
        if (repeatableRead) {
            assertThat(Set.copyOf(states)).hasSize(1);
        }
        List<Boolean> split = new ArrayList<>();
        for (int i = 0; i < states.size(); i++) {
            ProxiedServer.Outcome outcome = proxy.outcome();
            split.add(outcome.fannedOut());
            if (i == 2) {
                assertThat(outcome.reason()).isEqualTo(Reason.HINT);
            } else if (!outcome.fannedOut()) {
                assertThat(outcome.reason()).isIn(Reason.SNAPSHOT, Reason.IN_TRANSACTION);
            }
        }
        if (repeatableRead) {
            // all later statements read in the snapshots of the first
            assertThat(split.subList(1, 2)).containsOnly(split.get(0));
            assertThat(split.subList(3, split.size())).allMatch(split.get(0)::equals);
        }
        return split.get(0);
    }

    private static void report(ProxiedServer proxy, String title) {
        List<ProxiedServer.Attempt> attempts = proxy.attempts();
        List<Long> rounds =
                attempts.stream().map(attempt -> (long) attempt.rounds()).toList();
        System.out.printf(
                "%s; rounds: %d, %s; time: %s%n",
                title,
                rounds.stream().mapToLong(Long::longValue).sum(),
                Spread.of(rounds, String::valueOf),
                Spread.of(attempts.stream().map(ProxiedServer.Attempt::nanos).toList(), Spread::millis));
    }

    /** Shows that the tests above can fail: without proofs, a wrong total appears soon. */
    @AllServers
    void withoutAProofTotalsAreWrong(TestServer server) throws Exception {
        try (ProxiedServer proxy =
                ProxiedServer.start(server, ProxySetup.ofDegree(4).relaxed())) {
            Transfers.createAccounts(proxy);
            String total = TOTAL;
            try (Transfers transfers = Transfers.start(
                            proxy, Transfers::inOneStatement, Transfers::inOneStatement, Transfers::inOneStatement);
                    WireConnection client = proxy.proxied()) {
                for (int i = 0; i < 5_000 && total.equals(TOTAL); i++) {
                    total = client.query(SUM).rows().toString();
                    assertThat(proxy.outcome().snapshot()).isEqualTo("relaxed");
                }
                transfers.end();
            }
            assertThat(total).as("a total without a proof").isNotEqualTo(TOTAL);
        }
    }

    /**
     * The first worker's transaction keeps the partitions unchanged. By the server's own log, it ends after the last
     * partition query of every worker, even if the first worker ran out of parts long before.
     */
    @AllServers
    void theFirstWorkersTransactionEndsLast(TestServer server) throws Exception {
        try (ProxiedServer proxy = ProxiedServer.start(server, 4);
                SameAsServer same = new SameAsServer(proxy)) {
            Transfers.createAccounts(proxy);
            for (int i = 0; i < 30; i++) {
                try (GeneralLog log = new GeneralLog(proxy)) {
                    same.fansOut(SUM);
                    List<GeneralLog.Entry> entries = log.ofWorkers();
                    long first = entries.stream()
                            .filter(entry -> entry.sql().startsWith("EXPLAIN"))
                            .findFirst()
                            .orElseThrow()
                            .thread();
                    int ended = -1;
                    int lastQuery = -1;
                    for (int at = 0; at < entries.size(); at++) {
                        GeneralLog.Entry entry = entries.get(at);
                        if (entry.thread() == first && entry.sql().startsWith("ROLLBACK")) {
                            ended = at;
                        } else if (entry.sql().contains(" PARTITION (`")) {
                            lastQuery = at;
                        }
                    }
                    assertThat(ended)
                            .as("end of the first transaction in %s", entries)
                            .isGreaterThan(lastQuery);
                }
            }
        }
    }

    @AllServers
    void relaxedAnswersAreMarkedAsRelaxed(TestServer server) throws Exception {
        try (ProxiedServer proxy =
                        ProxiedServer.start(server, ProxySetup.ofDegree(4).relaxed());
                WireConnection client = proxy.proxied()) {
            Transfers.createAccounts(proxy);
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
            Transfers.createAccounts(proxy);
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
            Transfers.createAccounts(proxy);
            beginCommit(writer);
            same.passesThrough(SUM, Reason.SNAPSHOT);
            endCommit(writer);
            same.fansOut(SUM);
        }
    }

    /**
     * Snapshots may take an hour here, but a statement of 64 rows waits less than a fifth of that. In a transaction it
     * has more than one worker although it has little work.
     */
    @OnServers(ServerName.MYSQL)
    void aShortStatementWaitsOnlyBrieflyForASnapshot(TestServer server) throws Exception {
        try (ProxiedServer proxy =
                        ProxiedServer.start(server, ProxySetup.ofDegree(4).patient(1));
                WireConnection client = proxy.proxied();
                WireConnection writer = proxy.direct()) {
            Transfers.createAccounts(proxy);
            beginCommit(writer);
            client.execute("BEGIN");
            proxy.forget();
            assertThat(client.query(SUM).rows()).hasToString(TOTAL);
            assertThat(proxy.outcome().reason()).isEqualTo(Reason.SNAPSHOT);
            endCommit(writer);
        }
    }

    /** Unlike several snapshots, a single one need not wait until a commit has ended. */
    @OnServers(ServerName.MYSQL)
    void aSingleWorkerDoesNotWaitForACommit(TestServer server) throws Exception {
        try (ProxiedServer proxy =
                        ProxiedServer.start(server, ProxySetup.ofDegree(4).patient(1));
                SameAsServer same = new SameAsServer(proxy);
                WireConnection writer = proxy.direct()) {
            Transfers.createAccounts(proxy);
            beginCommit(writer);
            assertThat(same.fansOut(SUM).degree()).isEqualTo(1);
            endCommit(writer);
        }
    }

    @OnServers(ServerName.MYSQL)
    void aKillEndsTheWaitForSnapshots(TestServer server) throws Exception {
        try (ProxiedServer proxy =
                        ProxiedServer.start(server, ProxySetup.ofDegree(4).patient(0));
                WireConnection writer = proxy.direct();
                WireConnection client = proxy.proxied();
                WireConnection killer = proxy.proxied()) {
            Transfers.createAccounts(proxy);
            beginCommit(writer);
            proxy.forget();
            Future<Reply> reply = Background.ask(client, SUM);
            await().until(() -> !reply.isDone() && proxy.freeWorkers() < 16);
            await().until(() -> {
                Victim.kill(killer, client.threadId());
                return reply.isDone();
            });
            assertThat(((Reply.Failed) reply.get()).errno()).isEqualTo(1317);
            await().until(() -> proxy.cancelled() == 1 && proxy.freeWorkers() == 16);
            assertThat(proxy.attempts())
                    .as("the kill of the workers' statements may come before the end of the round")
                    .extracting(ProxiedServer.Attempt::outcome)
                    .hasSize(1)
                    .isSubsetOf("not_equal", "broken_off");
            endCommit(writer);
            assertThat(client.query(SUM).rows()).hasToString(TOTAL);
        }
    }

    /** Owns a GTID, like a transaction during its commit. */
    private static void beginCommit(WireConnection writer) throws Exception {
        writer.execute("SET gtid_next = '11111111-2222-3333-4444-555555555555:1'");
        writer.execute("BEGIN");
        writer.execute("UPDATE it_snapshot.account SET v = v + 1 WHERE id = 1");
    }

    private static void endCommit(WireConnection writer) throws Exception {
        writer.execute("ROLLBACK");
        writer.execute("SET gtid_next = 'AUTOMATIC'");
    }

    @OnServers(ServerName.MARIADB)
    void passesThroughWithoutABinaryLog(TestServer server) throws Exception {
        try (OwnMariaDb plain = OwnMariaDb.start(server, folder.resolve("data"))) {
            TestServer unlogged = plain.server();
            try (ProxiedServer proxy = ProxiedServer.start(unlogged, 4);
                    SameAsServer same = new SameAsServer(proxy)) {
                Transfers.createAccounts(proxy);
                same.passesThrough(SUM, Reason.SNAPSHOT);
            }
            try (ProxiedServer proxy =
                            ProxiedServer.start(unlogged, ProxySetup.ofDegree(4).relaxed());
                    SameAsServer same = new SameAsServer(proxy)) {
                proxy.tablesChanged();
                assertThat(same.fansOut(SUM).snapshot()).isEqualTo("relaxed");
            }
            try (ProxiedServer proxy =
                    ProxiedServer.start(unlogged, ProxySetup.ofDegree(4).locking())) {
                proxy.tablesChanged();
                sumsStaySame(proxy, "locked", 4, SUM_OF_BOTH, Transfers::toTheBank, Transfers::inATransaction);
            }
        }
    }
}
