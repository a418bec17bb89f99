package io.fanfold.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.backend.Reply;
import io.fanfold.backend.WireConnection;
import io.fanfold.metrics.Reason;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The first SELECT of a transaction is split, and the transaction is the one that it is beside the server. */
@AllServers
class TransactionIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_transactions", SmallTable::create);
    private static final String SUM = "SELECT SUM(v), COUNT(*) FROM t";
    private static final String ROWS = "SELECT id, v FROM t WHERE id < 20 ORDER BY id";
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
    void theFirstStatementIsSplitWithAutocommitOff() throws Exception {
        same.onBoth("SET autocommit = 0");
        for (String end : List.of("COMMIT", "ROLLBACK")) {
            for (String sql : List.of(SUM, ROWS)) {
                same.fansOut(sql);
                same.passesThrough(sql, Reason.IN_TRANSACTION);
                same.onBoth(end);
            }
        }
        same.fansOut(SUM);
        same.onBoth("SET autocommit = 1");
        same.fansOut(SUM);
    }

    @Test
    void theFirstStatementIsSplitAfterEachBeginning() throws Exception {
        for (String begin : BEGINNINGS) {
            same.onBoth(begin);
            same.fansOut(SUM);
            same.passesThrough(SUM, Reason.IN_TRANSACTION);
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
        same.passesThrough(SUM, Reason.IN_TRANSACTION);
        same.onBoth("COMMIT");
        same.onBoth("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ");
        same.fansOut(SUM);
        same.passesThrough(SUM, Reason.IN_TRANSACTION);
        same.onBoth("COMMIT");
        same.onBoth("SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE");
        same.passesThrough(SUM, Reason.IN_TRANSACTION);
        same.onBoth("COMMIT");
    }

    @Test
    void nothingIsSplitInTransactionsWhereThatIsSwitchedOff() throws Exception {
        try (SameAsServer off = DATABASE.compared(server, ProxySetup.ofDegree(3).withoutTransactions())) {
            off.onBoth("SET autocommit = 0");
            off.passesThrough(SUM, Reason.IN_TRANSACTION);
            off.onBoth("COMMIT");
            off.onBoth("SET autocommit = 1");
            off.fansOut(SUM);
        }
    }

    /** No variable shows the characteristics that are set for the next transaction only. */
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

    /** START TRANSACTION would release and drop them. */
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

    /** What comes later in the transaction sees what the split has seen; the next transaction sees what was committed since. */
    @Test
    void theTransactionKeepsTheReadViewOfTheSplit() throws Exception {
        try (WireConnection writer = same.proxy().direct()) {
            writer.execute("USE " + DATABASE.name());
            same.onBoth("SET autocommit = 0");
            same.fansOut(SUM);
            writer.execute("UPDATE t SET v = v + 1000");
            same.passesThrough(SUM, Reason.IN_TRANSACTION);
            same.onBoth("COMMIT");
            same.fansOut(SUM);
            same.onBoth("COMMIT");
            same.onBoth("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
            same.fansOut(SUM);
            writer.execute("UPDATE t SET v = v + 1000");
            same.passesThrough(SUM, Reason.IN_TRANSACTION);
            same.onBoth("COMMIT");
        }
    }

    @Test
    void ownChangesAreSeen() throws Exception {
        try (WireConnection client = same.proxy().proxied()) {
            client.execute("USE " + DATABASE.name());
            client.execute("SET autocommit = 0");
            client.execute("UPDATE t SET v = 1 WHERE id = 1");
            same.proxy().forget();
            String changed = client.query("SELECT COUNT(*) FROM t WHERE v = 1 AND id = 1")
                    .rows()
                    .toString();
            assertThat(changed).isEqualTo("[1]");
            assertThat(same.proxy().outcome().reason()).isEqualTo(Reason.IN_TRANSACTION);
            client.execute("ROLLBACK");
        }
    }

    /** DDL waits for the transaction of a split as for that of any SELECT, and no longer. */
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

    /** What becomes of ALTER TABLE after a statement with autocommit off, and after the end of its transaction. */
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
