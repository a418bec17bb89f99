package io.fanfold.session;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fanfold.execute.ClientConnection;
import io.fanfold.execute.FanOutRequest;
import io.fanfold.it.support.load.Background;
import io.fanfold.reason.Reason;
import io.fanfold.session.command.CommandRelay;
import io.fanfold.wire.Capability;
import io.fanfold.wire.PacketCodec;
import io.fanfold.wire.PayloadWriter;
import io.fanfold.wire.ServerPacket;
import io.fanfold.wire.ServerStatus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

public class CommandPhaseTest {
    private static final byte[] PING = {0x0e};

    /** Answers every command with OK. */
    private static final ScriptedServer.Script OBLIGING = client -> {
        ScriptedServer.login(client);
        while (true) {
            client.read();
            client.write(1, ScriptedServer.OK);
        }
    };

    public static byte[] query(String sql) {
        return ("\u0003" + sql).getBytes(StandardCharsets.UTF_8);
    }

    /** Returns a result set of one column in the format without EOF packets. */
    static byte[] result(int status, byte[]... rows) {
        int sequence = 1;
        byte[] all = Wire.join(
                Wire.frame(sequence++, new byte[] {1}), Wire.frame(sequence++, new byte[] {3, 'd', 'e', 'f'}));
        for (byte[] row : rows) {
            all = Wire.join(all, Wire.frame(sequence++, row));
        }
        return Wire.join(all, Wire.frame(sequence, ServerPacket.Ok.encode(ServerPacket.EOF, status, 0)));
    }

    private static void assertIdle(RelayFixture relay, Wire client) throws Exception {
        client.write(0, query("SPLIT"));
        FanOutRequest request = relay.dispatcher.next();
        assertThat(new String(request.sql(), StandardCharsets.UTF_8)).isEqualTo("SPLIT");
        request.client().passThrough();
        assertThat(client.read().first()).isZero();
    }

