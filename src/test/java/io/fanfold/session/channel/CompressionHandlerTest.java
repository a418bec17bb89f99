package io.fanfold.session.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.session.Wire;
import io.fanfold.wire.Algorithm;
import io.fanfold.wire.Codec;
import io.fanfold.wire.ProtocolException;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledHeapByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CompressionHandlerTest {
    private static final byte[] LONG = new byte[1000];

    private record Frame(int sequence, int length, int size) {}

    private static EmbeddedChannel channel(Algorithm algorithm, boolean server) {
        return new EmbeddedChannel(new CompressionHandler(algorithm, server));
    }

    private static byte[] written(EmbeddedChannel channel, byte[] bytes) {
        return written(channel, Unpooled.wrappedBuffer(bytes));
    }

    private static byte[] written(EmbeddedChannel channel, ByteBuf bytes) {
        channel.writeOutbound(bytes);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
            all.writeBytes(ByteBufUtil.getBytes(out));
            out.release();
        }
        return all.toByteArray();
    }

    private static byte[] read(EmbeddedChannel channel, byte[] bytes) {
        channel.writeInbound(Unpooled.wrappedBuffer(bytes));
        return read(channel);
    }

    private static byte[] read(EmbeddedChannel channel) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (ByteBuf in = channel.readInbound(); in != null; in = channel.readInbound()) {
            all.writeBytes(ByteBufUtil.getBytes(in));
            in.release();
        }
        return all.toByteArray();
    }

    private static List<Frame> frames(byte[] bytes) {
        List<Frame> frames = new ArrayList<>();
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        while (in.isReadable()) {
            int length = in.readUnsignedMediumLE();
            Frame frame = new Frame(in.readUnsignedByte(), length, in.readUnsignedMediumLE());
            in.skipBytes(length);
            frames.add(frame);
        }
        return frames;
    }

    private static List<Integer> sequences(byte[] bytes) {
        return frames(bytes).stream().map(Frame::sequence).toList();
    }

    private static byte[] frame(int sequence, byte[] content) {
        return Wire.join(
                new byte[] {(byte) content.length, (byte) (content.length >> 8), 0, (byte) sequence, 0, 0, 0}, content);
    }

    @ParameterizedTest
    @EnumSource
    void packetsGoThereAndBackHoweverTheyAreCut(Algorithm algorithm) {
        EmbeddedChannel proxy = channel(algorithm, true);
        EmbeddedChannel server = channel(algorithm, false);
        byte[] packets =
                Wire.join(Wire.frame(0, LONG), Wire.frame(0, new byte[] {1}), Wire.frame(0, new byte[700_000]));
        byte[] compressed = written(proxy, packets);
        assertThat(compressed).hasSizeLessThan(10_000);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte part : compressed) {
            all.writeBytes(read(server, new byte[] {part}));
        }
        assertThat(all.toByteArray()).isEqualTo(packets);
        proxy.finishAndReleaseAll();
        server.finishAndReleaseAll();
    }

    @Test
    void theRestOfAnAnswerIsDeliveredWhenTheServerCloses() {
        EmbeddedChannel server = channel(Algorithm.ZLIB, true);
        byte[] answer = Wire.frame(1, LONG);
        server.config().setAutoRead(false);
        assertThat(read(server, frame(0, answer))).isEmpty();
        ChannelWrites.close(server);
        assertThat(read(server)).isEqualTo(answer);
        server.finishAndReleaseAll();
    }

    @Test
    void commandsOfAClientThatHasClosedAreDropped() {
        EmbeddedChannel client = channel(Algorithm.ZLIB, false);
        client.config().setAutoRead(false);
        assertThat(read(client, frame(0, Wire.frame(0, LONG)))).isEmpty();
        ChannelWrites.close(client);
        assertThat(read(client)).isEmpty();
        client.finishAndReleaseAll();
    }

    /** The answer to a command arrives while the next command is still being written. */
    @Test
    void anEarlierAnswerDoesNotCountInALaterCommand() {
        EmbeddedChannel proxy = channel(Algorithm.ZLIB, true);
        byte[] command = Wire.frame(0, LONG);
        assertThat(sequences(written(proxy, Wire.frame(0, new byte[] {0x0e})))).containsExactly(0);
        assertThat(sequences(written(proxy, Arrays.copyOf(command, 500)))).containsExactly(0);
        read(proxy, frame(1, Wire.frame(1, new byte[] {0})));
        assertThat(sequences(written(proxy, Arrays.copyOfRange(command, 500, command.length))))
                .containsExactly(1);
        read(proxy, frame(2, Wire.frame(2, new byte[] {0})));
        assertThat(sequences(written(proxy, command))).containsExactly(0);
        proxy.finishAndReleaseAll();
    }

    /** A few bytes may hold very many. They are decompressed only when they are requested. */
    @ParameterizedTest
    @EnumSource
    void nothingIsDecompressedThatNobodyReads(Algorithm algorithm) {
        EmbeddedChannel server = channel(algorithm, true);
        byte[] packets = Wire.join(
                Wire.frame(0, new byte[300_000]), Wire.frame(0, new byte[300_000]), Wire.frame(0, new byte[] {1}));
        byte[] frames = written(server, packets);
        int count = frames(frames).size();
        assertThat(count).isGreaterThan(4);
        EmbeddedChannel proxy = channel(algorithm, false);
        List<Integer> completed = new ArrayList<>();
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        proxy.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                context.channel().config().setAutoRead(false);
                context.fireChannelRead(message);
            }

            @Override
            public void channelReadComplete(ChannelHandlerContext context) {
                completed.add(proxy.inboundMessages().size());
            }
        });
        proxy.writeInbound(Unpooled.wrappedBuffer(frames));
        for (int i = 1; i <= count; i++) {
            assertThat(proxy.inboundMessages()).hasSize(1);
            ByteBuf content = proxy.readInbound();
            all.writeBytes(ByteBufUtil.getBytes(content));
            content.release();
            assertThat(completed).hasSize(i);
            proxy.config().setAutoRead(true);
            // a turn that follows others, and the task that it queues
            proxy.runPendingTasks();
            proxy.runPendingTasks();
        }
        assertThat(all.toByteArray()).isEqualTo(packets);
        assertThat(proxy.inboundMessages()).isEmpty();
        proxy.finishAndReleaseAll();
        server.finishAndReleaseAll();
    }

    /** A frame of a few kilobytes holds megabytes. Only the requested bytes are decompressed. */
    @ParameterizedTest
    @EnumSource
    void aLargeFrameIsDecompressedInPieces(Algorithm algorithm) {
        byte[] packets = Wire.frame(0, new byte[3_000_000]);
        EmbeddedChannel proxy = channel(algorithm, false);
        proxy.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                context.channel().config().setAutoRead(false);
                context.fireChannelRead(message);
            }
        });
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        int pieces = 0;
        proxy.writeInbound(Unpooled.wrappedBuffer(wholeFrame(algorithm, packets)));
        for (ByteBuf piece = proxy.readInbound(); piece != null; piece = proxy.readInbound()) {
            assertThat(piece.readableBytes()).isLessThanOrEqualTo(1 << 18);
            assertThat(proxy.inboundMessages()).isEmpty();
            all.writeBytes(ByteBufUtil.getBytes(piece));
            piece.release();
            pieces++;
            proxy.config().setAutoRead(true);
            // a turn that follows others, and the task that it queues
            proxy.runPendingTasks();
            proxy.runPendingTasks();
        }
        assertThat(all.toByteArray()).isEqualTo(packets);
        assertThat(pieces).isGreaterThan(10);
        proxy.finishAndReleaseAll();
    }

    /** It announces more bytes than it holds. */
    @ParameterizedTest
    @EnumSource
    void aFrameThatHoldsLessIsAnError(Algorithm algorithm) {
        EmbeddedChannel proxy = channel(algorithm, false);
        byte[] frame = wholeFrame(algorithm, new byte[3_000_000]);
        frame[6]++;
        assertThatThrownBy(() -> {
                    proxy.writeInbound(Unpooled.wrappedBuffer(frame));
                    for (int turn = 0; turn < 1000; turn++) {
                        proxy.runPendingTasks();
                        proxy.checkException();
                    }
                })
                .hasMessageContaining("a compressed frame cannot be read");
        proxy.finishAndReleaseAll();
    }

    private static byte[] wholeFrame(Algorithm algorithm, byte[] content) {
        try (Codec codec = algorithm.codec()) {
            byte[] compressed = codec.compress(content, 0, content.length);
            ByteBuf frame = Unpooled.buffer();
            frame.writeMediumLE(compressed.length).writeByte(0).writeMediumLE(content.length);
            return ByteBufUtil.getBytes(frame.writeBytes(compressed));
        }
    }

    @Test
    void shortAndNoisyContentIsNotCompressed() {
        EmbeddedChannel proxy = channel(Algorithm.ZLIB, true);
        assertThat(frames(written(proxy, Wire.frame(0, new byte[40])))).containsExactly(new Frame(0, 44, 0));
        byte[] noise = new byte[1000];
        new Random(3).nextBytes(noise);
        assertThat(frames(written(proxy, Wire.frame(0, noise)))).containsExactly(new Frame(0, 1004, 0));
        assertThat(frames(written(proxy, Wire.frame(0, LONG))).get(0).size()).isEqualTo(1004);
        proxy.finishAndReleaseAll();
    }

    /** Each command starts a new sequence, even if a client sends it before the last one is answered. */
    @Test
    void commandsBeginAnew() {
        EmbeddedChannel proxy = channel(Algorithm.ZLIB, true);
        byte[] two = Wire.join(Wire.frame(0, LONG), Wire.frame(0, new byte[] {0x0e}));
        assertThat(sequences(written(proxy, two))).containsExactly(0, 0);
        assertThat(sequences(written(proxy, Wire.frame(0, new byte[600_000])))).containsExactly(0, 1, 2);
        read(proxy, frame(3, Wire.frame(1, new byte[] {(byte) 0xfb, 'f'})));
        assertThat(sequences(written(proxy, Wire.frame(2, LONG))))
                .as("a file's bytes")
                .containsExactly(4);
        assertThat(sequences(written(proxy, Wire.frame(3, new byte[0])))).containsExactly(5);
        proxy.finishAndReleaseAll();
    }

    /** A file of more than 256 packets has some with the sequence id of a command. */
    @Test
    void aFilesPacketsAreNoCommands() {
        EmbeddedChannel proxy = channel(Algorithm.ZLIB, true);
        written(proxy, Wire.frame(0, LONG));
        read(proxy, frame(1, Wire.frame(1, new byte[] {(byte) 0xfb, 'f'})));
        int expected = 2;
        for (int i = 2; i < 600; i++) {
            assertThat(sequences(written(proxy, Wire.frame(i & 0xff, new byte[60]))))
                    .containsExactly(expected++ & 0xff);
        }
        proxy.finishAndReleaseAll();
    }

    @Test
    void anAnswerContinuesTheSequenceOfItsCommand() {
        EmbeddedChannel client = channel(Algorithm.ZLIB, false);
        read(client, Wire.join(frame(0, Arrays.copyOf(Wire.frame(0, LONG), 500)), frame(1, new byte[504])));
        assertThat(sequences(written(client, Wire.frame(1, LONG)))).containsExactly(2);
        for (int i = 2; i < 600; i++) {
            assertThat(sequences(written(client, Wire.frame(i & 0xff, new byte[60]))))
                    .containsExactly(i + 1 & 0xff);
        }
        read(client, frame(0, Wire.frame(0, new byte[] {0x0e})));
        assertThat(sequences(written(client, Wire.frame(1, LONG)))).containsExactly(1);
        proxyAnswersTwo(client);
        client.finishAndReleaseAll();
    }

    private static void proxyAnswersTwo(EmbeddedChannel client) {
        read(client, Wire.join(frame(0, Wire.frame(0, LONG)), frame(0, Wire.frame(0, LONG))));
        byte[] answers = Wire.join(Wire.frame(1, LONG), Wire.frame(2, LONG), Wire.frame(1, LONG));
        assertThat(sequences(written(client, answers)))
                .as("two commands at once")
                .containsExactly(1, 1);
    }

    /** If both sides use the same compression. */
    @Test
    void relayedFramesAreNotCompressedAgain() {
        byte[] answer = Wire.frame(1, LONG);
        // at a different level from the proxy's
        byte[] content = deflated(answer);
        byte[] compressed = Wire.join(
                new byte[] {(byte) content.length, 0, 0, 1, (byte) answer.length, (byte) (answer.length >> 8), 0},
                content);
        EmbeddedChannel server = channel(Algorithm.ZLIB, true);
        for (Algorithm algorithm : Algorithm.values()) {
            EmbeddedChannel client = channel(algorithm, false);
            read(client, frame(0, Wire.frame(0, new byte[] {1})));
            server.writeInbound(Unpooled.wrappedBuffer(compressed));
            byte[] out = written(client, server.<ByteBuf>readInbound());
            if (algorithm == Algorithm.ZLIB) {
                assertThat(Arrays.copyOfRange(out, 4, out.length))
                        .isEqualTo(Arrays.copyOfRange(compressed, 4, compressed.length));
            } else {
                assertThat(out[7]).as("another magic number").isEqualTo((byte) 0x28);
            }
            client.finishAndReleaseAll();
        }
        server.finishAndReleaseAll();
    }

    /** The proxy replaces the statement id inside a command. */
    @Test
    void aCommandChangedByTheProxyIsSentAsChanged() {
        byte[] command = Wire.frame(0, LONG);
        EmbeddedChannel client = channel(Algorithm.ZLIB, false);
        client.writeInbound(Unpooled.wrappedBuffer(written(channel(Algorithm.ZLIB, true), command)));
        ByteBuf content = client.readInbound();
        content.setIntLE(5, 17);
        EmbeddedChannel proxy = channel(Algorithm.ZLIB, true);
        command[5] = 17;
        assertThat(read(channel(Algorithm.ZLIB, false), written(proxy, content)))
                .isEqualTo(command);
        client.finishAndReleaseAll();
        proxy.finishAndReleaseAll();
    }

    private static byte[] deflated(byte[] bytes) {
        Deflater deflater = new Deflater(1);
        try {
            deflater.setInput(bytes);
            deflater.finish();
            byte[] out = new byte[200];
            return Arrays.copyOf(out, deflater.deflate(out));
        } finally {
            deflater.end();
        }
    }

    @Test
    void damageIsAnErrorAndNoMoreIsRead() {
        EmbeddedChannel proxy = channel(Algorithm.ZLIB, true);
        byte[] damaged = written(channel(Algorithm.ZLIB, false), Wire.frame(1, LONG));
        damaged[10] ^= 0x7f;
        assertThatThrownBy(() -> read(proxy, damaged))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining("compressed frame");
        assertThat(read(proxy, damaged)).isEmpty();
        proxy.finishAndReleaseAll();
    }

    /** Each of very many commands needs its own frame, so the frames need far more memory than was first reserved. */
    @Test
    void framesAreGivenBackWhenThereIsNoMemory() {
        List<ByteBuf> given = new ArrayList<>();
        EmbeddedChannel proxy = channel(Algorithm.ZLIB, true);
        proxy.config().setAllocator(new AbstractByteBufAllocator() {
            @Override
            protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
                ByteBuf buffer = new UnpooledHeapByteBuf(this, initialCapacity, initialCapacity);
                given.add(buffer);
                return buffer;
            }

            @Override
            protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
                return newHeapBuffer(initialCapacity, maxCapacity);
            }

            @Override
            public boolean isDirectBufferPooled() {
                return false;
            }
        });
        byte[] pings = new byte[5 * 1000];
        for (int i = 0; i < pings.length; i += 5) {
            pings[i] = 1;
            pings[i + 4] = 0x0e;
        }
        ByteBuf bytes = Unpooled.wrappedBuffer(pings);
        assertThatThrownBy(() -> proxy.writeOutbound(bytes)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(given).isNotEmpty().allMatch(buffer -> buffer.refCnt() == 0);
        assertThat(bytes.refCnt()).isZero();
        proxy.finishAndReleaseAll();
    }
}
