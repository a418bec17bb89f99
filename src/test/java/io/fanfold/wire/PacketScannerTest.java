package io.fanfold.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;

class PacketScannerTest {
    @Test
    void stopsAtThePacketsEnd() {
        ByteBuf bytes = Unpooled.wrappedBuffer(new byte[] {2, 0, 0, 7, 10, 11, 1, 0, 0, 8, 12, 9});
        PacketScanner scanner = new PacketScanner(32);
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
        PacketScanner scanner = new PacketScanner(3);
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
        PacketScanner scanner = new PacketScanner(32);
        assertThat(scanner.scan(bytes, 0, 5)).isEqualTo(4);
        assertThat(scanner.complete()).isTrue();
        assertThat(scanner.payloadLength()).isZero();
    }

    @Test
    void continuedPacketsAreOne() {
        int full = PacketScanner.MAX_PAYLOAD;
        ByteBuf bytes = Unpooled.buffer(2 * full + 20);
        bytes.writeMediumLE(full).writeByte(0).writeByte(5).writeZero(full - 1);
        bytes.writeMediumLE(full).writeByte(1).writeZero(full);
        bytes.writeMediumLE(0).writeByte(2);
        PacketScanner scanner = new PacketScanner(8);
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
}