    @Test
    void pipelinedCommandsAreRelayedAtOnceAndFollowed() throws Exception {
        ScriptedServer.Script script = client -> {
            ScriptedServer.login(client);
            List<byte[]> commands = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                commands.add(client.read().payload());
            }
            assertThat(commands.get(3)).isEqualTo(query("SPLIT me not"));
            client.write(1, ScriptedServer.OK);
            client.raw(result(ServerStatus.AUTOCOMMIT, new byte[] {1, 'a'}));
            client.write(1, ScriptedServer.OK);
            client.write(1, ScriptedServer.OK);
            client.read();
            client.write(1, ScriptedServer.OK);
            client.read();
        };
        try (RelayFixture relay = new RelayFixture(script);
                Wire client = relay.login(Capability.DEPRECATE_EOF)) {
            client.raw(Wire.join(
                    Wire.frame(0, PING),
                    Wire.frame(0, query("SELECT 1")),
                    Wire.frame(0, PING),
                    Wire.frame(0, query("SPLIT me not"))));
            assertThat(client.read().payload()).isEqualTo(ScriptedServer.OK);
            client.exactly(result(ServerStatus.AUTOCOMMIT, new byte[] {1, 'a'}).length);
            assertThat(client.read().payload()).isEqualTo(ScriptedServer.OK);
            assertThat(client.read().payload()).isEqualTo(ScriptedServer.OK);
            assertThat(relay.dispatcher.noneOffered()).isTrue();
            assertThat(relay.passedThrough).contains(Reason.PIPELINED);
            assertIdle(relay, client);
        }
    }

    /** All commands are written before an answer is read. The server gets no more than the limit in flight. */
    @Test
    void aFloodOfCommandsWaitsForAnswersAndIsServed() throws Exception {
        int count = 3 * CommandRelay.MOST_IN_FLIGHT;
        ScriptedServer.Script script = client -> {
            ScriptedServer.login(client);
            for (int i = 0; i < count; i++) {
                client.read();
                if (i == CommandRelay.MOST_IN_FLIGHT - 1) {
                    assertThat(client.available()).isZero();
                    for (int answers = 0; answers < i; answers++) {
                        client.write(1, ScriptedServer.OK);
                    }
                }
                if (i >= CommandRelay.MOST_IN_FLIGHT - 1) {
                    client.write(1, ScriptedServer.OK);
                }
            }
            client.read();
            client.write(1, ScriptedServer.OK);
            client.read();
        };
        try (RelayFixture relay = new RelayFixture(script);
                Wire client = relay.login(0)) {
            client.raw(repeated(Wire.frame(0, PING), count));
            for (int i = 0; i < count; i++) {
                assertThat(client.read().payload()).isEqualTo(ScriptedServer.OK);
            }
            assertIdle(relay, client);
        }
    }

    private static byte[] repeated(byte[] bytes, int count) {
        byte[] all = new byte[bytes.length * count];
        for (int i = 0; i < all.length; i++) {
            all[i] = bytes[i % bytes.length];
        }
        return all;
    }

    @Test
    void commandsInPiecesAreFollowed() throws Exception {
        try (RelayFixture relay = new RelayFixture(OBLIGING);
                Wire client = relay.login(0)) {
            for (byte part : Wire.join(Wire.frame(0, query("SELECT 1")), Wire.frame(0, PING))) {
                client.raw(new byte[] {part});
            }
            client.read();
            client.read();
            assertIdle(relay, client);
        }
    }

    @Test
    void theBytesOfAFileAreNoCommands() throws Exception {
        BlockingQueue<byte[]> received = new LinkedBlockingQueue<>();
        ScriptedServer.Script script = client -> {
            ScriptedServer.login(client);
            client.read();
            client.write(1, new byte[] {(byte) 0xfb, 'f'});
            received.add(client.read().payload());
            received.add(client.read().payload());
            received.add(client.read().payload());
            client.write(5, ScriptedServer.OK);
            client.read();
            client.write(1, ScriptedServer.OK);
            client.read();
        };
        try (RelayFixture relay = new RelayFixture(script);
                Wire client = relay.login(Capability.LOCAL_FILES)) {
            client.write(0, query("LOAD DATA LOCAL INFILE 'f' INTO TABLE t"));
            assertThat(client.read().first()).isEqualTo(0xfb);
            byte[] large = new byte[100_000];
            large[0] = 3;
            client.write(2, query("SPLIT"));
            client.write(3, large);
            client.write(4, new byte[0]);
            assertThat(received.take()).isEqualTo(query("SPLIT"));
            assertThat(received.take()).isEqualTo(large);
            assertThat(received.take()).isEmpty();
            assertThat(client.read().payload()).isEqualTo(ScriptedServer.OK);
            assertThat(relay.dispatcher.noneOffered()).isTrue();
            assertIdle(relay, client);
        }
    }

    @Test
    void packetsOverSixteenMebibytesGoBothWays() throws Exception {
        for (int size : new int[] {PacketCodec.MAX_PAYLOAD, 2 * PacketCodec.MAX_PAYLOAD + 5}) {
            byte[] large = new byte[size];
            Arrays.fill(large, (byte) 'x');
            large[0] = 3;
            byte[] row = large.clone();
            row[0] = (byte) 0xfe;
            ScriptedServer.Script script = client -> {
                ScriptedServer.login(client);
                assertThat(client.read().payload()).isEqualTo(large);
                client.raw(result(ServerStatus.AUTOCOMMIT, row));
                client.read();
                client.write(1, ScriptedServer.OK);
                client.read();
            };
            try (RelayFixture relay = new RelayFixture(script);
                    Wire client = relay.login(Capability.DEPRECATE_EOF)) {
                client.write(0, large);
                byte[] expected = result(ServerStatus.AUTOCOMMIT, row);
                assertThat(Arrays.equals(client.exactly(expected.length), expected))
                        .isTrue();
                assertIdle(relay, client);
            }
        }
    }

    @Test
    void aClientThatDoesNotReadStopsTheServer() throws Exception {
        byte[] row = Wire.frame(3, new byte[100_000]);
        int rows = 2000;
        AtomicLong written = new AtomicLong();
        ScriptedServer.Script script = client -> {
            ScriptedServer.login(client);
            client.read();
            client.write(1, new byte[] {1});
            client.write(2, new byte[] {3, 'd', 'e', 'f'});
            for (int i = 0; i < rows; i++) {
                client.raw(row);
                written.addAndGet(row.length);
            }
            client.write(3, ServerPacket.Ok.encode(ServerPacket.EOF, ServerStatus.AUTOCOMMIT, 0));
            client.read();
        };
        try (RelayFixture relay = new RelayFixture(script);
                Wire client = relay.login(Capability.DEPRECATE_EOF)) {
            client.write(0, query("SELECT everything"));
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .during(Duration.ofSeconds(1))
                    .until(new Unchanged(written)::check);
            assertThat(written.get()).isLessThan((long) rows * row.length / 2);
            client.read();
            client.read();
            for (int i = 0; i < rows; i++) {
                assertThat(client.exactly(row.length)).hasSameSizeAs(row);
            }
            assertThat(client.read().first()).isEqualTo(0xfe);
        }
    }

    /** Whether a counter that has begun to grow is unchanged between two looks. */
    private static final class Unchanged {
        private final AtomicLong counter;
        private long last;

        Unchanged(AtomicLong counter) {
            this.counter = counter;
        }

        boolean check() {
            long now = counter.get();
            boolean same = now > 0 && now == last;
            last = now;
            return same;
        }
    }

    @Test
    void aServerThatDoesNotReadStopsTheClient() throws Exception {
        BlockingQueue<Boolean> goOn = new LinkedBlockingQueue<>();
        int packets = 2000;
        ScriptedServer.Script script = client -> {
            ScriptedServer.login(client);
            goOn.take();
            for (int i = 0; i < packets; i++) {
                assertThat(client.read().payload()).hasSize(100_000);
            }
            client.read();
            client.write(1, ScriptedServer.OK);
            client.read();
        };
        AtomicLong written = new AtomicLong();
        try (RelayFixture relay = new RelayFixture(script);
                Wire client = relay.login(0)) {
            byte[] longData = new byte[100_000];
            longData[0] = 0x18;
            byte[] packet = Wire.frame(0, longData);
            Thread writer = new Thread(() -> {
                try {
                    for (int i = 0; i < packets; i++) {
                        client.raw(packet);
                        written.addAndGet(packet.length);
                    }
                    client.write(0, PING);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            writer.start();
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .during(Duration.ofSeconds(1))
                    .until(new Unchanged(written)::check);
            assertThat(written.get()).isLessThan((long) packets * packet.length / 2);
            goOn.add(true);
            assertThat(client.read().first()).isZero();
            writer.join();
        }
    }

    @Test
    void aServerCutAnywhereInAResponseNeverHangsTheClient() throws Exception {
        byte[] whole = result(ServerStatus.AUTOCOMMIT, new byte[] {1, 'a'}, new byte[] {1, 'b'});
        BlockingQueue<Integer> cuts = new LinkedBlockingQueue<>();
        ScriptedServer.Script script = client -> {
            ScriptedServer.login(client);
            client.read();
            client.raw(Arrays.copyOf(whole, cuts.take()));
        };
        try (RelayFixture relay = new RelayFixture(script)) {
            for (int cut = 0; cut <= whole.length; cut++) {
                cuts.add(cut);
                try (Wire client = relay.login(Capability.DEPRECATE_EOF)) {
                    client.write(0, query("SELECT 1"));
                    assertThat(client.exactly(cut)).isEqualTo(Arrays.copyOf(whole, cut));
                    assertThat(client.atEnd()).as("cut after %d bytes", cut).isTrue();
                }
            }
        }
    }

    /** The error has the sequence id after that of the last packet. Inside a packet there is no place for it. */
    @ParameterizedTest
    @CsvSource({"0, 1", "5, 2", "7, 0", "13, 3", "19, 4"})
    void aProxyThatStopsEndsAnAnswerBetweenPackets(int sent, int sequence) throws Exception {
        byte[] whole = result(ServerStatus.AUTOCOMMIT, new byte[] {1, 'a'}, new byte[] {1, 'b'});
        ScriptedServer.Script script = client -> {
            ScriptedServer.login(client);
            client.read();
            client.raw(Arrays.copyOf(whole, sent));
            client.toEnd();
        };
        try (RelayFixture relay = new RelayFixture(script);
                Wire client = relay.login(Capability.DEPRECATE_EOF)) {
            client.write(0, query("SELECT 1"));
            assertThat(client.exactly(sent)).isEqualTo(Arrays.copyOf(whole, sent));
            Future<Boolean> stopped = Background.start(() -> {
                relay.proxy().stop(Duration.ofMillis(100));
                return true;
            });
            if (sequence > 0) {
                Wire.Packet last = client.read();
                assertThat(ServerPacket.Err.decode(last.payload()).code()).isEqualTo(1053);
                assertThat(last.sequence()).isEqualTo(sequence);
            }
            assertThat(client.atEnd()).isTrue();
            client.close();
            assertThat(stopped.get(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void theServersOwnFarewellIsTheLastWord() throws Exception {
        byte[] farewell = new ServerPacket.Err(4031, "HY000", "disconnected by the server").encode();
        ScriptedServer.Script script = client -> {
            ScriptedServer.login(client);
            client.write(0, farewell);
        };
        try (RelayFixture relay = new RelayFixture(script);
                Wire client = relay.login(0)) {
            assertThat(client.toEnd()).isEqualTo(Wire.frame(0, farewell));
        }
    }

    @Test
    void onlySuccessfulKillsAreReportedToTheDispatcher() throws Exception {
        byte[] denied = new ServerPacket.Err(1095, "HY000", "not owner").encode();
        ScriptedServer.Script script = client -> {
            ScriptedServer.login(client);
            while (true) {
                byte[] command = client.read().payload();
                byte last = command[command.length - 1];
                client.write(1, last == 9 || last == '9' ? denied : ScriptedServer.OK);
            }
        };
        try (RelayFixture relay = new RelayFixture(script);
                Wire client = relay.login(0)) {
            client.raw(Wire.join(
                    Wire.frame(0, query("KILL 9")),
                    Wire.frame(0, query("KILL 7")),
                    Wire.frame(0, PING),
                    Wire.frame(0, new byte[] {0x0c, 0, 0, 0, 9}),
                    Wire.frame(0, new byte[] {0x0c, 5, 1, 0, 0})));
            for (int i = 0; i < 5; i++) {
                client.read();
            }
            assertThat(relay.dispatcher.killed()).containsExactly(7L, 261L);
        }
    }

    @Test
    void onlyTheFirstStatementOfATransactionIsOffered() throws Exception {
        BlockingQueue<Integer> statuses = new LinkedBlockingQueue<>();
        ScriptedServer.Script script = client -> {
            ScriptedServer.login(client);
            while (true) {
                client.read();
                client.write(1, ServerPacket.Ok.encode(ServerPacket.OK, statuses.take(), 0));
            }
        };
        try (RelayFixture relay = new RelayFixture(script);
                Wire client = relay.login(0)) {
            int transaction = ServerStatus.AUTOCOMMIT | ServerStatus.IN_TRANSACTION;
            int[] all = {transaction, ServerStatus.IN_TRANSACTION, 0, ServerStatus.AUTOCOMMIT};
            for (int status : all) {
                statuses.add(status);
                client.write(0, query("SELECT 1"));
                client.read();
                statuses.add(status);
                client.write(0, query("SPLIT"));
                if ((status & ServerStatus.IN_TRANSACTION) == 0) {
                    FanOutRequest request = relay.dispatcher.next();
                    assertThat(request.transaction().isPresent()).isEqualTo(status == 0);
                    request.client().passThrough();
                }
                client.read();
            }
            assertThat(relay.passedThrough.stream().filter(reason -> reason == Reason.IN_TRANSACTION))
                    .hasSize(2);
        }
    }

    @Test
    void anErrorWhileFurtherCommandsAreReadEndsTheSession() throws Exception {
        try (RelayFixture relay = new RelayFixture(OBLIGING);
                Wire client = relay.login(0)) {
            client.write(0, query("SPLIT"));
            ClientConnection pending = relay.dispatcher.next().client();
            // the fixture cannot read the number of this KILL
            client.write(0, query("KILL x"));
            // its answer shows that the relay has read the KILL
            pending.ask(List.of(new ClientConnection.Command.ClientQuery("x".getBytes(StandardCharsets.US_ASCII))))
                    .get(20, TimeUnit.SECONDS);
            pending.passThrough();
            assertThat(client.atEnd()).isTrue();
        }
    }

    @Test
    void aStatementThatIsNotOfferedIsLoggedWithItsReason() throws Exception {
        Logger logger = (Logger) LoggerFactory.getLogger(CommandRelay.class);
        Level before = logger.getLevel();
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        try (RelayFixture relay = new RelayFixture(OBLIGING);
                Wire client = relay.login(0)) {
            logger.setLevel(Level.DEBUG);
            logger.setAdditive(false);
            logger.addAppender(lines);
            client.write(0, query("UPDATE t"));
            client.read();
        } finally {
            logger.detachAppender(lines);
            logger.setAdditive(true);
            logger.setLevel(before);
        }
        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .contains("session " + ScriptedServer.THREAD_ID
                        + " of someone passed through: not_a_select (the statement is not a SELECT)");
    }

    @Test
    void longStatementsAreNotLookedAtNorAreUnreadableAttributes() throws Exception {
        try (RelayFixture relay = new RelayFixture(OBLIGING);
                Wire client = relay.login(Capability.QUERY_ATTRIBUTES)) {
            // the value of the attribute is truncated, it has no type, there are two sets of attributes
            client.write(0, new byte[] {3, 1, 1, 0, 1, 3, 0, 1, 'a', 'S'});
            client.read();
            client.write(0, new byte[] {3, 1, 1, 0, 0, 'S', 'P', 'L', 'I', 'T'});
            client.read();
            client.write(0, new byte[] {3, 0, 2, 'S', 'P', 'L', 'I', 'T'});
            client.read();
            client.write(0, query("\0\1SPLIT" + "x".repeat(2000)));
            client.read();
            assertThat(relay.dispatcher.noneOffered()).isTrue();
            byte[] attribute = {3, 2, 1, 2, 1, 3, 0, 1, 'a', 6, 0, 0, 1, 0, 0, 0};
            for (byte[] before : List.of(new byte[] {3, 0, 1}, attribute)) {
                client.write(
                        0,
                        new PayloadWriter()
                                .bytes(before)
                                .bytes("SPLIT".getBytes(StandardCharsets.US_ASCII))
                                .toBytes());
                FanOutRequest request = relay.dispatcher.next();
                assertThat(request.sql()).isEqualTo("SPLIT".getBytes(StandardCharsets.US_ASCII));
                request.client().passThrough();
                client.read();
            }
        }
    }

    @Test
    void afterAnUnknownCommandEverythingIsRelayedAndNothingOffered() throws Exception {
        try (RelayFixture relay = new RelayFixture(OBLIGING);
                Wire client = relay.login(0)) {
            client.write(0, new byte[] {0x77});
            client.read();
            client.write(0, query("SPLIT"));
            assertThat(client.read().payload()).isEqualTo(ScriptedServer.OK);
            assertThat(relay.dispatcher.noneOffered()).isTrue();
        }
    }

    @Test
    void drainingEndsIdleSessionsAtOnceAndBusyOnesAfterTheirAnswer() throws Exception {
        BlockingQueue<Boolean> goOn = new LinkedBlockingQueue<>();
        BlockingQueue<Boolean> asked = new LinkedBlockingQueue<>();
        ScriptedServer.Script script = client -> {
            ScriptedServer.login(client);
            client.read();
            asked.add(true);
            goOn.take();
            client.write(1, ScriptedServer.OK);
            client.read();
        };
        try (RelayFixture relay = new RelayFixture(script);
                Wire idle = relay.login(0);
                Wire busy = relay.login(0)) {
            busy.write(0, PING);
            asked.take();
            Thread stop = new Thread(() -> {
                try {
                    relay.proxy().stop(Duration.ofSeconds(60));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            stop.start();
            assertThat(idle.atEnd()).isTrue();
            goOn.add(true);
            assertThat(busy.toEnd()).isEqualTo(Wire.frame(1, ScriptedServer.OK));
            idle.close();
            busy.close();
            stop.join();
            assertThat(relay.proxy().sessions()).isZero();
        }
    }
}
