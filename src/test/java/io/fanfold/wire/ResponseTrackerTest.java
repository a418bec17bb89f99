package io.fanfold.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ResponseTrackerTest {
    private final PacketCodec.Reader scanner = new PacketCodec.Reader(ResponseTracker.PREFIX);
    private final List<PacketRole> roles = new ArrayList<>();

    static Stream<WireFixture> fixtures() {
        return WireFixture.all();
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void followsARecordedConversationInPiecesOfAnySize(WireFixture fixture) {
        for (int piece : new int[] {1, 3, 7, Integer.MAX_VALUE}) {
            ResponseTracker tracker = new ResponseTracker(fixture.capabilities(), ServerStatus.AUTOCOMMIT);
            List<PacketRole> expected = new ArrayList<>();
            roles.clear();
            for (WireFixture.Line line : fixture.lines()) {
                if (line.role() == null) {
                    client(tracker, line.payload());
                } else {
                    expected.add(line.role());
                    server(tracker, line.packet(), piece);
                }
            }
            assertThat(roles).isEqualTo(expected);
            assertThat(tracker.idle()).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void waitsUntilTheLastByteOfEveryResponse(WireFixture fixture) {
        ResponseTracker tracker = new ResponseTracker(fixture.capabilities(), ServerStatus.AUTOCOMMIT);
        for (int i = 0; i < fixture.lines().size(); i++) {
            WireFixture.Line line = fixture.lines().get(i);
            if (line.role() == null) {
                client(tracker, line.payload());
                continue;
            }
            assertThat(tracker.waiting()).as("before packet %d", i).isTrue();
            byte[] packet = line.packet();
            server(tracker, Arrays.copyOf(packet, packet.length - 1), Integer.MAX_VALUE);
            assertThat(tracker.waiting()).as("but for a byte of packet %d", i).isTrue();
            server(tracker, new byte[] {packet[packet.length - 1]}, 1);
            boolean clientsTurn = line.role() == PacketRole.LOCAL_INFILE || tracker.clientSendsData();
            boolean pipelined = fixture.name().contains("pipelined");
            if (!pipelined) {
                assertThat(tracker.idle())
                        .as("after packet %d", i)
                        .isEqualTo(fixture.lastOfResponse(i) && !clientsTurn);
            }
        }
    }

    @Test
    void numbersTheResponsesAndSaysWhichEnded() {
        ResponseTracker tracker = new ResponseTracker(Capability.PROTOCOL_41, ServerStatus.AUTOCOMMIT);
        assertThat(command(tracker, CommandCode.PING)).isZero();
        assertThat(command(tracker, CommandCode.STMT_CLOSE)).isEqualTo(-1);
        assertThat(command(tracker, CommandCode.PING)).isEqualTo(1);
        server(tracker, hex("0700000100000002000000"), 100);
        assertThat(tracker.ended()).isZero();
        server(tracker, hex("0700000100000003000000"), 100);
        assertThat(tracker.ended()).isEqualTo(1);
        assertThat(tracker.outsideTransaction()).isFalse();
        server(tracker, hex("0700000100000002000000"), 100);
        assertThat(roles).containsExactly(PacketRole.OK, PacketRole.OK, PacketRole.UNSOLICITED);
        assertThat(tracker.ended()).isEqualTo(-1);
    }

    @Test
    void takesTheStatusAndTheErrorFromThePackets() {
        ResponseTracker tracker = new ResponseTracker(Capability.PROTOCOL_41, 0);
        assertThat(tracker.outsideTransaction()).isFalse();
        command(tracker, CommandCode.PING);
        server(tracker, hex("0700000100000002000000"), 100);
        assertThat(tracker.outsideTransaction()).isTrue();
        command(tracker, CommandCode.SET_OPTION);
        server(tracker, hex("05000001fe00000300"), 100);
        assertThat(tracker.status()).isEqualTo(ServerStatus.AUTOCOMMIT | ServerStatus.IN_TRANSACTION);
        command(tracker, CommandCode.INIT_DB);
        server(tracker, hex("03000001ff1904"), 100);
        assertThat(tracker.lastError()).isEqualTo(1049);
    }

    @Test
    void aRowMayStartLikeAnEofPacketWhenItIsLong() {
        ResponseTracker tracker =
                new ResponseTracker(Capability.PROTOCOL_41 | Capability.DEPRECATE_EOF, ServerStatus.AUTOCOMMIT);
        command(tracker, CommandCode.QUERY);
        server(tracker, hex("0100000101"), 100);
        server(tracker, hex("020000020364"), 100);
        byte[] row = new byte[PacketCodec.HEADER + PacketCodec.MAX_PAYLOAD + PacketCodec.HEADER + 10];
        row[0] = (byte) 0xff;
        row[1] = (byte) 0xff;
        row[2] = (byte) 0xff;
        row[3] = 3;
        row[4] = (byte) 0xfe;
        row[PacketCodec.HEADER + PacketCodec.MAX_PAYLOAD] = 10;
        server(tracker, row, 1 << 20);
        assertThat(roles).endsWith(PacketRole.ROW);
        server(tracker, hex("07000005fe000002000000"), 100);
        assertThat(tracker.idle()).isTrue();
    }

    @Test
    void unknownCommandsAreNotFollowed() {
        for (int code : new int[] {
            0x00,
            0x77,
            0xfe,
            CommandCode.BINLOG_DUMP,
            CommandCode.BINLOG_DUMP_GTID,
            CommandCode.TABLE_DUMP,
            CommandCode.CLONE
        }) {
            ResponseTracker tracker = new ResponseTracker(Capability.PROTOCOL_41, ServerStatus.AUTOCOMMIT);
            command(tracker, code);
            assertThat(tracker.opaque()).as("command 0x%x", code).isTrue();
            assertThat(tracker.idle()).isFalse();
            server(tracker, hex("0700000100000002000000"), 100);
            assertThat(roles).endsWith(PacketRole.OPAQUE);
        }
        assertThat(new ResponseTracker(0, ServerStatus.AUTOCOMMIT).opaque()).isTrue();
    }

    @Test
    void malformedPacketsOfTheServerEndTheFollowing() {
        for (String nonsense : List.of("01000001fb", "00000001", "02000001fc01", "0500000105aabbccdd")) {
            ResponseTracker tracker = new ResponseTracker(Capability.PROTOCOL_41, ServerStatus.AUTOCOMMIT);
            command(tracker, CommandCode.STMT_PREPARE);
            server(tracker, hex(nonsense), 100);
            assertThat(tracker.opaque()).as(nonsense).isTrue();
        }
    }

    @Test
    void aFileAskedForWhileCommandsAreOnTheirWayIsNotFollowed() {
        ResponseTracker tracker = new ResponseTracker(Capability.PROTOCOL_41, ServerStatus.AUTOCOMMIT);
        command(tracker, CommandCode.QUERY);
        command(tracker, CommandCode.PING);
        server(tracker, hex("02000001fb66"), 100);
        assertThat(tracker.opaque()).isTrue();
    }

    @Test
    void anErrorInTheMiddleOfAFileIsNotFollowed() {
        ResponseTracker tracker = new ResponseTracker(Capability.PROTOCOL_41, ServerStatus.AUTOCOMMIT);
        command(tracker, CommandCode.QUERY);
        server(tracker, hex("02000001fb66"), 100);
        assertThat(tracker.clientSendsData()).isTrue();
        tracker.clientData(5);
        server(tracker, hex("03000003ff1904"), 100);
        assertThat(tracker.opaque()).isTrue();
    }

    @Test
    void progressReportsAreErrorsUnlessTheyWereNegotiated() {
        ResponseTracker tracker = new ResponseTracker(Capability.PROTOCOL_41, ServerStatus.AUTOCOMMIT);
        command(tracker, CommandCode.QUERY);
        server(tracker, hex("03000001ffffff"), 100);
        assertThat(roles).containsExactly(PacketRole.ERROR);
        assertThat(tracker.idle()).isTrue();
    }

    private static long command(ResponseTracker tracker, int code) {
        return tracker.command(new byte[] {(byte) code, 0, 0, 0, 0, 0}, 6);
    }

    private static void client(ResponseTracker tracker, byte[] payload) {
        if (tracker.clientSendsData()) {
            tracker.clientData(payload.length);
        } else {
            tracker.command(payload, Math.min(payload.length, ResponseTracker.COMMAND_PREFIX));
        }
    }

    private void server(ResponseTracker tracker, byte[] bytes, int piece) {
        ByteBuf all = Unpooled.wrappedBuffer(bytes);
        for (int start = 0; start < bytes.length; start += Math.min(piece, bytes.length)) {
            int end = (int) Math.min((long) start + piece, bytes.length);
            int at = start;
            while (at < end) {
                at = scanner.scan(all, at, end);
                if (scanner.complete()) {
                    roles.add(tracker.packet(scanner.kept(), scanner.keptLength(), scanner.payloadLength()));
                }
            }
        }
    }

    private static byte[] hex(String digits) {
        return ByteBufUtil.decodeHexDump(digits);
    }
}
