package io.fanfold.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.row.Row;
import io.fanfold.wire.Capability;
import io.fanfold.wire.PacketCodec;
import io.fanfold.wire.ServerPacket;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which rows are passed on as packets, and which are left for a look at them. */
class PacketForwardTest {
    private static final int PLENTY = 1 << 20;
    private static final int FIRST_ID = 254;
    private static final int COLUMNS = 2;

    private final List<byte[]> sent = new ArrayList<>();

    private static byte[] row(String... values) {
        return Row.ofValues(Arrays.stream(values)
                        .map(value -> value.getBytes(StandardCharsets.US_ASCII))
                        .toList())
                .payload();
    }

    /** Reads a result of these payloads: what is passed on, and then what is not, until the end or an exception. */
    private List<String> read(int most) throws Exception {
        PacketChannel channel = channel(FIRST_ID, FIRST_ID);
        ReplyReader replies = new ReplyReader(channel, Capability.DEPRECATE_EOF, 0);
        List<String> seen = new ArrayList<>();
        for (boolean more = true; more; ) {
            int rows = replies.forward(COLUMNS, most, (buffer, from, to, count) -> seen.add(packets(buffer, from, to)));
            if (rows == 0) {
                Row row = replies.row(COLUMNS);
                seen.add(row == null ? "end" : "row " + row);
                more = row != null;
            }
        }
        return seen;
    }

    private static String packets(byte[] bytes, int from, int to) {
        List<String> rows = new ArrayList<>();
        for (int at = from; at < to; at = PacketCodec.end(bytes, at)) {
            byte[] payload = Arrays.copyOfRange(bytes, at + PacketCodec.HEADER, PacketCodec.end(bytes, at));
            rows.add(Row.of(payload, COLUMNS).toString());
        }
        return String.join(" ", rows);
    }

    @Test
    void rowsInTheBufferArePassedOnTogether() throws Exception {
        Stream.of("a", "b", "c", "d").forEach(value -> sent.add(row(value, "")));
        sent.add(new byte[] {(byte) 0xfb, (byte) 0xfb});
        sent.add(ServerPacket.Ok.encode(ServerPacket.EOF, 0, 0));
        assertThat(read(PLENTY)).containsExactly("a| b| c| d| NULL|NULL", "end");
    }

    @Test
    void noMoreBytesThanWantedArePassedOnAtOnce() throws Exception {
        Stream.of("a", "b", "c", "d").forEach(value -> sent.add(row(value, value)));
        sent.add(ServerPacket.Ok.encode(ServerPacket.EOF, 0, 0));
        int two = 2 * (PacketCodec.HEADER + 4);
        assertThat(read(two)).containsExactly("a|a b|b", "c|c d|d", "end");
        assertThat(read(two - 1)).containsExactly("a|a", "b|b", "c|c", "d|d", "end");
        assertThat(read(7)).containsExactly("row a|a", "row b|b", "row c|c", "row d|d", "end");
    }

    /** A row that begins with a long value looks like the end of the answer. */
    @Test
    void rowsThatMayBeSomethingElseAreLookedAt() throws Exception {
        String medium = "m".repeat(300);
        String large = "x".repeat(70_000);
        sent.add(row("a", "a"));
        sent.add(row(medium, medium));
        sent.add(row(large, "y"));
        sent.add(row("b", "b"));
        sent.add(ServerPacket.Ok.encode(ServerPacket.EOF, 0, 0));
        assertThat(read(PLENTY)).containsExactly("a|a " + medium + "|" + medium, "row " + large + "|y", "b|b", "end");
    }

    @Test
    void whatIsNoRowIsNotPassedOn() throws Exception {
        byte[] good = row("a", "a");
        for (byte[] odd : List.of(
                row("a"),
                row("a", "b", "c"),
                new byte[] {1, 'a', 2, 'a'},
                new byte[] {1, 'a', (byte) 0xfc, 1},
                new byte[] {1, 'a', (byte) 0xff},
                new byte[] {1, 'a', 0, 0},
                new byte[] {})) {
            sent.clear();
            sent.addAll(List.of(good, good, odd, good));
            PacketChannel channel = channel(0, 0);
            ReplyReader replies = new ReplyReader(channel, Capability.DEPRECATE_EOF, 0);
            List<String> seen = new ArrayList<>();
            assertThat(replies.forward(COLUMNS, PLENTY, (bytes, from, to, count) -> seen.add(packets(bytes, from, to))))
                    .as(Arrays.toString(odd))
                    .isEqualTo(2);
            assertThat(seen).containsExactly("a|a a|a");
            assertThat(replies.forward(COLUMNS, PLENTY, (bytes, from, to, count) -> seen.add("more")))
                    .isZero();
        }
    }

    @Test
    void aPacketOutOfItsOrderIsNotPassedOn() throws Exception {
        sent.addAll(List.of(row("a", "a"), row("b", "b")));
        PacketChannel channel = channel(0, 1);
        ReplyReader replies = new ReplyReader(channel, Capability.DEPRECATE_EOF, 0);
        assertThat(replies.forward(COLUMNS, PLENTY, (bytes, from, to, count) -> {}))
                .isZero();
    }

    /** A channel that has these packets in its buffer. */
    private PacketChannel channel(int firstId, int awaitedId) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int sequence = firstId;
        for (byte[] payload : sent) {
            byte[] framed = new byte[PacketCodec.framedLength(payload.length)];
            sequence = PacketCodec.frame(payload, framed, 0, sequence);
            bytes.writeBytes(framed);
        }
        PacketChannel channel = new PacketChannel(
                new ByteArrayInputStream(bytes.toByteArray()), OutputStream.nullOutputStream(), PLENTY);
        channel.sequence(awaitedId);
        assertThat(channel.await()).isTrue();
        return channel;
    }
}
