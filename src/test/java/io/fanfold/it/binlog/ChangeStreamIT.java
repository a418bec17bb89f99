package io.fanfold.it.binlog;

import static io.fanfold.it.binlog.LoggedServer.EVERYTHING;
import static io.fanfold.it.binlog.LoggedServer.LIMIT;
import static io.fanfold.it.binlog.LoggedServer.SCHEMA;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.binlog.LogPosition;
import io.fanfold.catalog.TableName;
import io.fanfold.client.RealServer;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.it.support.server.own.OwnMariaDb;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each kind of change counts for the tables and partitions that it changes, and for as few others as possible. */
@AllServers
class ChangeStreamIT {
    @TempDir
    static Path folder;

    private static final Map<TestServer, LoggedServer> STARTED = new HashMap<>();
    private static final List<OwnMariaDb> OWN = new ArrayList<>();
    private LoggedServer server;

    /** MariaDB's default is MIXED, so it needs a server of its own. */
    @BeforeEach
    void start(TestServer shared) throws Exception {
        if (!STARTED.containsKey(shared)) {
            STARTED.put(shared, new LoggedServer(shared.kind().isMariaDb() ? own(shared) : shared));
        }
        server = STARTED.get(shared);
        server.recreate();
    }

    private static TestServer own(TestServer shared) throws Exception {
        OwnMariaDb own = OwnMariaDb.start(
                shared,
                folder.resolve("mariadb"),
                "--log-bin=binlog",
                "--server-id=31",
                "--binlog-format=ROW",
                "--max-allowed-packet=64M");
        OWN.add(own);
        return own.server();
    }

    @AfterAll
    static void stop() throws Exception {
        for (LoggedServer started : STARTED.values()) {
            started.close();
        }
        STARTED.clear();
        OWN.forEach(OwnMariaDb::close);
    }

    /** Rows of MariaDB do not name their partition. */
    private Set<String> rows(String... partitions) {
        Set<String> all = new TreeSet<>(server.mariaDb() ? List.of("t#0", "t#1", "t#2") : List.of(partitions));
        all.add("t");
        return all;
    }

    @Test
    void inserts() throws Exception {
        assertThat(server.changedBy("INSERT INTO t (id) VALUES (3)")).isEqualTo(rows("t#0"));
        assertThat(server.changedBy("INSERT INTO t (id) VALUES (4), (22)")).isEqualTo(rows("t#0", "t#2"));
        assertThat(server.changedBy("INSERT INTO other VALUES (3, 3)")).isEqualTo(Set.of("other"));
    }

    @Test
    void updates() throws Exception {
        assertThat(server.changedBy("UPDATE t SET v = v + 1 WHERE id = 11")).isEqualTo(rows("t#1"));
    }

    @Test
    void updatesThatMoveARow() throws Exception {
        assertThat(server.changedBy("UPDATE t SET id = 15 WHERE id = 1")).isEqualTo(rows("t#0", "t#1"));
    }

    @Test
    void deletes() throws Exception {
        assertThat(server.changedBy("DELETE FROM t WHERE id > 20")).isEqualTo(rows("t#2"));
    }

    @Test
    void nothing() throws Exception {
        assertThat(server.changedBy()).isEmpty();
        assertThat(server.changedBy("BEGIN", "DELETE FROM t", "ROLLBACK")).isEmpty();
    }

    @Test
    void savepoints() throws Exception {
        assertThat(server.changedBy(
                        "BEGIN", "UPDATE other SET v = 9", "SAVEPOINT s", "DELETE FROM t", "ROLLBACK TO s", "COMMIT"))
                .isEqualTo(Set.of("other"));
    }

    @Test
    void truncation() throws Exception {
        assertThat(server.changedBy("TRUNCATE TABLE t")).isEqualTo(EVERYTHING);
    }

    @Test
    void partitionsThatAreTruncatedExchangedAndReorganized() throws Exception {
        assertThat(server.changedBy("ALTER TABLE t TRUNCATE PARTITION p1")).isEqualTo(EVERYTHING);
        assertThat(server.changedBy("CREATE TABLE x LIKE t", "ALTER TABLE x REMOVE PARTITIONING"))
                .isEqualTo(EVERYTHING);
        assertThat(server.changedBy("ALTER TABLE t EXCHANGE PARTITION p0 WITH TABLE x"))
                .isEqualTo(EVERYTHING);
        assertThat(server.changedBy("ALTER TABLE t REORGANIZE PARTITION p2 INTO (PARTITION p2 VALUES LESS THAN (25),"
                        + " PARTITION p3 VALUES LESS THAN (30))"))
                .isEqualTo(EVERYTHING);
        server.run("DROP TABLE x");
    }

