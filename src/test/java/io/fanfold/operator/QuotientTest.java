package io.fanfold.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.plan.MergeNode.Average;
import io.fanfold.row.RowBuilder;
import java.math.BigDecimal;
import java.util.Random;
import org.junit.jupiter.api.Test;

class QuotientTest {
    private static String divided(long sum, int scale, long count, int inner, int digits) {
        RowBuilder row = new RowBuilder();
        Quotient.write(sum, scale, count, new Average(0, 1, inner, digits), row);
        return String.valueOf(row.toRow().ascii(0));
    }

    @Test
    void isRoundedHalfAwayFromZero() {
        assertThat(divided(1, 0, 8, 9, 2)).isEqualTo("0.13");
        assertThat(divided(-1, 0, 8, 9, 2)).isEqualTo("-0.13");
        assertThat(divided(2, 0, 3, 9, 4)).isEqualTo("0.6667");
        assertThat(divided(999_996, 2, 10, 9, 2)).isEqualTo("1000.00");
        assertThat(divided(0, 0, 7, 9, 4)).isEqualTo("0.0000");
        assertThat(divided(-1, 0, 1_000_000, 9, 4)).isEqualTo("0.0000");
    }

    /** MySQL and MariaDB compute quotients in whole words of nine digits. */
    @Test
    void isCutOffAfterTheLastComputedDigit() {
        assertThat(divided(200_000, 5, 3, 9, 9)).isEqualTo("0.666666666");
        assertThat(divided(-200_000, 5, 3, 9, 9)).isEqualTo("-0.666666666");
    }

    @Test
    void isThatOfNumbersOfAnyLength() {
        Random random = new Random(3);
        for (int i = 0; i < 5000; i++) {
            long sum = random.nextLong() >> random.nextInt(63);
            int scale = random.nextInt(12);
            long count = 1 + (random.nextLong() >>> 1 + random.nextInt(60));
            int digits = scale + random.nextInt(6);
            int inner = (digits + 8) / 9 * 9;
            RowBuilder row = new RowBuilder();
            Quotient.write(
                    BigDecimal.valueOf(sum, scale), BigDecimal.valueOf(count), new Average(0, 1, inner, digits), row);
            assertThat(divided(sum, scale, count, inner, digits))
                    .as("%d of scale %d by %d to %d", sum, scale, count, digits)
                    .isEqualTo(row.toRow().ascii(0));
        }
    }
}
