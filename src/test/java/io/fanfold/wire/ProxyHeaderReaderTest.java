package io.fanfold.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fanfold.wire.ProxyHeaderReader.HeaderResult;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProxyHeaderReaderTest {
    private static final String SIGNATURE = "0d0a0d0a000d0a515549540a";
    private static final byte[] REST = {1, 2, 3};

    private static HeaderResult find(byte[] bytes) throws ProtocolException {
        return ProxyHeaderReader.find(Unpooled.wrappedBuffer(bytes));
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] hex(String digits) {
        return HexFormat.of().parseHex(digits.replace(" ", ""));
    }

    private static byte[] join(byte[] first, byte[] second) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(first);
        all.writeBytes(second);
        return all.toByteArray();
    }

    private static InetSocketAddress at(String address, int port) throws Exception {
        return new InetSocketAddress(InetAddress.getByName(address), port);
    }

    /** Every prefix of the header is incomplete, and bytes after it are ignored. */
    private static void isRead(byte[] header, ProxyHeader expected) throws ProtocolException {
        for (int length = 0; length < header.length; length++) {
            assertThat(find(Arrays.copyOf(header, length)))
                    .as("%s bytes", length)
                    .isEqualTo(length < 4 ? new HeaderResult.Undecided() : new HeaderResult.Begun());
        }
        assertThat(find(header)).isEqualTo(new HeaderResult.CompleteHeader(expected, header.length));
        assertThat(find(join(header, REST))).isEqualTo(new HeaderResult.CompleteHeader(expected, header.length));
    }

    @Test
    void readsText() throws Exception {
        isRead(
                ascii("PROXY TCP4 192.168.0.1 192.168.0.11 56324 443\r\n"),
                new ProxyHeader.Client(at("192.168.0.1", 56324), at("192.168.0.11", 443)));
        isRead(
                ascii("PROXY TCP6 2001:db8::1 ::1 65535 0\r\n"),
                new ProxyHeader.Client(at("2001:db8::1", 65535), at("::1", 0)));
        isRead(
                ascii("PROXY TCP6 ::ffff:10.1.2.3 2001:db8::2 1 2\r\n"),
                new ProxyHeader.Client(at("10.1.2.3", 1), at("2001:db8::2", 2)));
        isRead(ascii("PROXY UNKNOWN\r\n"), new ProxyHeader.Unknown());
        String longest = "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff";
        byte[] header = ascii("PROXY UNKNOWN " + longest + " " + longest + " 65535 65535\r\n");
        assertThat(header).hasSize(ProxyHeaderReader.MOST_TEXT);
        isRead(header, new ProxyHeader.Unknown());
    }

    @Test
    void readsBytes() throws Exception {
        isRead(
                hex(SIGNATURE + "21 11 000c c0a80001 c0a8000b dc04 01bb"),
                new ProxyHeader.Client(at("192.168.0.1", 56324), at("192.168.0.11", 443)));
        isRead(
                hex(SIGNATURE
                        + "21 21 0024 20010db8000000000000000000000001 00000000000000000000000000000001 ffff 0000"),
                new ProxyHeader.Client(at("2001:db8::1", 65535), at("::1", 0)));
        isRead(
                hex(SIGNATURE + "21 11 0010 c0a80001 c0a8000b dc04 01bb 04 0001 00"),
                new ProxyHeader.Client(at("192.168.0.1", 56324), at("192.168.0.11", 443)));
        isRead(
                join(hex(SIGNATURE + "21 11 0800 c0a80001 c0a8000b dc04 01bb"), new byte[2048 - 12]),
                new ProxyHeader.Client(at("192.168.0.1", 56324), at("192.168.0.11", 443)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"20 00 0000", "20 11 0002 aaaa", "21 00 0000", "21 12 0000", "21 22 0000", "21 31 0003 616263"})
    void keepsThePeerIfNoClientIsNamed(String rest) throws Exception {
        isRead(hex(SIGNATURE + rest), new ProxyHeader.Unknown());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "PROXX",
                "PROXY\r\n",
                "PROXY  TCP4 1.2.3.4 1.2.3.4 1 2\r\n",
                "PROXY TCP4\r\n",
                "PROXY TCP5 1.2.3.4 1.2.3.4 1 2\r\n",
                "PROXY TCP4 1.2.3.4 1.2.3.4 1\r\n",
                "PROXY TCP4 1.2.3.4 1.2.3.4 1 2 3\r\n",
                "PROXY TCP4 1.2.3.4 1.2.3.4 1 2\n",
                "PROXY TCP4 1.2.3.4 1.2.3.4 1 2\r\r\n",
                "PROXY TCP4 1.2.3.4 1.2.3.4 1 65536\r\n",
                "PROXY TCP4 1.2.3.4 1.2.3.4 -1 2\r\n",
                "PROXY TCP4 1.2.3.4 1.2.3.4 1 \r\n",
                "PROXY TCP4 1.2.3 1.2.3.4 1 2\r\n",
                "PROXY TCP4 ::1 ::1 1 2\r\n",
                "PROXY TCP6 1.2.3.4 1.2.3.4 1 2\r\n",
                "PROXY TCP6 fe80::1%lo ::1 1 2\r\n",
                "PROXY TCP4 name.example 1.2.3.4 1 2\r\n",
            })
    void refusesMalformedText(String header) {
        assertThatExceptionOfType(ProtocolException.class).isThrownBy(() -> find(ascii(header)));
    }

    @Test
    void refusesALineWithoutAnEndAsSoonAsItIsTooLong() throws Exception {
        byte[] line = ascii("PROXY UNKNOWN " + "x".repeat(100));
        assertThat(find(Arrays.copyOf(line, ProxyHeaderReader.MOST_TEXT - 1))).isEqualTo(new HeaderResult.Begun());
        assertThatExceptionOfType(ProtocolException.class)
                .isThrownBy(() -> find(Arrays.copyOf(line, ProxyHeaderReader.MOST_TEXT)))
                .withMessage("its line does not end within 107 bytes");
    }

    @ParameterizedTest
    @CsvSource({
        "0d0a0d0a01,                                  it goes on otherwise than it begins",
        "0d0a0d0a000d0a515549540b,                    it goes on otherwise than it begins",
        "0d0a0d0a000d0a515549540a 11 11 000c,         its version and command are 0x11",
        "0d0a0d0a000d0a515549540a 22 11 000c,         its version and command are 0x22",
        "0d0a0d0a000d0a515549540a 21 11 0801,         it claims 2049 bytes",
        "0d0a0d0a000d0a515549540a 20 00 ffff,         it claims 65535 bytes",
        "0d0a0d0a000d0a515549540a 21 41 0000,         its family is 0x41",
        "0d0a0d0a000d0a515549540a 21 11 000b c0a80001c0a8000bdc0401, its addresses do not fit into the 11 bytes that it claims",
        "0d0a0d0a000d0a515549540a 21 21 0000,         its addresses do not fit into the 0 bytes that it claims",
    })
    void refusesMalformedBytes(String header, String why) {
        assertThatExceptionOfType(ProtocolException.class)
                .isThrownBy(() -> find(hex(header)))
                .withMessage(why);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"00", "50 00", "50 52 4f 01", "50 52 00", "0d 0a 0d 01", "0d 0a 00 0a", "20 00 00 01 0d a2 3a 00"
            })
    void aPacketIsNoHeader(String bytes) throws Exception {
        assertThat(find(hex(bytes))).isEqualTo(new HeaderResult.Absent());
    }

    /** The version 1 headers with which Netty tests its own reader (HAProxyMessageDecoderTest). */
    @Test
    void readsNettysVectorsOfText() throws Exception {
        isRead(
                ascii("PROXY TCP6 2001:0db8:85a3:0000:0000:8a2e:0370:7334 1050:0:0:0:5:600:300c:326b 56324 443\r\n"),
                new ProxyHeader.Client(
                        at("2001:db8:85a3:0:0:8a2e:370:7334", 56324), at("1050:0:0:0:5:600:300c:326b", 443)));
        isRead(ascii("PROXY UNKNOWN 192.168.0.1 192.168.0.11 56324 443\r\n"), new ProxyHeader.Unknown());
        assertThat(find(ascii("PROXY TCP4 192.168.0.1 192.168.0.11 56324"))).isEqualTo(new HeaderResult.Begun());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "PROXY UDP4 192.168.0.1 192.168.0.11 56324 443\r\n",
                "PROXY TCP4 192.168.0.1 192.168.0.11 80000 443\r\n",
                "PROXY TCP4 299.168.0.1 192.168.0.11 56324 443\r\n",
                "PROXY TCP6 r001:0db8:85a3:0000:0000:8a2e:0370:7334 1050:0:0:0:5:600:300c:326b 56324 443\r\n",
                "PROXY TCP7 192.168.0.1 192.168.0.11 56324 443\r\n",
                "PROXY TCP4 192.168.0.1 192.168.0.11 56324\r\n",
                "PROXY TCP4 192.168.0.1 192.168.0.11 56324 443 123\r\n",
                "PROXY TCP4 192.168.0.1 192.168.0.11 56324 443\nGET / HTTP/1.1\r\n",
                "PROXY TCP4 192.168.0.1 192.168.0.11 56324 "
                        + "00000000000000000000000000000000000000000000000000000000000000000443\r\n",
            })
    void refusesTextThatNettyRefuses(String header) {
        assertThatExceptionOfType(ProtocolException.class).isThrownBy(() -> find(ascii(header)));
    }

    /**
     * Netty refuses these as headers. Here such a peer is a client without a header, and the bytes are its first
     * packet.
     */
    @ParameterizedTest
    @ValueSource(strings = {"PING TCP4 192.168.0.1 192.168.0.11 56324 443\r\n", "GET / HTTP/1.1\r\n", "Invalid header"})
    void treatsTextsThatNettyRefusesAsNoHeader(String start) throws Exception {
        assertThat(find(ascii(start))).isEqualTo(new HeaderResult.Absent());
    }

    /**
     * The version 2 headers from the same test. Netty also returns addresses of Unix sockets and datagrams, which no
     * server uses.
     */
    @Test
    void readsNettysVectorsOfBytes() throws Exception {
        String two = "c0a80001 c0a8000b dc04 01bb";
        ProxyHeader.Client client = new ProxyHeader.Client(at("192.168.0.1", 56324), at("192.168.0.11", 443));
        isRead(hex(SIGNATURE + "21 11 000c" + two), client);
        isRead(
                hex(SIGNATURE
                        + "21 21 0024 20010db885a3000000008a2e03707334 10500000000000000005 0600300c326b dc04 01bb"),
                new ProxyHeader.Client(
                        at("2001:db8:85a3:0:0:8a2e:370:7334", 56324), at("1050:0:0:0:5:600:300c:326b", 443)));
        isRead(hex(SIGNATURE + "21 12 000c" + two), new ProxyHeader.Unknown());
        isRead(hex(SIGNATURE + "20 00 000c" + two), new ProxyHeader.Unknown());
        isRead(hex(SIGNATURE + "21 00 000c" + two), new ProxyHeader.Unknown());
        byte[] sockets = new byte[216];
        System.arraycopy(ascii("/var/run/src.sock"), 0, sockets, 0, 17);
        System.arraycopy(ascii("/var/run/dest.sock"), 0, sockets, 108, 18);
        isRead(join(hex(SIGNATURE + "21 31 00d8"), sockets), new ProxyHeader.Unknown());
        isRead(join(hex(SIGNATURE + "21 31 00dc"), join(sockets, hex("01 0001 01"))), new ProxyHeader.Unknown());
        // the client's TLS: version and name, nested in another TLV
        isRead(
                hex(SIGNATURE + "21 11 0023 7f000001 7f000001 c9a6 0759"
                        + "20 0014 05 00000000 21 0005 544c537631 22 0004 4c454146"),
                new ProxyHeader.Client(at("127.0.0.1", 51622), at("127.0.0.1", 1881)));
        // Netty's test allows nothing after the addresses
        isRead(join(hex(SIGNATURE + "21 11 00e8" + two), new byte[232 - 12]), client);
        assertThat(find(hex(SIGNATURE + "21"))).isEqualTo(new HeaderResult.Begun());
        assertThat(find(hex(SIGNATURE))).isEqualTo(new HeaderResult.Begun());
        assertThat(find(hex("0d0a0d0a000d0a"))).isEqualTo(new HeaderResult.Begun());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "21 41 000c c0a80001 c0a8000b dc04 01bb",
                "21 11 000a c0a80001 c0a8000b dc04",
                "22 11 000c c0a80001 c0a8000b dc04 01bb",
                "31 11 000c c0a80001 c0a8000b dc04 01bb",
            })
    void refusesBytesThatNettyRefuses(String rest) {
        assertThatExceptionOfType(ProtocolException.class).isThrownBy(() -> find(hex(SIGNATURE + rest)));
    }

    @Test
    void recognizesAHeaderInPlaceOfAPacket() {
        assertThat(ProxyHeaderReader.isPacketHeader(0x4f5250, 'X')).isTrue();
        assertThat(ProxyHeaderReader.isPacketHeader(0x0d0a0d, '\n')).isTrue();
        assertThat(ProxyHeaderReader.isPacketHeader(0x4f5250, '\n')).isFalse();
        assertThat(ProxyHeaderReader.isPacketHeader(0x0d0a0e, '\n')).isFalse();
        assertThat(ProxyHeaderReader.isPacketHeader(0x0d0a0d, 1)).isFalse();
    }
}