    @Test
    void loadedData() throws Exception {
        String files = RealServer.value(server.admin(), "SELECT COALESCE(@@secure_file_priv, '')");
        String file = (files.isEmpty() ? folder + "/" : files) + "it_binlog_" + System.nanoTime();
        server.run("SELECT 5, 5, NULL INTO OUTFILE '" + file + "'");
        assertThat(server.changedBy("LOAD DATA INFILE '" + file + "' INTO TABLE t"))
                .isEqualTo(rows("t#0"));
        server.run("DELETE FROM t WHERE id = 5", "SET SESSION binlog_format = STATEMENT");
        assertThat(server.changedBy("LOAD DATA INFILE '" + file + "' INTO TABLE t"))
                .isEqualTo(EVERYTHING);
        server.run("SET SESSION binlog_format = ROW");
    }

    @Test
    void loggedStatements() throws Exception {
        server.run("SET SESSION binlog_format = STATEMENT");
        assertThat(server.changedBy("INSERT INTO other VALUES (8, 8)")).isEqualTo(EVERYTHING);
        server.run("SET SESSION binlog_format = ROW");
    }

    @Test
    void preparedTransactions() throws Exception {
        assertThat(server.changedBy("XA START 'a'", "UPDATE other SET v = 5", "XA END 'a'", "XA PREPARE 'a'"))
                .isEqualTo(EVERYTHING);
        assertThat(server.changedBy("XA COMMIT 'a'")).isEqualTo(EVERYTHING);
        assertThat(server.changedBy("XA START 'b'", "UPDATE other SET v = 6", "XA END 'b'", "XA COMMIT 'b' ONE PHASE"))
                .contains("other");
    }

    @Test
    void compressedChanges() throws Exception {
        if (server.mariaDb()) {
            server.run("SET GLOBAL log_bin_compress = ON");
            assertThat(server.changedBy("UPDATE t SET b = REPEAT('x', 5000)")).isEqualTo(rows());
            assertThat(server.changedBy("CREATE TABLE c (id INT) COMMENT '" + "x".repeat(500) + "'"))
                    .isEqualTo(EVERYTHING);
            server.run("SET GLOBAL log_bin_compress = OFF", "DROP TABLE c");
        } else {
            server.run("SET SESSION binlog_transaction_compression = ON");
            assertThat(server.changedBy("UPDATE t SET b = REPEAT('x', 5000)")).isEqualTo(EVERYTHING);
            server.run("SET SESSION binlog_transaction_compression = OFF");
        }
    }

    @Test
    void definitions() throws Exception {
        assertThat(server.changedBy("CREATE DATABASE it_binlog_2", "CREATE TABLE it_binlog_2.t (id INT)"))
                .isEqualTo(EVERYTHING);
        assertThat(server.changedBy("DROP DATABASE it_binlog_2")).isEqualTo(EVERYTHING);
        assertThat(server.changedBy("CREATE TABLE copied AS SELECT * FROM other"))
                .isEqualTo(EVERYTHING);
        server.run("DROP TABLE copied");
    }

    @Test
    void statementsThatChangeNoTable() throws Exception {
        assertThat(server.changedBy(
                        "ANALYZE TABLE t",
                        "FLUSH TABLES",
                        "CREATE USER it_binlog_x IDENTIFIED BY 'x'",
                        "GRANT SELECT ON it_binlog.* TO it_binlog_x",
                        "REVOKE SELECT ON it_binlog.* FROM it_binlog_x",
                        "ALTER USER it_binlog_x IDENTIFIED BY 'y'",
                        "SET PASSWORD FOR it_binlog_x = " + (server.mariaDb() ? "PASSWORD('z')" : "'z'"),
                        "RENAME USER it_binlog_x TO it_binlog_y",
                        "DROP USER it_binlog_y"))
                .isEmpty();
    }

    /** MariaDB logs no row of the child, but its table map. MySQL logs its rows since 9.6. */
    @Test
    void cascades() throws Exception {
        server.run(
                "CREATE TABLE parent (id INT PRIMARY KEY)",
                "CREATE TABLE child (id INT PRIMARY KEY, p INT,"
                        + " FOREIGN KEY (p) REFERENCES parent (id) ON DELETE CASCADE)",
                "CREATE TABLE grandchild (id INT PRIMARY KEY, c INT,"
                        + " FOREIGN KEY (c) REFERENCES child (id) ON DELETE CASCADE)",
                "INSERT INTO parent VALUES (1), (2)");
        LogPosition before = server.position();
        server.run("INSERT INTO child VALUES (1, 1), (2, 2)", "INSERT INTO grandchild VALUES (1, 1), (2, 2)");
        assertThat(server.changed(before, server.position(), List.of("parent", "child", "grandchild"), 0))
                .as("the parent of an inserted row")
                .isEqualTo(Set.of("child", "grandchild"));
        LogPosition since = server.position();
        server.run("DELETE FROM parent WHERE id = 1");
        assertThat(server.changed(since, server.position(), List.of("parent", "child", "grandchild", "t"), 0))
                .isEqualTo(Set.of("parent", "child", "grandchild"));
        server.run("DROP TABLE grandchild, child, parent");
    }

