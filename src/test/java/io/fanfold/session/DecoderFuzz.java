package io.fanfold.session;

import io.fanfold.binlog.ChangeFuzz;
import io.fanfold.session.channel.QueryText;
import io.fanfold.session.handshake.AuthPackets;
import io.fanfold.session.handshake.PasswordExchange;
import io.fanfold.tls.RsaKeys;
import io.fanfold.wire.Algorithm;
import io.fanfold.wire.AuthResponse;
import io.fanfold.wire.Capability;
import io.fanfold.wire.Codec;
import io.fanfold.wire.CommandExchange;
import io.fanfold.wire.Conversation;
import io.fanfold.wire.ExecuteCommand;
import io.fanfold.wire.PacketCodec;
import io.fanfold.wire.ProtocolException;
import io.fanfold.wire.ProxyHeaderReader;
import io.fanfold.wire.SequenceRule;
import io.fanfold.wire.ServerPacket;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Map;

/**
 * Runs every reader of a peer's bytes on arbitrary bytes. A reader may refuse them with a {@link ProtocolException} and
 * must not fail otherwise. The first byte selects the reader, the second one some of its settings.
 */
public final class DecoderFuzz {
    private static final long[] CAPABILITIES = {
        0,
        Capability.DEPRECATE_EOF,
        Capability.QUERY_ATTRIBUTES,
        Capability.PLUGIN_AUTH | Capability.SECURE_CONNECTION,
        Capability.PLUGIN_AUTH | Capability.PLUGIN_AUTH_LENENC_DATA | Capability.CONNECT_WITH_DB,
        Capability.OPTIONAL_RESULTSET_METADATA | Capability.DEPRECATE_EOF,
        Capability.MARIADB_EXTENDED_METADATA | Capability.MARIADB_CACHE_METADATA | Capability.MARIADB_PROGRESS,
        -1
    };

    /** The reader of events of a binary log. */
    static final int CHANGES = 16;

    private static final int READERS = 17;

    private static final int MOST_CONTENT = 1 << 16;

    private DecoderFuzz() {}

