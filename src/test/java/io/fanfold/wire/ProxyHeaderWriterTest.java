package io.fanfold.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.config.BackendConfig.ProxyProtocol;
import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProxyHeaderWriterTest {
    private static final String SIGNATURE = "0d0a0d0a000d0a515549540a";

    private static ProxyHeader client(String source, int port, String destination, int other) throws Exception {
        return new ProxyHeader.Client(
                new InetSocketAddress(InetAddress.getByName(source), port),
                new InetSocketAddress(InetAddress.getByName(destination), other));
    }

    private static String text(ProxyHeader header) {
        return new String(ProxyHeaderWriter.bytes(ProxyProtocol.V1, header), StandardCharsets.US_ASCII);
    }

    private static String hex(ProxyHeader header) {
        return HexFormat.of().formatHex(ProxyHeaderWriter.bytes(ProxyProtocol.V2, header));
    }

    @Test
    void writesText() throws Exception {
        assertThat(text(client("192.168.0.1", 56324, "192.168.0.11", 443)))
                .isEqualTo("PROXY TCP4 192.168.0.1 192.168.0.11 56324 443\r\n");
        assertThat(text(client("2001:db8::a1", 65535, "::1", 0)))
                .isEqualTo("PROXY TCP6 2001:db8:0:0:0:0:0:a1 0:0:0:0:0:0:0:1 65535 0\r\n");
        assertThat(text(client("fe80::1%1", 1, "fe80::2", 2)))
                .isEqualTo("PROXY TCP6 fe80:0:0:0:0:0:0:1 fe80:0:0:0:0:0:0:2 1 2\r\n");
        assertThat(text(client("10.1.2.3", 1, "2001:db8::2", 2)))
                .isEqualTo("PROXY TCP6 0:0:0:0:0:ffff:a01:203 2001:db8:0:0:0:0:0:2 1 2\r\n");
        assertThat(text(new ProxyHeader.Unknown())).isEqualTo("PROXY UNKNOWN\r\n");
    }

    @Test
    void writesBytes() throws Exception {
        assertThat(hex(client("192.168.0.1", 56324, "192.168.0.11", 443)))
                .isEqualTo(SIGNATURE + "2111000cc0a80001c0a8000bdc0401bb");
        assertThat(hex(client("2001:db8::1", 65535, "10.1.2.3", 258)))
                .isEqualTo(SIGNATURE + "21210024" + "20010db8000000000000000000000001"
                        + "00000000000000000000ffff0a010203" + "ffff0102");
        assertThat(hex(new ProxyHeader.Unknown())).isEqualTo(SIGNATURE + "20000000");
    }

    @Test
    void isReadAgain() throws Exception {
        for (ProxyHeader header : List.of(
                client("192.168.0.1", 56324, "192.168.0.11", 443),
                client("2001:db8::1", 65535, "10.1.2.3", 0),
                new ProxyHeader.Unknown())) {
            for (ProxyProtocol version : List.of(ProxyProtocol.V1, ProxyProtocol.V2)) {
                byte[] bytes = ProxyHeaderWriter.bytes(version, header);
                assertThat(ProxyHeaderReader.find(Unpooled.wrappedBuffer(bytes)))
                        .isEqualTo(new ProxyHeaderReader.HeaderResult.CompleteHeader(header, bytes.length));
            }
        }
    }

    @Test
    void writesNothingIfItIsOff() throws Exception {
        assertThat(ProxyHeaderWriter.bytes(ProxyProtocol.OFF, client("10.1.2.3", 1, "10.1.2.4", 2)))
                .isEmpty();
    }
}
