package io.fanfold.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExactDecimalTest {
    private static final long SEED = 20260917;

    private static ExactDecimal sum(String... numbers) throws MalformedValueException {
        ExactDecimal sum = new ExactDecimal();
        for (String number : numbers) {
            add(sum, number);
        }
        return sum;
    }

    private static void add(ExactDecimal sum, String number) throws MalformedValueException {
        byte[] text = ("<" + number + ">").getBytes(StandardCharsets.ISO_8859_1);
        sum.add(text, 1, text.length - 2);
    }

    @ParameterizedTest
    @CsvSource({
        "1, 2, 3",
        "-1, 1, 0",
        "0.05, -0.10, -0.05",
        "-0.05, 0.05, 0.00",
        "-0.00, -0.00, 0.00",
        "00012, 000.50, 12.50",
        "1, 0.001, 1.001",
        "0.001, 1, 1.001",
        "9223372036854775807, 1, 9223372036854775808",
        "-9223372036854775808, -1, -9223372036854775809",
        "9223372036854775808, -1, 9223372036854775807",
        "18446744073709551615, 18446744073709551615, 36893488147419103230",
        "999999999999999999, 1, 1000000000000000000",
        "999999999999999999, 0.000000000000000001, 999999999999999999.000000000000000001",
        "99999999999999999999999999999999999.999999999999999999999999999999,"
                + " 0.000000000000000000000000000001, 100000000000000000000000000000000000.000000000000000000000000000000",
        "-99999999999999999999999999999999999999999999999999999999999999999, 1,"
                + " -99999999999999999999999999999999999999999999999999999999999999998",
    })
    void addsExactly(String a, String b, String expected) throws MalformedValueException {
        assertThat(sum(a, b)).hasToString(expected);
        assertThat(sum(b, a)).hasToString(expected);
        ExactDecimal left = sum(a);
        left.add(sum(b));
        assertThat(left).hasToString(expected);
    }

    @Test
    void startsAtZero() {
        assertThat(new ExactDecimal()).hasToString("0");
        assertThat(new ExactDecimal().precision()).isEqualTo(1);
    }

    @Test
    void comesBackFromBeyondLong() throws MalformedValueException {
        assertThat(sum("9223372036854775807", "9223372036854775807", "-9223372036854775807", "-9223372036854775806"))
                .hasToString("1");
    }

    @Test
    void goesBeyondLongByManySmallNumbers() throws MalformedValueException {
        ExactDecimal up = new ExactDecimal();
        ExactDecimal down = new ExactDecimal();
        for (int i = 0; i < 40; i++) {
            add(up, "9999999999999999.99");
            add(down, "-9999999999999999.99");
        }
        assertThat(up).hasToString("399999999999999999.60");
        assertThat(down).hasToString("-399999999999999999.60");
        up.add(up);
        assertThat(up).hasToString("799999999999999999.20");
        down.add(up);
        assertThat(down).hasToString("399999999999999999.60");
    }

    @Test
    void zeroWithLargeScaleStaysSmall() throws MalformedValueException {
        ExactDecimal sum = sum("0.000000000000000000000000000000", "0");
        assertThat(sum).hasToString("0.000000000000000000000000000000");
        assertThat(sum.heapBytes()).isEqualTo(new ExactDecimal().heapBytes());
    }

    @ParameterizedTest
    @CsvSource({
        "0, 1",
        "-9, 1",
        "10, 2",
        "0.05, 2",
        "-12.50, 4",
        "99999999999999999999.5, 21",
        "9223372036854775807, 19"
    })
    void knowsItsPrecision(String number, int expected) throws MalformedValueException {
        assertThat(sum(number).precision()).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "-", ".", "-.", "1.", ".5", "+1", "1e5", "1.2.3", " 1", "1 ", "--1", "1-", "0x1", "NaN", "١"
            })
    void refusesOtherTextsAndIsUnchanged(String text) throws MalformedValueException {
        ExactDecimal sum = sum("1.5");
        assertThatThrownBy(() -> add(sum, text)).isInstanceOf(MalformedValueException.class);
        assertThat(sum).hasToString("1.5");
    }

    @Test
    void namesTheBytesItRefuses() {
        assertThatThrownBy(() -> sum("1\u00002\"")).hasMessage("expected an exact number, found \"1\\x002\\x22\"");
        assertThatThrownBy(() -> sum("x".repeat(50)))
                .hasMessage("expected an exact number, found \"" + "x".repeat(40) + "\"... (50 bytes)");
    }

    @Test
    void refusesMoreDigitsThanAnyServerSends() {
        assertThatThrownBy(() -> sum("1".repeat(101))).isInstanceOf(MalformedValueException.class);
        assertThatThrownBy(() -> sum("0." + "0".repeat(101))).isInstanceOf(MalformedValueException.class);
    }

    @Test
    void agreesWithBigDecimal() throws MalformedValueException {
        Random random = new Random(SEED);
        for (int round = 0; round < 3000; round++) {
            int scale = random.nextInt(4) == 0 ? random.nextInt(31) : 2;
            BigDecimal expected = new BigDecimal(BigInteger.ZERO, 0);
            ExactDecimal all = new ExactDecimal();
            ExactDecimal part = new ExactDecimal();
            for (int i = random.nextInt(8); i >= 0; i--) {
                BigInteger unscaled = new BigInteger(1 + random.nextInt(random.nextBoolean() ? 66 : 210), random);
                BigDecimal number = new BigDecimal(random.nextBoolean() ? unscaled : unscaled.negate(), scale);
                add(random.nextBoolean() ? all : part, number.toPlainString());
                expected = expected.add(number);
            }
            all.add(part);
            assertThat(all.toString()).as("seed %d, round %d", SEED, round).isEqualTo(expected.toPlainString());
            assertThat(all.precision()).isEqualTo(Math.max(expected.precision(), scale));
        }
    }
}
