package io.fanfold.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class PacketCodecTest {
    @Test
    void stopsAtThePacketsEnd() {
        ByteBuf bytes = Unpooled.wrappedBuffer(new byte[] {2, 0, 0, 7, 10, 11, 1, 0, 0, 8, 12, 9});
        PacketCodec.Reader scanner = new PacketCodec.Reader(32);
        assertThat(scanner.scan(bytes, 0, 12)).isEqualTo(6);
        assertThat(scanner.complete()).isTrue();
        assertThat(scanner.copyOfKept()).containsExactly(10, 11);
        assertThat(scanner.sequence()).isEqualTo(7);
        assertThat(scanner.scan(bytes, 6, 12)).isEqualTo(11);
        assertThat(scanner.copyOfKept()).containsExactly(12);
        assertThat(scanner.sequence()).isEqualTo(8);
        assertThat(scanner.scan(bytes, 11, 12)).isEqualTo(12);
        assertThat(scanner.complete()).isFalse();
    }

    @Test
    void keepsNoMoreThanTheLimitAndCountsAll() {
        ByteBuf bytes = Unpooled.buffer().writeMediumLE(300).writeByte(0).writeZero(300);
        PacketCodec.Reader scanner = new PacketCodec.Reader(3);
        assertThat(scanner.scan(bytes, 0, 304)).isEqualTo(304);
        assertThat(scanner.keptLength()).isEqualTo(3);
        assertThat(scanner.payloadLength()).isEqualTo(300);
        scanner.keepUpTo(200);
        assertThat(scanner.scan(bytes, 0, 304)).isEqualTo(304);
        assertThat(scanner.copyOfKept()).hasSize(200);
    }

    @Test
    void anEmptyPacketIsAPacket() {
        ByteBuf bytes = Unpooled.wrappedBuffer(new byte[] {0, 0, 0, 4, 1});
        PacketCodec.Reader scanner = new PacketCodec.Reader(32);
        assertThat(scanner.scan(bytes, 0, 5)).isEqualTo(4);
        assertThat(scanner.complete()).isTrue();
        assertThat(scanner.payloadLength()).isZero();
    }

    @Test
    void continuedPacketsAreOne() {
        int full = PacketCodec.MAX_PAYLOAD;
        ByteBuf bytes = Unpooled.buffer(2 * full + 20);
        bytes.writeMediumLE(full).writeByte(0).writeByte(5).writeZero(full - 1);
        bytes.writeMediumLE(full).writeByte(1).writeZero(full);
        bytes.writeMediumLE(0).writeByte(2);
        PacketCodec.Reader scanner = new PacketCodec.Reader(8);
        int end = bytes.writerIndex();
        int first = scanner.scan(bytes, 0, full);
        assertThat(first).isEqualTo(full);
        assertThat(scanner.complete()).isFalse();
        assertThat(scanner.scan(bytes, first, end - 1)).isEqualTo(end - 1);
        assertThat(scanner.complete()).isFalse();
        assertThat(scanner.scan(bytes, end - 1, end)).isEqualTo(end);
        assertThat(scanner.complete()).isTrue();
        assertThat(scanner.payloadLength()).isEqualTo(2L * full);
        assertThat(scanner.copyOfKept()).startsWith(5).hasSize(8);
        assertThat(scanner.sequence()).isEqualTo(2);
    }

    /** A payload that shows its offsets, so that no part of it can be mistaken for another. */
    private static byte[] payload(int length) {
        byte[] payload = new byte[length];
        for (int i = 0; i < length; i++) {
            payload[i] = (byte) (i * 31 + (i >>> 8) + (i >>> 16));
        }
        return payload;
    }

    private static byte[] inArray(byte[] payload, int sequence) {
        byte[] framed = new byte[PacketCodec.framedLength(payload.length)];
        assertThat(PacketCodec.frame(payload, framed, 0, sequence))
                .isEqualTo(sequence + PacketCodec.sequenceAfter(payload.length) & 0xff);
        return framed;
    }

    private static byte[] inBuffers(byte[] payload, int sequence) {
        ByteBuf all = Unpooled.buffer();
        int after = PacketCodec.frame(payload, sequence, part -> {
            all.writeBytes(part);
            part.release();
        });
        assertThat(after).isEqualTo(sequence + PacketCodec.sequenceAfter(payload.length) & 0xff);
        return ByteBufUtil.getBytes(all);
    }

    @Test
    void arraysAndBuffersHoldTheSamePackets() {
        int full = PacketCodec.MAX_PAYLOAD;
        for (int length : new int[] {0, 1, 255, 256, 70_000, full - 1, full, full + 1, 2 * full, 2 * full + 5}) {
            byte[] payload = payload(length);
            byte[] framed = inArray(payload, 254);
            assertThat(Arrays.equals(framed, inBuffers(payload, 254)))
                    .as("%d bytes", length)
                    .isTrue();
            ByteBuf buffer = Unpooled.wrappedBuffer(framed);
            int first = Math.min(length, full);
            assertThat(PacketCodec.payloadLength(framed, 0)).isEqualTo(first);
            assertThat(PacketCodec.payloadLength(buffer, 0)).isEqualTo(first);
            assertThat(PacketCodec.sequence(framed, 0)).isEqualTo(254);
            assertThat(PacketCodec.sequence(buffer, 0)).isEqualTo(254);
            if (length < full) {
                assertThat(ByteBufUtil.getBytes(PacketCodec.frame(payload, 254)))
                        .isEqualTo(framed);
            }
            PacketCodec.Reader reader = new PacketCodec.Reader(length);
            assertThat(reader.scan(buffer, 0, framed.length)).isEqualTo(framed.length);
            assertThat(reader.complete()).isTrue();
            assertThat(reader.payloadLength()).isEqualTo(length);
            assertThat(Arrays.equals(reader.copyOfKept(), payload))
                    .as("%d bytes", length)
                    .isTrue();
            assertThat(reader.sequence()).isEqualTo(254 + length / full & 0xff);
        }
    }

    @Test
    void packetsMayBeDividedAnywhere() {
        byte[] payload = payload(9);
        ByteBuf bytes = Unpooled.wrappedBuffer(inArray(payload, 3), inArray(new byte[0], 4), inArray(payload, 5));
        int end = bytes.readableBytes();
        for (int first = 1; first < end; first++) {
            for (int second = first; second < end; second++) {
                PacketCodec.Reader reader = new PacketCodec.Reader(5);
                List<Integer> ends = new ArrayList<>();
                for (int[] piece : new int[][] {{0, first}, {first, second}, {second, end}}) {
                    int at = piece[0];
                    while (at < piece[1]) {
                        at = reader.scan(bytes, at, piece[1]);
                        if (reader.complete()) {
                            ends.add(at);
                            assertThat(reader.sequence()).isEqualTo(2 + ends.size());
                            assertThat(reader.copyOfKept()).isEqualTo(Arrays.copyOf(payload, ends.size() == 2 ? 0 : 5));
                        }
                    }
                }
                assertThat(ends).containsExactly(13, 17, 30);
            }
        }
    }

    @Test
    void idsAreChangedInEveryHeaderWhereverItIsDivided() {
        int full = PacketCodec.MAX_PAYLOAD;
        byte[] framed = inArray(payload(full + 3), 7);
        for (int piece : new int[] {full + 1, full + 5, full + 7}) {
            ByteBuf bytes = Unpooled.copiedBuffer(framed);
            PacketCodec.Reader reader = new PacketCodec.Reader(0);
            reader.scan(bytes, 0, piece, id -> id + 250);
            reader.scan(bytes, piece, framed.length, id -> id + 250);
            assertThat(reader.complete()).isTrue();
            assertThat(reader.sequence()).as("as sent").isEqualTo(8);
            assertThat(PacketCodec.sequence(bytes, 0)).isEqualTo(1);
            assertThat(PacketCodec.sequence(bytes, PacketCodec.HEADER + full)).isEqualTo(2);
            bytes.setByte(3, 7).setByte(PacketCodec.HEADER + full + 3, 8);
            assertThat(bytes).as("nothing else changes").isEqualTo(Unpooled.wrappedBuffer(framed));
        }
    }

    @Test
    void rowsArePassedUpToThePacketThatIsNoWholeRow() {
        String rows = "020000040131" + "02000005fb31" + "020000060031";
        for (String after : List.of("", "02", "0200000701", "05000007fe00000200", "03000007ff1904", "00000007020000")) {
            ByteBuf bytes = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(rows + after));
            PacketCodec.Reader reader = new PacketCodec.Reader(0);
            assertThat(reader.passRows(bytes, 0, bytes.writerIndex())).as(after).isEqualTo(18);
            assertThat(reader.sequence()).isEqualTo(6);
        }
    }
}