    /** The entry point that Jazzer calls. */
    public static void fuzzerTestOneInput(byte[] data) {
        if (data.length < 2) {
            return;
        }
        byte[] input = Arrays.copyOfRange(data, 2, data.length);
        long capabilities = CAPABILITIES[data[1] & 7];
        try {
            read((data[0] & 0xff) % READERS, data[1] & 0xff, input, capabilities);
        } catch (ProtocolException e) {
            // refused
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void read(int reader, int circumstances, byte[] input, long capabilities) throws IOException {
        switch (reader) {
            case 0 -> {
                ServerPacket.Greeting.decode(input);
                ServerPacket.Greeting.withCapabilities(input, Capability.SSL, Capability.COMPRESS);
            }
            case 1 -> ServerPacket.Ok.decode(input);
            case 2 -> ServerPacket.Err.decode(input);
            case 3 -> ServerPacket.column(input, capabilities);
            case 4 -> ServerPacket.PrepareOk.decode(input);
            case 5 -> {
                AuthResponse response = AuthResponse.ofHandshake(input, AuthResponse.capabilities(input));
                response.with(new byte[circumstances]);
                AuthResponse.withCompression(AuthResponse.withTls(input, true), Capability.ZSTD_COMPRESSION);
            }
            case 6 -> AuthResponse.ofChangeUser(input, capabilities).with(new byte[] {1});
            case 7 -> {
                ExecuteCommand command = execution(input, circumstances >> 3, capabilities);
                command.withTypes();
                command.read();
            }
            case 8 -> {
                // after one byte, which is the value sent before
                byte[] sent = Arrays.copyOf(input, Math.min(1, input.length));
                byte[] rest = Arrays.copyOfRange(input, sent.length, input.length);
                ExecuteCommand command = execution(rest, circumstances >> 3, capabilities);
                command.withLongData(Map.of((circumstances >> 3) / 2, sent)).read();
            }
            case 9 -> {
                ByteBuf bytes = Unpooled.wrappedBuffer(input);
                ProxyHeaderReader.find(bytes);
            }
            case 10, 11 -> follow(input, capabilities);
            case 12 -> QueryText.offset(input, capabilities);
            case 13 -> decompress(input, circumstances);
            case 14 -> authenticate(input, circumstances);
            case 15 -> packets(input);
            default -> ChangeFuzz.read(input, circumstances);
        }
    }

    private static ExecuteCommand execution(byte[] input, int parameters, long capabilities) throws ProtocolException {
        return ExecuteCommand.decode(input, parameters, capabilities, new byte[2 * parameters]);
    }

    /** Reads commands and packets in turn, each preceded by one byte with its length. */
    private static void follow(byte[] input, long capabilities) throws ProtocolException {
        Conversation conversation = new Conversation(capabilities, 2, SequenceRule.UNCHECKED, packet -> {});
        int at = 0;
        while (at < input.length) {
            boolean command = (input[at] & 0x80) != 0;
            int length = Math.min(input[at] & 0x7f, input.length - at - 1);
            byte[] payload = Arrays.copyOfRange(input, at + 1, at + 1 + length);
            if (command) {
                conversation.sent(
                        CommandExchange.of(payload, CommandExchange.Audience.CLIENT, CommandExchange.Observer.NONE));
            } else {
                byte[] framed = new byte[PacketCodec.framedLength(payload.length)];
                PacketCodec.frame(payload, framed, 0, 1);
                conversation.received(Unpooled.wrappedBuffer(framed), ByteBuf::release);
            }
            at += 1 + length;
        }
    }

    private static void decompress(byte[] input, int circumstances) throws ProtocolException {
        try (Codec codec = (circumstances & 1) == 0 ? Algorithm.ZLIB.codec() : Algorithm.ZSTD.codec()) {
            int size = Math.min(MOST_CONTENT, input.length * (circumstances >> 1));
            codec.decompress(input, 0, input.length, size);
        } catch (IOException e) {
            throw new ProtocolException(String.valueOf(e.getMessage()));
        }
    }

    private static void authenticate(byte[] input, int circumstances) {
        PasswordExchange exchange = new PasswordExchange(
                (circumstances & 1) != 0, (circumstances & 2) != 0, (circumstances & 4) != 0, () -> RsaKeys.of(null));
        String[] plugins = {"caching_sha2_password", "sha256_password", "mysql_native_password", "x"};
        exchange.begin(plugins[circumstances >> 3 & 3], new byte[circumstances >> 5], new byte[1]);
        int at = 0;
        while (at < input.length) {
            int length = Math.min(input[at] & 0x7f, input.length - at - 1);
            byte[] payload = Arrays.copyOfRange(input, at + 1, at + 1 + length);
            if ((input[at] & 0x80) != 0) {
                exchange.fromClient(payload);
            } else {
                exchange.fromServer(payload);
            }
            at += 1 + length;
        }
    }

    /** Reads whole packets in pieces, whose length is the first byte. */
    private static void packets(byte[] input) throws ProtocolException {
        if (input.length == 0) {
            return;
        }
        AuthPackets packets = new AuthPackets(0);
        PacketCodec.Reader scanner = new PacketCodec.Reader(10);
        int step = Math.max(1, input[0] & 0x3f);
        try {
            for (int from = 1; from < input.length; from += step) {
                byte[] piece = Arrays.copyOfRange(input, from, Math.min(input.length, from + step));
                ByteBuf bytes = Unpooled.wrappedBuffer(piece);
                int at = 0;
                while (at < piece.length) {
                    at = scanner.scan(bytes, at, piece.length);
                }
                packets.add(UnpooledByteBufAllocator.DEFAULT, bytes);
                byte[] payload = packets.next();
                while (payload != null) {
                    payload = packets.next();
                }
            }
        } finally {
            packets.release();
        }
    }
}