    /** A packet has at most 16 MiB, so the event is sent in two. */
    @Test
    void longEvents() throws Exception {
        assertThat(server.changedBy("UPDATE t SET b = REPEAT('x', 20 << 20) WHERE id = 1"))
                .isEqualTo(rows("t#0"));
        assertThat(server.changedBy("INSERT INTO other VALUES (5, 5)")).isEqualTo(Set.of("other"));
    }

    @Test
    void nextFilesOfTheLog() throws Exception {
        LogPosition since = server.position();
        server.run("UPDATE other SET v = 7", "FLUSH BINARY LOGS");
        assertThat(server.changed(since, server.position(), List.of("t", "other"), 3))
                .isEqualTo(Set.of("other"));
        server.run("UPDATE t SET v = 7 WHERE id = 1", "FLUSH BINARY LOGS");
        LogPosition between = server.position();
        assertThat(server.changedBy("UPDATE t SET v = 8 WHERE id = 21")).isEqualTo(rows("t#2"));
        assertThat(server.changed(between, server.position(), List.of("other"), 0))
                .isEmpty();
    }

    /** Partitions are counted through the whole table: the second subpartition of the second partition is 3. */
    @Test
    void subpartitions() throws Exception {
        server.run("CREATE TABLE s (id INT, h INT) PARTITION BY RANGE (id) SUBPARTITION BY HASH (h) SUBPARTITIONS 2"
                + " (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20))");
        LogPosition since = server.position();
        server.run("INSERT INTO s VALUES (15, 1)");
        assertThat(server.changed(since, server.position(), List.of("s"), 4))
                .isEqualTo(server.mariaDb() ? Set.of("s", "s#0", "s#1", "s#2", "s#3") : Set.of("s", "s#3"));
        server.run("DROP TABLE s");
    }

    /** Only a commit that is not in the earlier snapshot matters. */
    @Test
    void changesBeforeAndAfter() throws Exception {
        LogPosition before = server.position();
        server.run("UPDATE other SET v = 10");
        LogPosition after = server.position();
        server.run("UPDATE t SET v = 10");
        LogPosition later = server.position();
        assertThat(server.changed(after, later, List.of("other"), 0)).isEmpty();
        assertThat(server.changed(before, later, List.of("other"), 0)).isEqualTo(Set.of("other"));
        TableName other = new TableName(SCHEMA, "OTHER");
        assertThat(server.logged().unchanged(after, later, other, OptionalInt.empty(), false))
                .as("in another case")
                .isTrue();
        assertThat(server.logged().unchanged(before, later, other, OptionalInt.empty(), false))
                .as("changed, in another case")
                .isFalse();
        assertThat(server.logged().unchanged(later, after, other, OptionalInt.empty(), false))
                .as("backwards")
                .isFalse();
    }

    @Test
    void lostConnections() throws Exception {
        LogPosition before = server.position();
        server.run("UPDATE other SET v = 11");
        assertThat(server.changed(before, server.position(), List.of("t", "other"), 3))
                .isEqualTo(Set.of("other"));
        server.kill();
        await().atMost(LIMIT).until(() -> !server.changes().state().connected());
        assertThat(server.changes().state().cause()).isNotEmpty();
        await().atMost(LIMIT).until(() -> server.changes().state().connected());
        assertThat(server.changed(before, server.position(), List.of("t", "other"), 3))
                .isEqualTo(EVERYTHING);
        assertThat(server.changedBy("INSERT INTO t (id) VALUES (23)")).isEqualTo(rows("t#2"));
    }

    /** Such as after SET GLOBAL gtid_purged = '+…'. */
    @Test
    void transactionsThatAreNotLogged() throws Exception {
        LogPosition now = server.position();
        LogPosition never = server.mariaDb()
                ? new LogPosition.InFile("binlog.999999", 4)
                : LogPosition.executed("11111111-2222-3333-4444-555555555555:1");
        assertThat(server.changed(now, now, List.of("other"), 0)).isEmpty();
        assertThat(server.logged().reached(never, Duration.ZERO)).isFalse();
        await().atMost(LIMIT).until(() -> server.changes().state().cause().contains("not in its log"));
    }
}
