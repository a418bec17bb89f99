package io.fanfold.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostPortTest {
    @ParameterizedTest
    @CsvSource({"localhost:3306,localhost,3306", "10.0.0.1:0,10.0.0.1,0", "[::1]:65535,::1,65535"})
    void readsAndWrites(String text, String host, int port) {
        HostPort address = HostPort.parse(text);
        assertThat(address).isEqualTo(new HostPort(host, port));
        assertThat(address).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "host", "host:", ":3306", "host:x", "host:65536", "host:-1", "::1:3306", "[host]:1"})
    void refusesOtherTexts(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HostPort.parse(text))
                .withMessage("'" + text + "' (expected: host:port, with a port of 0..65535)");
    }
}
