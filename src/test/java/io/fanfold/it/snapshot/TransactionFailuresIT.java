package io.fanfold.it.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.SmallTable;
import io.fanfold.it.support.data.Sql;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A failed statement may leave a transaction open, and its error packet has no status flags. */
@AllServers
class TransactionFailuresIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_transaction_failures", admin -> {
        SmallTable.create(admin);
        admin.execute("CREATE PROCEDURE inserts_and_fails(x INT) BEGIN INSERT INTO t VALUES (x, 1, 'p');"
                + " SIGNAL SQLSTATE '45000'; END");
    });
    private static final String SUM = "SELECT SUM(v), COUNT(*) FROM t";

    private final TestServer server;
    private SameAsServer same;

    TransactionFailuresIT(TestServer server) {
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

    /** Statements to run direct on the server and through the proxy. */
    private interface Scenario {
        String observed(WireConnection session, WireConnection other) throws Exception;
    }

    private void compare(Scenario scenario) throws Exception {
        List<String> seen = new ArrayList<>();
        for (boolean proxied : List.of(false, true)) {
            try (WireConnection session =
                            proxied ? same.proxy().proxied() : same.proxy().direct();
                    WireConnection other = same.proxy().direct()) {
                session.execute("USE " + DATABASE.name());
                other.execute("USE " + DATABASE.name());
                other.execute("SET innodb_lock_wait_timeout = 1");
                session.execute("SET autocommit = 0");
                seen.add(scenario.observed(session, other));
                session.execute("ROLLBACK");
            }
        }
        assertThat(seen.get(1)).isEqualTo(seen.get(0));
    }

    @Test
    void locksOfAStatementThatFailedStay() throws Exception {
        compare((session, other) -> {
            session.pipeline(List.of("INSERT INTO t VALUES (5, 1, 'x')"));
            session.query(SUM);
            return other.pipeline(List.of("UPDATE t SET name = 'n5' WHERE id = 5"))
                    .toString();
        });
    }

    @Test
    void theReadViewOfAStatementThatFailedStays() throws Exception {
        compare((session, other) -> {
            session.pipeline(List.of("SELECT v, (SELECT id FROM t WHERE id < 3) FROM t"));
            other.execute("UPDATE t SET v = v + 1000 WHERE id = 7");
            String seen = session.query(SUM).rows().toString();
            other.execute("UPDATE t SET v = v - 1000 WHERE id = 7");
            return seen;
        });
    }

    /**
     * A procedure's changes before its failure belong to the transaction, even if the CALL was prepared in an earlier
     * one.
     */
    @Test
    void changesOfAProcedureThatFailedAreRolledBack() throws Exception {
        List<String> seen = new ArrayList<>();
        for (boolean proxied : List.of(false, true)) {
            String host = server.host().equals("localhost") ? "127.0.0.1" : server.host();
            String url = "jdbc:mariadb://"
                    + (proxied ? "127.0.0.1:" + same.proxy().port() : host + ":" + server.port()) + "/"
                    + DATABASE.name() + "?useServerPrepStmts=true&allowPublicKeyRetrieval=true&sslMode=disable";
            try (Connection session = DriverManager.getConnection(url, server.adminUser(), server.adminPassword());
                    Statement statement = session.createStatement()) {
                session.setAutoCommit(false);
                try (PreparedStatement call = session.prepareStatement("CALL inserts_and_fails(?)")) {
                    call.setInt(1, 1000);
                    assertThatThrownBy(call::execute).isInstanceOf(SQLException.class);
                    session.rollback();
                    Sql.only(statement, SUM);
                    session.commit();
                    assertThatThrownBy(call::execute).isInstanceOf(SQLException.class);
                    Sql.only(statement, SUM);
                    session.rollback();
                    seen.add(Sql.only(statement, "SELECT COUNT(*) FROM t WHERE id = 1000"));
                    session.rollback();
                }
            }
        }
        assertThat(seen.get(1)).isEqualTo(seen.get(0));
    }

    /** The statement that sets them is prepared in an earlier transaction. */
    @Test
    void characteristicsThatAPreparedStatementSetsAreNotGuessed() throws Exception {
        String url = "jdbc:mariadb://127.0.0.1:" + same.proxy().port() + "/" + DATABASE.name()
                + "?useServerPrepStmts=true&allowPublicKeyRetrieval=true&sslMode=disable";
        try (Connection session = DriverManager.getConnection(url, server.adminUser(), server.adminPassword());
                Statement statement = session.createStatement();
                WireConnection other = same.proxy().direct()) {
            other.execute("USE " + DATABASE.name());
            session.setAutoCommit(false);
            try (PreparedStatement set = session.prepareStatement("SET TRANSACTION ISOLATION LEVEL READ COMMITTED")) {
                set.execute();
                Sql.only(statement, SUM);
                session.commit();
                set.execute();
                String before = Sql.only(statement, SUM);
                other.execute("UPDATE t SET v = v + 1000 WHERE id = 7");
                assertThat(Sql.only(statement, SUM)).isNotEqualTo(before);
                session.rollback();
            }
        }
    }
}
