package io.fanfold.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProxyStatementTest {
    private static Optional<ProxyStatement> read(String text) {
        byte[] bytes = ("\u0003" + text).getBytes(StandardCharsets.UTF_8);
        return ProxyStatement.of(bytes, 1, bytes.length - 1);
    }

    private static String explained(String text) {
        byte[] bytes = ("\u0003" + text).getBytes(StandardCharsets.UTF_8);
        ProxyStatement.Explain found = (ProxyStatement.Explain) read(text).orElseThrow();
        return (found.analyze() ? "run, " : "")
                + found.format()
                + ": "
                + new String(bytes, found.explained(), bytes.length - found.explained(), StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "EXPLAIN FORMAT=FANFOLD SELECT 1              | TABLE: SELECT 1",
                "\" explain\n/* why? */ Format = Fanfold(SELECT 1)\" | TABLE: (SELECT 1)",
                "EXPLAIN FORMAT=FANFOLD                       | \"TABLE: \"",
                "DESC FORMAT=fanfold_json SELECT 1            | JSON: SELECT 1",
                "DESCRIBE FORMAT = FANFOLD SELECT 1           | TABLE: SELECT 1",
                "EXPLAIN ANALYZE FORMAT=FANFOLD SELECT 1      | run, TABLE: SELECT 1",
                "analyze format=FANFOLD_JSON SELECT 1         | run, JSON: SELECT 1"
            })
    void theExplainedStatementFollowsTheFormat(String text, String expected) {
        assertThat(explained(text)).isEqualTo(expected);
    }

    @Test
    void showHasTheRestOfItsText() {
        assertThat(read("SHOW FANFOLD STATUS LIKE 'a%' ")).contains(new ProxyStatement.Show("STATUS LIKE 'a%'"));
        assertThat(read("/* x */ show /* y */ Fanfold")).contains(new ProxyStatement.Show(""));
    }

    @Test
    void settingsAreSetAndReloaded() {
        assertThat(read("SET FANFOLD fan-out.mode = off "))
                .contains(new ProxyStatement.SetVariable("fan-out.mode = off"));
        assertThat(read("set/**/fanfold")).contains(new ProxyStatement.SetVariable(""));
        assertThat(read("# x\nReload Fanfold;")).contains(new ProxyStatement.Reload(";"));
        assertThat(read("PURGE /* x */ fanfold REUSE")).contains(new ProxyStatement.Purge("REUSE"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET @fanfold = 1",
                "SET GLOBAL fanfold = 1",
                "SET fanfolds = 1",
                "SETFANFOLD x = 1",
                "RELOAD",
                "RELOAD FANFOLDS",
                "",
                "EXPLAIN",
                "EXPLAIN SELECT 1",
                "EXPLAIN FORMAT",
                "EXPLAIN FORMAT=",
                "EXPLAIN FORMAT=JSON SELECT 1",
                "EXPLAIN FORMAT=FANFOLDS SELECT 1",
                "EXPLAIN FORMAT=FANFOLD_JSONS SELECT 1",
                "ANALYZE TABLE format",
                "FORMAT=FANFOLD SELECT 1",
                "SHOW FANFOLDS",
                "SHOW STATUS",
                "EXPLAINFORMAT=FANFOLD SELECT 1",
                "DESCRIBE t",
                "/*! EXPLAIN */ FORMAT=FANFOLD SELECT 1"
            })
    void allOtherStatementsAreTheServers(String text) {
        assertThat(read(text)).isEmpty();
    }
}
