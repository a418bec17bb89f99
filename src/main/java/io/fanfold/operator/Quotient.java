package io.fanfold.operator;

import io.fanfold.plan.MergeNode.Average;
import io.fanfold.row.ExactDecimal;
import io.fanfold.row.RowBuilder;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;

/** Divides exact numbers as servers do for AVG: the quotient is truncated, and then rounded half away from zero. */
final class Quotient {
    /** The largest number that can be multiplied by ten and get one more digit. */
    private static final long MAX_BEFORE_DIGIT = (Long.MAX_VALUE - 9) / 10;

    private Quotient() {}

    /**
     * Adds a quotient as a value of a row.
     *
     * @param sum the dividend without its decimal point
     * @param scale its number of decimals
     * @param count the divisor, greater than 0
     */
    static void write(long sum, int scale, long count, Average average, RowBuilder to) {
        long quotient = Math.abs(sum / count);
        long rest = Math.abs(sum % count);
        int digits = scale;
        boolean fits = sum != Long.MIN_VALUE
                && count <= MAX_BEFORE_DIGIT
                && scale <= average.digits()
                && average.digits() <= average.innerDigits();
        for (; fits && digits < average.digits(); digits++) {
            fits = quotient <= MAX_BEFORE_DIGIT;
            quotient = 10 * quotient + 10 * rest / count;
            rest = 10 * rest % count;
        }
        if (!fits || quotient == Long.MAX_VALUE) {
            write(ExactDecimal.of(sum, scale).toBigDecimal(), BigDecimal.valueOf(count), average, to);
            return;
        }
        if (average.innerDigits() > average.digits() && 10 * rest / count >= 5) {
            quotient++;
        }
        to.add(sum < 0 ? -quotient : quotient, average.digits());
    }

    /** Adds a quotient of numbers of any length as a value of a row. */
    static void write(BigDecimal sum, BigDecimal count, Average average, RowBuilder to) {
        BigDecimal quotient = sum.divide(count, average.innerDigits(), RoundingMode.DOWN)
                .setScale(average.digits(), RoundingMode.HALF_UP);
        to.add(quotient.toPlainString().getBytes(StandardCharsets.ISO_8859_1));
    }
}
