package io.fanfold.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.row.HeapRoom;
import io.fanfold.row.Row;
import io.fanfold.variables.SessionVariables;
import io.fanfold.wire.Capability;
import io.fanfold.wire.PacketCodec;
import io.fanfold.wire.PayloadWriter;
import io.fanfold.wire.ProtocolException;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerPacket;
import io.fanfold.wire.ServerStatus;
import java.io.IOException;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

public class WireConnectionTest {
    private static final int FULL = 0xffffff;

    @Test
    void repliesToSettingsAreReadBeforeTheNextReply() throws Exception {
        ScriptedServer script = new ScriptedServer(
                "9.7.0", Map.of(), sql -> sql.equals("SELECT 1") ? List.of(List.of("7")) : List.of());
        script.fail("SET bad", 1193);
        try (FakeServer server = new FakeServer(script);
                WireConnection connection = server.open()) {
            connection.readTimeout(Duration.ofSeconds(50));
            connection.sendSettings(List.of("SET good", "SET bad"));
            assertThat(connection.idle()).isFalse();
            assertThat(connection.query("SELECT 1").rows()).hasToString("[7]");
            assertThat(connection.readTimeout()).isEqualTo(Duration.ofSeconds(50));
            assertThat(connection.settled()).extracting(Reply.Failed::errno).isEqualTo(1193);
            assertThat(connection.settled()).isNull();
            assertThat(connection.idle()).isTrue();
        }
    }

    @Test
    void settingsMayBeSentBeforeTheRepliesToEarlierSettings() throws Exception {
        ScriptedServer script = new ScriptedServer(
                "9.7.0", Map.of(), sql -> sql.equals("SELECT 1") ? List.of(List.of("7")) : List.of());
        script.fail("SET bad", 1193);
        try (FakeServer server = new FakeServer(script);
                WireConnection connection = server.open()) {
            connection.sendSettings(List.of("SET bad", "SET good"));
            connection.sendSettings(List.of("SET better"));
            assertThat(connection.query("SELECT 1").rows()).hasToString("[7]");
            assertThat(connection.settled()).extracting(Reply.Failed::errno).isEqualTo(1193);
        }
    }

