package io.fanfold.row;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * An exact sum of numbers in the server's text form: BIGINT, also unsigned, and DECIMAL of any precision. Starts as 0
 * with scale 0. Mutable, for one thread.
 *
 * <p>The text of the sum has as many digits after the point as the added number with the most of them. The server
 * sends all values of a column with the same scale, so this is the scale the server would print the sum with.
 */
public final class ExactDecimal {
    /** More digits than this before or after the point are refused; the server stops at 65 and 38. */
    public static final int MAX_DIGITS = 100;

    private static final int LONG_DIGITS = ShortDecimal.MAX_DIGITS;
    private static final long[] POWERS = new long[LONG_DIGITS + 1];

    static {
        POWERS[0] = 1;
        for (int i = 1; i < POWERS.length; i++) {
            POWERS[i] = 10 * POWERS[i - 1];
        }
    }

    /** The unscaled sum is {@code low} plus {@code high}; sums that fit never leave {@code low}. */
    private long low;

    private @Nullable BigInteger high;
    private int scale;

    /**
     * Adds a number: optional minus, digits, optional point and digits.
     *
     * @param text the array in which the number lies, such as the payload of a {@link Row}
     * @param start where it starts
     * @param length how many bytes it has
     * @throws MalformedValueException when the bytes are anything else; the sum is then unchanged
     */
    public void add(byte[] text, int start, int length) throws MalformedValueException {
        ShortDecimal number = new ShortDecimal();
        boolean isShort = number.read(text, start, length);
        int fraction = number.scale();
        if (fraction > MAX_DIGITS || number.significant() - fraction > MAX_DIGITS) {
            throw malformed(text, start, length);
        }
        if (isShort) {
            addLow(number.unscaled(), fraction);
        } else {
            addHigh(digits(text, start, start + length, number.point()), fraction);
        }
    }

    /** A sum that is a number, given without its point. */
    public static ExactDecimal of(long unscaled, int scale) {
        ExactDecimal sum = new ExactDecimal();
        sum.low = unscaled;
        sum.scale = scale;
        return sum;
    }

    /** Adds another sum, which stays as it is. */
    public void add(ExactDecimal other) {
        BigInteger otherHigh = other.high;
        addLow(other.low, other.scale);
        if (otherHigh != null) {
            addHigh(otherHigh, other.scale);
        }
    }

    /** Makes the text have at least {@code digits} digits after the point; the value stays the same. */
    public void widenScale(int digits) {
        if (digits <= scale) {
            return;
        }
        int more = digits - scale;
        if (fits(low, more)) {
            low *= POWERS[more];
        } else if (low != 0) {
            spill();
        }
        if (high != null) {
            high = high.multiply(BigInteger.TEN.pow(more));
        }
        scale = digits;
    }

    private void addLow(long unscaled, int itsScale) {
        widenScale(itsScale);
        int more = scale - itsScale;
        if (unscaled == 0) {
            return;
        }
        if (!fits(unscaled, more)) {
            addHigh(BigInteger.valueOf(unscaled), itsScale);
            return;
        }
        long value = unscaled * POWERS[more];
        long sum = low + value;
        if (((low ^ sum) & (value ^ sum)) < 0) {
            spill();
            low = value;
        } else {
            low = sum;
        }
    }

    private void addHigh(BigInteger unscaled, int itsScale) {
        widenScale(itsScale);
        BigInteger value = itsScale == scale ? unscaled : unscaled.multiply(BigInteger.TEN.pow(scale - itsScale));
        high = high == null ? value : high.add(value);
    }

    private void spill() {
        high = total();
        low = 0;
    }

    private BigInteger total() {
        BigInteger value = BigInteger.valueOf(low);
        return high == null ? value : high.add(value);
    }

    private static boolean fits(long value, int moreDigits) {
        if (moreDigits == 0) {
            return true;
        }
        return moreDigits <= LONG_DIGITS
                && value <= Long.MAX_VALUE / POWERS[moreDigits]
                && value >= Long.MIN_VALUE / POWERS[moreDigits];
    }

    private static BigInteger digits(byte[] text, int start, int end, int point) {
        String whole = new String(text, start, point - start, StandardCharsets.ISO_8859_1);
        String fraction = point == end ? "" : new String(text, point + 1, end - point - 1, StandardCharsets.ISO_8859_1);
        return new BigInteger(whole + fraction);
    }

    private static MalformedValueException malformed(byte[] text, int start, int length) {
        return new MalformedValueException("an exact number", text, start, length);
    }

    /** How many digits the text has after the point. */
    public int scale() {
        return scale;
    }

    /** How many digits a DECIMAL needs to hold the sum with its scale, at least 1. */
    public int precision() {
        if (high != null) {
            return Math.max(new BigDecimal(total(), scale).precision(), scale);
        }
        int digits = 1;
        for (long rest = low / 10; rest != 0; rest /= 10) {
            digits++;
        }
        return Math.max(digits, scale);
    }

    /** About how many bytes of heap the sum holds, itself included. */
    public long heapBytes() {
        return high == null ? 32 : 32 + 40 + 16 + (high.bitLength() / 32 + 1) * 4L;
    }

    /** The sum, with all its digits after the point. */
    public BigDecimal toBigDecimal() {
        return high == null ? BigDecimal.valueOf(low, scale) : new BigDecimal(total(), scale);
    }

    /** The sum as the server prints a BIGINT or DECIMAL: "-0.05", "0.00", "18446744073709551616". */
    @Override
    public String toString() {
        if (high == null && scale == 0) {
            return Long.toString(low);
        }
        return new BigDecimal(total(), scale).toPlainString();
    }

    /** {@link #toString()} as bytes for a row. */
    public byte[] toText() {
        return toString().getBytes(StandardCharsets.ISO_8859_1);
    }
}
