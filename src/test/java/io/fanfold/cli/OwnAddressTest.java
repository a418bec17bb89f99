package io.fanfold.cli;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.HostPort;
import java.net.InetAddress;
import java.net.NetworkInterface;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OwnAddressTest {
    private static FanfoldConfig config(String listener, int port, String backend, int backendPort) {
        FanfoldConfig defaults = FanfoldConfig.defaults();
        return new FanfoldConfig(
                defaults.listener().at(listener, port),
                defaults.backend().at(backend, backendPort),
                defaults.workers(),
                defaults.fanOut(),
                defaults.limits());
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, 127.0.0.1",
        "127.0.0.1, localhost",
        "localhost, 127.0.0.1",
        "0.0.0.0, 127.0.0.1",
        "0.0.0.0, localhost",
        "0.0.0.0, 0.0.0.0",
        "127.0.0.1, 0.0.0.0",
        "'::', 127.0.0.1",
        "'::', '::1'",
        "'::1', '::1'",
        "0.0.0.0, '::ffff:127.0.0.1'",
    })
    void aServerThatIsTheListenerIsRefused(String listener, String backend) {
        assertThatThrownBy(() -> OwnAddress.refuse(config(listener, 3307, backend, 3307)))
                .isInstanceOf(OwnAddress.LoopException.class)
                .hasMessageStartingWith("backend " + new HostPort(backend, 3307) + " leads to Fanfold's own listener, "
                        + new HostPort(listener, 3307));
    }

    @Test
    void anAddressOfThisMachineIsOneOfAListenerOnAll() throws Exception {
        for (NetworkInterface network : NetworkInterface.networkInterfaces().toList()) {
            for (InetAddress address : network.inetAddresses().toList()) {
                assertThatThrownBy(() -> OwnAddress.refuse(config("0.0.0.0", 3307, address.getHostAddress(), 3307)))
                        .isInstanceOf(OwnAddress.LoopException.class);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, 3307, 127.0.0.1, 3306",
        "127.0.0.1, 3307, 127.0.0.2, 3307",
        "127.0.0.1, 3306, 192.0.2.1, 3306",
        "0.0.0.0, 3306, 192.0.2.1, 3306",
        "127.0.0.1, 3306, no-such-host.invalid, 3306",
        "127.0.0.1, 0, 127.0.0.1, 3306",
    })
    void anotherServerIsNot(String listener, int port, String backend, int backendPort) {
        assertThatCode(() -> OwnAddress.refuse(config(listener, port, backend, backendPort)))
                .doesNotThrowAnyException();
    }
}
