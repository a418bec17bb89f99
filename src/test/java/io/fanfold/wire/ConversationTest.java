package io.fanfold.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.wire.CommandExchange.Audience;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ConversationTest {
    private static final long PROTOCOL = Capability.PROTOCOL_41;
    private static final String OK = "0700000100000002000000";
    private static final String ERROR = "09000001ff1904233432303030";

    /** A result set of one column and one row. */
    private static final String ROWS =
            "0100000101" + "020000020364" + "05000003fe00000200" + "020000040131" + "05000005fe00000200";

    private final List<PacketRole> roles = new ArrayList<>();
    private final List<String> events = new ArrayList<>();
    private final List<ByteBuf> pieces = new ArrayList<>();
    private int unasked;

    static Stream<WireFixture> fixtures() {
        return WireFixture.all();
    }

    private Conversation conversation(long capabilities) {
        return new Conversation(capabilities, ServerStatus.AUTOCOMMIT, SequenceRule.UNCHECKED, packet -> unasked++);
    }

    private Conversation conversation(SequenceRule rule) {
        return new Conversation(PROTOCOL, ServerStatus.AUTOCOMMIT, rule, packet -> unasked++);
    }

    private void note(PacketRole role, PacketPrefix packet, boolean last) {
        roles.add(role);
    }

    /** Returns an observer that notes when a response begins, ends or is lost. */
    private CommandExchange.Observer named(String name) {
        return new CommandExchange.Observer() {
            @Override
            public void packet(PacketRole role, PacketPrefix packet, boolean last) {
                if (last) {
                    events.add(name + " " + role);
                }
            }

            @Override
            public void lost() {
                events.add(name + " lost");
            }
        };
    }

    private static void send(
            Conversation conversation, int code, Audience audience, CommandExchange.Observer observer) {
        conversation.sent(CommandExchange.of(new byte[] {(byte) code, 0, 0, 0, 0, 0}, audience, observer));
    }

    private void client(Conversation conversation, int code) {
        send(conversation, code, Audience.CLIENT, this::note);
    }

    private void client(Conversation conversation, byte[] payload, Audience audience) {
        if (conversation.clientSendsData()) {
            conversation.clientData(payload.length, 0);
        } else {
            conversation.sent(CommandExchange.of(
                    Arrays.copyOf(payload, Math.min(payload.length, Conversation.COMMAND_PREFIX)),
                    audience,
                    this::note));
        }
    }

    private void server(Conversation conversation, byte[] bytes, int piece) throws ProtocolException {
        for (int start = 0; start < bytes.length; start += Math.min(piece, bytes.length)) {
            int end = (int) Math.min((long) start + piece, bytes.length);
            conversation.received(Unpooled.wrappedBuffer(bytes, start, end - start), pieces::add);
        }
    }

    private void server(Conversation conversation, String hex) throws ProtocolException {
        server(conversation, hex(hex), Integer.MAX_VALUE);
    }

    /** Returns the bytes that the client was given. */
    private byte[] relayed() {
        ByteBuf all = Unpooled.wrappedBuffer(pieces.toArray(new ByteBuf[0]));
        pieces.clear();
        byte[] bytes = ByteBufUtil.getBytes(all);
        all.release();
        return bytes;
    }

    private static byte[] hex(String digits) {
        return ByteBufUtil.decodeHexDump(digits);
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void followsARecordedConversationInPiecesOfAnySize(WireFixture fixture) throws ProtocolException {
        for (Audience audience : Audience.values()) {
            for (int piece : new int[] {1, 3, 7, Integer.MAX_VALUE}) {
                Conversation conversation = conversation(fixture.capabilities());
                List<PacketRole> expected = new ArrayList<>();
                ByteBuf sent = Unpooled.buffer();
                roles.clear();
                for (WireFixture.Line line : fixture.lines()) {
                    if (line.role() == null) {
                        client(conversation, line.payload(), audience);
                    } else {
                        if (audience == Audience.PROXY || line.role() != PacketRole.ROW) {
                            expected.add(line.role());
                        }
                        server(conversation, line.packet(), piece);
                        sent.writeBytes(line.packet());
                    }
                }
                assertThat(roles).isEqualTo(expected);
                assertThat(conversation.idle()).isTrue();
                assertThat(relayed()).isEqualTo(audience == Audience.CLIENT ? ByteBufUtil.getBytes(sent) : new byte[0]);
            }
        }
    }

    /** One buffer has many rows, and may end inside a row. */
    @Test
    void countsRowsThatArriveTogether() throws ProtocolException {
        String columns = "0100000101" + "020000020364" + "05000003fe00000200";
        String rows = IntStream.range(4, 704)
                .mapToObj(id -> "020000%02x0131".formatted(id & 0xff))
                .collect(Collectors.joining());
        for (String after : List.of("", "02", "020000c0", "020000c001")) {
            Conversation conversation = conversation(PROTOCOL);
            client(conversation, CommandCode.QUERY);
            server(conversation, columns + rows + after);
            assertThat(conversation.nextSequence() & 0xff).isEqualTo(704 & 0xff);
            assertThat(conversation.betweenPackets()).isEqualTo(after.isEmpty());
            server(conversation, "020000c00131".substring(after.length()) + "050000c1fe00000200");
            assertThat(conversation.idle()).isTrue();
            assertThat(relayed()).isEqualTo(hex(columns + rows + "020000c00131" + "050000c1fe00000200"));
        }
        assertThat(roles).doesNotContain(PacketRole.ROW);
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void waitsUntilTheLastByteOfEveryResponse(WireFixture fixture) throws ProtocolException {
        Conversation conversation = conversation(fixture.capabilities());
        for (int i = 0; i < fixture.lines().size(); i++) {
            WireFixture.Line line = fixture.lines().get(i);
            if (line.role() == null) {
                client(conversation, line.payload(), Audience.CLIENT);
                continue;
            }
            assertThat(conversation.owed()).as("before packet %d", i).isPositive();
            byte[] packet = line.packet();
            server(conversation, Arrays.copyOf(packet, packet.length - 1), Integer.MAX_VALUE);
            assertThat(conversation.owed()).as("but for a byte of packet %d", i).isPositive();
            assertThat(conversation.betweenPackets()).isFalse();
            server(conversation, new byte[] {packet[packet.length - 1]}, 1);
            assertThat(conversation.betweenPackets()).isTrue();
            boolean clientsTurn = line.role() == PacketRole.LOCAL_INFILE || conversation.clientSendsData();
            if (!fixture.name().contains("pipelined")) {
                assertThat(conversation.idle())
                        .as("after packet %d", i)
                        .isEqualTo(fixture.lastOfResponse(i) && !clientsTurn);
            }
        }
        relayed();
    }

    /** Each kind of command with each packet that may end its response. */
    @Test
    void everyCommandEndsWithItsLastPacket() throws ProtocolException {
        for (int code = 0; code < 256; code++) {
            ResponseKind kind = ResponseKind.of(code);
            List<String> endings = switch (kind) {
                case RESULT -> List.of(OK, ERROR, ROWS, "0100000101" + ERROR, "0700000100000008000000" + OK);
                case PREPARE -> List.of("0c0000010001000000000000000000" + "00", ERROR);
                case ROWS -> List.of("05000001fe00000200", "020000010131" + "05000002fe00000200", ERROR);
                case SINGLE -> List.of(OK, "05000001fe00000200", ERROR);
                case TEXT -> List.of("0300000161626d");
                case AUTHENTICATION -> List.of(OK, ERROR, "02000001fe61" + OK);
                case NONE, OPAQUE -> List.of();
            };
            for (String ending : endings) {
                Conversation conversation = conversation(SequenceRule.COUNTED);
                send(conversation, code, Audience.CLIENT, named("first"));
                send(conversation, CommandCode.PING, Audience.CLIENT, named("next"));
                byte[] bytes = hex(ending);
                server(conversation, Arrays.copyOf(bytes, bytes.length - 1), Integer.MAX_VALUE);
                assertThat(events).as("%x, all but a byte of %s", code, ending).isEmpty();
                server(conversation, new byte[] {bytes[bytes.length - 1]}, 1);
                assertThat(events)
                        .as("%x, %s", code, ending)
                        .hasSize(1)
                        .first()
                        .asString()
                        .startsWith("first");
                server(conversation, OK);
                assertThat(events).as("%x, %s", code, ending).hasSize(2).last().isEqualTo("next OK");
                assertThat(conversation.idle()).isTrue();
                events.clear();
                relayed();
            }
            if (endings.isEmpty()) {
                Conversation conversation = conversation(SequenceRule.COUNTED);
                send(conversation, code, Audience.CLIENT, named("none"));
                assertThat(conversation.owed()).isZero();
                assertThat(conversation.opaque()).isEqualTo(kind == ResponseKind.OPAQUE);
                assertThat(conversation.idle()).isEqualTo(kind == ResponseKind.NONE);
            }
        }
    }

    @Test
    void commandsOfTheProxyMayStandAmongTheClients() throws ProtocolException {
        byte[] all = hex(OK + ROWS + ROWS + ERROR + OK);
        byte[] clients = hex(OK + ROWS + OK);
        for (int first = 1; first < all.length; first++) {
            for (int second = first; second < all.length; second += 7) {
                Conversation conversation = conversation(SequenceRule.COUNTED);
                send(conversation, CommandCode.PING, Audience.CLIENT, named("a"));
                send(conversation, CommandCode.QUERY, Audience.PROXY, named("own b"));
                send(conversation, CommandCode.QUERY, Audience.CLIENT, named("c"));
                send(conversation, CommandCode.QUERY, Audience.PROXY, named("own d"));
                send(conversation, CommandCode.PING, Audience.CLIENT, named("e"));
                for (int[] piece : new int[][] {{0, first}, {first, second}, {second, all.length}}) {
                    server(conversation, Arrays.copyOfRange(all, piece[0], piece[1]), Integer.MAX_VALUE);
                }
                assertThat(relayed()).as("cut at %d and %d", first, second).isEqualTo(clients);
                assertThat(events).containsExactly("a OK", "own b ROWS_END", "c ROWS_END", "own d ERROR", "e OK");
                assertThat(conversation.idle()).isTrue();
                events.clear();
            }
        }
    }

    /** The benchmark of the relay depends on it: no packet is copied, and what arrived at once is given at once. */
    @Test
    void theClientIsGivenTheBytesAsTheyArrived() throws ProtocolException {
        Conversation conversation = conversation(SequenceRule.COUNTED);
        client(conversation, CommandCode.QUERY);
        client(conversation, CommandCode.QUERY);
        ByteBuf bytes = Unpooled.wrappedBuffer(hex(ROWS + ROWS));
        conversation.received(bytes, pieces::add);
        assertThat(pieces).hasSize(1).first().isSameAs(bytes);
        assertThat(relayed()).isEqualTo(hex(ROWS + ROWS));
        send(conversation, CommandCode.QUERY, Audience.PROXY, this::note);
        client(conversation, CommandCode.QUERY);
        ByteBuf later = Unpooled.wrappedBuffer(hex(ROWS + ROWS));
        conversation.received(later, pieces::add);
        assertThat(pieces).hasSize(1).first().isSameAs(later);
        assertThat(relayed()).isEqualTo(hex(ROWS));
        ByteBuf ownOnly = Unpooled.wrappedBuffer(hex(OK));
        send(conversation, CommandCode.QUERY, Audience.PROXY, this::note);
        conversation.received(ownOnly, pieces::add);
        assertThat(pieces).isEmpty();
        assertThat(ownOnly.refCnt()).isZero();
    }

    /** Else the caller of the proxy's command would wait forever. */
    @Test
    void observersThatThrowAtTheLastPacketAreTold() {
        Conversation conversation = conversation(SequenceRule.COUNTED);
        send(conversation, CommandCode.PING, Audience.PROXY, new CommandExchange.Observer() {
            @Override
            public void packet(PacketRole role, PacketPrefix packet, boolean last) throws ProtocolException {
                throw new ProtocolException("unreadable");
            }

            @Override
            public void lost() {
                events.add("lost");
            }
        });
        assertThatThrownBy(() -> server(conversation, OK)).hasMessage("unreadable");
        conversation.fail();
        assertThat(events).containsExactly("lost");
    }

    @Test
    void repliesToTheProxyAreNotGivenToTheClientAfterAnUnknownCommand() {
        Conversation conversation = conversation(SequenceRule.COUNTED);
        send(conversation, CommandCode.QUERY, Audience.PROXY, named("own"));
        client(conversation, 0x77);
        assertThatThrownBy(() -> server(conversation, ROWS)).isInstanceOf(ProtocolException.class);
        assertThat(pieces).isEmpty();
    }

    @Test
    void anObserverMaySendTheNextCommand() throws ProtocolException {
        Conversation conversation = conversation(SequenceRule.COUNTED);
        send(
                conversation,
                CommandCode.PING,
                Audience.PROXY,
                (role, packet, last) -> send(conversation, CommandCode.PING, Audience.PROXY, named("then")));
        server(conversation, OK + OK);
        assertThat(events).containsExactly("then OK");
        assertThat(conversation.idle()).isTrue();
    }

    @Test
    void observersGetAsMuchOfAPacketAsTheyWant() throws ProtocolException {
        List<Integer> lengths = new ArrayList<>();
        CommandExchange.Observer all = new CommandExchange.Observer() {
            @Override
            public int wanted() {
                return roles.isEmpty() ? 0 : 100;
            }

            @Override
            public void packet(PacketRole role, PacketPrefix packet, boolean last) {
                roles.add(role);
                lengths.add(packet.prefixLength());
                assertThat(packet.whole()).isEqualTo(packet.prefixLength() == 50);
                assertThat(packet.copy()).hasSize(packet.prefixLength());
            }
        };
        Conversation conversation = conversation(SequenceRule.COUNTED);
        send(conversation, CommandCode.STATISTICS, Audience.PROXY, all);
        send(conversation, CommandCode.STATISTICS, Audience.PROXY, all);
        server(conversation, "32000001" + "61".repeat(50) + "32000001" + "61".repeat(50));
        assertThat(lengths).containsExactly(Conversation.PREFIX, 50);
    }

    @Test
    void takesTheStatusAndTheErrorFromThePackets() throws ProtocolException {
        Conversation conversation = new Conversation(PROTOCOL, 0, SequenceRule.COUNTED, packet -> unasked++);
        assertThat(conversation.outsideTransaction()).isFalse();
        client(conversation, CommandCode.PING);
        server(conversation, OK);
        assertThat(conversation.outsideTransaction()).isTrue();
        client(conversation, CommandCode.SET_OPTION);
        server(conversation, "05000001fe00000300");
        assertThat(conversation.status()).isEqualTo(ServerStatus.AUTOCOMMIT | ServerStatus.IN_TRANSACTION);
        client(conversation, CommandCode.INIT_DB);
        server(conversation, ERROR);
        assertThat(conversation.lastError()).isEqualTo(1049);
    }

    @Test
    void packetsThatNobodyAskedForAreTheClients() throws ProtocolException {
        Conversation conversation = conversation(SequenceRule.COUNTED);
        assertThat(conversation.awaited()).isNull();
        server(conversation, ERROR);
        assertThat(unasked).isEqualTo(1);
        assertThat(relayed()).isEqualTo(hex(ERROR));
    }

    @Test
    void aRowMayStartLikeAnEofPacketWhenItIsLong() throws ProtocolException {
        Conversation conversation = conversation(PROTOCOL | Capability.DEPRECATE_EOF);
        client(conversation, CommandCode.QUERY);
        server(conversation, "0100000101" + "020000020364");
        byte[] row = new byte[PacketCodec.MAX_PAYLOAD + 10];
        row[0] = (byte) 0xfe;
        byte[] framed = new byte[PacketCodec.framedLength(row.length)];
        PacketCodec.frame(row, framed, 0, 3);
        server(conversation, framed, 1 << 20);
        assertThat(conversation.owed()).isEqualTo(1);
        server(conversation, "07000005fe000002000000");
        assertThat(conversation.idle()).isTrue();
        relayed();
    }

    /** Only the flag of the command decides: without it the server's flag means a cursor of a stored procedure. */
    @Test
    void rowsFollowUnlessACursorWasAskedFor() throws ProtocolException {
        String definitions = "0100000101" + "020000020364" + "05000003fe00004200";
        for (boolean cursor : new boolean[] {true, false}) {
            Conversation conversation = conversation(SequenceRule.COUNTED);
            byte[] execute = {CommandCode.STMT_EXECUTE, 1, 0, 0, 0, (byte) (cursor ? 1 : 0)};
            conversation.sent(CommandExchange.of(execute, Audience.CLIENT, this::note));
            server(conversation, definitions);
            assertThat(conversation.idle()).isEqualTo(cursor);
        }
        relayed();
    }

    @Test
    void unknownCommandsAreNotFollowed() throws ProtocolException {
        for (int code :
                new int[] {0x00, 0x77, 0xfe, CommandCode.BINLOG_DUMP, CommandCode.BINLOG_DUMP_GTID, CommandCode.CLONE
                }) {
            Conversation conversation = conversation(SequenceRule.COUNTED);
            client(conversation, code);
            assertThat(conversation.opaque()).as("command 0x%x", code).isTrue();
            assertThat(conversation.idle()).isFalse();
            server(conversation, OK);
            assertThat(relayed()).isEqualTo(hex(OK));
        }
        Conversation empty = conversation(SequenceRule.COUNTED);
        empty.sent(CommandExchange.of(new byte[0], Audience.CLIENT, this::note));
        assertThat(empty.opaque()).isTrue();
        assertThat(conversation(0).opaque()).isTrue();
        assertThat(roles).isEmpty();
    }

    @Test
    void malformedPacketsOfTheServerEndTheFollowing() throws ProtocolException {
        for (String nonsense : List.of("01000001fb", "00000001", "02000001fc01", "0500000105aabbccdd")) {
            Conversation conversation = conversation(SequenceRule.COUNTED);
            client(conversation, CommandCode.STMT_PREPARE);
            server(conversation, nonsense + OK);
            assertThat(conversation.opaque()).as(nonsense).isTrue();
            assertThat(relayed()).isEqualTo(hex(nonsense + OK));
            Conversation own = conversation(SequenceRule.COUNTED);
            send(own, CommandCode.STMT_PREPARE, Audience.PROXY, named("own"));
            assertThatThrownBy(() -> server(own, nonsense)).isInstanceOf(ProtocolException.class);
            assertThat(relayed()).isEmpty();
        }
        assertThat(events).isEmpty();
    }

    @Test
    void aFileIsSentBeforeItsAnswer() throws ProtocolException {
        Conversation conversation = conversation(SequenceRule.COUNTED);
        client(conversation, CommandCode.QUERY);
        server(conversation, "02000001fb66");
        assertThat(conversation.clientSendsData()).isTrue();
        conversation.clientData(5, 2);
        assertThat(conversation.clientSendsData()).isTrue();
        conversation.clientData(0, 3);
        assertThat(conversation.clientSendsData()).isFalse();
        assertThat(conversation.nextSequence()).isEqualTo(4);
        server(conversation, "0700000400000002000000");
        assertThat(roles).containsExactly(PacketRole.LOCAL_INFILE, PacketRole.OK);
        assertThat(conversation.idle()).isTrue();
        relayed();
    }

    @Test
    void aFileAskedForWhileCommandsAreOnTheirWayIsNotFollowed() throws ProtocolException {
        Conversation conversation = conversation(SequenceRule.COUNTED);
        client(conversation, CommandCode.QUERY);
        client(conversation, CommandCode.PING);
        server(conversation, "02000001fb66");
        assertThat(conversation.opaque()).isTrue();
        relayed();
    }

    @Test
    void anErrorInTheMiddleOfAFileIsNotFollowed() throws ProtocolException {
        Conversation conversation = conversation(SequenceRule.COUNTED);
        client(conversation, CommandCode.QUERY);
        server(conversation, "02000001fb66");
        conversation.clientData(5, 2);
        server(conversation, ERROR);
        assertThat(conversation.opaque()).isTrue();
        relayed();
    }

    @Test
    void progressReportsAreErrorsUnlessTheyWereNegotiated() throws ProtocolException {
        Conversation conversation = conversation(SequenceRule.COUNTED);
        client(conversation, CommandCode.QUERY);
        server(conversation, "03000001ffffff");
        assertThat(roles).containsExactly(PacketRole.ERROR);
        assertThat(conversation.idle()).isTrue();
        relayed();
    }

    @Test
    void packetsReadElsewhereBelongToTheOldestExchange() throws ProtocolException {
        Conversation conversation = conversation(SequenceRule.COUNTED);
        send(conversation, CommandCode.CHANGE_USER, Audience.CLIENT, named("change"));
        send(conversation, CommandCode.PING, Audience.CLIENT, named("ping"));
        conversation.packet(hex("00000002000000"));
        assertThat(events).containsExactly("change OK");
        conversation.fail();
        assertThat(events).containsExactly("change OK", "ping lost");
    }

    // ---- sequence ids ----

    /** Returns a text of COM_STATISTICS, whose payload may be anything. */
    private static byte[] text(int sequence, int length) {
        byte[] payload = new byte[length];
        Arrays.fill(payload, (byte) 7);
        byte[] framed = new byte[PacketCodec.framedLength(length)];
        PacketCodec.frame(payload, framed, 0, sequence);
        return framed;
    }

    private static byte[] ok(int sequence) {
        byte[] ok = hex(OK);
        ok[3] = (byte) sequence;
        return ok;
    }

    private static byte[] rows(int first) {
        byte[] rows = hex(ROWS);
        int id = first;
        for (int at = 0; at < rows.length; at += PacketCodec.HEADER + rows[at]) {
            rows[at + 3] = (byte) id++;
        }
        return rows;
    }

    private void sendShifted(Conversation conversation, int code, int packets) {
        conversation.sent(CommandExchange.of(new byte[] {(byte) code}, Audience.CLIENT, 1, packets, this::note));
    }

    @Test
    void answersKeepTheirIds() throws ProtocolException {
        Conversation conversation = conversation(SequenceRule.COUNTED);
        client(conversation, CommandCode.QUERY);
        assertThat(conversation.nextSequence()).isEqualTo(1);
        byte[] rows = rows(1);
        server(conversation, Arrays.copyOf(rows, rows.length - 2), Integer.MAX_VALUE);
        assertThat(conversation.nextSequence()).isEqualTo(5);
        client(conversation, CommandCode.PING);
        server(conversation, Arrays.copyOfRange(rows, rows.length - 2, rows.length), 1);
        assertThat(conversation.nextSequence()).isEqualTo(1);
        assertThat(relayed()).isEqualTo(rows);
    }

    @Test
    void anAnswerContinuesAfterThePacketsTheClientWasSent() throws ProtocolException {
        for (int packets : new int[] {1, 3, 254, 255, 256, 1_000}) {
            for (int piece : IntStream.rangeClosed(1, 12).toArray()) {
                Conversation conversation = conversation(SequenceRule.COUNTED);
                sendShifted(conversation, CommandCode.QUERY, packets);
                assertThat(conversation.nextSequence()).isEqualTo(1 + packets);
                byte[] original = rows(1);
                server(conversation, original, piece);
                assertThat(relayed()).as("%d packets", packets).isEqualTo(rows(1 + packets));
                assertThat(original)
                        .as("a compressed frame may still hold them")
                        .isEqualTo(rows(1));
                client(conversation, CommandCode.PING);
                server(conversation, OK);
                assertThat(relayed()).as("the next answer").isEqualTo(hex(OK));
            }
        }
        Conversation conversation = conversation(SequenceRule.COUNTED);
        sendShifted(conversation, CommandCode.STATISTICS, 254);
        server(conversation, text(1, PacketCodec.MAX_PAYLOAD + 3), 4_099);
        assertThat(Arrays.equals(relayed(), text(255, PacketCodec.MAX_PAYLOAD + 3)))
                .isTrue();
    }

    /** The command is sent while the server still replies to the proxy, and its answer begins later. */
    @Test
    void aShiftedAnswerMayBeginLater() throws ProtocolException {
        for (SequenceRule rule : new SequenceRule[] {SequenceRule.COUNTED, SequenceRule.RECOUNTED}) {
            Conversation conversation = conversation(rule);
            send(conversation, CommandCode.QUERY, Audience.PROXY, this::note);
            sendShifted(conversation, CommandCode.QUERY, 2);
            assertThat(conversation.nextSequence()).isEqualTo(3);
            server(conversation, rows(1), 3);
            server(conversation, rows(1), 3);
            assertThat(relayed()).isEqualTo(rows(3));
            assertThat(conversation.idle()).isTrue();
        }
    }

    /** The server's ids follow those of its frames. */
    @Test
    void idsThatCountFramesAreReplacedIfTheClientSeesNone() throws ProtocolException {
        for (int piece : new int[] {1, 3, 4_099}) {
            Conversation conversation = conversation(SequenceRule.RECOUNTED);
            client(conversation, CommandCode.QUERY);
            server(conversation, rows(77), piece);
            assertThat(relayed()).isEqualTo(rows(1));
            client(conversation, CommandCode.STATISTICS);
            conversation.commandEnded(7);
            server(conversation, text(3, 5), piece);
            assertThat(relayed()).isEqualTo(text(8, 5));
            send(conversation, CommandCode.PING, Audience.PROXY, this::note);
            server(conversation, ok(99), piece);
            assertThat(relayed()).isEmpty();
        }
        Conversation conversation = conversation(SequenceRule.RECOUNTED);
        client(conversation, CommandCode.STATISTICS);
        server(conversation, text(9, PacketCodec.MAX_PAYLOAD), 4_099);
        assertThat(Arrays.equals(relayed(), text(1, PacketCodec.MAX_PAYLOAD))).isTrue();
    }

    @Test
    void idsOfRepliesToTheProxyAreChecked() throws ProtocolException {
        Conversation conversation = conversation(SequenceRule.COUNTED);
        send(conversation, CommandCode.STATISTICS, Audience.PROXY, this::note);
        server(conversation, text(1, PacketCodec.MAX_PAYLOAD + 1), 1 << 20);
        assertThat(roles).containsExactly(PacketRole.TEXT);
        conversation.sent(CommandExchange.of(new byte[] {CommandCode.PING}, Audience.PROXY, 3, 0, this::note));
        server(conversation, ok(3), Integer.MAX_VALUE);
        assertThat(conversation.idle()).isTrue();
        send(conversation, CommandCode.PING, Audience.PROXY, this::note);
        ByteBuf wrong = Unpooled.wrappedBuffer(ok(2));
        assertThatThrownBy(() -> conversation.received(wrong, pieces::add))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining("expected: 1");
        assertThat(wrong.refCnt()).isZero();
    }

    @Test
    void dataOfTheClientMovesTheIdOnlyOfItsOwnResponse() throws ProtocolException {
        Conversation conversation = conversation(SequenceRule.COUNTED);
        client(conversation, CommandCode.QUERY);
        client(conversation, CommandCode.QUERY);
        conversation.commandEnded(1);
        assertThat(conversation.nextSequence())
                .as("the older response is not that of the long command")
                .isEqualTo(1);
        server(conversation, OK);
        assertThat(conversation.nextSequence()).as("that of the long command").isEqualTo(2);
        relayed();
        Conversation alone = conversation(SequenceRule.COUNTED);
        client(alone, CommandCode.QUERY);
        alone.commandEnded(1);
        assertThat(alone.nextSequence()).isEqualTo(2);
        client(alone, CommandCode.STMT_SEND_LONG_DATA);
        alone.commandEnded(5);
        assertThat(alone.nextSequence()).isEqualTo(2);
    }
}
