package io.fanfold.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Socket;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.api.Test;

class KeepAliveTest {
    private static final Set<SocketOption<?>> ALL = Set.of(
            ExtendedSocketOptions.TCP_KEEPIDLE,
            ExtendedSocketOptions.TCP_KEEPINTERVAL,
            ExtendedSocketOptions.TCP_KEEPCOUNT);

    @Test
    void asksThreeTimesTenSecondsApart() {
        assertThat(KeepAlive.times(Duration.ofSeconds(60), ALL))
                .isEqualTo(Map.of(
                        ExtendedSocketOptions.TCP_KEEPIDLE,
                        60,
                        ExtendedSocketOptions.TCP_KEEPINTERVAL,
                        10,
                        ExtendedSocketOptions.TCP_KEEPCOUNT,
                        3));
    }

    @Test
    void shortTimesAreWholeSecondsAndAskAsOften() {
        assertThat(KeepAlive.times(Duration.ofMillis(1_001), ALL))
                .containsEntry(ExtendedSocketOptions.TCP_KEEPIDLE, 2)
                .containsEntry(ExtendedSocketOptions.TCP_KEEPINTERVAL, 2);
    }

    @Test
    void zeroLeavesTheTimesToThePlatform() {
        assertThat(KeepAlive.times(Duration.ZERO, ALL)).isEmpty();
    }

    @Test
    void asksForNothingThatThePlatformLacks() {
        assertThat(KeepAlive.times(Duration.ofSeconds(60), Set.of())).isEmpty();
        assertThat(KeepAlive.times(Duration.ofSeconds(60), Set.of(ExtendedSocketOptions.TCP_KEEPCOUNT)))
                .containsOnlyKeys(ExtendedSocketOptions.TCP_KEEPCOUNT);
    }

    @Test
    void socketsHaveTheConfiguredTimes() throws Exception {
        try (Socket socket = new Socket();
                SocketChannel any = SocketChannel.open()) {
            Map<SocketOption<Integer>, Integer> times =
                    KeepAlive.times(Duration.ofSeconds(47), socket.supportedOptions());
            assertThat(times)
                    .as("both kinds of sockets")
                    .isEqualTo(KeepAlive.times(Duration.ofSeconds(47), any.supportedOptions()));

            KeepAlive.set(socket, Duration.ofSeconds(47));

            assertThat(socket.getOption(StandardSocketOptions.SO_KEEPALIVE)).isTrue();
            for (Map.Entry<SocketOption<Integer>, Integer> time : times.entrySet()) {
                assertThat(socket.getOption(time.getKey()))
                        .as("%s", time.getKey())
                        .isEqualTo(time.getValue());
            }
        }
    }
}
