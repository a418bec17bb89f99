package io.fanfold.it.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.SmallTable;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.load.Background;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerFlavor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** SELECT statements inside a transaction are split, and the transaction behaves as on the server. */
@AllServers
class TransactionIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_transactions", SmallTable::create);
    private static final String SUM = "SELECT SUM(v), COUNT(*) FROM t";
    private static final String ROWS = "SELECT id, v FROM t WHERE id < 20 ORDER BY id";
    private static final String UNSPLITTABLE = "SELECT SUM(v) AS ` a` FROM t";
    private static final List<String> BEGINNINGS = List.of(
            "BEGIN",
            "begin work;",
            "START TRANSACTION",
            "START TRANSACTION READ ONLY",
            "start transaction\nread write");

    private final TestServer server;
    private SameAsServer same;

    TransactionIT(TestServer server) {
        this.server = server;
    }

    @BeforeEach
    void open() throws Exception {
        same = DATABASE.compared(server, 3);
    }

    @AfterEach
    void close() throws Exception {
        same.close();
    }

    @Test
    void statementsAreSplitWithAutocommitOff() throws Exception {
        same.onBoth("SET autocommit = 0");
        for (String end : List.of("COMMIT", "ROLLBACK")) {
            for (String sql : List.of(SUM, ROWS)) {
                same.fansOut(sql);
                same.fansOut(SUM);
                same.fansOut(ROWS);
                same.onBoth(end);
            }
        }
        same.fansOut(SUM);
        same.onBoth("SET autocommit = 1");
        same.fansOut(SUM);
        assertThat(same.proxy().inTransaction(true)).isEqualTo(5);
        assertThat(same.proxy().inTransaction(false)).isEqualTo(8);
    }

    @Test
    void statementsAreSplitAfterEachBeginning() throws Exception {
        for (String begin : BEGINNINGS) {
            same.onBoth(begin);
            same.fansOut(SUM);
            same.fansOut(ROWS);
            same.onBoth("COMMIT");
            same.onBoth(begin);
            same.onBoth("SAVEPOINT s");
            same.passesThrough(SUM, Reason.IN_TRANSACTION);
            same.onBoth("ROLLBACK");
        }
        same.onBoth("START TRANSACTION WITH CONSISTENT SNAPSHOT");
        same.passesThrough(SUM, Reason.IN_TRANSACTION);
        same.onBoth("ROLLBACK");
    }

    @Test
    void isolationDecides() throws Exception {
        same.onBoth("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
        same.onBoth("SET autocommit = 0");
        same.fansOut(SUM);
        same.onBoth("COMMIT");
        same.onBoth("SET SESSION TRANSACTION READ ONLY");
        same.fansOut(SUM);
        same.fansOut(SUM);
        same.onBoth("COMMIT");
        same.onBoth("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ");
        same.fansOut(SUM);
        same.fansOut(SUM);
        same.onBoth("COMMIT");
        same.onBoth("SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE");
        same.passesThrough(SUM, Reason.IN_TRANSACTION);
        same.onBoth("COMMIT");
    }

    /** A level set inside a transaction applies to the next one. */
    @Test
    void isolationLevelIsThatOfTheBeginning() throws Exception {
        try (WireConnection writer = same.proxy().direct()) {
            writer.execute("USE " + DATABASE.name());
            same.onBoth("SET autocommit = 0");
            same.fansOut(SUM);
            same.onBoth("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
            writer.execute("UPDATE t SET v = v + 1000");
            same.fansOut(SUM);
            same.onBoth("COMMIT");
            same.fansOut(SUM);
            same.onBoth("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ");
            writer.execute("UPDATE t SET v = v + 1000");
            same.fansOut(SUM);
            same.onBoth("COMMIT");
        }
    }

    @Test
    void laterStatementsAreSplitWithAnyNumberOfWorkers() throws Exception {
        for (int degree : List.of(1, 2, 7)) {
            try (SameAsServer other = DATABASE.compared(server, degree)) {
                other.onBoth("DELETE FROM t WHERE id % 4 = 1");
                other.onBoth("SET autocommit = 0");
                for (String sql : List.of(SUM, ROWS, "SELECT name, MAX(v), COUNT(DISTINCT id) FROM t GROUP BY name")) {
                    other.fansOut(sql);
                }
                other.onBoth("COMMIT");
            }
        }
    }

    /** The server's own answer decides, in the same transaction. */
    @Test
    void anErrorOfAWorkerIsTheServersInsideTheTransaction() throws Exception {
        String overflows = "SELECT MAX(9223372036854775807 - 95 + v), COUNT(*) FROM t";
        same.onBoth("SET autocommit = 0");
        same.fansOut(SUM);
        same.passesThrough(overflows, Reason.WORKER_ERROR);
        same.passesThrough(SUM, Reason.IN_TRANSACTION);
        same.onBoth("COMMIT");
        same.fansOut(SUM);
        same.onBoth("COMMIT");
    }

    /** Under READ COMMITTED, later statements are split even if the first one passed through. */
    @Test
    void laterStatementsAreSplitEvenIfTheFirstPassedThrough() throws Exception {
        same.onBoth("SET autocommit = 0");
        same.onBoth("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
        same.passesThrough(UNSPLITTABLE, Reason.WARNINGS);
        same.fansOut(SUM);
        same.onBoth("COMMIT");
        same.onBoth("BEGIN");
        same.passesThrough(UNSPLITTABLE, Reason.WARNINGS);
        same.fansOut(SUM);
        same.onBoth("COMMIT");
        same.onBoth("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ");
        same.passesThrough(UNSPLITTABLE, Reason.WARNINGS);
        same.passesThrough(SUM, Reason.IN_TRANSACTION);
        same.onBoth("COMMIT");
    }

    @Test
    void nothingIsSplitInTransactionsIfThatIsSwitchedOff() throws Exception {
        try (SameAsServer off = DATABASE.compared(server, ProxySetup.ofDegree(3).withoutTransactions())) {
            off.onBoth("SET autocommit = 0");
            off.passesThrough(SUM, Reason.IN_TRANSACTION);
            off.onBoth("COMMIT");
            off.onBoth("SET autocommit = 1");
            off.fansOut(SUM);
        }
    }

    /** No variable shows characteristics that apply to the next transaction only. */
    @Test
    void characteristicsOfTheNextTransactionAreNotGuessed() throws Exception {
        same.onBoth("SET autocommit = 0");
        for (String set : List.of(
                "SET TRANSACTION ISOLATION LEVEL READ COMMITTED",
                "set  transaction read only",
                "/* x */ SET TRANSACTION READ WRITE")) {
            same.onBoth(set);
            same.passesThrough(SUM, Reason.IN_TRANSACTION);
            same.onBoth("COMMIT");
            same.fansOut(SUM);
            same.onBoth("COMMIT");
        }
    }

    /** START TRANSACTION would release the locks and drop the savepoints. */
    @Test
    void locksAndSavepointsStay() throws Exception {
        same.onBoth("SET autocommit = 0");
        same.onBoth("SAVEPOINT s");
        same.passesThrough(SUM, Reason.IN_TRANSACTION);
        same.onBoth("ROLLBACK TO SAVEPOINT s");
        same.onBoth("COMMIT");
        same.fansOut(SUM);
        same.onBoth("COMMIT");
        same.onBoth("LOCK TABLES t READ");
        same.passesThrough(SUM, Reason.IN_TRANSACTION);
        same.onBoth("COMMIT");
        same.passesThrough(SUM, Reason.IN_TRANSACTION);
        same.onBoth("UNLOCK TABLES");
        same.onBoth("COMMIT");
        same.fansOut(SUM);
        same.onBoth("COMMIT");
    }

    /**
     * Later statements of the transaction see the snapshot of the split. The next transaction sees what was committed
     * since.
     */
    @Test
    void theTransactionKeepsTheReadViewOfTheSplit() throws Exception {
        try (WireConnection writer = same.proxy().direct()) {
            writer.execute("USE " + DATABASE.name());
            same.onBoth("SET autocommit = 0");
            same.fansOut(SUM);
            writer.execute("UPDATE t SET v = v + 1000");
            same.fansOut(SUM);
            same.passesThrough(SUM.replace("SELECT", "SELECT /*+ NO_PARALLEL */"), Reason.HINT);
            same.onBoth("COMMIT");
            same.fansOut(SUM);
            same.onBoth("COMMIT");
            same.onBoth("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
            same.fansOut(SUM);
            writer.execute("UPDATE t SET v = v + 1000");
            same.fansOut(SUM);
            same.onBoth("COMMIT");
        }
    }

    /** Workers do not see the transaction's own changes. The server counts commands, including the proxy's. */
    @Test
    void ownChangesAreSeen() throws Exception {
        try (WireConnection admin = same.proxy().direct();
                WireConnection client = same.proxy().proxied()) {
            admin.execute("USE " + DATABASE.name());
            admin.execute("CREATE FUNCTION adds() RETURNS INT DETERMINISTIC MODIFIES SQL DATA"
                    + " BEGIN INSERT INTO t VALUES (1000, 5, 'n'); RETURN 1; END");
            admin.execute("CREATE PROCEDURE add_one() INSERT INTO t VALUES (1000, 5, 'n')");
            client.execute("USE " + DATABASE.name());
            client.execute("SET autocommit = 0");
            List<String> changes = new ArrayList<>(List.of(
                    "INSERT INTO t VALUES (1000, 5, 'n')",
                    "SELECT adds()",
                    "DO adds()",
                    "SET @x = adds()",
                    "CALL add_one()",
                    "INSERT INTO t SELECT 1000, 5, 'n'",
                    "REPLACE INTO t VALUES (1000, 5, 'n')",
                    "PREPARE s FROM 'INSERT INTO t VALUES (1000, 5, ''n'')'; EXECUTE s"));
            if (server.kind() == ServerFlavor.MARIADB) {
                changes.add("EXECUTE IMMEDIATE 'INSERT INTO t VALUES (1000, 5, ''n'')'");
                changes.add("BEGIN NOT ATOMIC INSERT INTO t VALUES (1000, 5, 'n'); END");
            }
            for (String level : List.of("REPEATABLE READ", "READ COMMITTED")) {
                client.execute("SET SESSION TRANSACTION ISOLATION LEVEL " + level);
                for (String change : changes) {
                    assertThat(counted(client, true)).as(level).isEqualTo("[200]");
                    for (String command : change.split("; (?=EXECUTE)")) {
                        client.pipeline(List.of(command));
                    }
                    assertThat(counted(client, false))
                            .as("%s: %s", level, change)
                            .isEqualTo("[201]");
                    client.execute("ROLLBACK");
                    assertThat(counted(client, true)).as(level).isEqualTo("[200]");
                    client.execute("COMMIT");
                }
            }
        }
    }

    private String counted(WireConnection client, boolean split) throws Exception {
        same.proxy().forget();
        String counted = client.query("SELECT COUNT(v) FROM t").rows().toString();
        assertThat(same.proxy().outcome().reason()).isEqualTo(split ? null : Reason.IN_TRANSACTION);
        return counted;
    }

    /** Statements that end a transaction and begin the next one without a sign in the status flags. */
    @Test
    void anotherTransactionIsNotTakenForTheSame() throws Exception {
        try (WireConnection writer = same.proxy().direct()) {
            writer.execute("USE " + DATABASE.name());
            same.onBoth("SET autocommit = 0");
            for (String end : List.of("COMMIT AND CHAIN", "ROLLBACK AND CHAIN", "SAVEPOINT x")) {
                same.fansOut(SUM);
                same.onBoth(end);
                writer.execute("UPDATE t SET v = v + 1");
                same.passesThrough(SUM, Reason.IN_TRANSACTION);
                same.onBoth("ROLLBACK");
            }
            same.fansOut(SUM);
            same.onBoth("BEGIN");
            writer.execute("UPDATE t SET v = v + 1");
            same.fansOut(SUM);
            same.fansOut(SUM);
            same.onBoth("COMMIT");
        }
    }

    /**
     * A failed procedure's error packet does not show that a transaction is open, with uncommitted changes of the
     * procedure.
     */
    @Test
    void changesOfAFailedProcedureAreSeenAndNotCommitted() throws Exception {
        try (WireConnection admin = same.proxy().direct();
                WireConnection client = same.proxy().proxied()) {
            admin.execute("USE " + DATABASE.name());
            admin.execute("CREATE PROCEDURE fails() BEGIN START TRANSACTION; INSERT INTO t VALUES (1000, 5, 'n');"
                    + " SIGNAL SQLSTATE '45000'; END");
            client.execute("USE " + DATABASE.name());
            client.execute("PREPARE s FROM 'CALL fails()'");
            for (String autocommit : List.of("0", "1")) {
                for (String call : List.of("CALL fails()", "EXECUTE s")) {
                    client.execute("SET autocommit = " + autocommit);
                    client.pipeline(List.of("SELECT nothing"));
                    assertThat(counted(client, true)).isEqualTo("[200]");
                    client.execute("COMMIT");
                    assertThat(client.pipeline(List.of(call)).get(0)).isInstanceOf(Reply.Failed.class);
                    assertThat(counted(client, false)).isEqualTo("[201]");
                    assertThat(admin.query("SELECT COUNT(v) FROM t").rows().toString())
                            .isEqualTo("[200]");
                    client.execute("ROLLBACK");
                    assertThat(counted(client, true)).isEqualTo("[200]");
                    client.execute("COMMIT");
                }
            }
        }
    }

    /** An error may have rolled back the transaction. The error packet does not say so. */
    @Test
    void afterADeadlockNothingIsReadFromTheOldSnapshots() throws Exception {
        try (WireConnection client = same.proxy().proxied();
                WireConnection other = same.proxy().direct()) {
            other.execute("USE " + DATABASE.name());
            client.execute("USE " + DATABASE.name());
            client.execute("SET autocommit = 0");
            client.query(SUM);
            client.query("SELECT v FROM t WHERE id = 1 FOR UPDATE");
            other.execute("BEGIN");
            other.execute("UPDATE t SET v = 1 WHERE id > 100");
            other.execute("UPDATE t SET v = 1 WHERE id = 2");
            Future<Reply> waits =
                    Background.start(() -> client.pipeline(List.of("SELECT v FROM t WHERE id = 2 FOR UPDATE"))
                            .get(0));
            await().until(() -> other.query(
                            "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'")
                    .rows()
                    .toString()
                    .equals("[1]"));
            other.execute("UPDATE t SET v = 1 WHERE id = 1");
            assertThat(waits.get(20, TimeUnit.SECONDS))
                    .isInstanceOfSatisfying(
                            Reply.Failed.class,
                            failed -> assertThat(failed.errno()).isEqualTo(1213));
            other.execute("UPDATE t SET v = 1");
            other.execute("COMMIT");
            assertThat(client.query("SELECT SUM(v) FROM t").rows().toString()).isEqualTo("[200]");
        }
    }

    @Test
    void snapshotsEndWithTheTransaction() throws Exception {
        for (String end : List.of("COMMIT", "ROLLBACK", "SET autocommit = 1")) {
            same.onBoth("SET autocommit = 0");
            same.fansOut(SUM);
            assertThat(same.proxy().retained()).isEqualTo(1);
            same.onBoth(end);
            await().atMost(Duration.ofSeconds(30)).until(this::noSnapshots);
            same.onBoth("ROLLBACK");
            same.onBoth("SET autocommit = 1");
        }
        try (WireConnection client = same.proxy().proxied()) {
            client.execute("USE " + DATABASE.name());
            client.execute("BEGIN");
            client.query(SUM);
            assertThat(same.proxy().retained()).isEqualTo(1);
            client.execute("UPDATE t SET v = v WHERE id = 1");
            await().atMost(Duration.ofSeconds(30)).until(this::noSnapshots);
            client.execute("ROLLBACK");
            client.execute("BEGIN");
            client.query(SUM);
            assertThat(same.proxy().retained()).isEqualTo(1);
        }
        await().atMost(Duration.ofSeconds(30)).until(this::noSnapshots);
        WireConnection killed = same.proxy().proxied();
        killed.execute("USE " + DATABASE.name());
        killed.execute("BEGIN");
        killed.query(SUM);
        try (WireConnection admin = same.proxy().direct()) {
            admin.execute("KILL "
                    + killed.query("SELECT CONNECTION_ID()").rows().get(0).ascii(0));
        }
        await().atMost(Duration.ofSeconds(30)).until(this::noSnapshots);
        killed.abort();
    }

    /** Whether no worker has an open snapshot, by the counts of both Fanfold and the server. */
    private boolean noSnapshots() throws Exception {
        try (WireConnection admin = same.proxy().direct()) {
            return same.proxy().retained() == 0
                    && admin.query("SELECT COUNT(*) FROM information_schema.innodb_trx t"
                                    + " JOIN information_schema.processlist p ON p.id = t.trx_mysql_thread_id"
                                    + " WHERE p.user = '" + ProxiedServer.WORKER + "'")
                            .rows()
                            .toString()
                            .equals("[0]");
        }
    }

    @Test
    void idleSnapshotsAreReleased() throws Exception {
        ProxySetup setup = ProxySetup.ofDegree(3);
        try (SameAsServer hasty = DATABASE.compared(server, setup.withTransactionIdle(Duration.ofMillis(1)))) {
            hasty.onBoth("SET autocommit = 0");
            hasty.fansOut(SUM);
            await().until(() -> hasty.proxy().retained() == 0);
            hasty.passesThrough(SUM, Reason.IN_TRANSACTION);
            hasty.onBoth("COMMIT");
        }
        try (SameAsServer never = DATABASE.compared(server, setup.withTransactionIdle(Duration.ZERO))) {
            never.onBoth("SET autocommit = 0");
            never.fansOut(SUM);
            never.passesThrough(SUM, Reason.IN_TRANSACTION);
            never.onBoth("COMMIT");
        }
    }

    /** There are 16 worker connections. Each transaction keeps 3 of them. */
    @Test
    void idleTransactionsKeepNobodyFromBeingSplit() throws Exception {
        List<WireConnection> idle = new ArrayList<>();
        try {
            for (int i = 0; i < 60; i++) {
                WireConnection client = same.proxy().proxied();
                idle.add(client);
                client.execute("USE " + DATABASE.name());
                client.execute("BEGIN");
                same.proxy().forget();
                client.query(SUM);
                assertThat(same.proxy().outcome().reason()).isNull();
            }
            assertThat(same.proxy().retained()).isBetween(1, 5);
            same.fansOut(SUM);
        } finally {
            for (WireConnection client : idle) {
                client.close();
            }
        }
        await().atMost(Duration.ofSeconds(30)).until(this::noSnapshots);
    }

    /** DDL waits for the transaction of a split exactly as for that of any SELECT. */
    @Test
    void metadataLocksAreThoseOfTheStatement() throws Exception {
        for (String level : List.of("REPEATABLE READ", "READ COMMITTED")) {
            for (String sql : List.of(SUM, "SELECT nothing, COUNT(*) FROM t", "SELECT COUNT(*), @x := 1 FROM t")) {
                List<String> beside = alterations(same.proxy().direct(), level, sql);
                assertThat(alterations(same.proxy().proxied(), level, sql))
                        .as("%s under %s", sql, level)
                        .isEqualTo(beside);
                assertThat(same.proxy().outcome().fannedOut()).isEqualTo(sql.equals(SUM));
            }
        }
    }

    /** The outcome of ALTER TABLE after a statement with autocommit off, and after the end of its transaction. */
    private List<String> alterations(WireConnection session, String level, String sql) throws Exception {
        List<String> replies = new ArrayList<>();
        try (session;
                WireConnection other = same.proxy().direct()) {
            other.execute("USE " + DATABASE.name());
            other.execute("SET lock_wait_timeout = 1");
            session.execute("USE " + DATABASE.name());
            session.execute("SET SESSION TRANSACTION ISOLATION LEVEL " + level);
            session.execute("SET autocommit = 0");
            same.proxy().forget();
            session.pipeline(List.of(sql));
            replies.add(alter(other).toString());
            session.execute("COMMIT");
            replies.add(alter(other).toString());
        }
        return replies;
    }

    private static Reply alter(WireConnection connection) throws Exception {
        return connection.pipeline(List.of("ALTER TABLE t COMMENT 'changed'")).get(0);
    }
}
