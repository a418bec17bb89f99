package io.fanfold.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProxyStatementTest {
    private static Optional<String> explained(String text) {
        byte[] bytes = ("\u0003" + text).getBytes(StandardCharsets.UTF_8);
        return ProxyStatement.of(bytes, 1, bytes.length - 1)
                .map(found ->
                        new String(bytes, found.explained(), bytes.length - found.explained(), StandardCharsets.UTF_8));
    }

    @Test
    void theStatementFollowsTheFormat() {
        assertThat(explained("EXPLAIN FORMAT=FANFOLD SELECT 1")).contains("SELECT 1");
        assertThat(explained(" explain\n/* why? */ Format = Fanfold(SELECT 1)")).contains("(SELECT 1)");
        assertThat(explained("EXPLAIN FORMAT=FANFOLD")).contains("");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "EXPLAIN",
                "EXPLAIN SELECT 1",
                "EXPLAIN FORMAT",
                "EXPLAIN FORMAT=",
                "EXPLAIN FORMAT=JSON SELECT 1",
                "EXPLAIN FORMAT=FANFOLDS SELECT 1",
                "EXPLAINFORMAT=FANFOLD SELECT 1",
                "DESCRIBE t",
                "/*! EXPLAIN */ FORMAT=FANFOLD SELECT 1"
            })
    void allOtherStatementsAreTheServers(String text) {
        assertThat(explained(text)).isEmpty();
    }
}
