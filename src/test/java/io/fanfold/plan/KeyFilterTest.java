package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import java.math.BigInteger;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeyFilterTest {
    private static KeyFilter filter(ColumnType type, boolean unsigned) {
        int flags = unsigned ? Column.Flags.UNSIGNED : 0;
        return new KeyFilter("t.a", new Column("db", "t", "t", "a", "a", 63, 11, type, flags, 0), "d", "SELECT 1", "");
    }

    @ParameterizedTest
    @CsvSource({
        "TINY, false, -128, 127",
        "TINY, true, 0, 255",
        "SHORT, false, -32768, 32767",
        "SHORT, true, 0, 65535",
        "INT24, false, -8388608, 8388607",
        "INT24, true, 0, 16777215",
        "LONG, false, -2147483648, 2147483647",
        "LONG, true, 0, 4294967295",
        "LONGLONG, false, -9223372036854775808, 9223372036854775807",
        "LONGLONG, true, 0, 18446744073709551615",
    })
    void numbersThatTheColumnCannotHoldAreLeftOut(ColumnType type, boolean unsigned, String least, String most) {
        KeyFilter filter = filter(type, unsigned);
        BigInteger one = BigInteger.ONE;
        for (String key : List.of(least, most)) {
            assertThat(filter.known(key)).isTrue();
            assertThat(filter.literal(key)).contains(key);
        }
        assertThat(filter.literal(new BigInteger(least).subtract(one).toString()))
                .isEmpty();
        assertThat(filter.literal(new BigInteger(most).add(one).toString())).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"007, 7", "-0, 0", "00000, 0"})
    void zerosOfAWidthAreDropped(String key, String literal) {
        assertThat(filter(ColumnType.LONG, false).known(key)).isTrue();
        assertThat(filter(ColumnType.LONG, false).literal(key)).contains(literal);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1.0", "1e3", "x", "- 1", "2001-01-01"})
    void noOtherTextIsAWholeNumber(String key) {
        assertThat(filter(ColumnType.LONG, false).known(key)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "2001-02-28, true",
        "1000-01-01, true",
        "9999-12-31, true",
        "0999-12-31, false",
        "0000-00-00, false",
        "2001-00-00, false",
        "2001-02-30, false",
        "2001-02-28 00:00:00, false",
        "+12001-01-01, false",
    })
    void onlyDatesOfTheCalendarHaveLiterals(String key, boolean known) {
        assertThat(filter(ColumnType.DATE, false).known(key)).isEqualTo(known);
        if (known) {
            assertThat(filter(ColumnType.DATE, false).literal(key)).contains("DATE'" + key + "'");
        }
    }

    @Test
    void oneKeyMoreThanTheMostIsEnoughToKnow() {
        assertThat(filter(ColumnType.LONG, false).query(5)).isEqualTo("SELECT 1 LIMIT 5");
    }
}
