package io.fanfold.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Detects and reads a {@link ProxyHeader} at the start of a client's bytes. */
public final class ProxyHeaderReader {
    /** The longest header of version 1, line end included. */
    static final int MOST_TEXT = 107;

    /**
     * The largest accepted length after the fixed part of a version 2 header; far more than its addresses and all known
     * extensions need.
     */
    static final int MOST_BINARY = 2048;

    private static final byte[] TEXT = "PROXY ".getBytes(StandardCharsets.US_ASCII);
    static final byte[] BINARY = "\r\n\r\n\0\r\nQUIT\n".getBytes(StandardCharsets.US_ASCII);

    /** Length of the fixed part of version 2: signature, version and command, family, length. */
    private static final int FIXED = 16;

    private static final int IPV4 = 4;
    private static final int IPV6 = 16;
    private static final int MOST_PORT = 65_535;

    private ProxyHeaderReader() {}

    /** The result of inspecting the first bytes of a connection. */
    public sealed interface HeaderResult {
        /** Too few bytes to decide. */
        record Undecided() implements HeaderResult {}

        /** No header. */
        record Absent() implements HeaderResult {}

        /** An incomplete header. */
        record Begun() implements HeaderResult {}

        /** @param length the header's length in bytes */
        record CompleteHeader(ProxyHeader header, int length) implements HeaderResult {}
    }

    /**
     * Inspects the first bytes. The fourth byte decides: in a client's first packet it is the sequence id. Neither
     * header has a value there that this packet may have. A MariaDB server distinguishes them in the same way.
     *
     * @param bytes borrowed; its indices do not move
     * @throws ProtocolException if it is a header that is malformed or too long
     */
    public static HeaderResult find(ByteBuf bytes) throws ProtocolException {
        byte[] start = ByteBufUtil.getBytes(
                bytes, bytes.readerIndex(), Math.min(bytes.readableBytes(), FIXED + MOST_BINARY), true);
        boolean text = agree(start, TEXT, PacketCodec.HEADER);
        if (!text && !agree(start, BINARY, PacketCodec.HEADER)) {
            return new HeaderResult.Absent();
        }
        if (start.length < PacketCodec.HEADER) {
            return new HeaderResult.Undecided();
        }
        if (!agree(start, text ? TEXT : BINARY, FIXED)) {
            throw new ProtocolException("it goes on otherwise than it begins");
        }
        return text ? text(start) : binary(start);
    }

    /**
     * Whether a packet's header is in fact the start of a PROXY protocol header. No packet of a login has such a
     * header. A server may accept a PROXY header before any packet of a login, not only before the first.
     *
     * @param payloadLength the length in the packet's header
     */
    public static boolean isPacketHeader(long payloadLength, int sequence) {
        return isPacketHeader(payloadLength, sequence, TEXT) || isPacketHeader(payloadLength, sequence, BINARY);
    }

    private static boolean isPacketHeader(long payloadLength, int sequence, byte[] signature) {
        return sequence == signature[3]
                && payloadLength == (signature[0] | signature[1] << Byte.SIZE | signature[2] << 2 * Byte.SIZE);
    }

    /** Whether both have the same bytes, up to the shorter length and at most {@code most}. */
    private static boolean agree(byte[] start, byte[] signature, int most) {
        int length = Math.min(most, Math.min(start.length, signature.length));
        return Arrays.equals(start, 0, length, signature, 0, length);
    }

    private static HeaderResult text(byte[] start) throws ProtocolException {
        int most = Math.min(start.length, MOST_TEXT);
        int end = 0;
        while (end < most && start[end] != '\n') {
            end++;
        }
        if (end == most) {
            if (most < MOST_TEXT) {
                return new HeaderResult.Begun();
            }
            throw new ProtocolException("its line does not end within " + MOST_TEXT + " bytes");
        }
        if (start[end - 1] != '\r') {
            throw new ProtocolException("its line does not end with CR and LF");
        }
        String line = new String(start, 0, end - 1, StandardCharsets.ISO_8859_1);
        return new HeaderResult.CompleteHeader(ofWords(line.split(" ", -1)), end + 1);
    }

    private static ProxyHeader ofWords(String[] words) throws ProtocolException {
        String family = words[1];
        if (family.equals("UNKNOWN")) {
            return new ProxyHeader.Unknown();
        }
        boolean four = family.equals("TCP4");
        if (!four && !family.equals("TCP6") || words.length != 6) {
            throw new ProtocolException("its line is none of version 1");
        }
        int length = four ? IPV4 : IPV6;
        return new ProxyHeader.Client(
                new InetSocketAddress(address(words[2], length), port(words[4])),
                new InetSocketAddress(address(words[3], length), port(words[5])));
    }

    private static InetAddress address(String word, int length) throws ProtocolException {
        boolean plain = word.chars().allMatch(c -> c == '.' || c == ':' || Character.digit(c, 16) >= 0);
        byte[] bytes = plain ? NetUtil.createByteArrayFromIpAddressString(word) : null;
        if (bytes == null || bytes.length != length) {
            throw new ProtocolException("it holds no address of its family");
        }
        return address(bytes);
    }

    private static InetAddress address(byte[] bytes) throws ProtocolException {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new ProtocolException("it holds no address");
        }
    }

    private static int port(String word) throws ProtocolException {
        boolean digits = !word.isEmpty() && word.length() <= 5 && word.chars().allMatch(c -> c >= '0' && c <= '9');
        int port = digits ? Integer.parseInt(word) : -1;
        if (port < 0 || port > MOST_PORT) {
            throw new ProtocolException("it holds no port");
        }
        return port;
    }

    private static HeaderResult binary(byte[] start) throws ProtocolException {
        if (start.length < FIXED) {
            return new HeaderResult.Begun();
        }
        int command = start[12] & 0xff;
        if (command != 0x20 && command != 0x21) {
            throw new ProtocolException("its version and command are 0x" + Integer.toHexString(command));
        }
        int length = int2(start, FIXED - 2);
        if (length > MOST_BINARY) {
            throw new ProtocolException("it claims " + length + " bytes");
        }
        if (start.length < FIXED + length) {
            return new HeaderResult.Begun();
        }
        ProxyHeader header = command == 0x20 ? new ProxyHeader.Unknown() : ofFamily(start, length);
        return new HeaderResult.CompleteHeader(header, FIXED + length);
    }

    private static ProxyHeader ofFamily(byte[] start, int length) throws ProtocolException {
        int family = start[13] & 0xff;
        return switch (family) {
            case 0x11 -> client(start, length, IPV4);
            case 0x21 -> client(start, length, IPV6);
            // unspecified, datagrams, and Unix sockets
            case 0x00, 0x12, 0x22, 0x31, 0x32 -> new ProxyHeader.Unknown();
            default -> throw new ProtocolException("its family is 0x" + Integer.toHexString(family));
        };
    }

    private static ProxyHeader client(byte[] start, int length, int each) throws ProtocolException {
        if (length < 2 * each + 4) {
            throw new ProtocolException("its addresses do not fit into the " + length + " bytes that it claims");
        }
        int ports = FIXED + 2 * each;
        return new ProxyHeader.Client(
                new InetSocketAddress(address(Arrays.copyOfRange(start, FIXED, FIXED + each)), int2(start, ports)),
                new InetSocketAddress(address(Arrays.copyOfRange(start, FIXED + each, ports)), int2(start, ports + 2)));
    }

    private static int int2(byte[] bytes, int at) {
        return (bytes[at] & 0xff) << 8 | bytes[at + 1] & 0xff;
    }
}
