package io.fanfold.it.prepared;

import static io.fanfold.it.support.client.SameInBinary.integer;
import static io.fanfold.it.support.client.SameInBinary.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.BinaryClient;
import io.fanfold.it.support.client.BinaryClient.Answer;
import io.fanfold.it.support.client.BinaryClient.Parameter;
import io.fanfold.it.support.client.BinaryClient.Prepared;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.client.SameInBinary;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.wire.CommandCode;
import io.fanfold.wire.PacketCodec;
import io.fanfold.wire.PayloadWriter;
import io.fanfold.wire.ServerPacket;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Executions in forms that the protocol allows, even if no driver uses them: other types, cursors, pipelined commands.
 */
class ExecutionIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_execution", "", ExecutionIT::create);

    private static final int YEAR = 2020;
    private static final int DATE = 10;
    private static final byte[] FETCH_20 = {20, 0, 0, 0};

    private interface Body {
        void run(SameInBinary same) throws Exception;
    }

    /** A client's commands and the answers it gets. */
    private interface Script {
        void run(BinaryClient client, List<Answer> answers) throws Exception;
    }

    private static void create(WireConnection admin) throws Exception {
        admin.execute("CREATE TABLE t (id INT PRIMARY KEY, v INT, name VARCHAR(20), bytes VARBINARY(20), d DATE,"
                + " moment DATETIME(3), exact DECIMAL(12,3), dbl DOUBLE) PARTITION BY HASH (id) PARTITIONS 4");
        StringBuilder rows = new StringBuilder();
        for (int i = 0; i < 200; i++) {
            String day = "'2020-01-0" + (1 + i % 9);
            rows.append(i == 0 ? "" : ",")
                    .append("(" + i + "," + i * 31 % 97 + ",'n" + i % 13 + "','n" + i % 13 + "'," + day + "'," + day
                            + " 10:11:12.5'," + i + ".125," + i % 5 + ")");
        }
        admin.execute("INSERT INTO t VALUES " + rows);
    }

    private static void with(TestServer server, Body body) throws Exception {
        try (SameAsServer owner = DATABASE.compared(server, 3);
                SameInBinary same = new SameInBinary(owner.proxy(), DATABASE.name())) {
            body.run(same);
        }
    }

    /** Requires that the script gets the same answers direct and through the proxy. */
    private static void sameAnswers(SameInBinary same, Script script) throws Exception {
        List<Answer> expected = new ArrayList<>();
        script.run(same.direct(), expected);
        List<Answer> actual = new ArrayList<>();
        script.run(same.proxied(), actual);
        assertThat(actual).hasSameSizeAs(expected);
        for (int i = 0; i < expected.size(); i++) {
            SameInBinary.assertSameText("answer " + i, expected.get(i), actual.get(i));
        }
    }

    private static Answer fetched(BinaryClient client, Prepared prepared) throws IOException {
        client.send(CommandCode.STMT_FETCH, prepared.id(), FETCH_20);
        List<byte[]> rows = new ArrayList<>();
        byte[] packet = client.read();
        while ((packet[0] & 0xff) != ServerPacket.ERROR && !ServerPacket.endsRows(packet[0] & 0xff, packet.length)) {
            rows.add(packet);
            packet = client.read();
        }
        return new Answer(List.of(), rows, List.of(packet));
    }

    /** MySQL 9.7 itself answers an execution after one with a cursor with a packet that does not belong there. */
    @OnServers(ServerName.MARIADB)
    void executionDropsRowsNotYetFetched(TestServer server) throws Exception {
        with(
                server,
                same -> sameAnswers(same, (client, answers) -> {
                    Prepared prepared = client.prepare("SELECT id, v FROM t WHERE id < ? ORDER BY id");
                    client.write(0, client.execution(prepared.id(), 1, true, List.of(integer(30))));
                    answers.add(client.opened());
                    answers.add(fetched(client, prepared));
                    answers.add(client.execute(prepared.id(), List.of(integer(25))));
                    // its message contains the statement id
                    assertThat(fetched(client, prepared).failed()).isTrue();
                    answers.add(client.execute(prepared.id(), List.of(integer(26))));
                }));
    }

    /** The first execution after such a change has a status flag. */
    @AllServers
    void changedNumberOfColumnsIsReported(TestServer server) throws Exception {
        with(
                server,
                same -> sameAnswers(same, (client, answers) -> {
                    Prepared prepared = client.prepare("SELECT * FROM t WHERE id < ? ORDER BY id");
                    for (String change : List.of("ADD COLUMN more INT", "DROP COLUMN more")) {
                        answers.add(client.execute(prepared.id(), List.of(integer(50))));
                        answers.add(client.query("ALTER TABLE t " + change));
                        same.proxy().tablesChanged();
                        answers.add(client.execute(prepared.id(), List.of(integer(50))));
                        answers.add(client.execute(prepared.id(), List.of(integer(50))));
                    }
                }));
    }

    /** MariaDB drops the time, MySQL rejects it. */
    @AllServers
    void dateParametersMayHaveATime(TestServer server) throws Exception {
        with(server, same -> {
            for (String column : List.of("d", "moment")) {
                String sql = "SELECT COUNT(*), MAX(id) FROM t WHERE " + column + " >= ?";
                PayloadWriter day = new PayloadWriter().int2(YEAR).int1(1).int1(3);
                byte[] head = day.toBytes();
                same.fansOut(sql, new Parameter(DATE, moment(head)));
                same.passesThrough(Reason.PREPARED_STATE, sql, new Parameter(DATE, moment(head, 10, 11, 12)));
                same.passesThrough(Reason.PREPARED_STATE, sql, new Parameter(DATE, moment(head, 0, 0, 0, 1, 0, 0, 0)));
            }
        });
    }

    private static byte[] moment(byte[] day, int... time) {
        PayloadWriter out = new PayloadWriter().int1(day.length + time.length).bytes(day);
        for (int part : time) {
            out.int1(part);
        }
        return out.toBytes();
    }

    /** Servers reject most of these types and read others differently. */
    @AllServers
    void columnsTypesAreNotAllTypesOfParameters(TestServer server) throws Exception {
        byte[] number = new PayloadWriter().int4(50).toBytes();
        byte[] string = new PayloadWriter().lenencString("n5").toBytes();
        int otherBit = 0x100;
        with(server, same -> {
            for (int type : List.of(9, 3 | otherBit)) {
                passesThrough(same, "id", new Parameter(type, number));
            }
            passesThrough(same, "id", new Parameter(13, new byte[] {50, 0}));
            passesThrough(same, "id", new Parameter(6, new byte[0]));
            for (int type : List.of(242, 245, 247, 248, 255, 253 | otherBit)) {
                passesThrough(same, "bytes", new Parameter(type, string));
                passesThrough(same, "bytes", new Parameter(type, null));
            }
            for (int type : List.of(15, 249, 250, 251, 252, 253, 254)) {
                same.fansOut(counted("bytes", type), new Parameter(type, string));
            }
            same.fansOut(
                    counted("exact", 0),
                    new Parameter(0, new PayloadWriter().lenencString("50").toBytes()));
        });
    }

    private static void passesThrough(SameInBinary same, String column, Parameter value) throws Exception {
        same.passesThrough(
                Reason.PREPARED_STATE, counted(column, value.type()) + (value.value() == null ? " AND 1" : ""), value);
    }

    /** Returns a distinct statement for each type. */
    private static String counted(String column, int type) {
        return "SELECT COUNT(*), MAX(id), " + type + " FROM t WHERE " + column + " >= ?";
    }

    /** The long execution is not analyzed, but must carry the types that the server has not seen. */
    @AllServers
    void longExecutionMayFollowOneThatWasSplit(TestServer server) throws Exception {
        try (SameAsServer before = DATABASE.compared(server, 3);
                WireConnection admin = before.proxy().direct()) {
            String old = admin.query("SELECT @@GLOBAL.max_allowed_packet")
                    .rows()
                    .get(0)
                    .ascii(0);
            admin.execute("SET GLOBAL max_allowed_packet = " + 4 * (PacketCodec.MAX_PAYLOAD + 1));
            try {
                with(
                        server,
                        same -> sameAnswers(same, (client, answers) -> {
                            Prepared prepared = client.prepare("SELECT COUNT(*), MAX(id) FROM t WHERE name = ?");
                            same.proxy().forget();
                            answers.add(client.execute(prepared.id(), List.of(text("n5"))));
                            assertThat(client != same.proxied()
                                            || same.proxy().outcome().fannedOut())
                                    .isTrue();
                            answers.add(
                                    client.execute(prepared.id(), List.of(text("n".repeat(PacketCodec.MAX_PAYLOAD)))));
                            answers.add(client.executeAgain(prepared.id(), List.of(text("n7"))));
                        }));
            } finally {
                admin.execute("SET GLOBAL max_allowed_packet = " + old);
            }
        }
    }

    /** Closed by MariaDB's id of the last prepared statement, or at the end of the session. */
    @OnServers(ServerName.MARIADB)
    void statementMayBeClosedBeforeItIsKnown(TestServer server) throws Exception {
        String sql = "SELECT SUM(v), COUNT(*) FROM t WHERE id < ?";
        byte[] last = {-1, -1, -1, -1};
        with(
                server,
                same -> sameAnswers(same, (client, answers) -> {
                    ByteArrayOutputStream closed = new ByteArrayOutputStream();
                    frame(closed, CommandCode.STMT_PREPARE, sql.getBytes(StandardCharsets.US_ASCII));
                    frame(closed, CommandCode.STMT_CLOSE, last);
                    client.writeAll(closed.toByteArray());
                    Prepared prepared = client.prepared();
                    answers.add(client.execute(BinaryClient.LAST, List.of(integer(50))));
                    assertThat(client.execute(prepared.id(), List.of(integer(50)))
                                    .failed())
                            .isTrue();
                    ByteArrayOutputStream reset = new ByteArrayOutputStream();
                    frame(reset, CommandCode.STMT_PREPARE, sql.getBytes(StandardCharsets.US_ASCII));
                    frame(reset, CommandCode.RESET_CONNECTION, new byte[0]);
                    client.writeAll(reset.toByteArray());
                    client.prepared();
                    client.read();
                    answers.add(client.query("USE " + DATABASE.name()));
                    answers.add(client.execute(BinaryClient.LAST, List.of(integer(50))));
                    assertThat(answers.get(2).failed()).isTrue();
                }));
    }

    private static void frame(ByteArrayOutputStream bytes, int command, byte[] rest) {
        bytes.writeBytes(new PayloadWriter()
                .int3(1 + rest.length)
                .int1(0)
                .int1(command)
                .bytes(rest)
                .toBytes());
    }

    /** Commands other than statements change the session's diagnostics too. */
    @AllServers
    void lastStatementIsKnownAfterOtherCommands(TestServer server) throws Exception {
        String groups = "SELECT name, COUNT(*) FROM t WHERE id < ? GROUP BY name";
        List<String> probes = List.of(
                "SHOW WARNINGS", "SHOW ERRORS", "SELECT @@warning_count", "SELECT ROW_COUNT()", "SELECT FOUND_ROWS()");
        with(server, same -> {
            for (String probe : probes) {
                for (String behind : List.of("SELECT nothing FROM t", "SELECT 1 && 1", "SELECT 1")) {
                    same.fansOut(groups, integer(50));
                    for (BinaryClient client : List.of(same.direct(), same.proxied())) {
                        client.sendPrepare(behind);
                        if (behind.contains("nothing")) {
                            client.read();
                        } else {
                            client.prepared();
                        }
                    }
                    sameAnswers(same, (client, answers) -> answers.add(client.query(probe)));
                }
                for (byte[] command : List.of(
                        command(CommandCode.INIT_DB, "nowhere"),
                        command(CommandCode.INIT_DB, DATABASE.name()),
                        command(CommandCode.PING, ""),
                        command(CommandCode.STMT_RESET, "none"))) {
                    same.fansOut(groups, integer(50));
                    for (BinaryClient client : List.of(same.direct(), same.proxied())) {
                        client.single(command);
                    }
                    sameAnswers(same, (client, answers) -> answers.add(client.query(probe)));
                }
            }
        });
    }

    private static byte[] command(int code, String rest) {
        return new PayloadWriter()
                .int1(code)
                .bytes(rest.getBytes(StandardCharsets.US_ASCII))
                .toBytes();
    }

    @AllServers
    void foundRowsAreKnownAfterStatementsWithoutRows(TestServer server) throws Exception {
        String groups = "SELECT name, COUNT(*) FROM t WHERE id < ? GROUP BY name";
        with(server, same -> {
            for (String behind : List.of(
                    "SET @x = 1",
                    "USE " + DATABASE.name(),
                    "START TRANSACTION",
                    "COMMIT",
                    "LOCK TABLES t READ",
                    "UNLOCK TABLES",
                    "NONSENSE",
                    "SELECT nothing",
                    "SELECT id FROM nowhere",
                    "INSERT INTO nowhere VALUES (1)")) {
                for (String probe : List.of("SELECT FOUND_ROWS()", "SELECT ROW_COUNT()", "SHOW WARNINGS")) {
                    same.onBoth("UNLOCK TABLES");
                    same.fansOut(groups, integer(50));
                    sameAnswers(same, (client, answers) -> {
                        answers.add(client.query(behind));
                        answers.add(client.query(probe));
                    });
                    same.onBoth("ROLLBACK");
                }
            }
        });
    }
}
