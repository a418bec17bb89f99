package io.fanfold.row;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CalendarDayTest {
    @ParameterizedTest
    @ValueSource(
            strings = {"2001-02-03", "2001-02-03 04:05:06", "0001-01-01", "9999-12-31", "2020-02-29", "2000-02-29"})
    void daysOfTheCalendar(String text) {
        assertThat(startsWithOne(text)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0000-00-00",
                "0000-01-01",
                "2001-00-01",
                "2001-01-00",
                "2001-13-01",
                "2001-04-31",
                "2001-02-29",
                "1900-02-29",
                "2001-01-32",
                "2001-1-1",
                "2001/01/01",
                "2001-0a-01",
                "2001-01",
                ""
            })
    void others(String text) {
        assertThat(startsWithOne(text)).isFalse();
    }

    private static boolean startsWithOne(String text) {
        byte[] bytes = ("x" + text).getBytes(StandardCharsets.UTF_8);
        return CalendarDay.startsWithOne(bytes, 1, bytes.length - 1);
    }
}