    /** Else a connection that was cut without a sign would hang until the server is asked about its statement. */
    @Test
    @Timeout(60)
    void connectionThatDoesNotReplyToSettingsIsBroken() throws Exception {
        FakeServer.Script silent = peer -> {
            peer.greet(FakeServer.MODERN, "9.7.0", "mysql_native_password");
            peer.receive();
            peer.ok();
            peer.receive();
            peer.receive();
        };
        try (FakeServer server = new FakeServer(silent);
                WireConnection connection = server.open()) {
            connection.readTimeout(Duration.ZERO);
            connection.sendSettings(List.of("SET a = 1"));
            assertThatThrownBy(connection::settled).isInstanceOf(IOException.class);
            assertThat(connection.broken()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {FakeServer.PLAIN, FakeServer.MODERN})
    void readsAResultWithBothKindsOfEnds(long capabilities) throws Exception {
        for (FakeServer.Delivery delivery : List.of(FakeServer.WHOLE, FakeServer.BYTE_BY_BYTE)) {
            try (FakeServer server = new FakeServer(peer -> twoResults(peer, capabilities), delivery);
                    WireConnection connection = server.open()) {
                Reply.Result result = connection.query("SELECT 1");
                assertThat(result.columns()).extracting(c -> c.name()).containsExactly("c0", "c1");
                assertThat(result.rows()).extracting(Row::toString).containsExactly("a|NULL", "|é");
                assertThat(result.warnings()).isEqualTo(3);
                assertThat(connection.query("SELECT 2").rows()).isEmpty();
                assertThat(connection.idle()).isTrue();
            }
        }
    }

    private static void twoResults(FakeServer.Peer peer, long capabilities) throws IOException {
        peer.logIn(capabilities);
        peer.receive();
        peer.result(2, List.of(row("a", null), row("", "é")), 3);
        peer.receive();
        peer.result(2, List.of(), 0);
        peer.receive();
    }

    @Test
    void streamsRowsAsTheyAreAskedFor() throws Exception {
        CompletableFuture<Boolean> firstRead = new CompletableFuture<>();
        try (FakeServer server = new FakeServer(peer -> {
                    peer.logIn(FakeServer.MODERN);
                    peer.receive();
                    peer.head(1);
                    peer.send(row("1"));
                    firstRead.join();
                    peer.send(row("2"));
                    peer.end(1);
                    peer.receive();
                });
                WireConnection connection = server.open();
                RowStream stream = connection.stream(bytes("SELECT x"))) {
            assertThat(stream.next()).hasToString("1");
            assertThatThrownBy(() -> connection.query("SELECT 1")).isInstanceOf(IllegalStateException.class);
            firstRead.complete(true);
            assertThat(stream.next()).hasToString("2");
            assertThat(stream.warnings()).isZero();
            assertThat(stream.next()).isNull();
            assertThat(stream.next()).isNull();
            assertThat(stream.warnings()).isEqualTo(1);
            assertThat(connection.idle()).isTrue();
        }
    }

    @Test
    void sendsAStatementAheadWhileRowsAreRead() throws Exception {
        try (FakeServer server = new FakeServer(peer -> {
                    peer.logIn(FakeServer.MODERN);
                    peer.receive();
                    peer.head(1);
                    peer.send(row("1"));
                    peer.end(0);
                    peer.receive();
                    peer.head(1);
                    peer.send(row("2"));
                    peer.end(2);
                    peer.receive();
                });
                WireConnection connection = server.open()) {
            connection.sendAhead(bytes("SELECT x"));
            RowStream first = connection.streamNext(new Room(1 << 20));
            assertThat(first.next()).hasToString("1");
            connection.sendAhead(bytes("SELECT y"));
            assertThatThrownBy(() -> connection.streamNext(new Room(1 << 20)))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(first.next()).isNull();
            assertThat(first.warnings()).isZero();
            assertThat(connection.idle()).isFalse();
            RowStream second = connection.streamNext(new Room(1 << 20));
            assertThat(second.next()).hasToString("2");
            assertThat(second.next()).isNull();
            assertThat(second.warnings()).isEqualTo(2);
            assertThat(connection.idle()).isTrue();
        }
    }

    @Test
    void skipsTheAnswersToAllStatementsSent() throws Exception {
        try (FakeServer server = new FakeServer(peer -> {
                    peer.logIn(FakeServer.MODERN);
                    peer.receive();
                    peer.head(1);
                    peer.send(row("1"));
                    peer.error(1317, "70100", "Query execution was interrupted");
                    peer.receive();
                    peer.error(1317, "70100", "Query execution was interrupted");
                    peer.receive();
                    peer.head(1);
                    peer.send(row("2"));
                    peer.end(0);
                    peer.receive();
                    peer.ok();
                    peer.receive();
                });
                WireConnection connection = server.open()) {
            for (String sql : List.of("SELECT x", "SELECT y", "SELECT z", "ROLLBACK")) {
                connection.sendAhead(bytes(sql));
            }
            assertThat(connection.idle()).isFalse();
            connection.skipAnswers();
            assertThat(connection.idle()).isTrue();
        }
    }

    @Test
    void anErrorAmongTheRowsEndsTheStreamButNotTheConnection() throws Exception {
        try (FakeServer server = new FakeServer(peer -> {
                    peer.logIn(FakeServer.MODERN);
                    peer.receive();
                    peer.head(1);
                    peer.send(row("1"));
                    peer.error(1317, "70100", "Query execution was interrupted");
                    peer.receive();
                    peer.ok();
                    peer.receive();
                });
                WireConnection connection = server.open()) {
            RowStream stream = connection.stream(bytes("SELECT x"));
            stream.next();
            assertThatThrownBy(stream::next)
                    .isInstanceOfSatisfying(
                            ServerException.class, e -> assertThat(e.errno()).isEqualTo(1317));
            assertThat(stream.next()).isNull();
            connection.execute("DO 1");
            assertThat(connection.idle()).isTrue();
        }
    }

    /** A fixed number of bytes. */
    private static final class Room implements HeapRoom {
        private long left;

        Room(long left) {
            this.left = left;
        }

        @Override
        public boolean take(long bytes) {
            boolean fits = bytes <= left;
            left -= fits ? bytes : 0;
            return fits;
        }

        @Override
        public void release(long bytes) {
            left += bytes;
        }

        @Override
        public long leftBytes() {
            return left;
        }
    }

    @Test
    void aLargeRowTakesRoomUntilTheNextIsRead() throws Exception {
        String large = "x".repeat(1_000_000);
        Room room = new Room(10_000_000);
        try (FakeServer server = new FakeServer(peer -> {
                    peer.logIn(FakeServer.MODERN);
                    peer.receive();
                    peer.head(1);
                    peer.send(row(large));
                    peer.send(row("1"));
                    peer.send(row(large));
                    peer.end(0);
                    peer.receive();
                });
                WireConnection connection = server.open();
                RowStream stream = connection.stream(bytes("SELECT x"), room)) {
            assertThat(stream.next()).hasToString(large);
            assertThat(room.left).isBetween(7_000_000L, 9_000_000L);
            assertThat(stream.next()).hasToString("1");
            assertThat(room.left).isEqualTo(10_000_000);
            assertThat(stream.next()).hasToString(large);
            assertThat(stream.next()).isNull();
            assertThat(room.left).isEqualTo(10_000_000);
            assertThat(connection.idle()).isTrue();
        }
    }

    @Test
    void aRowForWhichThereIsNoRoomIsNotRead() throws Exception {
        Room room = new Room(900_000);
        try (FakeServer server = new FakeServer(peer -> {
                    peer.logIn(FakeServer.MODERN);
                    peer.receive();
                    peer.head(1);
                    peer.send(row("x".repeat(1_000_000)));
                    peer.receive();
                });
                WireConnection connection = server.open();
                RowStream stream = connection.stream(bytes("SELECT x"), room)) {
            assertThatThrownBy(stream::next)
                    .isInstanceOf(NoRoomException.class)
                    .hasMessage("a row for which there is no heap: 1000004 bytes more, 900000 bytes left");
            assertThat(connection.broken()).isTrue();
            assertThat(room.left).isEqualTo(900_000);
        }
    }

    @Test
    void closingAStreamEarlyGivesTheConnectionUp() throws Exception {
        try (FakeServer server = new FakeServer(peer -> {
                    peer.logIn(FakeServer.MODERN);
                    peer.receive();
                    peer.head(1);
                    peer.send(row("1"));
                    peer.receive();
                });
                WireConnection connection = server.open()) {
            try (RowStream stream = connection.stream(bytes("SELECT x"))) {
                assertThat(stream.next()).isNotNull();
            }
            assertThat(connection.broken()).isTrue();
        }
    }

    @Test
    void pipelinesAllStatementsBeforeTheFirstReply() throws Exception {
        List<String> sqls = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            sqls.add("SELECT " + i);
        }
        try (FakeServer server = new FakeServer(peer -> {
                    peer.logIn(FakeServer.MODERN);
                    List<String> seen = new ArrayList<>();
                    for (int i = 0; i < sqls.size(); i++) {
                        seen.add(peer.receiveQuery());
                    }
                    assertThat(seen).isEqualTo(sqls);
                    for (int i = 0; i < sqls.size(); i++) {
                        if (i % 3 == 0) {
                            peerReply(peer, () -> peer.error(1064, "42000", "syntax"));
                        } else if (i % 3 == 1) {
                            peerReply(peer, peer::ok);
                        } else {
                            int number = i;
                            peerReply(peer, () -> peer.result(1, List.of(row(String.valueOf(number))), 0));
                        }
                    }
                    peer.receive();
                });
                WireConnection connection = server.open()) {
            List<Reply> replies = connection.pipeline(sqls);
            assertThat(replies).hasSize(60);
            assertThat(replies.get(0)).isEqualTo(new Reply.Failed(1064, "42000", "syntax"));
            assertThat(replies.get(1)).isEqualTo(new Reply.Completed(ServerStatus.AUTOCOMMIT, 0));
            assertThat(((Reply.Result) replies.get(59)).rows().get(0)).hasToString("59");
            assertThat(connection.idle()).isTrue();
        }
    }

    private interface Answer {
        void send() throws IOException;
    }

    /** Replies as to a command of one packet. */
    private static void peerReply(FakeServer.Peer peer, Answer answer) throws IOException {
        peer.replyTo(1);
        answer.send();
    }

    @Test
    void aLongPipelineIsSentInPortions() throws Exception {
        String filler = "x".repeat(7000);
        List<String> sqls = List.of("a" + filler, "b" + filler, "c" + filler, "d".repeat(70_000), "e");
        try (FakeServer server = new FakeServer(peer -> {
                    peer.logIn(FakeServer.MODERN);
                    for (int i = 0; i < sqls.size(); i++) {
                        String sql = peer.receiveQuery();
                        peer.result(1, List.of(row(sql.substring(0, 1))), 0);
                    }
                    peer.receive();
                });
                WireConnection connection = server.open()) {
            assertThat(connection.pipeline(sqls))
                    .extracting(reply -> ((Reply.Result) reply).rows().get(0).toString())
                    .containsExactly("a", "b", "c", "d", "e");
        }
    }

    /** Payloads of about one full packet and of about two. */
    @ParameterizedTest
    @ValueSource(ints = {FULL - 5, FULL - 1, FULL, FULL + 1, 2 * FULL - 1, 2 * FULL, 2 * FULL + 1})
    void joinsPayloadsAtThePacketBorder(int payload) throws Exception {
        byte[] value = new byte[payload - (payload - 4 < 1 << 24 ? 4 : 9)];
        Arrays.fill(value, (byte) 'v');
        byte[] row = new PayloadWriter().lenencBytes(value).toBytes();
        assertThat(row).hasSize(payload);
        try (FakeServer server = new FakeServer(peer -> {
                    peer.logIn(FakeServer.MODERN);
                    peer.receive();
                    peer.result(1, List.of(row, row("after")), 0);
                    peer.receive();
                });
                WireConnection connection = server.open()) {
            List<Row> rows = connection.query("SELECT x").rows();
            assertThat(rows).hasSize(2);
            assertThat(rows.get(0).length(0)).isEqualTo(value.length);
            assertThat(rows.get(0).bytes(0)).isEqualTo(value);
            assertThat(rows.get(1)).hasToString("after");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {FULL - 2, FULL - 1, FULL, 2 * FULL - 1})
    void splitsLongStatements(int length) throws Exception {
        byte[] sql = new byte[length];
        Arrays.fill(sql, (byte) 'q');
        CompletableFuture<byte[]> seen = new CompletableFuture<>();
        try (FakeServer server = new FakeServer(peer -> {
                    peer.logIn(FakeServer.MODERN);
                    seen.complete(peer.receive());
                    peer.ok();
                    peer.receive();
                });
                WireConnection connection = server.open()) {
            assertThat(connection.stream(sql).next()).isNull();
            assertThat(seen.get()).hasSize(length + 1).startsWith(3, 'q').endsWith('q');
            assertThat(connection.idle()).isTrue();
        }
    }

    @Test
    void preparesAndClosesAtOnce() throws Exception {
        List<byte[]> commands = new ArrayList<>();
        try (FakeServer server = new FakeServer(peer -> {
                    peer.logIn(FakeServer.PLAIN);
                    commands.add(peer.receive());
                    peer.send(new PayloadWriter()
                            .int1(0)
                            .int4(77)
                            .int2(2)
                            .int2(1)
                            .int1(0)
                            .int2(5)
                            .toBytes());
                    peer.definitions(1);
                    peer.definitions(2);
                    commands.add(peer.receive());
                    commands.add(peer.receive());
                    peer.ok();
                    peer.receive();
                });
                WireConnection connection = server.open()) {
            Reply.Prepared prepared = connection.prepare("SELECT ?, 1");
            assertThat(prepared.parameters()).isEqualTo(1);
            assertThat(prepared.columns()).hasSize(2);
            assertThat(prepared.warnings()).isEqualTo(5);
            connection.execute("DO 1");
            assertThat(commands.get(1)).containsExactly(0x19, 77, 0, 0, 0);
        }
    }

    @Test
    void aPreparesErrorLeavesTheConnectionUsable() throws Exception {
        try (FakeServer server = new FakeServer(peer -> {
                    peer.logIn(FakeServer.MODERN);
                    peer.receive();
                    peer.error(1146, "42S02", "no table");
                    peer.receive();
                    peer.ok();
                    peer.receive();
                });
                WireConnection connection = server.open()) {
            assertThatThrownBy(() -> connection.prepare("SELECT * FROM x")).isInstanceOf(ServerException.class);
            assertThat(connection.ping()).isTrue();
        }
    }

    /** Cuts the connection at every packet border, and one byte after it. */
    @Test
    void aConnectionCutAtAnyByteIsAnIoException() throws Exception {
        List<Integer> borders = new ArrayList<>();
        AtomicInteger sent = new AtomicInteger();
        FakeServer.Delivery recording = (to, bytes) -> {
            sent.addAndGet(bytes.length);
            borders.add(sent.get());
            to.write(bytes);
        };
        try (FakeServer server = new FakeServer(peer -> twoResults(peer, FakeServer.MODERN), recording)) {
            talk(server);
        }
        int total = borders.remove(borders.size() - 1);
        assertThat(borders).hasSizeGreaterThan(6);
        List<Integer> cuts = new ArrayList<>(List.of(0));
        for (int border : borders) {
            cuts.add(border);
            cuts.add(border + 1);
            cuts.add(border + 5);
        }
        for (int cut : cuts) {
            if (cut < total) {
                try (FakeServer server =
                        new FakeServer(peer -> twoResults(peer, FakeServer.MODERN), new CutAfter(cut))) {
                    assertThatThrownBy(() -> talk(server))
                            .as("cut after %d bytes", cut)
                            .isInstanceOf(IOException.class)
                            .isNotInstanceOf(ProtocolException.class);
                }
            }
        }
    }

    private static void talk(FakeServer server) throws IOException, ServerException {
        try (WireConnection connection = server.open()) {
            try {
                connection.query("SELECT 1");
                connection.query("SELECT 2");
            } catch (IOException e) {
                assertThat(connection.broken()).isTrue();
                assertThat(connection.ping()).isFalse();
                throw e;
            }
        }
    }

    /** Delivers a number of bytes, then closes. */
    private static final class CutAfter implements FakeServer.Delivery {
        private int left;

        CutAfter(int bytes) {
            this.left = bytes;
        }

        @Override
        public void deliver(OutputStream to, byte[] bytes) throws IOException {
            int count = Math.min(left, bytes.length);
            to.write(bytes, 0, count);
            left -= count;
            if (count < bytes.length) {
                to.close();
                throw new IOException("cut");
            }
        }
    }

    /** Whole packets, with header, in place of the first reply. */
    @ParameterizedTest
    @CsvSource({
        "00000001, empty packet",
        "01000002 00, sequence id 2",
        "02000001 fb61, local file",
        "09000001 feffffffffffffffff, columns",
        "02000001 0100, more bytes",
        "01000001 fc, needs 2 bytes",
        "03000001 000000, needs 2 bytes",
        "07000001 00000008000000, further result",
        "07000001 ff ffff 01 02 03 05, progress",
        "02000001 ff 12, needs 2 bytes",
        "01000001 01 03000002 646566, claims 100 bytes",
        "01000001 01 01000002 ff, claims|starts"
    })
    void roguePacketsAreProtocolErrors(String packets, String message) throws Exception {
        byte[] bytes = HexFormat.of().parseHex(packets.replace(" ", ""));
        try (FakeServer server = new FakeServer(peer -> {
                    peer.logIn(FakeServer.MODERN);
                    peer.receive();
                    peer.raw(bytes);
                    peer.receive();
                });
                WireConnection connection = server.open()) {
            assertThatThrownBy(() -> connection.query("SELECT 1"))
                    .isInstanceOf(ProtocolException.class)
                    .message()
                    .containsPattern(message);
            assertThat(connection.broken()).isTrue();
        }
    }

    /** Payloads in place of a row of two columns. */
    @ParameterizedTest
    @CsvSource({
        "0161, before column 1",
        "0161 0562, claims 5 bytes",
        "0161 0162 63, after its 2 columns",
        "fdffffff, claims",
        "fe0000, needs"
    })
    void malformedRowsAreProtocolErrors(String payload, String message) throws Exception {
        byte[] bytes = HexFormat.of().parseHex(payload.replace(" ", ""));
        try (FakeServer server = new FakeServer(peer -> {
                    peer.logIn(FakeServer.MODERN);
                    peer.receive();
                    peer.head(2);
                    peer.send(bytes);
                    peer.receive();
                });
                WireConnection connection = server.open();
                RowStream stream = connection.stream(bytes("SELECT 1"))) {
            assertThatThrownBy(stream::next)
                    .isInstanceOf(ProtocolException.class)
                    .hasMessageContaining(message);
            assertThat(connection.broken()).isTrue();
        }
    }

    @Test
    void payloadsOverTheLimitAreNotTakenIn() throws Exception {
        try (FakeServer server = new FakeServer(peer -> {
            peer.logIn(FakeServer.MODERN);
            peer.receive();
            peer.head(1);
            peer.send(row("v".repeat(5000)));
            peer.receive();
        })) {
            WireSettings small = server.settings("worker", "");
            try (WireConnection connection = WireConnection.open(new WireSettings(
                    small.host(),
                    small.port(),
                    small.user(),
                    small.password(),
                    small.connectTimeout(),
                    small.readTimeout(),
                    small.keepAlive(),
                    4096))) {
                assertThatThrownBy(() -> connection.query("SELECT 1"))
                        .isInstanceOf(ProtocolException.class)
                        .hasMessageContaining("over 4096 bytes");
            }
        }
    }

    @Test
    void aSilentServerRunsIntoTheReadTimeout() throws Exception {
        try (FakeServer server = new FakeServer(peer -> {
                    peer.logIn(FakeServer.MODERN);
                    peer.receive();
                    peer.receive();
                });
                WireConnection connection = server.open()) {
            connection.readTimeout(Duration.ofMillis(20));
            assertThatThrownBy(() -> connection.query("SELECT 1")).isInstanceOf(SocketTimeoutException.class);
            assertThat(connection.broken()).isTrue();
        }
    }

    @Test
    void abortWakesTheReader() throws Exception {
        CompletableFuture<Boolean> asked = new CompletableFuture<>();
        try (FakeServer server = new FakeServer(peer -> {
                    peer.logIn(FakeServer.MODERN);
                    peer.receive();
                    asked.complete(true);
                    peer.receive();
                });
                WireConnection connection = server.open()) {
            CompletableFuture<Void> aborted = asked.thenAcceptAsync(yes -> connection.abort());
            assertThatThrownBy(() -> connection.query("SELECT 1")).isInstanceOf(IOException.class);
            aborted.join();
            assertThat(connection.broken()).isTrue();
        }
    }

    @Test
    void remembersWhetherATransactionIsOpen() throws Exception {
        try (FakeServer server = new FakeServer(peer -> {
                    peer.logIn(FakeServer.MODERN);
                    peer.receive();
                    peer.send(ServerPacket.Ok.encode(0, ServerStatus.IN_TRANSACTION | ServerStatus.AUTOCOMMIT, 0));
                    peer.receive();
                    peer.error(1146, "42S02", "no table");
                    peer.receive();
                    peer.ok();
                    peer.receive();
                });
                WireConnection connection = server.open()) {
            assertThat(connection.inTransaction()).isFalse();
            connection.execute("START TRANSACTION");
            assertThat(connection.inTransaction()).isTrue();
            assertThatThrownBy(() -> connection.execute("SELECT * FROM x")).isInstanceOf(ServerException.class);
            assertThat(connection.inTransaction()).isTrue();
            connection.execute("ROLLBACK");
            assertThat(connection.inTransaction()).isFalse();
        }
    }

    @Test
    void saysGoodbye() throws Exception {
        CompletableFuture<byte[]> last = new CompletableFuture<>();
        try (FakeServer server = new FakeServer(peer -> {
            peer.logIn(FakeServer.MODERN);
            last.complete(peer.receive());
        })) {
            server.open().close();
            assertThat(last.get()).containsExactly(1);
        }
    }

    @Test
    void withoutTheCapabilityOfTheServerEofsAreExpected() throws Exception {
        CompletableFuture<Long> negotiated = new CompletableFuture<>();
        try (FakeServer server = new FakeServer(peer -> {
            peer.logIn(FakeServer.PLAIN);
            negotiated.complete(peer.capabilities());
            peer.receive();
        })) {
            server.open().close();
            assertThat(negotiated.get() & Capability.DEPRECATE_EOF).isZero();
        }
    }

    private static byte[] bytes(String sql) {
        return sql.getBytes(StandardCharsets.UTF_8);
    }

    public static byte[] row(@Nullable String... values) {
        PayloadWriter row = new PayloadWriter();
        for (String value : values) {
            if (value == null) {
                row.int1(0xfb);
            } else {
                row.lenencString(value);
            }
        }
        return row.toBytes();
    }

    /** A packet is an end or an error only if its whole content is one; a row may begin with the same byte. */
    @Test
    void rowsThatBeginLikeAnEndOrAnErrorAreNeither() throws Exception {
        byte[] end = {(byte) 0xfe, 1, 0, 2, 0, 0, 0};
        byte[] tail = {(byte) 0xfe, 0, 0, 2, 0, 0, 0, 7};
        byte[] error = {(byte) 0xff, '1', '2', '3', '4', '5', '6', '7', '8'};
        for (byte[] row : List.of(end, tail, error)) {
            try (FakeServer server = new FakeServer(peer -> {
                        peer.logIn(FakeServer.MODERN);
                        peer.receive();
                        peer.head(1);
                        peer.send(row);
                        peer.receive();
                    });
                    WireConnection connection = server.open()) {
                assertThatThrownBy(() -> connection.query("SELECT x")).isInstanceOf(ProtocolException.class);
                assertThat(connection.broken()).isTrue();
            }
        }
    }

    @Test
    void noQueryIsSentAfterAReplyWithUnreadBytes() throws Exception {
        try (FakeServer server = new FakeServer(peer -> {
                    peer.logIn(FakeServer.MODERN);
                    peer.receive();
                    // in one write, so that one read returns both
                    byte[] ok = ServerPacket.Ok.encode(ServerPacket.OK, ServerStatus.AUTOCOMMIT, 0);
                    byte[] twice = new byte[2 * PacketCodec.framedLength(ok.length)];
                    PacketCodec.frame(ok, twice, 0, 1);
                    PacketCodec.frame(ok, twice, twice.length / 2, 1);
                    peer.raw(twice);
                    peer.receive();
                });
                WireConnection connection = server.open()) {
            connection.execute("DO 1");
            assertThatThrownBy(() -> connection.execute("DO 2")).isInstanceOf(ProtocolException.class);
            assertThat(connection.broken()).isTrue();
        }
    }

    /** A row that announces 16 MiB and never arrives. */
    @Test
    void aReplyThatNeverArrivesIsAbandonedOnceTheServerHasEndedTheStatement() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        try (FakeServer server = new FakeServer(peer -> {
                    peer.logIn(FakeServer.MODERN);
                    if (peer.number() == 1) {
                        peer.receive();
                        peer.head(1);
                        peer.raw(new byte[] {(byte) 0xff, (byte) 0xff, (byte) 0xff, 3, 1});
                        peer.receive();
                    } else {
                        peer.receiveQuery();
                        peer.result(2, List.of(row("hostname", "own")), 0);
                        while (peer.receiveQuery().equals("SHOW PROCESSLIST")) {
                            String command = asked.incrementAndGet() < 3 ? "Query" : "Sleep";
                            peer.result(
                                    5, List.of(row("1", "u", "h", "d", command), row("2", "u", "h", "d", "Query")), 0);
                        }
                    }
                });
                StatementWatch watch = new StatementWatch(server.settings("worker", ""), Duration.ofMillis(20));
                WireConnection connection = server.open()) {
            watch.over(connection, SessionVariables.serverKey(Map.of("hostname", "own")));
            connection.readTimeout(Duration.ZERO);
            assertThatThrownBy(() -> connection.query("SELECT x"))
                    .isInstanceOf(SocketTimeoutException.class)
                    .hasMessage("the server has ended the statement, its answer is not complete");
            assertThat(asked).hasValue(3);
            assertThat(connection.broken()).isTrue();
        }
    }
}
