package io.fanfold.it.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.BinaryClient;
import io.fanfold.it.support.client.BinaryClient.Answer;
import io.fanfold.it.support.client.BinaryClient.Prepared;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.client.SameInBinary;
import io.fanfold.it.support.data.SmallTable;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.wire.Capability;
import io.fanfold.wire.CommandCode;
import io.fanfold.wire.PayloadReader;
import io.fanfold.wire.ProtocolException;
import io.fanfold.wire.ServerFlavor;
import io.fanfold.wire.ServerPacket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Session tracking in OK packets: the server's changes are the same whether a statement is split or passed through. */
class SessionTrackIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_track", "", SessionTrackIT::create);

    private static final String SUM = "SELECT SUM(v), COUNT(*) FROM it_track.t WHERE id < 90";

    /** The session state changed: the OK packet ends with the changes. */
    private static final int STATE_CHANGED = 0x4000;

    /** SERVER_QUERY_NO_GOOD_INDEX_USED, SERVER_QUERY_NO_INDEX_USED, SERVER_QUERY_WAS_SLOW. */
    private static final int OF_INDEXES = 0x10 | 0x20 | 0x800;

    private static final int VARIABLE = 0;
    private static final int GTIDS = 3;

    /** Variables that differ from connection to connection, or from statement to statement. */
    private static final Set<String> OWN = Set.of("last_gtid", "statement_id", "Statement_Id");

    private static void create(WireConnection admin) throws Exception {
        SmallTable.create(admin);
        admin.execute("CREATE TABLE log (n INT)");
    }

    /**
     * A step of the session: a statement that must be split, or pass through for a reason, or that the proxy does not
     * analyze.
     *
     * @param reason why it passes through; if it is split, why it passes through in a session that is not split
     */
    private record Step(
            String sql, boolean splits, @Nullable Reason reason) {
        static Step split(String sql) {
            return new Step(sql, true, Reason.SESSION_VARIABLE);
        }

        /** Split if the transaction's first statement was split. */
        static Step later(String sql) {
            return new Step(sql, true, Reason.IN_TRANSACTION);
        }

        static Step passed(String sql, Reason reason) {
            return new Step(sql, false, reason);
        }

        static Step plain(String sql) {
            return new Step(sql, false, null);
        }
    }

    private static final List<Step> STEPS = List.of(
            Step.split(SUM),
            Step.plain("SET time_zone = '+01:00', @x = 4"),
            Step.split(SUM),
            Step.split(SUM),
            Step.plain("USE mysql"),
            Step.split(SUM),
            Step.plain("USE it_track"),
            Step.plain("SELECT 1"),
            Step.split(SUM + " AND id > 3"),
            Step.plain("BEGIN"),
            Step.split(SUM),
            Step.later(SUM),
            Step.plain("INSERT INTO log VALUES (1)"),
            Step.passed(SUM, Reason.IN_TRANSACTION),
            Step.plain("COMMIT"),
            Step.split(SUM),
            Step.plain("START TRANSACTION READ ONLY"),
            Step.split(SUM),
            Step.later(SUM),
            Step.plain("ROLLBACK"),
            Step.split("SELECT id, v FROM t WHERE id < 9 ORDER BY id"),
            Step.plain("INSERT INTO log VALUES (2)"),
            Step.split(SUM),
            Step.plain("SELECT COUNT(*) FROM log WHERE n > 99"),
            Step.split(SUM),
            Step.plain("SELECT missing FROM t"),
            Step.split(SUM),
            Step.plain("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED"),
            Step.split(SUM),
            Step.plain("SET TRANSACTION READ ONLY"),
            Step.plain("DO 1"),
            Step.plain("SET NAMES latin1"),
            Step.split(SUM),
            Step.plain("SET NAMES utf8mb4"),
            Step.plain("SELECT COUNT(*) FROM log WHERE n > 99"),
            Step.plain("CREATE TEMPORARY TABLE tmp (a INT)"),
            Step.split(SUM),
            Step.plain("SET sql_mode = 'ANSI_QUOTES'"),
            Step.split(SUM),
            Step.plain("SET sql_mode = DEFAULT, SESSION transaction_isolation = DEFAULT"),
            Step.split(SUM),
            Step.plain("DO 2"));

    /** Settings under which sessions are split. MySQL's * includes a variable with the number of each statement. */
    private static List<String> usual(TestServer server) {
        List<String> settings =
                new ArrayList<>(List.of("SET session_track_schema = 1", "SET session_track_state_change = 1"));
        if (server.kind() == ServerFlavor.MYSQL) {
            settings.add("SET session_track_gtids = 'OWN_GTID'");
            settings.add("SET session_track_system_variables = 'time_zone, sql_mode, character_set_client,"
                    + " character_set_results, transaction_isolation, transaction_read_only, div_precision_increment'");
        } else {
            settings.add("SET session_track_system_variables = '*'");
        }
        return settings;
    }

    /** Settings under which the server reports something for each statement. Such sessions are not split. */
    private static List<String> trackingEveryStatement(TestServer server) {
        List<String> settings = new ArrayList<>(List.of(
                "SET session_track_transaction_info = STATE", "SET session_track_transaction_info = CHARACTERISTICS"));
        if (server.kind() == ServerFlavor.MYSQL) {
            settings.add("SET session_track_gtids = ALL_GTIDS");
            settings.add("SET session_track_system_variables = '*'");
            settings.add("SET session_track_system_variables = 'sql_mode, Statement_Id'");
        }
        return settings;
    }

    @AllServers
    void aSplitTracksTheSameChangesAsTheServer(TestServer server) throws Exception {
        assertThat(run(server, "DO 3", null)).as("packets that tell something").isGreaterThan(20);
    }

    @AllServers
    void sessionsThatTrackEveryStatementAreNotSplit(TestServer server) throws Exception {
        for (String setting : trackingEveryStatement(server)) {
            assertThat(run(server, setting, Reason.SESSION_VARIABLE))
                    .as("packets that tell something: %s", setting)
                    .isGreaterThan(20);
        }
    }

    private static int run(TestServer server, String setting, @Nullable Reason reason) throws Exception {
        int told = 0;
        try (SameAsServer owner = DATABASE.compared(server, 3)) {
            for (long more : List.of(Capability.DEPRECATE_EOF, 0L)) {
                try (SameInBinary same = new SameInBinary(
                        owner.proxy(), DATABASE.name(), BinaryClient.USUAL | Capability.SESSION_TRACK | more)) {
                    for (String each : usual(server)) {
                        told += compare(same, each);
                    }
                    told += compare(same, setting);
                    told += run(same, reason);
                }
            }
        }
        return told;
    }

    /**
     * Runs all steps.
     *
     * @param reason why the statements that could be split pass through; null if they are split
     * @return the number of packets that report a change
     */
    private static int run(SameInBinary same, @Nullable Reason reason) throws Exception {
        int told = 0;
        for (int i = 0; i < STEPS.size(); i++) {
            Step step = STEPS.get(i);
            same.proxy().forget();
            told += compare(same, step.sql());
            if (step.reason() != null) {
                assertThat(same.proxy().outcome().reason())
                        .as("step %d: %s", i, step.sql())
                        .isEqualTo(step.splits() && reason == null ? null : step.reason());
            }
        }
        told += executions(same, reason);
        if (reason != null) {
            return told;
        }
        for (int command : List.of(CommandCode.PING, CommandCode.RESET_CONNECTION, CommandCode.PING)) {
            byte[] payload = {(byte) command};
            List<String> expected = tracked(same.direct().single(payload));
            assertThat(tracked(same.proxied().single(payload)))
                    .as("command %d", command)
                    .isEqualTo(expected);
        }
        return told;
    }

    private static int executions(SameInBinary same, @Nullable Reason reason) throws Exception {
        int told = 0;
        List<Prepared> prepared = new ArrayList<>();
        for (BinaryClient client : List.of(same.direct(), same.proxied())) {
            prepared.add(client.prepare("SELECT SUM(v), COUNT(*) FROM it_track.t WHERE id < ?"));
        }
        // the first execution, before any other command, shows how the statement was prepared
        for (String change : List.of("", "SET @@div_precision_increment = 7", "SET @@div_precision_increment = 4")) {
            told += change.isEmpty() ? 0 : compare(same, change);
            same.proxy().forget();
            Answer expected = same.direct().execute(prepared.get(0).id(), List.of(SameInBinary.integer(50)));
            Answer actual = same.proxied().execute(prepared.get(1).id(), List.of(SameInBinary.integer(50)));
            told += compared("an execution after " + change, expected, actual);
            Reason settings = change.endsWith("7") ? Reason.PREPARED_STATE : null;
            assertThat(same.proxy().outcome().reason())
                    .as("an execution after %s", change)
                    .isEqualTo(reason == null ? settings : reason);
        }
        return told;
    }

    private static int compare(SameInBinary same, String sql) throws Exception {
        Answer expected = same.direct().query(sql);
        return compared(sql, expected, same.proxied().query(sql));
    }

    /** Returns 1 if the answer reports a change, otherwise 0. */
    private static int compared(String what, Answer expected, Answer actual) throws ProtocolException {
        List<String> told = lines(expected);
        List<String> proxied = lines(actual);
        assertThat(proxied).as(what).isEqualTo(told);
        assertThat(rows(actual)).as(what).isEqualTo(rows(expected));
        return told.stream().anyMatch(line -> line.startsWith("told")) ? 1 : 0;
    }

    private static List<String> lines(Answer answer) throws ProtocolException {
        List<String> lines = new ArrayList<>();
        for (byte[] packet : answer.others()) {
            lines.addAll(tracked(packet));
        }
        return lines;
    }

    private static List<String> rows(Answer answer) {
        return answer.rows().stream().map(HexFormat.of()::formatHex).toList();
    }

    /**
     * Returns a packet outside the rows, with its tracked changes. GTIDs of transactions differ between the two
     * connections.
     */
    private static List<String> tracked(byte[] packet) throws ProtocolException {
        int first = packet[0] & 0xff;
        if (first != ServerPacket.OK && first != ServerPacket.EOF || packet.length < 7) {
            byte[] plain = packet.clone();
            if (first == ServerPacket.EOF) {
                plain[3] &= (byte) ~OF_INDEXES;
                plain[4] &= (byte) ~(OF_INDEXES >>> 8);
            }
            return List.of(HexFormat.of().formatHex(plain));
        }
        PayloadReader in = new PayloadReader(packet);
        List<String> lines = new ArrayList<>();
        in.skip(1);
        long affected = in.lenencInt();
        long id = in.lenencInt();
        int status = in.int2() & ~OF_INDEXES;
        lines.add("%d: affected %d, id %d, status %x, warnings %d".formatted(first, affected, id, status, in.int2()));
        if (in.remaining() > 0) {
            lines.add("info " + in.lenencString(StandardCharsets.UTF_8));
        }
        if ((status & STATE_CHANGED) != 0) {
            PayloadReader changes = new PayloadReader(in.lenencBytes());
            while (changes.remaining() > 0) {
                int type = changes.int1();
                byte[] change = changes.lenencBytes();
                lines.add("told " + type + ": "
                        + (type == VARIABLE ? variable(change) : type == GTIDS ? "some" : text(change)));
            }
        }
        assertThat(in.remaining()).isZero();
        return lines;
    }

    private static String variable(byte[] change) throws ProtocolException {
        PayloadReader in = new PayloadReader(change);
        String name = in.lenencString(StandardCharsets.UTF_8);
        byte[] value = in.lenencBytes();
        assertThat(in.remaining()).isZero();
        return name + "=" + (OWN.contains(name) ? "some" : text(value));
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
