package io.fanfold.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class UnseenAnswerTest {
    private final UnseenAnswer unseen = new UnseenAnswer();

    private boolean asksBefore(String sql) {
        return before(sql, false).isPresent();
    }

    private Optional<byte[]> before(String sql, boolean prepare) {
        byte[] bytes = ("xx" + sql + "xx").getBytes(StandardCharsets.UTF_8);
        return unseen.before(bytes, 2, bytes.length - 4, prepare);
    }

    @Test
    void onlyAfterAFoldedAnswer() {
        assertThat(asksBefore("SELECT FOUND_ROWS()")).isFalse();
        unseen.folded(1);
        assertThat(asksBefore("SELECT FOUND_ROWS()")).isTrue();
        unseen.clear();
        assertThat(asksBefore("SELECT FOUND_ROWS()")).isFalse();
    }

    @Test
    void onlyForStatementsThatMayAsk() {
        unseen.folded(1);
        for (String sql : new String[] {
            "select found_rows()",
            "SHOW WARNINGS",
            "show count(*) errors",
            "SELECT @@warning_count",
            "SELECT ROW_COUNT()",
            "GET DIAGNOSTICS @n = NUMBER",
            "EXECUTE prepared_before",
            "Call a_procedure()"
        }) {
            assertThat(asksBefore(sql)).as(sql).isTrue();
        }
        assertThat(asksBefore("SELECT 1")).isFalse();
        assertThat(asksBefore("")).isFalse();
        assertThat(asksBefore("SELECT found_row")).isFalse();
    }

    @Test
    void remembersThatAPreparedStatementAsks() {
        unseen.folded(1);
        assertThat(unseen.beforeExecute()).isEmpty();
        unseen.clear();
        assertThat(before("SELECT FOUND_ROWS()", true)).isEmpty();
        unseen.folded(1);
        assertThat(unseen.beforeExecute()).isPresent();
        unseen.reset();
        unseen.folded(1);
        assertThat(unseen.beforeExecute()).isEmpty();
    }

    @Test
    void theQueryHasAsManyRowsAsTheAnswer() {
        assertThat(UnseenAnswer.query(0)).isEqualTo("SELECT 1 FROM DUAL WHERE 1=0");
        assertThat(UnseenAnswer.query(12)).contains("REPEAT(',1',11)");
    }
}
