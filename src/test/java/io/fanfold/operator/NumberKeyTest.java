package io.fanfold.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.row.ExactDecimal;
import io.fanfold.row.MalformedValueException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NumberKeyTest {
    private static final String DIGITS = "1".repeat(ExactDecimal.MAX_DIGITS);

    /** In ascending order. */
    private static final List<String> NUMBERS = List.of(
            "-" + DIGITS,
            "-100",
            "-99.5",
            "-10.01",
            "-10",
            "-9",
            "-1.5",
            "-1",
            "-0." + DIGITS,
            "-0.1",
            "-0.05",
            "0",
            "0.0009",
            "0.05",
            "0.1",
            "0.10000000001",
            "1",
            "1.05",
            "9",
            "10",
            "20",
            "100",
            DIGITS,
            DIGITS + "." + DIGITS);

    /** What other bytes of a row may be before and after a number. */
    private static final List<List<String>> SURROUNDINGS =
            List.of(List.of("", ""), List.of("-1.", "000"), List.of("0", "-1"), List.of("-", ".5"));

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static KeyBuffer key(String before, String number, String after)
            throws MalformedValueException, MergeException {
        KeyBuffer key = new KeyBuffer();
        NumberKey.write(bytes(before + number + after), before.length(), number.length(), key);
        return key;
    }

    private static byte[] key(String number) throws MalformedValueException, MergeException {
        return key("", number, "").toBytes();
    }

    @ParameterizedTest
    @CsvSource({
        "0, 02",
        "00, 02",
        "-0, 02",
        "0.0, 02",
        "-000.000, 02",
        "5, 03 01 35 00",
        "005, 03 01 35 00",
        "5.0, 03 01 35 00",
        "5.00, 03 01 35 00",
        "-5, 01 fe ca ff",
        "-05.0, 01 fe ca ff",
        "10, 03 02 31 30 00",
        "010.0, 03 02 31 30 00",
        "1.50, 03 01 31 35 00",
        "1.05, 03 01 31 30 35 00",
        "0.5, 03 00 35 00",
        "00.50, 03 00 35 00",
        "0.05, 03 00 30 35 00",
        "-0.05, 01 ff cf ca ff",
        "-90.7, 01 fd c6 cf c8 ff",
    })
    void hasOnlyTheDigitsThatMakeTheValue(String number, String hex) throws Exception {
        for (List<String> around : SURROUNDINGS) {
            assertThat(HexFormat.ofDelimiter(" ")
                            .formatHex(key(around.get(0), number, around.get(1)).toBytes()))
                    .as("between %s", around)
                    .isEqualTo(hex);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", "-", ".", "-.", ".5", "-.5", "5.", "-5.", "0.", "1.2.3", "1..2", "+1", "--1", "1-", "-1e5", "1/",
                "1:", " 1", "1 "
            })
    void textThatIsNoNumberIsShownInTheError(String text) {
        for (List<String> around : SURROUNDINGS) {
            assertThatThrownBy(() -> key(around.get(0), text, around.get(1)))
                    .as("between %s", around)
                    .isInstanceOf(MalformedValueException.class)
                    .hasMessage("expected an exact number, found \"" + text + "\"");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-"})
    void zerosAtBothEndsDoNotCountForTheLimitOfDigits(String sign) throws Exception {
        String zeros = "0".repeat(200);
        String longest = DIGITS + "." + DIGITS;
        assertThat(key(sign + zeros + longest + zeros)).isEqualTo(key(sign + longest));
        for (String longer : List.of(DIGITS + "1", "0." + DIGITS + "1", "0.0" + DIGITS)) {
            assertThatThrownBy(() -> key(sign + longer))
                    .as(longer)
                    .isInstanceOf(MalformedValueException.class)
                    .hasMessageStartingWith("expected an exact number, found \"" + sign);
        }
    }

    @Test
    void comparesAsTheValue() throws Exception {
        for (int i = 1; i < NUMBERS.size(); i++) {
            assertThat(Arrays.compareUnsigned(key(NUMBERS.get(i - 1)), key(NUMBERS.get(i))))
                    .as("%s and %s", NUMBERS.get(i - 1), NUMBERS.get(i))
                    .isNegative();
        }
    }

    @Test
    void endsWithItsLastByte() throws Exception {
        for (String number : NUMBERS) {
            for (int before = 0; before < 4; before++) {
                byte[] key = key(number);
                byte[] following = {2, 0, -1, 1};
                byte[] all = new byte[before + key.length + following.length];
                System.arraycopy(key, 0, all, before, key.length);
                System.arraycopy(following, 0, all, before + key.length, following.length);
                assertThat(NumberKey.end(all, before)).as(number).isEqualTo(before + key.length);
            }
        }
    }

    @Test
    void addsItsValueToASum() throws Exception {
        for (String number : NUMBERS) {
            KeyBuffer key = new KeyBuffer();
            key.put(9);
            NumberKey.write(bytes(number), 0, number.length(), key);
            ExactDecimal sum = ExactDecimal.of(12, 1);
            NumberKey.addTo(sum, key.toBytes(), 1);
            assertThat(sum.toBigDecimal()).as(number).isEqualTo(new BigDecimal("1.2").add(new BigDecimal(number)));
        }
    }
}
