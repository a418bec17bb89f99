package io.fanfold.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.protocol.CommandCode;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SessionSchemaTest {
    private final SessionSchema schema = new SessionSchema("shop");

    private void query(String text) {
        byte[] payload = ("\u0003" + text).getBytes(StandardCharsets.UTF_8);
        schema.sent(payload, CommandCode.QUERY, 1);
    }

    @Test
    void isThatOfTheLoginUntilItMayHaveChanged() {
        assertThat(schema.name()).isEqualTo("shop");
        query("SELECT 1");
        query("INSERT INTO t VALUES (1)");
        schema.sent(new byte[] {CommandCode.PING}, CommandCode.PING, -1);
        assertThat(schema.name()).isEqualTo("shop");
        schema.sent(new byte[] {CommandCode.INIT_DB, 'x'}, CommandCode.INIT_DB, -1);
        assertThat(schema.name()).isNull();
        schema.is("stock");
        assertThat(schema.name()).isEqualTo("stock");
    }

    @ParameterizedTest
    @ValueSource(strings = {"USE x", "use x", " \n\tUse `x`", "/* a */ USE x", "-- a\nUSE x", "#a\nUSE x", ""})
    void isNotKnownAfterAUse(String text) {
        query(text);
        assertThat(schema.name()).isNull();
    }
}
