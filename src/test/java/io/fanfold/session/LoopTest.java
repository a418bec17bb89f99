package io.fanfold.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.config.FanfoldConfig;
import io.fanfold.execute.FanOutDispatcher;
import io.fanfold.it.support.proxy.PlainProxy;
import io.fanfold.wire.ServerPacket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A proxy whose server is the proxy itself, for example because a name resolves to it only after the start. */
class LoopTest {
    @Test
    void aProxyThatConnectsToItselfSaysSoAndStops() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        FanfoldConfig config = PlainProxy.config(
                        PlainProxy.anyPort().withPort(port), PlainProxy.before("localhost", port))
                .withLimits(RelayFixture.limits(200, Duration.ofSeconds(30)));
        PlainProxy proxy = PlainProxy.start(config, FanOutDispatcher.disabled());
        try {
            for (int i = 0; i < 20; i++) {
                try (Wire client = Wire.connect(port)) {
                    ServerPacket.Err error =
                            ServerPacket.Err.decode(client.read().payload());
                    // a loop that is not found ends at the limit of sessions, with another error
                    assertThat(error.code()).isEqualTo(1158);
                    assertThat(error.message())
                            .isEqualTo("Fanfold: the server's address localhost:" + port
                                    + " leads to this proxy itself; set backend.host and backend.port");
                }
            }
            Awaitility.await().until(() -> proxy.server().sessions() == 0);
        } finally {
            proxy.close();
        }
    }
}
