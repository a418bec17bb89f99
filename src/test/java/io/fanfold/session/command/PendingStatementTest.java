package io.fanfold.session.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.config.LimitsConfig;
import io.fanfold.execute.ClientConnection;
import io.fanfold.execute.ClientConnection.Command;
import io.fanfold.execute.ClientConnection.RelayEnd;
import io.fanfold.execute.FanOutRequest;
import io.fanfold.row.Row;
import io.fanfold.session.CommandPhaseTest;
import io.fanfold.session.RelayFixture;
import io.fanfold.session.ScriptedServer;
import io.fanfold.session.Wire;
import io.fanfold.wire.Capability;
import io.fanfold.wire.PacketCodec;
import io.fanfold.wire.PayloadWriter;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerPacket;
import io.fanfold.wire.ServerStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PendingStatementTest {
    private static final byte[] SPLIT = CommandPhaseTest.query("SPLIT");

    /** The definition of a BIGINT column named n. */
    private static final byte[] DEFINITION = new PayloadWriter()
            .lenencString("def")
            .lenencString("")
            .lenencString("")
            .lenencString("")
            .lenencString("n")
            .lenencString("")
            .lenencInt(12)
            .int2(63)
            .int4(20)
            .int1(8)
            .int2(0x81)
            .int1(0)
            .int2(0)
            .toBytes();

    private static final ClientConnection.ResultSetHeader HEAD =
            new ClientConnection.ResultSetHeader(List.of(DEFINITION), ServerStatus.NO_INDEX_USED, Optional.empty());

    private final BlockingQueue<byte[]> received = new LinkedBlockingQueue<>();

    /** Records every command and answers it as far as the tests need. */
    private final ScriptedServer.Script script = client -> {
        ScriptedServer.login(client);
        answers(client);
    };

    private void answers(Wire client) throws IOException {
        while (true) {
            byte[] command = client.read().payload();
            received.add(command);
            String text = new String(command, 1, command.length - 1, StandardCharsets.US_ASCII);
            if (command[0] == 0x16 && text.contains("?")) {
                byte[] head = {0, 7, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0};
                client.raw(Wire.join(Wire.frame(1, head), Wire.frame(2, DEFINITION), Wire.frame(3, DEFINITION)));
            } else if (command[0] == 0x16) {
                client.raw(prepared());
            } else if (command[0] == 3 && text.contains("rows")) {
                client.raw(numbers(0));
            } else if (command[0] == 3 && text.contains("fail")) {
                client.write(1, new ServerPacket.Err(1146, "42S02", "no such table").encode());
            } else if (command[0] == 3 && text.contains("other sequence")) {
                client.write(5, ScriptedServer.OK);
            } else if (command[0] == 3 && text.contains("short ok")) {
                client.write(1, new byte[] {0, 0, 0, 2, 0});
            } else if (command[0] == 3 && text.contains("number")) {
                client.raw(numbers(Integer.parseInt(text.substring(text.indexOf("number") + 6))));
            } else if (command[0] == 3 && text.contains("JSON_TABLE")) {
                client.raw(numbers(3));
            } else if (command[0] != 0x18 && command[0] != 0x19 && !text.contains("no answer")) {
                client.write(1, ScriptedServer.OK);
            }
        }
    }

    private static byte[] prepared() {
        byte[] head = {0, 7, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0};
        return Wire.join(Wire.frame(1, head), Wire.frame(2, DEFINITION));
    }

    private static byte[] numbers(int count) {
        byte[] all = Wire.join(Wire.frame(1, new byte[] {1}), Wire.frame(2, DEFINITION));
        byte[][] rows = new byte[count + 2][];
        rows[0] = all;
        for (int i = 0; i < count; i++) {
            rows[i + 1] = Wire.frame(3 + i, new byte[] {1, '5'});
        }
        rows[count + 1] = Wire.frame(3 + count, new byte[] {(byte) 0xfe, 0, 0, 2, 0, 1, 0});
        return Wire.join(rows);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private FanOutRequest offered(RelayFixture relay, Wire client) throws Exception {
        client.write(0, SPLIT);
        return relay.dispatcher.next();
    }

    @Test
    void anOfferCarriesTheTextAndTheThread() throws Exception {
        try (RelayFixture relay = new RelayFixture(script);
                Wire client = relay.login(Capability.DEPRECATE_EOF)) {
            FanOutRequest request = offered(relay, client);
            assertThat(request.sql()).isEqualTo(bytes("SPLIT"));
            assertThat(request.client().backendThreadId()).isEqualTo(ScriptedServer.THREAD_ID);
            request.client().passThrough();
            assertThat(client.read().payload()).isEqualTo(ScriptedServer.OK);
            assertThat(received.take()).isEqualTo(SPLIT);
            assertThatThrownBy(() -> request.client().passThrough()).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> request.client().answer(HEAD)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void aStatementThatIsPassedThroughTellsHowItEnded() throws Exception {
        try (RelayFixture relay = new RelayFixture(script);
                Wire client = relay.login(Capability.DEPRECATE_EOF)) {
            assertThat(passedThrough(relay, client, "SPLIT").get(20, TimeUnit.SECONDS))
                    .isEqualTo(RelayEnd.ANSWERED);
            client.read();
            assertThat(passedThrough(relay, client, "SPLIT, fail").get(20, TimeUnit.SECONDS))
                    .isEqualTo(RelayEnd.FAILED);
            client.read();
            CompletableFuture<RelayEnd> lost = passedThrough(relay, client, "SPLIT, no answer");
            assertThat(lost).isNotDone();
            client.close();
            assertThat(lost.get(20, TimeUnit.SECONDS)).isEqualTo(RelayEnd.LOST);
        }
    }

    private static CompletableFuture<RelayEnd> passedThrough(RelayFixture relay, Wire client, String text)
            throws Exception {
        client.write(0, CommandPhaseTest.query(text));
        ClientConnection port = relay.dispatcher.next().client();
        port.passThrough();
        return port.relayed();
    }

    @Test
    void preflightQueriesAreSentTogetherAndStatementsClosed() throws Exception {
        try (RelayFixture relay = new RelayFixture(script);
                Wire client = relay.login(Capability.DEPRECATE_EOF | Capability.QUERY_ATTRIBUTES)) {
            client.write(0, CommandPhaseTest.query("\0\1SPLIT"));
            ClientConnection port = relay.dispatcher.next().client();
            List<Reply> replies = port.ask(List.of(
                            new Command.Prepare(bytes("SPLIT")),
                            new Command.ClientQuery(bytes("rows")),
                            new Command.ClientQuery(bytes("DO 1")),
                            new Command.ClientQuery(bytes("fail"))))
                    .get(20, TimeUnit.SECONDS);
            assertThat(replies).hasSize(4);
            Reply.Prepared prepared = (Reply.Prepared) replies.get(0);
            assertThat(prepared.columnDefinitions()).containsExactly(DEFINITION);
            assertThat(prepared.columns().get(0).name()).isEqualTo("n");
            assertThat(replies.get(2)).isEqualTo(new Reply.Completed(ServerStatus.AUTOCOMMIT, 0));
            assertThat(replies.get(3)).isEqualTo(new Reply.Failed(1146, "42S02", "no such table"));
            port.passThrough();
            assertThat(client.read().payload()).isEqualTo(ScriptedServer.OK);
            assertThat(received.take()).isEqualTo(bytes("\u0003\0\1SELECT FOUND_ROWS()"));
            assertThat(received.take()).isEqualTo(bytes("\u0016SPLIT"));
            assertThat(received.take()).isEqualTo(bytes("\u0003\0\1rows"));
            assertThat(received.take()).isEqualTo(bytes("\u0003\0\1DO 1"));
            assertThat(received.take()).isEqualTo(bytes("\u0003\0\1fail"));
            assertThat(received.take()).as("the statement is closed").isEqualTo(new byte[] {0x19, 7, 0, 0, 0});
            assertThat(received.take()).isEqualTo(bytes("\u0003\0\1SPLIT"));
        }
    }

    @Test
    void rowsAreCollected() throws Exception {
        try (RelayFixture relay = new RelayFixture(script);
                Wire client = relay.login(Capability.DEPRECATE_EOF)) {
            ClientConnection port = offered(relay, client).client();
            Reply.Result rows = (Reply.Result) port.ask(List.of(new Command.ClientQuery(bytes("number3"))))
                    .get()
                    .get(0);
            assertThat(rows.rows()).extracting(Row::toString).containsExactly("5", "5", "5");
            assertThat(rows.warnings()).isEqualTo(1);
            port.passThrough();
            client.read();
        }
    }

    @Test
    void aReplyOverTheLimitIsReadToItsEndAndDropped() throws Exception {
        try (RelayFixture relay = new RelayFixture(script, tightLimits());
                Wire client = relay.login(Capability.DEPRECATE_EOF)) {
            ClientConnection port = offered(relay, client).client();
            List<Reply> replies = port.ask(List.of(
                            new Command.ClientQuery(bytes("number2000")), new Command.ClientQuery(bytes("DO 1"))))
                    .get();
            assertThat(replies.get(0))
                    .isInstanceOfSatisfying(
                            Reply.TooLarge.class,
                            dropped -> assertThat(dropped.bytes()).isEqualTo(1 + DEFINITION.length + 2000 * 2 + 7));
            assertThat(replies.get(1)).isEqualTo(new Reply.Completed(ServerStatus.AUTOCOMMIT, 0));
            port.passThrough();
            assertThat(client.read().payload()).isEqualTo(ScriptedServer.OK);
        }
    }

    private static LimitsConfig tightLimits() {
        return RelayFixture.limits(10, Duration.ofSeconds(30)).withQueryMemoryBytes(1000);
    }

    @Test
    void anAnswerLooksLikeTheServersInEveryForm() throws Exception {
        byte[] row = {1, '7'};
        byte[] eof = {(byte) 0xfe, 0, 0, 0x22, 0};
        byte[] ok = {(byte) 0xfe, 0, 0, 0x22, 0, 0, 0};
        assertAnswer(0, row, new byte[] {1}, DEFINITION, eof, row, row, eof);
        assertAnswer(Capability.DEPRECATE_EOF, row, new byte[] {1}, DEFINITION, row, row, ok);
        assertAnswer(Capability.OPTIONAL_RESULTSET_METADATA, row, new byte[] {1, 1}, DEFINITION, eof, row, row, eof);
    }

    private void assertAnswer(long capabilities, byte[] row, byte[]... expected) throws Exception {
        try (RelayFixture relay = new RelayFixture(script);
                Wire client = relay.login(capabilities)) {
            ClientConnection.Answer answer = offered(relay, client).client().answer(HEAD);
            answer.row(row);
            answer.row(row);
            answer.end();
            for (int i = 0; i < expected.length; i++) {
                Wire.Packet packet = client.read();
                assertThat(packet.sequence()).isEqualTo(i + 1);
                assertThat(packet.payload()).isEqualTo(expected[i]);
            }
            client.write(0, new byte[] {0x0e});
            assertThat(client.read().payload()).isEqualTo(ScriptedServer.OK);
            assertThat(received.take())
                    .as("the statement did not reach the server")
                    .containsExactly(0x0e);
        }
    }

    @Test
    void rowsOfEverySizeArriveInOrder() throws Exception {
        int[] sizes = {
            1,
            100,
            65_531,
            65_532,
            65_533,
            200_000,
            PacketCodec.MAX_PAYLOAD - 1,
            PacketCodec.MAX_PAYLOAD,
            PacketCodec.MAX_PAYLOAD + 1,
            3
        };
        try (RelayFixture relay = new RelayFixture(script);
                Wire client = relay.login(Capability.DEPRECATE_EOF)) {
            ClientConnection.Answer answer = offered(relay, client).client().answer(HEAD);
            Thread writer = new Thread(() -> {
                try {
                    for (int size : sizes) {
                        byte[] row = new byte[size];
                        Arrays.fill(row, (byte) size);
                        answer.row(row);
                    }
                    answer.end();
                } catch (ClientConnection.ClientGoneException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            writer.start();
            client.read();
            client.read();
            int sequence = 3;
            for (int size : sizes) {
                Wire.Packet packet = client.read();
                sequence += size / PacketCodec.MAX_PAYLOAD;
                assertThat(packet.sequence()).isEqualTo(sequence++);
                byte[] row = new byte[size];
                Arrays.fill(row, (byte) size);
                assertThat(Arrays.equals(packet.payload(), row))
                        .as("row of %d bytes", size)
                        .isTrue();
            }
            assertThat(client.read().first()).isEqualTo(0xfe);
            writer.join();
        }
    }

    @Test
    void aFailureIsAnErrorPacketBeforeAndAmongRows() throws Exception {
        try (RelayFixture relay = new RelayFixture(script);
                Wire client = relay.login(Capability.DEPRECATE_EOF)) {
            offered(relay, client).client().fail(1317, "70100", "interrupted", true);
            Wire.Packet first = client.read();
            assertThat(first.sequence()).isEqualTo(1);
            assertThat(ServerPacket.Err.decode(first.payload()))
                    .isEqualTo(new ServerPacket.Err(1317, "70100", "interrupted"));
            ClientConnection.Answer answer = offered(relay, client).client().answer(HEAD);
            answer.row(new byte[] {1, '1'});
            answer.fail(1317, "70100", "interrupted");
            client.read();
            client.read();
            client.read();
            Wire.Packet last = client.read();
            assertThat(last.sequence()).isEqualTo(4);
            assertThat(last.first()).isEqualTo(0xff);
            assertThatThrownBy(() -> answer.row(new byte[1])).isInstanceOf(IllegalStateException.class);
            client.write(0, new byte[] {0x0e});
            assertThat(client.read().payload()).isEqualTo(ScriptedServer.OK);
        }
    }

    /** The capabilities of server and client that progress reports need. */
    private static final long MARIADB = ScriptedServer.OFFERED & ~Capability.CLIENT_MYSQL | Capability.MARIADB_PROGRESS;

    private static Wire reported(RelayFixture relay) throws Exception {
        Wire client = relay.connect();
        client.read();
        long usual = RelayFixture.CLIENT & ~Capability.CLIENT_MYSQL;
        client.write(1, RelayFixture.response(usual | Capability.DEPRECATE_EOF | Capability.MARIADB_PROGRESS));
        assertThat(client.read().first()).isZero();
        return client;
    }

    private RelayFixture mariaDb() throws Exception {
        return new RelayFixture(client -> {
            client.write(0, ScriptedServer.greeting(MARIADB));
            client.read();
            client.write(2, ScriptedServer.OK);
            answers(client);
        });
    }

    @Test
    void reportsOfProgressEndWithTheFirstPacketOfTheAnswer() throws Exception {
        try (RelayFixture relay = mariaDb();
                Wire client = reported(relay)) {
            for (int round = 0; round < 20; round++) {
                ClientConnection port = offered(relay, client).client();
                AtomicInteger asked = new AtomicInteger();
                port.reportProgress(
                        Duration.ofMillis(1),
                        () -> new ServerPacket.Progress(1, 1, asked.incrementAndGet(), "working"));
                for (int sequence = 1; sequence <= 3 + round; sequence++) {
                    Wire.Packet report = client.read();
                    assertThat(report.sequence()).isEqualTo(sequence);
                    assertThat(report.payload())
                            .isEqualTo(new ServerPacket.Progress(1, 1, sequence, "working").encode());
                }
                boolean fails = round % 2 == 1;
                if (fails) {
                    port.fail(1317, "70100", "interrupted", true);
                } else {
                    ClientConnection.Answer answer = port.answer(HEAD);
                    answer.row(new byte[] {1, '1'});
                    answer.end();
                }
                Wire.Packet packet = client.read();
                int sequence = 4 + round;
                for (; packet.payload().length > 1 && packet.payload()[1] == -1; packet = client.read()) {
                    assertThat(packet.sequence()).isEqualTo(sequence++);
                }
                assertThat(packet.first()).isEqualTo(fails ? 0xff : 1);
                for (int i = 1; !fails && i < 4; i++) {
                    assertThat(packet.sequence()).isEqualTo(sequence++);
                    packet = client.read();
                }
                assertThat(packet.sequence()).isEqualTo(sequence);
                client.write(0, new byte[] {0x0e});
                assertThat(client.read()).satisfies(ok -> {
                    assertThat(ok.payload()).isEqualTo(ScriptedServer.OK);
                    assertThat(ok.sequence()).isEqualTo(1);
                });
                assertThat(asked).as("asked as often as told").hasValue(sequence - (fails ? 1 : 4));
            }
        }
    }

    @Test
    void aPassedThroughAnswerContinuesAfterProgressReports() throws Exception {
        try (RelayFixture relay = mariaDb();
                Wire client = reported(relay)) {
            client.write(0, CommandPhaseTest.query("SPLIT number300"));
            ClientConnection port = relay.dispatcher.next().client();
            port.reportProgress(Duration.ofMillis(1), () -> new ServerPacket.Progress(1, 1, 0, ""));
            client.read();
            port.passThrough();
            client.raw(Wire.frame(0, new byte[] {0x0e}));
            Wire.Packet packet = client.read();
            int sequence = 2;
            for (; packet.first() == 0xff; packet = client.read()) {
                assertThat(packet.sequence()).isEqualTo(sequence++);
            }
            for (int i = 0; i < 302; i++) {
                assertThat(packet.sequence()).isEqualTo(sequence++ & 0xff);
                packet = client.read();
            }
            assertThat(packet.first()).isEqualTo(0xfe);
            assertThat(packet.sequence()).isEqualTo(sequence & 0xff);
            assertThat(client.read().sequence()).as("the next answer").isEqualTo(1);
        }
    }

    @Test
    void clientsThatDoNotAskForReportsGetNone() throws Exception {
        try (RelayFixture relay = new RelayFixture(script);
                Wire client = relay.login(Capability.DEPRECATE_EOF)) {
            ClientConnection port = offered(relay, client).client();
            AtomicInteger asked = new AtomicInteger();
            port.reportProgress(
                    Duration.ofMillis(1), () -> new ServerPacket.Progress(1, 1, asked.incrementAndGet(), ""));
            for (int i = 0; i < 200; i++) {
                port.ask(List.of(new Command.ClientQuery(bytes("DO 1")))).get(20, TimeUnit.SECONDS);
            }
            port.answer(HEAD).end();
            assertThat(client.read().sequence()).isEqualTo(1);
            assertThat(asked).hasValue(0);
        }
    }

    @Test
    void commandsSentMeanwhileWait() throws Exception {
        try (RelayFixture relay = new RelayFixture(script);
                Wire client = relay.login(Capability.DEPRECATE_EOF)) {
            ClientConnection port = offered(relay, client).client();
            client.raw(Wire.join(Wire.frame(0, new byte[] {0x0e}), Arrays.copyOf(Wire.frame(0, SPLIT), 5)));
            port.ask(List.of(new Command.ClientQuery(bytes("DO 1")))).get();
            assertThat(received.take()).isEqualTo(CommandPhaseTest.query(DiagnosticsArea.FOUND_ROWS));
            assertThat(received.take()).isEqualTo(CommandPhaseTest.query("DO 1"));
            ClientConnection.Answer answer = port.answer(HEAD);
            assertThat(received).isEmpty();
            answer.end();
            assertThat(received.take()).containsExactly(0x0e);
            client.read();
            client.read();
            assertThat(client.read().first()).isEqualTo(0xfe);
            assertThat(client.read().payload()).isEqualTo(ScriptedServer.OK);
            client.raw(Arrays.copyOfRange(Wire.frame(0, SPLIT), 5, 10));
            relay.dispatcher.next().client().passThrough();
            assertThat(client.read().payload()).isEqualTo(ScriptedServer.OK);
        }
    }

    @Test
    void aClientThatLeavesIsNoticed() throws Exception {
        try (RelayFixture relay = new RelayFixture(script)) {
            Wire client = relay.login(Capability.DEPRECATE_EOF);
            ClientConnection port = offered(relay, client).client();
            client.close();
            port.clientGone().get(20, TimeUnit.SECONDS);
            assertThatThrownBy(() -> port.ask(List.of(new Command.ClientQuery(bytes("DO 1"))))
                            .get(20, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(IOException.class);
            ClientConnection.Answer answer = port.answer(HEAD);
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 10; i++) {
                            answer.row(new byte[50_000]);
                        }
                    })
                    .isInstanceOf(ClientConnection.ClientGoneException.class);
        }
    }

    @Test
    void aSlowClientHoldsWorkersNoLongerThanAllowed() throws Exception {
        try (RelayFixture relay = new RelayFixture(script, RelayFixture.limits(10, Duration.ofMillis(500)));
                Wire client = relay.login(Capability.DEPRECATE_EOF)) {
            ClientConnection port = offered(relay, client).client();
            ClientConnection.Answer answer = port.answer(HEAD);
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 10_000; i++) {
                            answer.row(new byte[50_000]);
                        }
                    })
                    .isInstanceOf(ClientConnection.ClientGoneException.class);
            port.clientGone().get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void aServerThatIsLostWhileAStatementIsHeldEndsTheSession() throws Exception {
        ScriptedServer.Script leaving = client -> {
            ScriptedServer.login(client);
            received.add(client.read().payload());
            client.raw(Arrays.copyOf(numbers(3), 20));
        };
        try (RelayFixture relay = new RelayFixture(leaving);
                Wire client = relay.login(Capability.DEPRECATE_EOF)) {
            ClientConnection port = offered(relay, client).client();
            assertThatThrownBy(() -> port.ask(List.of(new Command.ClientQuery(bytes("number3"))))
                            .get(20, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(IOException.class);
            assertThat(client.atEnd()).isTrue();
            port.clientGone().get(20, TimeUnit.SECONDS);
            port.passThrough();
        }
    }

    /** For example because the system has no thread left. */
    @Test
    void aStatementThatCannotBeOfferedIsPassedThrough() throws Exception {
        try (RelayFixture relay = new RelayFixture(script);
                Wire client = relay.login(Capability.DEPRECATE_EOF)) {
            relay.dispatcher.fail(new OutOfMemoryError("unable to create native thread"));
            client.write(0, SPLIT);
            assertThat(client.read().payload()).isEqualTo(ScriptedServer.OK);
            assertThat(received.take()).isEqualTo(SPLIT);
        }
    }

    /** The server has never seen the types. With the types of an earlier execution it would read other values. */
    @Test
    void anExecutionTooLongForTheMissingTypesIsRefused() throws Exception {
        try (RelayFixture relay = new RelayFixture(script);
                Wire client = relay.login(Capability.DEPRECATE_EOF)) {
            client.write(0, bytes("\u0016SPLIT ?"));
            for (int i = 0; i < 3; i++) {
                client.read();
            }
            received.take();
            client.write(
                    0, HexFormat.of().parseHex("17" + "07000000" + "00" + "01000000" + "00" + "010300" + "05000000"));
            ClientConnection.Answer answer = relay.dispatcher.next().client().answer(HEAD);
            answer.end();
            for (int i = 0; i < 3; i++) {
                client.read();
            }
            // as many bytes as the proxy may have to read until it finds that the execution has no types
            client.raw(HexFormat.of()
                    .parseHex("ffffff00" + "17" + "07000000" + "00" + "01000000" + "00" + "00" + "00".repeat(9000)));
            Wire.Packet refusal = client.read();
            assertThat(refusal.sequence()).isEqualTo(1);
            assertThat(ServerPacket.Err.decode(refusal.payload()).code()).isEqualTo(1210);
            assertThat(client.atEnd()).isTrue();
            assertThat(received).isEmpty();
        }
    }

    @Test
    void anExecutionTooLongMayBringTheMissingTypes() throws Exception {
        try (RelayFixture relay = new RelayFixture(script);
                Wire client = relay.login(Capability.DEPRECATE_EOF)) {
            client.write(0, bytes("\u0016SPLIT ?"));
            for (int i = 0; i < 3; i++) {
                client.read();
            }
            received.take();
            byte[] head = HexFormat.of().parseHex("17" + "07000000" + "00" + "01000000" + "00" + "010300" + "05000000");
            client.write(0, head);
            ClientConnection.Answer answer = relay.dispatcher.next().client().answer(HEAD);
            answer.end();
            for (int i = 0; i < 3; i++) {
                client.read();
            }
            byte[] tooLong = Arrays.copyOf(head, PacketCodec.MAX_PAYLOAD);
            client.write(0, tooLong);
            assertThat(received.poll(20, TimeUnit.SECONDS)).isEqualTo(tooLong);
        }
    }

    /** A reply to another command must not be taken for the answer to a preflight query. */
    @Test
    void anAnswerToAQuestionHasTheSequenceOfItsPackets() throws Exception {
        try (RelayFixture relay = new RelayFixture(script);
                Wire client = relay.login(Capability.DEPRECATE_EOF)) {
            ClientConnection port = offered(relay, client).client();
            assertThatThrownBy(() -> port.ask(List.of(new Command.ClientQuery(bytes("other sequence"))))
                            .get(20, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(IOException.class);
            assertThat(client.atEnd()).isTrue();
        }
    }

    /** The packet ends the reply, so the connection's end does not complete the result. */
    @Test
    void aLastPacketThatCannotBeReadFailsTheQuestion() throws Exception {
        try (RelayFixture relay = new RelayFixture(script);
                Wire client = relay.login(Capability.DEPRECATE_EOF)) {
            ClientConnection port = offered(relay, client).client();
            assertThatThrownBy(() -> port.ask(List.of(new Command.ClientQuery(bytes("short ok"))))
                            .get(20, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(IOException.class);
            assertThat(client.atEnd()).isTrue();
        }
    }

    @Test
    void aStatementThatAsksForTheLastOnesRowsFindsThem() throws Exception {
        try (RelayFixture relay = new RelayFixture(script);
                Wire client = relay.login(Capability.DEPRECATE_EOF)) {
            fold(relay, client, 3);
            client.raw(Wire.join(
                    Wire.frame(0, new byte[] {0x0e}), Wire.frame(0, CommandPhaseTest.query("SELECT Found_Rows()"))));
            assertThat(client.read().payload()).isEqualTo(ScriptedServer.OK);
            assertThat(client.read().payload())
                    .as("the own query's rows stay here")
                    .isEqualTo(ScriptedServer.OK);
            assertThat(received.take()).containsExactly(0x0e);
            assertThat(received.take()).isEqualTo(CommandPhaseTest.query(DiagnosticsArea.query(3)));
            assertThat(received.take()).isEqualTo(CommandPhaseTest.query("SELECT Found_Rows()"));
            client.write(0, CommandPhaseTest.query("SELECT FOUND_ROWS()"));
            client.read();
            assertThat(received.take()).as("only once").isEqualTo(CommandPhaseTest.query("SELECT FOUND_ROWS()"));
        }
    }

    @Test
    void aPreparedStatementThatAsksFindsThemToo() throws Exception {
        try (RelayFixture relay = new RelayFixture(script);
                Wire client = relay.login(Capability.DEPRECATE_EOF)) {
            client.write(0, bytes("\u0016SELECT FOUND_ROWS()"));
            client.read();
            client.read();
            received.take();
            fold(relay, client, 0);
            byte[] execute = {0x17, 7, 0, 0, 0, 0, 1, 0, 0, 0};
            client.write(0, execute);
            assertThat(client.read().payload()).isEqualTo(ScriptedServer.OK);
            assertThat(received.take()).isEqualTo(CommandPhaseTest.query(DiagnosticsArea.query(0)));
            assertThat(received.take()).isEqualTo(execute);
        }
    }

    /** Commands that wait for an answer must not wait forever if the server's answers can no longer be followed. */
    @Test
    void waitingCommandsAreSentIfTheServerCannotBeFollowed() throws Exception {
        ScriptedServer.Script odd = client -> {
            ScriptedServer.login(client);
            client.read();
            client.write(1, new byte[] {5, 5});
            received.add(client.read().payload());
        };
        try (RelayFixture relay = new RelayFixture(odd);
                Wire client = relay.login(Capability.DEPRECATE_EOF)) {
            fold(relay, client, 3);
            byte[] asks = CommandPhaseTest.query("SELECT FOUND_ROWS()");
            client.raw(Wire.join(Wire.frame(0, new byte[] {0x0e}), Wire.frame(0, asks)));
            assertThat(client.read().payload()).containsExactly(5, 5);
            assertThat(received.poll(20, TimeUnit.SECONDS)).isEqualTo(asks);
        }
    }

    /** The end of a relayed command may still be in the proxy when it looks at the next command. */
    @Test
    void proxyQueriesDoNotInterruptACommandOfTheClient() throws Exception {
        try (RelayFixture relay = new RelayFixture(script);
                Wire client = relay.login(Capability.DEPRECATE_EOF)) {
            client.write(0, bytes("\u0016SELECT FOUND_ROWS()"));
            client.read();
            client.read();
            received.take();
            fold(relay, client, 2);
            byte[] value = new byte[300_000];
            value[0] = 0x18;
            value[1] = 8;
            byte[] execute = {0x17, 8, 0, 0, 0, 0, 1, 0, 0, 0};
            client.raw(Wire.join(Wire.frame(0, value), Wire.frame(0, execute)));
            assertThat(client.read().payload()).isEqualTo(ScriptedServer.OK);
            assertThat(received.take()).isEqualTo(value);
            assertThat(received.take()).isEqualTo(CommandPhaseTest.query(DiagnosticsArea.query(2)));
            assertThat(received.take()).isEqualTo(execute);
        }
    }

    private void fold(RelayFixture relay, Wire client, int rows) throws Exception {
        ClientConnection.Answer answer = offered(relay, client).client().answer(HEAD);
        for (int i = 0; i < rows; i++) {
            answer.row(new byte[] {1, '1'});
        }
        answer.end();
        for (int i = 0; i < rows + 3; i++) {
            client.read();
        }
    }
}
