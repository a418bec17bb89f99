package io.fanfold.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.sql.KillStatement.KillTarget;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KillStatementTest {
    private static Optional<KillTarget> parse(String sql) {
        byte[] bytes = ("9" + sql + "9").getBytes(StandardCharsets.UTF_8);
        return KillStatement.parse(bytes, 1, bytes.length - 2);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "KILL 5|false|5",
                "kill 5;|false|5",
                "Kill Connection 7|false|7",
                "KILL QUERY 8|true|8",
                "KILL HARD QUERY 8|true|8",
                "KILL SOFT CONNECTION 8|false|8",
                "KILL SOFT 8|false|8",
                "/* tool */ KILL/**/QUERY/**/8 /* end */ ; -- x|true|8",
                "  kill   query   0012  |true|12",
                "KILL QUERY 123456789012345678|true|123456789012345678"
            })
    void recognises(String sql, boolean queryOnly, long id) {
        assertThat(parse(sql)).contains(new KillTarget(queryOnly, id));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "KILL",
                "KILL QUERY",
                "KILL QUERY ID 5",
                "KILL USER 'x'",
                "KILL CONNECTION_ID()",
                "KILL -5",
                "KILL 5 + 1",
                "KILL 5a",
                "KILL 0x5",
                "KILL '5'",
                "KILL @x",
                "KILL 5; KILL 6",
                "KILLS 5",
                "KILL QUERYX 5",
                "KILL QUERY CONNECTION 5",
                "KILL /*! 5 */",
                "KILL 1234567890123456789",
                "SELECT 5",
                "/* open KILL 5"
            })
    void leavesAnythingElseAlone(String sql) {
        assertThat(parse(sql)).isEmpty();
    }
}
