package io.fanfold.it.prepared;

import static io.fanfold.it.support.client.SameInBinary.decimal;
import static io.fanfold.it.support.client.SameInBinary.integer;
import static io.fanfold.it.support.client.SameInBinary.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.BinaryClient;
import io.fanfold.it.support.client.BinaryClient.Answer;
import io.fanfold.it.support.client.BinaryClient.Prepared;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.client.SameInBinary;
import io.fanfold.it.support.data.SlowTables;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.load.Background;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.wire.Capability;
import io.fanfold.wire.CommandCode;
import io.fanfold.wire.ServerPacket;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The surroundings of prepared executions: the session, other protocol commands, and drivers. */
class PreparedSessionIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_prepared_session", "", PreparedSessionIT::create);

    /** A database that contains a table of the same name. */
    private static final String ELSEWHERE = "it_prepared_elsewhere";

    private static final String SUM = "SELECT SUM(v), COUNT(*) FROM t WHERE id < ?";

    private static final int INTERRUPTED = 1317;

    private interface Body {
        void run(SameInBinary same) throws Exception;
    }

    private static void create(WireConnection admin) throws Exception {
        admin.execute("CREATE TABLE t (id INT NOT NULL, g INT, v INT, name VARCHAR(20), moment DATETIME(6),"
                + " exact DECIMAL(12,3), PRIMARY KEY (id)) PARTITION BY HASH (id) PARTITIONS 4");
        admin.execute("CREATE DATABASE IF NOT EXISTS " + ELSEWHERE);
        admin.execute("CREATE TABLE IF NOT EXISTS " + ELSEWHERE + ".t LIKE t");
        StringBuilder rows = new StringBuilder();
        for (int i = 0; i < 200; i++) {
            rows.append(i == 0 ? "" : ",")
                    .append("(" + i + "," + i % 7 + "," + i * 31 % 97 + ",'n" + i % 13 + "','2020-01-0" + (1 + i % 9)
                            + " 10:11:12." + (100_000 + i) + "'," + i + ".125)");
        }
        admin.execute("INSERT INTO t VALUES " + rows);
    }

    private static void with(TestServer server, long capabilities, Body body) throws Exception {
        try (SameAsServer owner = DATABASE.compared(server, 3);
                SameInBinary same = new SameInBinary(owner.proxy(), DATABASE.name(), capabilities)) {
            body.run(same);
        }
    }

    private static void with(TestServer server, Body body) throws Exception {
        with(server, BinaryClient.USUAL, body);
    }

    @AllServers
    void meaningWasDecidedWhenItWasPrepared(TestServer server) throws Exception {
        with(server, same -> {
            same.prepare(SUM);
            same.onBoth("SET @@div_precision_increment = 7");
            same.passesThrough(Reason.PREPARED_STATE, SUM, integer(50));
            same.onBoth("SET @@div_precision_increment = 4");
            same.passesThrough(Reason.PREPARED_STATE, SUM, integer(50));
            String other = SUM + " AND g > 1";
            same.fansOut(other, integer(50));
            same.onBoth("SET sql_mode = 'ANSI_QUOTES'");
            same.passesThrough(Reason.PREPARED_STATE, other, integer(50));
            same.onBoth("SET sql_mode = DEFAULT");
            same.fansOut(other, integer(60));
            same.onBoth("USE " + ELSEWHERE);
            same.passesThrough(Reason.PREPARED_STATE, other, integer(50));
            same.onBoth("USE " + DATABASE.name());
            same.fansOut(other, integer(61));
        });
    }

    /** An execution that passed through before its preflight cannot have changed the settings. */
    @AllServers
    void statementItselfChangesNothing(TestServer server) throws Exception {
        with(server, same -> {
            same.prepare(SUM);
            same.onBoth("BEGIN");
            same.onBoth("SELECT 1");
            same.passesThrough(Reason.IN_TRANSACTION, SUM, integer(50));
            same.onBoth("COMMIT");
            same.passesThrough(Reason.PARAMETER, SUM, decimal("1e1"));
            same.fansOut(SUM, integer(50));
        });
    }

    @AllServers
    void tablesMayChange(TestServer server) throws Exception {
        with(server, same -> {
            String sql = "SELECT id, g, v FROM t WHERE id < ? AND g <> ? ORDER BY id";
            String inText = sql.replace("<> ?", "<= ?");
            same.fansOut(sql, integer(50), integer(3));
            same.fansOut(inText, integer(50), text("3"));
            same.onBoth("SET @x = 1");
            same.direct().query("ALTER TABLE t MODIFY v BIGINT UNSIGNED, MODIFY g VARCHAR(5)");
            same.passesThroughAgain(Reason.PARAMETER, sql, integer(50), integer(3));
            same.fansOut(inText, integer(50), text("3"));
            same.direct().query("ALTER TABLE t DROP COLUMN v, ADD COLUMN v DECIMAL(9,2) DEFAULT 1.25");
            same.fansOutAgain(inText, integer(50), text("4"));
        });
    }

    @AllServers
    void lastStatementIsKnown(TestServer server) throws Exception {
        with(server, same -> {
            String sql = "SELECT g, COUNT(*) FROM t WHERE id < ? GROUP BY g";
            same.prepare("SELECT FOUND_ROWS(), ROW_COUNT()");
            for (String probe : List.of("SELECT FOUND_ROWS()", "SELECT ROW_COUNT()", "SHOW WARNINGS")) {
                same.fansOut(sql, integer(90));
                SameInBinary.assertSameText(
                        probe, same.direct().query(probe), same.proxied().query(probe));
            }
            same.fansOut(sql, integer(91));
            same.executed("SELECT FOUND_ROWS(), ROW_COUNT()");
        });
    }

    @AllServers
    void cursorsAreRelayed(TestServer server) throws Exception {
        with(server, same -> {
            List<List<Answer>> seen = new ArrayList<>();
            for (BinaryClient client : List.of(same.direct(), same.proxied())) {
                Prepared prepared = client.prepare("SELECT id, v FROM t WHERE id < ? ORDER BY id");
                same.proxy().forget();
                client.write(0, client.execution(prepared.id(), 1, true, List.of(integer(30))));
                List<Answer> answers = new ArrayList<>();
                answers.add(client.opened());
                client.send(CommandCode.STMT_FETCH, prepared.id(), new byte[] {20, 0, 0, 0});
                answers.add(client.fetched());
                client.send(CommandCode.STMT_FETCH, prepared.id(), new byte[] {20, 0, 0, 0});
                answers.add(client.fetched());
                seen.add(answers);
            }
            assertThat(same.proxy().outcome().reason()).isEqualTo(Reason.PREPARED_STATE);
            for (int i = 0; i < 3; i++) {
                SameInBinary.assertSameText(
                        "answer " + i, seen.get(0).get(i), seen.get(1).get(i));
            }
            assertThat(seen.get(1).get(1).rows()).hasSize(20);
            assertThat(seen.get(1).get(2).rows()).hasSize(10);
        });
    }

    @OnServers(ServerName.MARIADB)
    void definitionsThatTheClientHasAreLeftOut(TestServer server) throws Exception {
        long caching = BinaryClient.USUAL & ~Capability.CLIENT_MYSQL | Capability.MARIADB_CACHE_METADATA;
        for (long more : List.of(0L, Capability.DEPRECATE_EOF)) {
            with(server, caching | more, same -> {
                assertThat(same.proxied().has(Capability.MARIADB_CACHE_METADATA))
                        .isTrue();
                String sql = "SELECT id, name, moment FROM t WHERE id < ? ORDER BY id";
                same.fansOut(sql, integer(50));
                same.fansOut(sql, integer(60));
                same.onBoth("SET @x = 1");
                same.direct().query("ALTER TABLE t MODIFY name VARCHAR(30)");
                same.passesThrough(Reason.PREPARED_STATE, sql, integer(51));
                same.passesThrough(Reason.PREPARED_STATE, sql, integer(52));
                same.direct().query("ALTER TABLE t MODIFY name VARCHAR(20)");
                same.passesThrough(Reason.PREPARED_STATE, sql, integer(53));
                same.passesThrough(Reason.PREPARED_STATE, sql, integer(54));
                // the column is announced shorter if it passes through a temporary table
                String negated = "SELECT -exact AS k, COUNT(*) FROM t WHERE id < ? GROUP BY k ORDER BY k";
                same.fansOut(negated, integer(50));
                same.fansOut(negated, integer(60));
            });
        }
    }

    @AllServers
    void commandsMayBeSentAhead(TestServer server) throws Exception {
        with(server, same -> {
            List<List<Answer>> seen = new ArrayList<>();
            for (BinaryClient client : List.of(same.direct(), same.proxied())) {
                Prepared prepared = client.prepare(SUM);
                List<Answer> answers = new ArrayList<>();
                client.execute(prepared.id(), List.of(integer(10)));
                for (int i = 0; i < 5; i++) {
                    client.write(0, client.execution(prepared.id(), 0, i % 2 == 0, List.of(integer(20 + i))));
                }
                for (int i = 0; i < 5; i++) {
                    answers.add(client.answer());
                }
                seen.add(answers);
            }
            for (int i = 0; i < 5; i++) {
                SameInBinary.assertSameText(
                        "answer " + i, seen.get(0).get(i), seen.get(1).get(i));
            }
        });
    }

    /** MariaDB has an id for the last prepared statement. Statements that the proxy prepares do not change it. */
    @OnServers(ServerName.MARIADB)
    void lastPreparedStatementHasAnId(TestServer server) throws Exception {
        with(server, same -> {
            List<List<Answer>> seen = new ArrayList<>();
            for (BinaryClient client : List.of(same.direct(), same.proxied())) {
                List<Answer> answers = new ArrayList<>();
                client.sendPrepare(SUM);
                client.sendExecute(BinaryClient.LAST, List.of(integer(40)));
                client.prepared();
                answers.add(client.answer());
                client.sendPrepare("SELECT ? FROM t LIMIT 3");
                client.send(CommandCode.STMT_SEND_LONG_DATA, BinaryClient.LAST, new byte[] {0, 0, 'a', 'b'});
                client.prepared();
                answers.add(client.execute(BinaryClient.LAST, List.of(text(""))));
                client.prepare(SUM + " AND g = 2");
                answers.add(client.query("SELECT SUM(v) FROM t WHERE id < 70"));
                same.proxy().forget();
                answers.add(client.execute(BinaryClient.LAST, List.of(integer(30))));
                Prepared prepared = client.prepare("SELECT COUNT(*), MAX(id) FROM t WHERE name = ?");
                client.send(CommandCode.STMT_SEND_LONG_DATA, BinaryClient.LAST, new byte[] {0, 0, 'n', '5'});
                answers.add(client.execute(BinaryClient.LAST, List.of(new BinaryClient.Parameter(253, new byte[0]))));
                client.send(CommandCode.STMT_CLOSE, prepared.id(), new byte[0]);
                answers.add(client.query("SELECT SUM(v) FROM t WHERE id < 71"));
                answers.add(client.execute(BinaryClient.LAST, List.of(integer(30))));
                seen.add(answers);
            }
            assertThat(seen.get(0).get(6).failed()).isTrue();
            for (int i = 0; i < 7; i++) {
                SameInBinary.assertSameText(
                        "answer " + i, seen.get(0).get(i), seen.get(1).get(i));
            }
        });
    }

    /** Killed before the first row and after it. */
    @AllServers
    void killedExecutionsMayBeExecutedAgain(TestServer server) throws Exception {
        try (ProxiedServer proxy = ProxiedServer.start(server, 3);
                WireConnection admin = proxy.direct();
                WireConnection killer = proxy.proxied()) {
            SlowTables.create(proxy);
            try (SameInBinary same = new SameInBinary(proxy, "it_slow")) {
                BinaryClient client = same.proxied();
                byte[] id = client.query("SELECT CONNECTION_ID()").rows().get(0);
                String kill = "KILL QUERY " + new String(id, 1, id.length - 1, StandardCharsets.US_ASCII);
                for (String endless : List.of(SlowTables.ENDLESS, SlowTables.ENDLESS_ROWS)) {
                    Prepared prepared = client.prepare(endless + " WHERE a.v < ?");
                    Future<Answer> reply =
                            Background.start(() -> client.execute(prepared.id(), List.of(integer(1000))));
                    SlowTables.awaitBusyWorkers(admin, 3);
                    killer.execute(kill);
                    Answer answer = reply.get(60, TimeUnit.SECONDS);
                    assertThat(ServerPacket.Err.decode(
                                            answer.others().get(answer.others().size() - 1))
                                    .code())
                            .isEqualTo(INTERRUPTED);
                    SlowTables.awaitNoBusyWorker(admin);
                    same.fansOut("SELECT SUM(v), COUNT(*) FROM big WHERE v < ?", integer(50));
                }
            }
        }
    }

    /** Only the rows of one partition exceed the range of the type. The error is the server's own. */
    @AllServers
    void errorOfOneWorkerIsTheServers(TestServer server) throws Exception {
        with(server, same -> {
            String sql = "SELECT MAX(9223372036854775807 - 96 + v), COUNT(*) FROM t WHERE id < ? AND v > ?";
            same.fansOut(sql, integer(150), integer(-1));
            same.onBoth("SET @x = 1");
            same.direct().query("UPDATE t SET v = 97 WHERE id = 31");
            same.passesThrough(Reason.WORKER_ERROR, sql, integer(150), integer(-1));
            same.direct().query("UPDATE t SET v = 96 WHERE id = 31");
            same.fansOutAgain(sql, integer(150), integer(-1));
        });
    }

    @AllServers
    void statementsPreparedByTextAreRelayed(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.compared(server, 3)) {
            same.onBoth("PREPARE s FROM 'SELECT SUM(v) FROM t WHERE id < ?'");
            same.onBoth("SET @n = 70");
            same.passesThrough("EXECUTE s USING @n", Reason.NOT_A_SELECT);
            same.passesThrough("DEALLOCATE PREPARE s", Reason.NOT_A_SELECT);
        }
    }

    @AllServers
    void driversGetTheSame(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.compared(server, 3)) {
            String address =
                    same.proxy().server().jdbcUrl("127.0.0.1", same.proxy().port(), DATABASE.name());
            String prepared = "&useServerPrepStmts=true&cachePrepStmts=true";
            List<String> expected = rows(server.jdbcUrl(DATABASE.name()) + prepared, server, null, null);
            assertThat(expected).hasSizeGreaterThan(30);
            assertThat(rows(address + prepared, server, same.proxy(), null)).isEqualTo(expected);
        }
    }

    /** MariaDB's driver does not use cursors: it streams rows. */
    @OnServers(ServerName.MYSQL)
    void cursorsOfDriversAreRelayed(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.compared(server, 3)) {
            String cursors = "&useServerPrepStmts=true&useCursorFetch=true&defaultFetchSize=3";
            List<String> expected = rows(server.jdbcUrl(DATABASE.name()) + cursors, server, null, null);
            assertThat(expected).hasSizeGreaterThan(30);
            String address =
                    same.proxy().server().jdbcUrl("127.0.0.1", same.proxy().port(), DATABASE.name());
            assertThat(rows(address + cursors, server, same.proxy(), Reason.PREPARED_STATE))
                    .isEqualTo(expected);
        }
    }

    /** Optional metadata: the server omits definitions if client and session allow it. Such sessions are not split. */
    @OnServers(ServerName.MYSQL)
    void definitionsMayBeOptional(TestServer server) throws Exception {
        for (long more : List.of(0L, Capability.DEPRECATE_EOF)) {
            with(server, BinaryClient.USUAL | Capability.OPTIONAL_RESULTSET_METADATA | more, same -> {
                String text = "SELECT g, SUM(v), COUNT(*) FROM t GROUP BY g ORDER BY g";
                compared(same, text, null, 3);
                same.fansOut(SUM, integer(50));
                same.onBoth("SET resultset_metadata = NONE");
                compared(same, text, Reason.SESSION_VARIABLE, 0);
                same.passesThrough(Reason.SESSION_VARIABLE, SUM + " AND g > 1", integer(50));
                same.passesThrough(Reason.SESSION_VARIABLE, SUM, integer(50));
                same.onBoth("SET resultset_metadata = FULL");
                compared(same, text, null, 3);
                same.fansOut(SUM + " AND g > 2", integer(50));
            });
        }
    }

    private static void compared(SameInBinary same, String sql, @Nullable Reason reason, int definitions)
            throws Exception {
        same.proxy().forget();
        Answer expected = same.direct().query(sql);
        Answer actual = same.proxied().query(sql);
        same.assertSame(sql, expected, actual);
        assertThat(actual.definitions()).hasSize(definitions);
        assertThat(same.proxy().outcome().reason()).as(sql).isEqualTo(reason);
    }

    /** @param reason why executions pass through; null if they are split */
    private static List<String> rows(
            String url, TestServer server, @Nullable ProxiedServer proxy, @Nullable Reason reason) throws Exception {
        List<String> rows = new ArrayList<>();
        try (Connection client = DriverManager.getConnection(url, server.adminUser(), server.adminPassword());
                PreparedStatement statement = client.prepareStatement(
                        "SELECT g, COUNT(*), SUM(v), MAX(name), MAX(moment),"
                                + " SUM(exact) FROM t WHERE id < ? AND name <> ? AND moment < ? AND exact > ? GROUP BY g ORDER BY g")) {
            for (int i = 0; i < 4; i++) {
                if (i == 2) {
                    statement.setLong(1, 150);
                } else {
                    statement.setInt(1, 100 + i);
                }
                statement.setString(2, "n" + i);
                statement.setTimestamp(3, Timestamp.valueOf("2020-01-0" + (5 + i) + " 10:11:12.100050"));
                statement.setBigDecimal(4, new BigDecimal("0.12" + i));
                if (proxy != null) {
                    proxy.forget();
                }
                read(statement, rows);
                if (proxy != null) {
                    assertThat(proxy.outcome().reason()).as("execution %d", i).isEqualTo(reason);
                }
            }
            statement.setString(1, "70");
            read(statement, rows);
            statement.setObject(1, 70);
            read(statement, rows);
            try (Statement text = client.createStatement();
                    ResultSet found = text.executeQuery("SELECT FOUND_ROWS()")) {
                found.next();
                rows.add("found " + found.getInt(1));
            }
        }
        return rows;
    }

    private static void read(PreparedStatement statement, List<String> rows) throws Exception {
        try (ResultSet result = statement.executeQuery()) {
            while (result.next()) {
                StringBuilder row = new StringBuilder();
                for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
                    Object value = result.getObject(i);
                    row.append(value)
                            .append('|')
                            .append(value == null ? "" : value.getClass().getName())
                            .append('|');
                }
                rows.add(row.toString());
            }
        }
    }
}
