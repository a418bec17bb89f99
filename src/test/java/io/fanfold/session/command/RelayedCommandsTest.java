package io.fanfold.session.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LONG;

import io.fanfold.execute.FanOutDispatcher;
import io.fanfold.execute.FanOutRequest;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.reason.Reason;
import io.fanfold.session.Wire;
import io.fanfold.session.channel.SessionSchema;
import io.fanfold.session.prepared.PreparedStatements;
import io.fanfold.wire.Capability;
import io.fanfold.wire.CommandCode;
import io.fanfold.wire.Conversation;
import io.fanfold.wire.ProtocolException;
import io.fanfold.wire.SequenceRule;
import io.fanfold.wire.ServerFlavor;
import io.fanfold.wire.ServerStatus;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RelayedCommandsTest {
    private static final long PROTOCOL = Capability.PROTOCOL_41 | Capability.DEPRECATE_EOF;
    private static final byte[] OK = hex("00000002000000");
    private static final byte[] ERROR = hex("ff1904" + "23" + "3432303030");
    private static final byte[] DEFINITION =
            hex("0364656600000000" + "0161" + "00" + "0c" + "3f00" + "0b000000" + "03" + "0000" + "00" + "0000");

    private final List<String> events = new ArrayList<>();
    private final List<Long> relayedNanos = new ArrayList<>();
    private final EmbeddedChannel server = new EmbeddedChannel();
    private final Conversation conversation =
            new Conversation(PROTOCOL, ServerStatus.AUTOCOMMIT, SequenceRule.COUNTED, packet -> {});
    private final SessionState session = new SessionState(
            PROTOCOL,
            conversation,
            new SessionSchema("u", "login"),
            new DiagnosticsArea(ServerFlavor.MYSQL),
            new PreparedStatements(PROTOCOL, ServerFlavor.MYSQL, 1000),
            new SessionTracker(PROTOCOL, ServerFlavor.MYSQL),
            new TransactionWatch(PROTOCOL));
    private final FanOutDispatcher dispatcher = new FanOutDispatcher() {
        @Override
        public Optional<Reason> filter(byte[] sql, int offset, int length, @Nullable String schema) {
            return Optional.empty();
        }

        @Override
        public void submit(FanOutRequest request) {
            throw new AssertionError("nothing is offered here");
        }

        @Override
        public void killed(long backendThreadId) {
            events.add("killed " + backendThreadId);
        }
    };
    private final RelayedCommands commands = new RelayedCommands(
            server,
            session,
            new KillCommands(
                    (sql, offset, length) ->
                            new String(sql, offset, length, StandardCharsets.US_ASCII).startsWith("KILL")
                                    ? OptionalLong.of(5)
                                    : OptionalLong.empty(),
                    PROTOCOL),
            dispatcher,
            new FanfoldMetrics() {
                @Override
                public void relayed(long nanos) {
                    relayedNanos.add(nanos);
                }
            },
            () -> events.add("reset"));

    private static byte[] hex(String digits) {
        return HexFormat.of().parseHex(digits);
    }

    private static byte[] query(String sql) {
        return ((char) CommandCode.QUERY + sql).getBytes(StandardCharsets.US_ASCII);
    }

    private void relay(byte[] payload) {
        commands.relayed(payload, payload[0] & 0xff, true, true, Optional.empty());
    }

    private void answer(byte[]... packets) throws ProtocolException {
        for (int i = 0; i < packets.length; i++) {
            conversation.received(Unpooled.wrappedBuffer(Wire.frame(i + 1, packets[i])), ByteBuf::release);
        }
    }

    private byte[] written() {
        server.flush();
        ByteBuf all = Unpooled.buffer();
        for (ByteBuf out = server.readOutbound(); out != null; out = server.readOutbound()) {
            all.writeBytes(out);
            out.release();
        }
        return ByteBufUtil.getBytes(all);
    }

    @Test
    void statementsAreTimedAndOtherCommandsAreNot() throws ProtocolException {
        relay(query("DO 1"));
        assertThat(relayedNanos).isEmpty();
        answer(OK);
        assertThat(relayedNanos).singleElement().asInstanceOf(LONG).isNotNegative();
        relay(new byte[] {CommandCode.PING});
        answer(OK);
        relay(query("DO nothing"));
        answer(ERROR);
        assertThat(relayedNanos).hasSize(2);
    }

    @Test
    void aThreadIsKilledOnceTheServerSaysSo() throws ProtocolException {
        relay(query("KILL 5"));
        relay(query("KILL 5"));
        relay(hex("0c" + "09000000"));
        relay(query("SELECT 1"));
        assertThat(events).isEmpty();
        answer(ERROR);
        assertThat(events).isEmpty();
        answer(OK);
        assertThat(events).containsExactly("killed 5");
        answer(OK);
        assertThat(events).containsExactly("killed 5", "killed 9");
        answer(OK);
        assertThat(events).hasSize(2);
    }

    @Test
    void aStatementThatIsPassedThroughIsFollowedToItsEnd() throws ProtocolException {
        commands.send(query("SELECT split"), 0, 2, end -> events.add(end.name()));
        assertThat(written()).isEqualTo(Wire.frame(0, query("SELECT split")));
        assertThat(conversation.nextSequence()).isEqualTo(3);
        answer(new byte[] {1}, DEFINITION, new byte[] {1, '5'});
        assertThat(events).isEmpty();
        conversation.received(Unpooled.wrappedBuffer(Wire.frame(4, ERROR)), ByteBuf::release);
        assertThat(events).containsExactly("FAILED");
    }

    /** The pending statement restores the area first, so that the error counts as seen by the server. */
    @Test
    void theDiagnosticsAreaIsToldLast() throws ProtocolException {
        DiagnosticsArea last = session.last();
        last.split(3);
        byte[] asking = query("SELECT FOUND_ROWS()");
        assertThat(last.before(asking, 1, false)).isNotEmpty();
        commands.send(query("SELECT split"), 0, 0, end -> last.split(4));
        assertThat(last.before(asking, 1, false))
                .as("the server runs a statement")
                .isEmpty();
        answer(ERROR);
        assertThat(last.before(asking, 1, false)).isNotEmpty();
        assertThat(last.before(query("SHOW WARNINGS"), 1, false))
                .as("the server has its error")
                .isEmpty();
    }

    @Test
    void bufferedLongDataAndOwedTypesAreSentWithTheExecution() throws ProtocolException {
        relay("\u0016SELECT a FROM t WHERE b < ?".getBytes(StandardCharsets.US_ASCII));
        answer(hex("00" + "07000000" + "0100" + "0100" + "00" + "0000"), DEFINITION, DEFINITION);
        byte[] longData = hex("1807000000" + "0000" + "61");
        session.prepared().keep(longData);
        session.prepared().keep(longData);
        byte[] execution = hex("1707000000" + "00" + "01000000" + "00" + "01" + "fc00");
        commands.send(execution, 0, 0, end -> events.add(end.name()));
        assertThat(written())
                .isEqualTo(Wire.join(Wire.frame(0, longData), Wire.frame(0, longData), Wire.frame(0, execution)));
        assertThat(session.prepared().keeps(7)).isFalse();
        answer(OK);
        assertThat(events).containsExactly("ANSWERED");
    }

    @Test
    void resetsAndFarewellsAreNoticed() {
        assertThat(session.schema().name()).isEqualTo("login");
        relay(new byte[] {CommandCode.RESET_CONNECTION});
        assertThat(events).containsExactly("reset");
        assertThat(session.schema().name()).isNull();
        assertThat(commands.farewell()).isFalse();
        relay(new byte[] {CommandCode.QUIT});
        assertThat(commands.farewell()).isTrue();
        assertThat(conversation.owed()).as("QUIT has no response").isEqualTo(1);
    }

    @Test
    void theTransactionIsKnownFromTheResponses() throws ProtocolException {
        relay(query("BEGIN"));
        answer(hex("00000003000000"));
        assertThat(session.transactions().maySplit(conversation.status())).isTrue();
        relay(query("INSERT"));
        answer(hex("00000003000000"));
        assertThat(session.transactions().maySplit(conversation.status())).isFalse();
    }
}
