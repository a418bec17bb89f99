package io.fanfold.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.config.BackendConfig.ProxyProtocol;
import io.fanfold.config.LimitsConfig;
import io.fanfold.config.ListenerConfig;
import io.fanfold.config.Network;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;

/** PROXY protocol headers at the beginning of connections to the server. */
class SentProxyHeaderTest {
    private static final byte[] TEXT = ascii("PROXY TCP4 203.0.113.7 192.168.0.11 56324 443\r\n");
    private static final byte[] BINARY =
            HexFormat.of().parseHex("0d0a0d0a000d0a515549540a2111000ccb007107c0a8000bdc0401bb");

    private final BlockingQueue<byte[]> headers = new LinkedBlockingQueue<>();

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Greets only after it has received this number of bytes. */
    private ScriptedServer.Script after(int bytes) {
        return client -> {
            headers.add(client.exactly(bytes));
            ScriptedServer.login(client);
            client.read();
        };
    }

    /** Greets only after it has received a line. */
    private final ScriptedServer.Script afterLine = client -> {
        StringBuilder line = new StringBuilder();
        while (line.indexOf("\n") < 0) {
            line.append((char) client.exactly(1)[0]);
        }
        headers.add(ascii(line.toString()));
        ScriptedServer.login(client);
        client.read();
    };

    private static RelayFixture relay(ScriptedServer.Script script, ProxyProtocol sent, String... networks)
            throws Exception {
        return relay(script, sent, RelayFixture.limits(100, Duration.ofSeconds(30)), networks);
    }

    private static RelayFixture relay(
            ScriptedServer.Script script, ProxyProtocol sent, LimitsConfig limits, String... networks)
            throws Exception {
        List<Network> taken = Arrays.stream(networks)
                .map(text -> Network.parse(text).orElseThrow())
                .toList();
        return new RelayFixture(
                script, new ListenerConfig("127.0.0.1", 0, 100, Duration.ZERO).withProxyNetworks(taken), limits, sent);
    }

    private static void login(Wire client) throws Exception {
        client.read();
        client.write(1, RelayFixture.response(RelayFixture.CLIENT));
        assertThat(client.read().payload()).isEqualTo(ScriptedServer.OK);
    }

    @Test
    void theHeaderNamesTheClientBeforeTheGreeting() throws Exception {
        try (RelayFixture relay = relay(afterLine, ProxyProtocol.V1);
                Wire client = relay.connect()) {
            login(client);
            assertThat(new String(headers.take(), StandardCharsets.US_ASCII))
                    .isEqualTo("PROXY TCP4 127.0.0.1 127.0.0.1 " + client.localPort() + " "
                            + relay.proxy().port() + "\r\n");
        }
        try (RelayFixture relay = relay(after(28), ProxyProtocol.V2);
                Wire client = relay.connect()) {
            login(client);
            assertThat(headers.take())
                    .isEqualTo(HexFormat.of()
                            .parseHex("0d0a0d0a000d0a515549540a2111000c7f0000017f000001%04x%04x"
                                    .formatted(client.localPort(), relay.proxy().port())));
        }
    }

    @Test
    void theHeaderOfThePeerIsForwarded() throws Exception {
        for (byte[] header : List.of(TEXT, BINARY)) {
            try (RelayFixture relay = relay(afterLine, ProxyProtocol.V1, "127.0.0.1");
                    Wire client = relay.connect()) {
                for (byte part : header) {
                    client.raw(new byte[] {part});
                }
                login(client);
                assertThat(headers.take()).isEqualTo(TEXT);
            }
            try (RelayFixture relay = relay(after(BINARY.length), ProxyProtocol.V2, "127.0.0.1");
                    Wire client = relay.connect()) {
                client.raw(header);
                login(client);
                assertThat(headers.take()).isEqualTo(BINARY);
            }
        }
    }

    @Test
    void theHeaderNamesThePeerIfItsOwnHeaderNamesNoClient() throws Exception {
        try (RelayFixture relay = relay(afterLine, ProxyProtocol.V1, "127.0.0.1");
                Wire client = relay.connect()) {
            client.raw(ascii("PROXY UNKNOWN\r\n"));
            login(client);
            assertThat(new String(headers.take(), StandardCharsets.US_ASCII))
                    .isEqualTo("PROXY TCP4 127.0.0.1 127.0.0.1 " + client.localPort() + " "
                            + relay.proxy().port() + "\r\n");
        }
    }

    @Test
    void aPeerWithoutItsRequiredHeaderIsRefused() throws Exception {
        LimitsConfig limits = RelayFixture.limits(100, Duration.ofMillis(300));
        try (RelayFixture relay = relay(afterLine, ProxyProtocol.V1, limits, "127.0.0.1");
                Wire client = relay.connect()) {
            assertThat(new String(client.read().payload(), StandardCharsets.UTF_8))
                    .endsWith("Fanfold: the client sent no PROXY protocol header within 300 ms"
                            + " (limits.handshake-timeout)");
            assertThat(client.atEnd()).isTrue();
        }
        try (RelayFixture relay = relay(afterLine, ProxyProtocol.V1, "127.0.0.1");
                Wire client = relay.connect()) {
            client.write(1, RelayFixture.response(RelayFixture.CLIENT));
            assertThat(new String(client.read().payload(), StandardCharsets.UTF_8))
                    .endsWith("Bad handshake: the client sent bytes before the greeting");
            assertThat(client.atEnd()).isTrue();
        }
    }
}
