package io.fanfold.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpConfigTest {
    private static final Secret TOKEN = new Secret("Zm9yIHRlc3RzIG9ubHk=");

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "LocalHost", "127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"})
    void loopback(String host) {
        assertThat(HttpConfig.isLoopback(host)).isTrue();
        assertThat(HttpConfig.defaults().on(host, 80, "test").enabled()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::", "10.1.2.3", "localhost.example", "db", "", "127.0.0.1.example"})
    void notLoopback(String host) {
        assertThat(HttpConfig.isLoopback(host)).isFalse();
        assertThatExceptionOfType(ConfigException.class)
                .isThrownBy(() -> HttpConfig.defaults().on(host, 80, "--http"))
                .withMessage("--http: '" + host
                        + "' is not a loopback address, and there is neither a token nor a client CA (expected:"
                        + " http.token-env, http.token-file or http.tls.client-ca as well, or 127.0.0.1)");
        assertThat(HttpConfig.defaults().withToken(TOKEN).on(host, 80, "test").host())
                .isEqualTo(host);
    }

    @Test
    void theTokenIsNotShown() {
        assertThat(HttpConfig.defaults().withToken(TOKEN).toString()).doesNotContain(TOKEN.reveal());
    }
}
