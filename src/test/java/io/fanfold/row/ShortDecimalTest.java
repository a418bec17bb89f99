package io.fanfold.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShortDecimalTest {
    private final ShortDecimal number = new ShortDecimal();

    private boolean read(String text) throws MalformedValueException {
        byte[] bytes = ("xx" + text + "99").getBytes(StandardCharsets.US_ASCII);
        return number.read(bytes, 2, text.length());
    }

    @Test
    void readsNumbersOfUpTo18Digits() throws Exception {
        Random random = new Random(8);
        for (int i = 0; i < 2000; i++) {
            BigDecimal value = new BigDecimal(new BigInteger(random.nextInt(70), random), random.nextInt(25));
            BigDecimal signed = random.nextBoolean() ? value.negate() : value;
            boolean isShort = value.unscaledValue().toString().length() <= 18;
            assertThat(read(signed.toPlainString())).as("%s", signed).isEqualTo(isShort);
            assertThat(number.scale()).isEqualTo(signed.scale());
            if (isShort) {
                assertThat(BigDecimal.valueOf(number.unscaled(), number.scale()))
                        .isEqualTo(signed);
            }
        }
        assertThat(read("000000000000000000000000000007.50")).isTrue();
        assertThat(number.unscaled()).isEqualTo(750);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-", ".5", "5.", "1.2.3", "1e5", "+1", " 1", "--1", "."})
    void refusesTextThatIsNotANumber(String text) {
        assertThatThrownBy(() -> read(text)).isInstanceOf(MalformedValueException.class);
    }

    @Test
    void rowsGetNumbersAsTheServerPrintsThem() {
        Random random = new Random(9);
        RowBuilder row = new RowBuilder();
        for (int i = 0; i < 3000; i++) {
            long unscaled = i == 0 ? Long.MIN_VALUE : random.nextLong() >> random.nextInt(64);
            int scale = random.nextInt(3) == 0 ? 0 : random.nextInt(101);
            assertThat(row.clear().add(unscaled, scale).toRow().ascii(0))
                    .isEqualTo(BigDecimal.valueOf(unscaled, scale).toPlainString());
        }
        assertThat(row.clear().add(-5, 2).add(0, 3).add(120, 0).toRow()).hasToString("-0.05|0.000|120");
    }
}
