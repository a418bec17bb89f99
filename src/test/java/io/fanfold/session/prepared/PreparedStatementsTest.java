package io.fanfold.session.prepared;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.session.Wire;
import io.fanfold.wire.BoundValue;
import io.fanfold.wire.Capability;
import io.fanfold.wire.CommandExchange;
import io.fanfold.wire.Conversation;
import io.fanfold.wire.ProtocolException;
import io.fanfold.wire.SequenceRule;
import io.fanfold.wire.ServerFlavor;
import io.fanfold.wire.ServerPacket;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PreparedStatementsTest {
    private static final long PROTOCOL = Capability.PROTOCOL_41 | Capability.DEPRECATE_EOF;
    private static final int LAST = -1;
    private static final byte[] DEFINITION = HexFormat.of()
            .parseHex("0364656600000000" + "0161" + "00" + "0c" + "3f00" + "0b000000" + "03" + "0000" + "00" + "0000");

    private final Conversation conversation;
    private final PreparedStatements statements;

    PreparedStatementsTest() {
        conversation = new Conversation(PROTOCOL, 2, SequenceRule.COUNTED, packet -> {});
        statements = new PreparedStatements(PROTOCOL, ServerFlavor.MARIADB, 1000);
    }

    private void send(byte[] payload, boolean worthRemembering) {
        CommandExchange.Observer response = statements.sent(payload, payload[0] & 0xff, worthRemembering);
        conversation.sent(CommandExchange.of(payload, CommandExchange.Audience.CLIENT, response));
    }

    private void send(String hex) {
        send(HexFormat.of().parseHex(hex), false);
    }

    private void answer(byte[] payload) {
        ByteBuf packet = Unpooled.wrappedBuffer(Wire.frame(1, payload));
        try {
            conversation.received(packet, ByteBuf::release);
        } catch (ProtocolException e) {
            throw new AssertionError(e);
        }
    }

    private void sendPrepare(String sql) {
        send(("\u0016" + sql).getBytes(StandardCharsets.US_ASCII), true);
    }

    /** Answers with a statement of one column and one parameter. */
    private void answerPrepare(int id) {
        answer(new byte[] {0, (byte) id, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0});
        answer(DEFINITION);
        answer(DEFINITION);
    }

    private void prepare(int id) {
        sendPrepare("SELECT a FROM t WHERE b < ?");
        answerPrepare(id);
    }

    private Optional<PreparedStatements.ExecutionChoice> look(byte[] payload) {
        Optional<PreparedStatements.ExecutionChoice> execution = statements.look(payload);
        execution.ifPresent(statements::examined);
        return execution;
    }

    private boolean keep(byte[] longData) {
        boolean may = statements.mayKeep(longData);
        if (may) {
            statements.keep(longData);
        }
        return may;
    }

    private static byte[] execution(int id, String types) {
        return HexFormat.of()
                .parseHex("17" + "%02x000000".formatted(id) + "00" + "01000000" + "00" + types + "05000000");
    }

    private static byte[] typed(int id) {
        return execution(id, "010300");
    }

    private static byte[] untyped(int id) {
        return execution(id, "00");
    }

    private boolean unchanged(int id) {
        return look(typed(id)).orElseThrow().execution().orElseThrow().unchanged();
    }

    @Test
    void textAndValuesAreThoseOfTheId() throws ProtocolException {
        prepare(7);
        assertThat(statements.remembers(7)).isTrue();
        assertThat(look(typed(8))).isEmpty();
        PreparedStatements.ExecutionChoice look = look(typed(7)).orElseThrow();
        assertThat(look.text()).asString(StandardCharsets.US_ASCII).isEqualTo("SELECT a FROM t WHERE b < ?");
        assertThat(look.execution().orElseThrow().command().read())
                .containsExactly(new BoundValue.IntegerValue(5, false));
        send("19" + "07000000");
        assertThat(statements.remembers(7)).isFalse();
    }

    @Test
    void typesThatTheServerMissedAreOwed() {
        prepare(7);
        look(typed(7));
        assertThat(statements.owes(7)).isTrue();
        assertThat(look(untyped(7)).orElseThrow().incomplete()).isTrue();
        assertThat(statements.outgoing(untyped(7))).isEqualTo(typed(7));
        send(statements.outgoing(untyped(7)), false);
        answer(new ServerPacket.Err(1, "HY000", "").encode());
        assertThat(statements.owes(7)).isFalse();
        assertThat(statements.outgoing(untyped(7))).isEqualTo(untyped(7));
    }

    /** If such an execution were relayed unchanged, the server would read it with the types of an earlier execution. */
    @Test
    void executionsThatCannotGetTheirTypesAreKnown() {
        prepare(7);
        byte[] twoIterations = untyped(7);
        twoIterations[6] = 2;
        byte[] cutOff = Arrays.copyOf(untyped(7), 10);
        for (byte[] unreadable : new byte[][] {twoIterations, cutOff}) {
            assertThat(statements.wouldBeMisread(unreadable, true)).isFalse();
        }
        look(typed(7));
        assertThat(statements.wouldBeMisread(untyped(7), true)).isFalse();
        assertThat(statements.wouldBeMisread(untyped(7), false)).isTrue();
        for (byte[] unreadable : new byte[][] {twoIterations, cutOff}) {
            assertThat(statements.wouldBeMisread(unreadable, true)).isTrue();
        }
        byte[] typedTwice = typed(7);
        typedTwice[6] = 2;
        assertThat(statements.wouldBeMisread(typedTwice, true))
                .as("it brings them")
                .isFalse();
        assertThat(statements.wouldBeMisread(untyped(8), false)).isFalse();
    }

    @Test
    void longDataBelongsToOneExecution() {
        prepare(7);
        send("18" + "07000000" + "0000" + "61");
        assertThat(look(typed(7)).orElseThrow().execution()).isEmpty();
        assertThat(keep(longData(7, "61"))).as("one piece is gone").isFalse();
        send("1a" + "07000000");
        answer(ServerPacket.Ok.encode(0, 2, 0));
        assertThat(look(typed(7)).orElseThrow().execution()).isPresent();
        send("18" + "07000000" + "0000" + "61");
        send(typed(7), false);
        answer(ServerPacket.Ok.encode(0, 2, 0));
        assertThat(look(typed(7)).orElseThrow().execution()).isPresent();
    }

    private static byte[] longData(int statement, String bytes) {
        return HexFormat.of().parseHex("18%02x0000000000".formatted(statement) + bytes);
    }

    @Test
    void longDataIsKeptUntilItIsNeeded() {
        prepare(7);
        prepare(8);
        assertThat(keep(longData(9, "61"))).as("a statement that is not known").isFalse();
        assertThat(keep(HexFormat.of().parseHex("180700000000")))
                .as("no parameter")
                .isFalse();
        assertThat(keep(longData(7, "61"))).isTrue();
        assertThat(keep(longData(7, "62"))).isTrue();
        assertThat(keep(longData(8, "63"))).isTrue();
        assertThat(statements.owes(7)).isTrue();
        // the parameter of the statement is a number
        PreparedStatements.ExecutionChoice look = look(typed(7)).orElseThrow();
        assertThat(look.execution()).isEmpty();
        assertThat(look.incomplete()).isTrue();
        PreparedStatements.ExecutionChoice text = look(text(7)).orElseThrow();
        assertThat(text.execution().orElseThrow().command().payload())
                .isEqualTo(HexFormat.of()
                        .parseHex("17" + "07000000" + "00" + "01000000" + "00" + "01" + "fd00" + "026162"));
        assertThat(text.incomplete()).isTrue();
        assertThat(statements.takeKept(7)).containsExactly(longData(7, "61"), longData(7, "62"));
        assertThat(statements.keeps(7)).isFalse();
        assertThat(statements.keeps(8)).isTrue();
        statements.split(typed(8));
        assertThat(statements.keeps(8)).isFalse();
        for (String forgetting : List.of("1a07000000", "1907000000")) {
            assertThat(keep(longData(7, "61"))).isTrue();
            send(forgetting);
            assertThat(statements.keeps(7)).isFalse();
        }
        assertThat(keep(longData(8, "61"))).isTrue();
        send("1f");
        assertThat(statements.keeps(8)).isFalse();
    }

    @Test
    void longDataIsKeptUpToANumberOfBytes() {
        prepare(7);
        prepare(8);
        assertThat(keep(longData(7, "61".repeat(900)))).isTrue();
        assertThat(keep(longData(8, "61".repeat(23)))).isFalse();
        assertThat(keep(longData(8, "61".repeat(22)))).isTrue();
        assertThat(statements.takeKept(7)).hasSize(1);
        assertThat(keep(longData(7, "61".repeat(900)))).isTrue();
    }

    /** Returns an execution with a string parameter that was sent before. */
    private static byte[] text(int statement) {
        return HexFormat.of().parseHex("17%02x000000".formatted(statement) + "00" + "01000000" + "00" + "01" + "fd00");
    }

    @Test
    void commandsThatMayChangeTheSessionAreCounted() {
        prepare(7);
        assertThat(unchanged(7)).isTrue();
        send("0e");
        answer(ServerPacket.Ok.encode(0, 2, 0));
        send(typed(7), false);
        answer(ServerPacket.Ok.encode(0, 2, 0));
        send("\u0003COMMIT".getBytes(StandardCharsets.US_ASCII), false);
        answer(ServerPacket.Ok.encode(0, 2, 0));
        assertThat(unchanged(7)).isTrue();
        prepare(8);
        send(typed(7), false);
        answer(ServerPacket.Ok.encode(0, 2, 0));
        assertThat(unchanged(7)).isTrue();
        assertThat(unchanged(8)).isFalse();
        sendPrepare("SELECT a FROM t WHERE b < ?");
        send("\u0003SET x".getBytes(StandardCharsets.US_ASCII), false);
        answerPrepare(9);
        answer(ServerPacket.Ok.encode(0, 2, 0));
        assertThat(unchanged(9)).isFalse();
        assertThat(unchanged(7)).isFalse();
    }

    @Test
    void resetForgetsAll() {
        prepare(7);
        send("1f");
        answer(ServerPacket.Ok.encode(0, 2, 0));
        assertThat(statements.remembers(7)).isFalse();
    }

    @Test
    void lastPreparedHasAnIdOfItsOwn() {
        assertThat(statements.resolved(0xffff_ffffL)).isEqualTo(0xffff_ffffL);
        sendPrepare("SELECT a FROM t WHERE b < ?");
        byte[] last = typed(7);
        for (int i = 1; i < 5; i++) {
            last[i] = LAST;
        }
        assertThat(statements.awaits(last)).isTrue();
        answerPrepare(7);
        assertThat(statements.awaits(last)).isFalse();
        assertThat(statements.resolved(0xffff_ffffL)).isEqualTo(7);
        sendPrepare("SELECT nothing");
        answer(new ServerPacket.Err(1054, "42S22", "").encode());
        assertThat(statements.resolved(0xffff_ffffL)).isEqualTo(0xffff_ffffL);
        PreparedStatements ofMySql = new PreparedStatements(PROTOCOL, ServerFlavor.MYSQL, 1000);
        assertThat(ofMySql.resolved(0xffff_ffffL)).isEqualTo(0xffff_ffffL);
        assertThat(ofMySql.awaits(last)).isFalse();
    }

    @Test
    void commandsSentBeforeThePrepareIsAnsweredAreNotFollowed() {
        sendPrepare("SELECT a FROM t WHERE b < ?");
        send("18" + "ffffffff" + "0000" + "61");
        answerPrepare(7);
        assertThat(statements.remembers(7)).isFalse();
    }

    @Test
    void memoryIsBounded() {
        for (int id = 1; id <= 300; id++) {
            sendPrepare("SELECT a FROM t WHERE b < ? AND " + id);
            answer(new byte[] {0, (byte) id, (byte) (id >> 8), 0, 0, 1, 0, 0, 0, 0, 0, 0});
            answer(DEFINITION);
        }
        assertThat(statements.remembers(256)).isTrue();
        assertThat(statements.remembers(257)).isFalse();
        send("1f");
        answer(ServerPacket.Ok.encode(0, 2, 0));
        String large = "SELECT a FROM t WHERE b < ?" + " ".repeat(60_000);
        for (int id = 1; id <= 3; id++) {
            sendPrepare(large);
            answerPrepare(id);
        }
        assertThat(statements.remembers(2)).isTrue();
        assertThat(statements.remembers(3)).isFalse();
        send("19" + "01000000");
        sendPrepare(large);
        answerPrepare(4);
        assertThat(statements.remembers(4)).isTrue();
    }

    /** Thousands of prepares may be sent before the first answer. Beyond a number of bytes they are not remembered. */
    @Test
    void memoryOfUnansweredPreparesIsBounded() {
        String text = "SELECT a FROM t WHERE b < ? OR a = '" + "x".repeat(50_000) + "'";
        for (int i = 0; i < 10; i++) {
            sendPrepare(text);
        }
        for (int id = 1; id <= 10; id++) {
            answerPrepare(id);
        }
        for (int id = 1; id <= 10; id++) {
            assertThat(statements.remembers(id)).as("statement %s", id).isEqualTo(id <= 2);
        }
    }

    /** Each of them is closed, not only the newest one when the first answer arrives. */
    @Test
    void aStatementClosedBeforeItsAnswerIsNotRemembered() {
        for (int i = 0; i < 3; i++) {
            sendPrepare("SELECT a FROM t WHERE b < ?");
            send("19ffffffff");
        }
        sendPrepare("SELECT a FROM t WHERE b < ?");
        for (int id = 1; id <= 4; id++) {
            answerPrepare(id);
        }
        for (int id = 1; id <= 4; id++) {
            assertThat(statements.remembers(id)).as("statement %s", id).isEqualTo(id == 4);
        }
        assertThat(statements.resolved(0xffff_ffffL)).isEqualTo(4);
    }

    @Test
    void damagedExecutionsAreOnlyRelayed() {
        prepare(7);
        byte[] cut = HexFormat.of().parseHex("1707000000000100000000");
        Optional<PreparedStatements.ExecutionChoice> look = look(cut);
        assertThat(look.orElseThrow().execution()).isEmpty();
        send(cut, false);
        answer(new ServerPacket.Err(1210, "HY000", "").encode());
        assertThat(look(typed(7)).orElseThrow().execution()).isEmpty();
    }

    /**
     * An execution with types is split, and the next one without types fails: the server has not kept the inserted
     * types.
     */
    @Test
    void typesArePutInAgainAfterAnExecutionThatFailed() {
        prepare(7);
        assertThat(look(typed(7))).isPresent();
        statements.split(typed(7));
        for (int i = 0; i < 2; i++) {
            byte[] outgoing = statements.outgoing(untyped(7));
            assertThat(outgoing).isEqualTo(typed(7));
            send(outgoing, false);
            answer(new ServerPacket.Err(3988, "HY000", "").encode());
        }
        send(statements.outgoing(untyped(7)), false);
        answer(ServerPacket.Ok.encode(0, 2, 0));
        assertThat(statements.outgoing(untyped(7))).isEqualTo(untyped(7));
        // an error of a later execution changes nothing
        send(untyped(7), false);
        answer(new ServerPacket.Err(3988, "HY000", "").encode());
        assertThat(statements.outgoing(untyped(7))).isEqualTo(untyped(7));
    }
}
