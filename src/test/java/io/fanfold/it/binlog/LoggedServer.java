package io.fanfold.it.binlog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.binlog.ChangeStream;
import io.fanfold.binlog.LogPosition;
import io.fanfold.binlog.LoggedChanges;
import io.fanfold.catalog.TableName;
import io.fanfold.client.RealServer;
import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.row.Row;
import io.fanfold.wire.Reply;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;

/** A server with tables, and a stream of its changes. For one test class, which closes it. */
final class LoggedServer implements AutoCloseable {
    static final String SCHEMA = "it_binlog";
    static final String USER = "it_binlog_worker";
    static final Duration LIMIT = Duration.ofSeconds(30);

    /** What {@link #changedBy} reports: tables, and partitions as table#ordinal. */
    static final Set<String> EVERYTHING = Set.of("t", "t#0", "t#1", "t#2", "other");

    private static final List<String> TABLES = List.of(
            "CREATE TABLE t (id INT PRIMARY KEY, v INT, b LONGBLOB) ENGINE=InnoDB PARTITION BY RANGE (id)"
                    + " (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20),"
                    + " PARTITION p2 VALUES LESS THAN (30))",
            "CREATE TABLE other (id INT PRIMARY KEY, v INT) ENGINE=InnoDB",
            "INSERT INTO t (id, v) VALUES (1, 1), (2, 2), (11, 11), (12, 12), (21, 21)",
            "INSERT INTO other VALUES (1, 1), (2, 2)");

    private final RealServer real;
    private final boolean mariaDb;
    private final WireConnection admin;
    private final ChangeStream stream;

    LoggedServer(TestServer server) throws IOException, ServerException {
        real = new RealServer(server);
        mariaDb = server.kind().isMariaDb();
        admin = real.admin();
        run("DROP DATABASE IF EXISTS " + SCHEMA, "CREATE DATABASE " + SCHEMA, "USE " + SCHEMA);
        run("DROP USER IF EXISTS " + USER, "CREATE USER " + USER + " IDENTIFIED BY 'w0rker'");
        run("GRANT REPLICATION SLAVE, " + monitorRight() + " ON *.* TO " + USER);
        // the log's first file is refused
        run("FLUSH BINARY LOGS");
        stream = stream(USER);
    }

    String monitorRight() {
        return mariaDb ? "BINLOG MONITOR" : "REPLICATION CLIENT";
    }

    boolean mariaDb() {
        return mariaDb;
    }

    /** Starts a further stream. The caller closes it. */
    ChangeStream stream(String user) {
        return ChangeStream.start(() -> real.settings(user, "w0rker"));
    }

    ChangeStream changes() {
        return stream;
    }

    LoggedChanges logged() {
        return stream.changes().orElseThrow();
    }

    WireConnection admin() {
        return admin;
    }

    /** Creates the tables anew, and waits until the stream is connected. */
    void recreate() throws IOException, ServerException {
        run("DROP TABLE IF EXISTS t, other");
        run(TABLES.toArray(String[]::new));
        await().atMost(LIMIT).until(() -> stream.state().connected());
    }

    void run(String... statements) throws IOException, ServerException {
        for (String statement : statements) {
            admin.execute(statement);
        }
    }

    /** Runs statements and returns the tables and partitions that changed, according to the stream. */
    Set<String> changedBy(String... statements) throws Exception {
        LogPosition since = position();
        run(statements);
        return changed(since, position(), List.of("t", "other"), 3);
    }

    Set<String> changed(LogPosition since, LogPosition snapshot, List<String> tables, int partitions)
            throws InterruptedException {
        assertThat(logged().reached(snapshot, LIMIT))
                .as("%s is reached", snapshot)
                .isTrue();
        Set<String> changed = new TreeSet<>();
        for (String table : tables) {
            TableName name = new TableName(SCHEMA, table);
            boolean foreignKeys = table.endsWith("child");
            if (!logged().unchanged(since, snapshot, name, OptionalInt.empty(), foreignKeys)) {
                changed.add(table);
            }
            for (int i = 0; i < partitions && !table.equals("other"); i++) {
                if (!logged().unchanged(since, snapshot, name, OptionalInt.of(i), false)) {
                    changed.add(table + "#" + i);
                }
            }
        }
        return changed;
    }

    /** Returns the position of a snapshot that is opened now. */
    LogPosition position() throws IOException, ServerException {
        try (WireConnection connection = real.admin()) {
            if (!mariaDb) {
                return LogPosition.executed(RealServer.value(connection, "SELECT @@global.gtid_executed"));
            }
            connection.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT");
            List<String> values = new ArrayList<>();
            for (Row row :
                    connection.query("SHOW STATUS LIKE 'binlog_snapshot_%'").rows()) {
                values.add(String.valueOf(row.utf8(1)));
            }
            return new LogPosition.InFile(values.get(0), Long.parseLong(values.get(1)));
        }
    }

    /** Ends the stream's connection on the server. */
    void kill() throws IOException, ServerException {
        Reply.Result dumps = admin.query("SELECT id FROM information_schema.processlist WHERE user = '" + USER
                + "' AND command LIKE 'Binlog Dump%'");
        for (Row row : dumps.rows()) {
            admin.execute("KILL " + row.ascii(0));
        }
    }

    @Override
    public void close() throws IOException, ServerException {
        stream.close();
        run("DROP DATABASE " + SCHEMA, "DROP USER " + USER);
        admin.close();
    }
}
