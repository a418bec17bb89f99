package io.fanfold.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SetFanfoldTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "fan-out.mode = off               | fan-out.mode | off",
                "fan-out.mode=OFF                 | fan-out.mode | off",
                "`fan-out.mode` := 'off' ;        | fan-out.mode | off",
                "fan-out.degree = 4               | fan-out.degree | 4",
                "fan-out.lock-wait = 10ms;        | fan-out.lock-wait | 10ms",
                "limits.query-memory = 64MiB      | limits.query-memory | 64MiB",
                "limits.query-memory = \"64MiB\"  | limits.query-memory | 64MiB",
                "log.level = 'Debug'              | log.level | Debug",
                "~log.level\n=\nDEBUG~            | log.level | debug",
                "log.level = ''                   | log.level | ~~",
            })
    void readsNameAndValue(String rest, String name, String value) throws Exception {
        assertThat(SetFanfold.parse(rest)).isEqualTo(new SetFanfold(name, Optional.of(value)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"fan-out.mode = DEFAULT", "`fan-out.mode` = default"})
    void theDefaultIsNoValue(String rest) throws Exception {
        assertThat(SetFanfold.parse(rest)).isEqualTo(new SetFanfold("fan-out.mode", Optional.empty()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "fan-out.mode",
                "fan-out.mode off",
                "= off",
                "fan-out.mode = ",
                "fan-out.mode = off, log.level = debug",
                "fan-out.mode = 'off",
                "fan-out.mode = off off",
                "fan out = 1",
            })
    void saysWhatItExpects(String rest) {
        assertThatExceptionOfType(SetFanfold.SyntaxException.class)
                .isThrownBy(() -> SetFanfold.parse(rest))
                .withMessage("You have an error in your SQL syntax; expected SET FANFOLD variable = value, near '"
                        + rest + "'");
    }
}
