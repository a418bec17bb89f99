package io.fanfold.session.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.session.Wire;
import io.fanfold.wire.PacketCodec;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class SequenceIdRewriterTest {
    /**
     * Returns an answer whose ids begin with that number: short packets, an empty one, and one of 16 MiB in two parts.
     */
    private static byte[] answer(int first) {
        byte[] whole = new byte[PacketCodec.MAX_PAYLOAD];
        return Wire.join(
                Wire.frame(first, new byte[] {1}),
                Wire.frame(first + 1, new byte[0]),
                Wire.frame(first + 2, whole),
                end(first + 4));
    }

    private static byte[] end(int sequence) {
        return Wire.frame(sequence, new byte[] {1, 2, 3});
    }

    private static byte[] shortAnswer(int first) {
        return Wire.join(
                Wire.frame(first, new byte[] {1}),
                Wire.frame(first + 1, new byte[0]),
                Wire.frame(first + 2, new byte[300]),
                end(first + 3));
    }

    /** Returns the relayed bytes if they arrive in pieces of that length. */
    private static byte[] relayed(SequenceIdRewriter sequence, byte[] bytes, int pieces) {
        PacketCodec.Reader scanner = new PacketCodec.Reader(0);
        ByteBuf out = Unpooled.buffer(bytes.length);
        int packets = 0;
        for (int from = 0; from < bytes.length; from += pieces) {
            int to = Math.min(bytes.length, from + pieces);
            ByteBuf piece = sequence.changeable(Unpooled.wrappedBuffer(bytes, from, to - from));
            int at = 0;
            while (at < piece.writerIndex()) {
                at = scanner.scan(piece, at, piece.writerIndex(), sequence.ids());
                if (scanner.complete()) {
                    sequence.packet(scanner.sequence(), ++packets == 4 ? 7 : -1);
                }
            }
            out.writeBytes(piece);
            piece.release();
        }
        byte[] all = ByteBufUtil.getBytes(out);
        out.release();
        return all;
    }

    @Test
    void answersKeepTheirIds() {
        SequenceIdRewriter sequence = new SequenceIdRewriter(false);
        sequence.command(1);
        assertThat(sequence.next()).isEqualTo(1);
        assertThat(Arrays.equals(relayed(sequence, answer(1), 1_000_000), answer(1)))
                .isTrue();
        assertThat(sequence.next()).isEqualTo(6);
    }

    private static void goesOn(byte[] bytes, byte[] expected, int packets, int pieces) {
        SequenceIdRewriter sequence = new SequenceIdRewriter(false);
        sequence.command(1);
        sequence.shift(7, packets);
        assertThat(sequence.next()).isEqualTo(1 + packets);
        assertThat(Arrays.equals(relayed(sequence, bytes, pieces), expected))
                .as("%d packets, pieces of %d bytes", packets, pieces)
                .isTrue();
        assertThat(sequence.next() & 0xff).isEqualTo(expected[expected.length - 4] + 1 & 0xff);
        sequence.command(1);
        byte[] next = Wire.frame(1, new byte[] {0});
        assertThat(relayed(sequence, next, 1)).as("the next answer").isEqualTo(next);
    }

    @Test
    void anAnswerContinuesAfterThePacketsTheClientWasSent() {
        for (int packets : List.of(1, 3, 254, 255, 256, 1_000)) {
            for (int pieces = 1; pieces < 12; pieces++) {
                goesOn(shortAnswer(1), shortAnswer(1 + packets), packets, pieces);
            }
        }
        for (int pieces : List.of(4_099, 1 << 25)) {
            goesOn(answer(1), answer(255), 254, pieces);
        }
    }

    /** The server's ids follow those of its frames. */
    @Test
    void idsThatCountSomethingElseAreNotUsed() {
        byte[] whole = new byte[PacketCodec.MAX_PAYLOAD];
        byte[] odd = Wire.join(
                Wire.frame(4, new byte[] {1}),
                Wire.frame(5, new byte[0]),
                Wire.frame(2, whole),
                Wire.frame(2, new byte[] {1, 2, 3}));
        for (int pieces : List.of(4_099, 1 << 25)) {
            SequenceIdRewriter sequence = new SequenceIdRewriter(true);
            sequence.command(1);
            assertThat(Arrays.equals(relayed(sequence, odd, pieces), answer(1))).isTrue();
            assertThat(sequence.next()).isEqualTo(6);
            sequence.command(1);
            sequence.data(7);
            assertThat(relayed(sequence, Wire.frame(3, new byte[] {0}), 1)).isEqualTo(Wire.frame(8, new byte[] {0}));
            sequence.command(1);
            sequence.shift(7, 2);
            assertThat(relayed(sequence, shortAnswer(2), 3)).isEqualTo(shortAnswer(3));
        }
    }

    /** The command is sent while the server still replies to the proxy, and its answer begins later. */
    @Test
    void aShiftedAnswerMayBeginLater() {
        for (boolean recounts : new boolean[] {false, true}) {
            SequenceIdRewriter sequence = new SequenceIdRewriter(recounts);
            sequence.data(0);
            sequence.shift(7, 2);
            sequence.command(7);
            assertThat(sequence.next()).isEqualTo(3);
            assertThat(relayed(sequence, shortAnswer(1), 3)).isEqualTo(shortAnswer(3));
            sequence.command(8);
            assertThat(sequence.next()).isEqualTo(1);
        }
    }

    /** Others may still hold the relayed bytes, such as the compression handler. */
    @Test
    void bytesOfOthersStayAsTheyAre() {
        SequenceIdRewriter sequence = new SequenceIdRewriter(false);
        sequence.shift(7, 2);
        ByteBuf original = Unpooled.wrappedBuffer(Wire.frame(1, new byte[] {0}));
        ByteBuf copy = sequence.changeable(original.retain());
        new PacketCodec.Reader(0).scan(copy, 0, 5, sequence.ids());
        assertThat(copy.getByte(3)).isEqualTo((byte) 3);
        assertThat(original.getByte(3)).isEqualTo((byte) 1);
        copy.release();
        assertThat(original.release()).isTrue();
    }
}
