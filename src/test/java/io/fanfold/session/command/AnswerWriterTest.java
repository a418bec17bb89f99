package io.fanfold.session.command;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.execute.ClientConnection.ResultSetHeader;
import io.fanfold.row.Row;
import io.fanfold.wire.Capability;
import io.fanfold.wire.PacketCodec;
import io.fanfold.wire.ServerPacket;
import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Rows that are written one by one and as packets, and what the client reads. */
class AnswerWriterTest {
    private static final int FIRST_ID = 250;

    private final EmbeddedChannel client = new EmbeddedChannel();
    private final List<Long> answered = new ArrayList<>();

    @AfterEach
    void close() {
        client.finishAndReleaseAll();
    }

    private AnswerWriter writer() {
        AnswerWriter.AnswerEnding ending = new AnswerWriter.AnswerEnding() {
            @Override
            public void answered(long rows) {
                answered.add(rows);
            }

            @Override
            public void failed(ServerPacket.Err error) {
                throw new IllegalStateException("failed");
            }

            @Override
            public void clientTooSlow() {
                throw new IllegalStateException("too slow");
            }
        };
        return new AnswerWriter(
                ending,
                client,
                new WriteBackpressure(client, Duration.ofSeconds(20)),
                Capability.DEPRECATE_EOF,
                0,
                FIRST_ID,
                new ResultSetHeader(List.of(new byte[] {1}), 0, Optional.empty()));
    }

    private static byte[] row(String value) {
        return Row.ofValues(List.of(value.getBytes(US_ASCII))).payload();
    }

    private static byte[] packets(List<String> values) {
        ByteArrayOutputStream packets = new ByteArrayOutputStream();
        for (String value : values) {
            byte[] payload = row(value);
            byte[] framed = new byte[PacketCodec.framedLength(payload.length)];
            PacketCodec.frame(payload, framed, 0, 77);
            packets.writeBytes(framed);
        }
        return packets.toByteArray();
    }

    /** The payloads that the client has received, whose ids follow each other. */
    private List<byte[]> received() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (ByteBuf bytes = client.readOutbound(); bytes != null; bytes = client.readOutbound()) {
            byte[] copy = new byte[bytes.readableBytes()];
            bytes.readBytes(copy).release();
            all.writeBytes(copy);
        }
        byte[] bytes = all.toByteArray();
        List<byte[]> payloads = new ArrayList<>();
        int id = FIRST_ID;
        for (int at = 0; at < bytes.length; at = PacketCodec.end(bytes, at)) {
            assertThat(PacketCodec.sequence(bytes, at)).isEqualTo(id);
            id = PacketCodec.after(id);
            payloads.add(Arrays.copyOfRange(bytes, at + PacketCodec.HEADER, PacketCodec.end(bytes, at)));
        }
        return payloads;
    }

    @Test
    void packetsGetTheIdsOfThisAnswer() throws Exception {
        AnswerWriter answer = writer();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            // more than one chunk together, and the last ones larger than a chunk
            List<String> run =
                    List.of("a" + i, "", "b".repeat(i * 30), "c".repeat(i < 58 ? 1 : 60_000), "d".repeat(i * 90));
            byte[] packets = packets(run);
            answer.packets(packets, 0, packets.length, run.size());
            expected.addAll(run);
            answer.row(row("row " + i));
            expected.add("row " + i);
        }
        byte[] two = packets(List.of("left", "taken", "left"));
        answer.packets(two, 9, 9 + 10, 1);
        expected.add("taken");
        answer.end();
        client.runPendingTasks();

        List<byte[]> payloads = received();
        assertThat(payloads.subList(2, payloads.size() - 1).stream()
                        .map(payload -> Row.of(payload, 1).toString()))
                .isEqualTo(expected);
        assertThat(answered).containsExactly((long) expected.size());
    }
}
