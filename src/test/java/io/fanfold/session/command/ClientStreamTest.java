package io.fanfold.session.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.fanfold.session.Wire;
import io.fanfold.session.prepared.PreparedStatements;
import io.fanfold.wire.Capability;
import io.fanfold.wire.CommandCode;
import io.fanfold.wire.Conversation;
import io.fanfold.wire.SequenceRule;
import io.fanfold.wire.ServerFlavor;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClientStreamTest {
    /** Accepts everything, and counts the work of each turn of the event loop. */
    private static final class Turns implements ClientStream.Commands {
        private final EmbeddedChannel server = new EmbeddedChannel();
        private final ClientStream stream;
        private final List<Integer> commands = new ArrayList<>();
        private final List<Integer> bytes = new ArrayList<>();
        private int looked;
        private boolean failing;
        private long waitingBefore;

        Turns(long capabilities) {
            Conversation conversation = new Conversation(capabilities, 0, SequenceRule.COUNTED, packet -> {});
            PreparedStatements prepared = new PreparedStatements(capabilities, ServerFlavor.MYSQL, 1000);
            stream = new ClientStream(server, conversation, prepared, 1000, this);
        }

        /** Returns all bytes that are sent to the server in the end. */
        byte[] sent(byte[] sent) {
            waitingBefore = sent.length;
            stream.add(Unpooled.wrappedBuffer(sent));
            turnEnds();
            runAll();
            server.flush();
            ByteBuf all = Unpooled.buffer();
            for (ByteBuf out = server.readOutbound(); out != null; out = server.readOutbound()) {
                all.writeBytes(out);
                out.release();
            }
            byte[] array = new byte[all.readableBytes()];
            all.readBytes(array);
            return array;
        }

        /** Runs all further turns of the event loop. */
        private void runAll() {
            while (stream.readsLater()) {
                server.runPendingTasks();
            }
        }

        private void turnEnds() {
            commands.add(looked);
            looked = 0;
            bytes.add((int) (waitingBefore - stream.waitingBytes()));
            waitingBefore = stream.waitingBytes();
        }

        @Override
        public void readOn() {
            stream.resume();
            turnEnds();
        }

        @Override
        public boolean paused() {
            return false;
        }

        @Override
        public ClientStream.Decision look(byte[] payload, int code, boolean whole, boolean last) {
            looked++;
            if (failing) {
                throw new IllegalStateException("as a test wants it");
            }
            return ClientStream.Decision.SEND;
        }
    }

    @Test
    void othersHaveTheirTurnBetweenVeryManyCommands() {
        byte[] pings = new byte[5 * 100_000];
        for (int i = 0; i < pings.length; i += 5) {
            pings[i] = 1;
            pings[i + 4] = CommandCode.PING;
        }
        Turns turns = new Turns(Capability.PROTOCOL_41);
        assertThat(turns.sent(pings)).isEqualTo(pings);
        assertThat(turns.commands).hasSizeGreaterThan(90).allMatch(count -> count <= ClientStream.TURN_COMMANDS);
        assertThat(turns.stream.waitingBytes()).isZero();
    }

    /** With commands that are followed, and with a session that cannot be followed. */
    @ParameterizedTest
    @ValueSource(longs = {Capability.PROTOCOL_41, 0})
    void othersHaveTheirTurnWithinALongCommand(long capabilities) {
        byte[] command = Wire.frame(0, new byte[10_000_000]);
        command[4] = CommandCode.QUERY;
        Turns turns = new Turns(capabilities);
        assertThat(turns.sent(command)).isEqualTo(command);
        assertThat(turns.bytes).hasSizeGreaterThan(9).allMatch(count -> count <= ClientStream.TURN_BYTES);
        assertThat(turns.stream.waitingBytes()).isZero();
    }

    /** Reading a statement costs more than relaying it. */
    @Test
    void othersHaveTheirTurnBetweenTexts() {
        byte[] query = Wire.frame(0, new byte[1000]);
        query[4] = CommandCode.QUERY;
        byte[] queries = new byte[query.length * 1000];
        for (int at = 0; at < queries.length; at += query.length) {
            System.arraycopy(query, 0, queries, at, query.length);
        }
        Turns turns = new Turns(Capability.PROTOCOL_41);
        assertThat(turns.sent(queries)).isEqualTo(queries);
        int most = ClientStream.TURN_BYTES / ClientStream.LOOK_COST / 1000 + 1;
        assertThat(turns.commands).hasSizeGreaterThan(9).allMatch(count -> count <= most);
        assertThat(turns.stream.waitingBytes()).isZero();
    }

    /** Each piece ends inside a command. The bytes read from the pieces before are not kept. */
    @Test
    void memoryDoesNotGrowWithTheBytesRead() {
        Turns turns = new Turns(Capability.PROTOCOL_41);
        byte[] query = Wire.frame(0, new byte[1000]);
        query[4] = CommandCode.QUERY;
        byte[] piece = new byte[10 * query.length];
        int largest = 0;
        for (int i = 0; i < 200; i++) {
            for (int at = 0; at < piece.length; at++) {
                piece[at] = query[(at + 500) % query.length];
            }
            ByteBuf bytes = Unpooled.copiedBuffer(i == 0 ? Arrays.copyOfRange(piece, 504, piece.length) : piece);
            turns.stream.add(bytes);
            turns.runAll();
            turns.server.flush();
            for (ByteBuf out = turns.server.readOutbound(); out != null; out = turns.server.readOutbound()) {
                ByteBuf all = out;
                while (all.unwrap() != null) {
                    all = all.unwrap();
                }
                largest = Math.max(largest, all.capacity());
                out.release();
            }
        }
        assertThat(turns.looked
                        + turns.commands.stream().mapToInt(Integer::intValue).sum())
                .isGreaterThan(1900);
        assertThat(largest).isLessThan(8 * piece.length);
        turns.stream.release();
        turns.server.finishAndReleaseAll();
    }

    /** The session then ends and its memory is released. */
    @Test
    void bytesAreReleasedIfALookFails() {
        Turns turns = new Turns(Capability.PROTOCOL_41);
        turns.failing = true;
        ByteBuf pings = Unpooled.copiedBuffer(new byte[] {1, 0, 0, 0, CommandCode.PING, 1, 0, 0, 0, CommandCode.PING});
        assertThatIllegalStateException().isThrownBy(() -> turns.stream.add(pings));
        assertThat(pings.refCnt()).isZero();
        assertThat(turns.stream.waitingBytes()).isZero();
        turns.server.finishAndReleaseAll();
    }

    @Test
    void aTurnCoversAllBytesThatArriveInIt() {
        Turns turns = new Turns(Capability.PROTOCOL_41);
        byte[] ping = {1, 0, 0, 0, CommandCode.PING};
        for (int i = 0; i < ClientStream.TURN_COMMANDS; i++) {
            turns.stream.add(Unpooled.wrappedBuffer(ping));
        }
        assertThat(turns.stream.readsLater()).isFalse();
        turns.stream.add(Unpooled.wrappedBuffer(ping));
        assertThat(turns.stream.readsLater()).isTrue();
        turns.stream.newTurn();
        assertThat(turns.looked).isEqualTo(ClientStream.TURN_COMMANDS);
        turns.runAll();
        assertThat(turns.stream.waitingBytes()).isZero();
        turns.server.flush();
        turns.server.finishAndReleaseAll();
    }
}
