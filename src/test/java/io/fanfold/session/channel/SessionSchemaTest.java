package io.fanfold.session.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.wire.CommandCode;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SessionSchemaTest {
    private final SessionSchema schema = new SessionSchema("me", "shop");

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

    @ParameterizedTest
    @ValueSource(strings = {"/* driver 1.0 */SELECT 1", " /*a*/ /**/\n/* use */ SELECT 1", "/*+ hint */ SELECT 1"})
    void aCommentChangesNothing(String text) {
        query(text);
        assertThat(schema.name()).isEqualTo("shop");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/* c */USE x",
                "/*!USE x*/",
                "/*M!USE x*/",
                "/* c */ /*!40000 USE x*/",
                "/* no end",
                "/*",
                "/* c */",
                "-- c\nUSE x"
            })
    void anyTextThatMayHideAUseMakesTheSchemaUnknown(String text) {
        query(text);
        assertThat(schema.name()).isNull();
    }

    @Test
    void namesTheUserOfTheLastLogin() {
        assertThat(schema.sessionName(12)).isEqualTo("session 12 of me in shop");
        byte[] change = "\u0011you\0rest".getBytes(StandardCharsets.UTF_8);
        schema.sent(change, CommandCode.CHANGE_USER, -1);
        assertThat(schema.user()).isEqualTo("you");
        assertThat(schema.sessionName(12)).isEqualTo("session 12 of you");
        schema.is("a\nb");
        assertThat(schema.sessionName(12)).isEqualTo("session 12 of you in a?b");
    }
}
