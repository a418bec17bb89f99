package io.fanfold.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.fanfold.config.BackendConfig;
import io.fanfold.config.BackendConfig.ProxyProtocol;
import io.fanfold.config.WorkersConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** PROXY protocol headers of worker connections, and of the connections that kill statements. */
class WireProxyHeaderTest {
    /** Returns the first bytes that a server receives before it has greeted. */
    private static byte[] first(ProxyProtocol version, int count, boolean kills) throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            listener.setSoTimeout(20_000);
            CompletableFuture<byte[]> read = CompletableFuture.supplyAsync(() -> {
                try (Socket socket = listener.accept()) {
                    socket.setSoTimeout(20_000);
                    return socket.getInputStream().readNBytes(count);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            WireSettings settings = WireSettings.of(
                    new BackendConfig("127.0.0.1", listener.getLocalPort(), Duration.ofSeconds(20), Duration.ZERO)
                            .withProxyProtocol(version),
                    null,
                    WorkersConfig.defaults());
            WireSettings used = kills
                    ? settings.withTimeouts(Duration.ofSeconds(20), Duration.ofSeconds(1))
                            .at(new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort()))
                    : settings;
            assertThatIOException().isThrownBy(() -> WireConnection.open(used));
            return read.join();
        }
    }

    @Test
    void theyAreTheProxysOwn() throws Exception {
        for (boolean kills : new boolean[] {false, true}) {
            assertThat(first(ProxyProtocol.V1, 15, kills))
                    .isEqualTo("PROXY UNKNOWN\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(first(ProxyProtocol.V2, 16, kills))
                    .isEqualTo(HexFormat.of().parseHex("0d0a0d0a000d0a515549540a20000000"));
        }
    }
}
