package io.fanfold.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.row.MalformedValueException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimeTextTest {
    /** What other bytes of a row may be before and after a time. */
    private static final List<List<String>> SURROUNDINGS =
            List.of(List.of("", ""), List.of("-1", "0:00:00.5"), List.of("00:", ":00:00"), List.of("-", "-.9"));

    private static long micros(String before, String time, String after) throws MalformedValueException {
        byte[] bytes = (before + time + after).getBytes(StandardCharsets.ISO_8859_1);
        return TimeText.micros(bytes, before.length(), time.length());
    }

    @ParameterizedTest
    @CsvSource({
        "00:00:00, 0",
        "-00:00:00, 0",
        "00:00:01, 1000000",
        "00:00:59, 59000000",
        "00:01:00, 60000000",
        "00:59:00, 3540000000",
        "01:00:00, 3600000000",
        "-01:02:03, -3723000000",
        "838:59:59, 3020399000000",
        "123456789:00:00, 444444440400000000",
        "00:00:00.1, 100000",
        "00:00:00.09, 90000",
        "00:00:07.000001, 7000001",
        "00:00:00.000, 0",
        "00:00:00.000000, 0",
        "-838:59:59.999999, -3020399999999",
    })
    void isReadToTheMicrosecond(String time, long micros) throws Exception {
        for (List<String> around : SURROUNDINGS) {
            assertThat(micros(around.get(0), time, around.get(1)))
                    .as("between %s", around)
                    .isEqualTo(micros);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-",
                "00",
                "00:00",
                "00:00:",
                "00:00:0",
                ":00:00",
                "0:00:00",
                "-0:00:00",
                "--00:00:00",
                "1234567890:00:00",
                "00:60:00",
                "00:00:60",
                "0/:00:00",
                "00:0/:00",
                "00:00:0/",
                "00:00:00.0/",
                "00:00:00.:",
                "00-00:00",
                "00:00-00",
                "00:00:00.",
                "00:00:000",
                "00:00:00x0",
                "00:00:00.0000000",
                "00:00:00 ",
            })
    void anyOtherTextIsShownInTheError(String text) {
        for (List<String> around : SURROUNDINGS) {
            assertThatThrownBy(() -> micros(around.get(0), text, around.get(1)))
                    .as("between %s", around)
                    .isInstanceOf(MalformedValueException.class)
                    .hasMessage("expected a TIME, found \"" + text + "\"");
        }
    }
}
