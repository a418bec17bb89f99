package io.fanfold.it.prepared;

import static io.fanfold.it.support.client.SameInBinary.integer;
import static io.fanfold.it.support.client.SameInBinary.text;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.BinaryClient;
import io.fanfold.it.support.client.BinaryClient.Answer;
import io.fanfold.it.support.client.BinaryClient.Prepared;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.client.SameInBinary;
import io.fanfold.it.support.data.SmallTable;
import io.fanfold.it.support.data.SplitTables;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.wire.CommandCode;
import io.fanfold.wire.PayloadWriter;
import io.fanfold.wire.ServerFlavor;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Parameter values sent before their execution by COM_STMT_SEND_LONG_DATA. */
class LongDataIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_long_data", "", LongDataIT::create);

    private static final String NAMED = "SELECT COUNT(*), MAX(id) FROM t WHERE name = ? AND id < ?";
    private static final String SUM = "SELECT SUM(v), COUNT(*) FROM t WHERE id < ?";

    /** A string sent before its execution. */
    private static final BinaryClient.Parameter SENT = new BinaryClient.Parameter(253, new byte[0]);

    private interface Body {
        void run(SameInBinary same) throws Exception;
    }

    private static void create(WireConnection admin) throws Exception {
        SplitTables.create(admin);
        SmallTable.create(admin);
    }

    private static void with(TestServer server, int degree, Body body) throws Exception {
        try (SameAsServer owner = DATABASE.compared(server, degree);
                SameInBinary same = new SameInBinary(owner.proxy(), DATABASE.name())) {
            body.run(same);
        }
    }

    private static void with(TestServer server, Body body) throws Exception {
        with(server, 3, body);
    }

    @AllServers
    void valuesSentBeforeAreSplitToo(TestServer server) throws Exception {
        with(server, same -> {
            same.longData(NAMED, 0, "n5");
            same.fansOut(NAMED, SENT, integer(100));
            same.fansOutAgain(NAMED, text("n7"), integer(90));
            same.longData(NAMED, 0, "");
            same.longData(NAMED, 0, "n");
            same.longData(NAMED, 0, "7");
            same.fansOutAgain(NAMED, SENT, integer(90));
            same.longData(NAMED, 0, "n7");
            same.reset(NAMED);
            same.fansOutAgain(NAMED, text("n5"), integer(70));
            same.longData(NAMED, 0, "");
            same.fansOutAgain(NAMED, SENT, integer(90));
            String two = "SELECT COUNT(*), MAX(id) FROM t WHERE name BETWEEN ? AND ? AND id < ?";
            same.longData(two, 1, "n7");
            same.longData(two, 0, "n5");
            same.fansOut(two, SENT, SENT, integer(100));
            same.longData(two, 1, "n7");
            same.fansOut(two, text("n5"), SENT, integer(100));
        });
    }

    @AllServers
    void serverGetsThemIfItAnswers(TestServer server) throws Exception {
        with(server, same -> {
            same.onBoth("BEGIN");
            same.onBoth("SAVEPOINT s");
            same.longData(NAMED, 0, "n5");
            same.passesThrough(Reason.IN_TRANSACTION, NAMED, SENT, integer(100));
            same.onBoth("COMMIT");
            same.fansOut(NAMED, text("n7"), integer(90));
            // longer than the proxy keeps, alone and together
            same.longData(NAMED, 0, "n".repeat(70_000));
            same.passesThrough(Reason.PREPARED_STATE, NAMED, SENT, integer(100));
            same.longData(NAMED, 0, "n".repeat(40_000));
            same.longData(NAMED, 0, "n".repeat(40_000));
            same.longData(NAMED, 0, "n");
            same.passesThroughAgain(Reason.PREPARED_STATE, NAMED, SENT, integer(100));
            same.fansOutAgain(NAMED, text("n7"), integer(91));
            // combined with NULL, for a number, and for no parameter at all: as the server handles them
            same.longData(NAMED, 0, "n5");
            same.passesThrough(Reason.PREPARED_STATE, NAMED, new BinaryClient.Parameter(253, null), integer(100));
            if (server.kind() == ServerFlavor.MYSQL) {
                // once the parameter has been a number, MariaDB 10.11 compares with undefined data
                same.longData(NAMED, 1, "5");
                same.passesThrough(
                        Reason.PREPARED_STATE, NAMED, text("n5"), new BinaryClient.Parameter(3, new byte[0]));
            }
            same.longData(NAMED, 7, "5");
            same.passesThrough(Reason.PREPARED_STATE, NAMED, text("n5"), integer(100));
        });
        with(server, same -> {
            String elsewhere = "SELECT ?, COUNT(*) FROM t WHERE name = ?";
            same.longData(elsewhere, 0, "n5");
            same.passesThrough(Reason.PARAMETER, elsewhere, SENT, text("n5"));
            same.longData(elsewhere, 0, "n6");
            same.longData(elsewhere, 1, "n5");
            same.passesThroughAgain(Reason.PARAMETER, elsewhere, SENT, SENT);
        });
    }

    /** Pipelines values and executions, including some that the proxy analyzes later. */
    @AllServers
    void theyMayBeSentAhead(TestServer server) throws Exception {
        with(server, same -> {
            List<List<Answer>> seen = new ArrayList<>();
            for (BinaryClient client : List.of(same.direct(), same.proxied())) {
                Prepared prepared = client.prepare(NAMED);
                Prepared other = client.prepare(SUM);
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                for (int i = 0; i < 6; i++) {
                    for (String piece : List.of("n", String.valueOf(i))) {
                        framed(
                                bytes,
                                new PayloadWriter()
                                        .int1(CommandCode.STMT_SEND_LONG_DATA)
                                        .int4(prepared.id())
                                        .int2(0)
                                        .bytes(piece.getBytes(StandardCharsets.UTF_8))
                                        .toBytes());
                    }
                    framed(bytes, client.execution(other.id(), 0, true, List.of(integer(20 + i))));
                    framed(bytes, client.execution(prepared.id(), 0, i % 2 == 0, List.of(SENT, integer(100 + i))));
                }
                client.writeAll(bytes.toByteArray());
                List<Answer> answers = new ArrayList<>();
                for (int i = 0; i < 12; i++) {
                    answers.add(client.answer());
                }
                seen.add(answers);
            }
            for (int i = 0; i < 12; i++) {
                SameInBinary.assertSameText(
                        "answer " + i, seen.get(0).get(i), seen.get(1).get(i));
            }
        });
    }

    /** Compares with columns of all string types, using strings that are equal under the columns' collations. */
    @AllServers
    void degreesDoNotShow(TestServer server) throws Exception {
        for (int degree : List.of(1, 2, 7)) {
            with(server, degree, same -> {
                for (String column : List.of("ci", "bin_s", "l1", "txt", "d", "dt")) {
                    for (String operator : List.of("=", "<>", ">", "<=")) {
                        String sql = "SELECT id, p, " + column + " FROM t_hash WHERE " + column + " " + operator
                                + " ? ORDER BY id, p LIMIT 50";
                        boolean day = column.startsWith("d");
                        for (String value : day ? List.of("2004-05-14") : List.of("alpha", "ALPHA ", "it's", "")) {
                            same.longData(sql, 0, value);
                            same.fansOut(sql, SENT);
                        }
                    }
                }
                String grouped =
                        "SELECT g, COUNT(*), SUM(dec1), AVG(dec1), MIN(tm) FROM t_hash WHERE ci > ? GROUP BY g";
                same.longData(grouped, 0, "b");
                same.fansOut(grouped, SENT);
            });
        }
    }

    /** Only the rows of one partition exceed the range of the type. The server answers, using the long data. */
    @AllServers
    void errorOfOneWorkerIsTheServers(TestServer server) throws Exception {
        with(server, same -> {
            String sql = "SELECT MAX(9223372036854775807 - 96 + v), COUNT(*) FROM t WHERE name > ?";
            same.longData(sql, 0, "n");
            same.fansOut(sql, SENT);
            same.onBoth("SET @x = 1");
            same.direct().query("UPDATE t SET v = 97 WHERE id = 31");
            same.longData(sql, 0, "n");
            same.longData(sql, 0, "0");
            same.passesThrough(Reason.WORKER_ERROR, sql, SENT);
            same.direct().query("UPDATE t SET v = 30 WHERE id = 31");
            same.longData(sql, 0, "n1");
            same.fansOutAgain(sql, SENT);
        });
    }

    private static void framed(ByteArrayOutputStream out, byte[] payload) {
        out.writeBytes(
                new PayloadWriter().int3(payload.length).int1(0).bytes(payload).toBytes());
    }
}
