package io.fanfold.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.config.HostPort;
import org.junit.jupiter.api.Test;

class HaProxyRelayTest {
    @Test
    void relaysTcpAndNothingElse() {
        assertThat(HaProxyRelay.settings(4711, new HostPort("127.0.0.1", 3306), ""))
                .contains("mode tcp\n", "  bind 127.0.0.1:4711\n", "  server server 127.0.0.1:3306 \n");
    }
}
