package io.fanfold.wire;

import io.fanfold.config.BackendConfig.ProxyProtocol;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.StringJoiner;

/** Writes a {@link ProxyHeader}. */
public final class ProxyHeaderWriter {
    private static final int IPV4 = 4;
    private static final int IPV6 = 16;

    private ProxyHeaderWriter() {}

    /**
     * Returns the bytes of a header.
     *
     * @param version {@link ProxyProtocol#OFF} returns no bytes
     * @param header its addresses are resolved
     */
    public static byte[] bytes(ProxyProtocol version, ProxyHeader header) {
        return switch (version) {
            case OFF -> new byte[0];
            case V1 -> text(header).getBytes(StandardCharsets.US_ASCII);
            case V2 -> binary(header);
        };
    }

    private static String text(ProxyHeader header) {
        if (!(header instanceof ProxyHeader.Client client)) {
            return "PROXY UNKNOWN\r\n";
        }
        int each = family(client);
        return "PROXY " + (each == IPV4 ? "TCP4 " : "TCP6 ") + text(address(client.source(), each)) + " "
                + text(address(client.destination(), each)) + " "
                + client.source().getPort() + " " + client.destination().getPort() + "\r\n";
    }

    private static byte[] binary(ProxyHeader header) {
        PayloadWriter out = new PayloadWriter().bytes(ProxyHeaderReader.BINARY);
        if (!(header instanceof ProxyHeader.Client client)) {
            return out.int1(0x20).int1(0).int2(0).toBytes();
        }
        int each = family(client);
        out.int1(0x21).int1(each == IPV4 ? 0x11 : 0x21);
        bigEndian(out, 2 * each + 4);
        out.bytes(address(client.source(), each)).bytes(address(client.destination(), each));
        bigEndian(out, client.source().getPort());
        bigEndian(out, client.destination().getPort());
        return out.toBytes();
    }

    private static void bigEndian(PayloadWriter out, int value) {
        out.int1(value >>> Byte.SIZE).int1(value & 0xff);
    }

    /** Returns the address length of the header, which has one family for both addresses. */
    private static int family(ProxyHeader.Client client) {
        return Math.max(
                client.source().getAddress().getAddress().length,
                client.destination().getAddress().getAddress().length);
    }

    /** @param length the header's address length; an IPv4 address in an IPv6 header is written as a mapped one */
    private static byte[] address(InetSocketAddress address, int length) {
        byte[] bytes = address.getAddress().getAddress();
        if (bytes.length == length) {
            return bytes;
        }
        byte[] mapped = new byte[IPV6];
        Arrays.fill(mapped, IPV6 - IPV4 - 2, IPV6 - IPV4, (byte) 0xff);
        System.arraycopy(bytes, 0, mapped, IPV6 - IPV4, IPV4);
        return mapped;
    }

    /** Unlike the Java runtime's text, without a zone. */
    private static String text(byte[] address) {
        boolean four = address.length == IPV4;
        StringJoiner text = new StringJoiner(four ? "." : ":");
        for (int i = 0; i < address.length; i += four ? 1 : 2) {
            text.add(
                    four
                            ? Integer.toString(address[i] & 0xff)
                            : Integer.toHexString((address[i] & 0xff) << 8 | address[i + 1] & 0xff));
        }
        return text.toString();
    }
}
