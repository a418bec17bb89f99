package io.fanfold.row;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * An exact sum of numbers in the server's text format: BIGINT, also unsigned, and DECIMAL of any precision. Starts as 0
 * with scale 0. Mutable, for use by one thread.
 *
 * <p>The sum's scale is the largest scale of the added numbers. The server sends all values of a column with the same
 * scale, so it would print the sum with this scale.
 */
public final class ExactDecimal {
    /** Numbers with more digits before or after the decimal point are refused; the server's limits are 65 and 38. */
    public static final int MAX_DIGITS = 100;

    private static final int LONG_DIGITS = ShortDecimal.MAX_DIGITS;
    private static final long[] POWERS = new long[LONG_DIGITS + 1];

    static {
        POWERS[0] = 1;
        for (int i = 1; i < POWERS.length; i++) {
            POWERS[i] = 10 * POWERS[i - 1];
        }
    }

    /** The unscaled sum is {@code low} plus {@code high}; sums that fit into a long use {@code low} only. */
    private long low;

    private @Nullable BigInteger high;
    private int scale;

    /**
     * Adds a number: optional minus, digits, optional point and digits.
     *
     * @param text the array that contains the number, such as the payload of a {@link Row}
     * @param start the index of its first byte
     * @param length the number of bytes
     * @throws MalformedValueException if the bytes are not such a number; the sum is then unchanged
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

    /** Creates a sum from an unscaled number and its scale. */
    public static ExactDecimal of(long unscaled, int scale) {
        ExactDecimal sum = new ExactDecimal();
        sum.low = unscaled;
        sum.scale = scale;
        return sum;
    }

    /** Adds another sum, which does not change. */
    public void add(ExactDecimal other) {
        BigInteger otherHigh = other.high;
        addLow(other.low, other.scale);
        if (otherHigh != null) {
            addHigh(otherHigh, other.scale);
        }
    }

    /** Increases the scale to at least {@code digits}; the value does not change. */
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

    /** Returns the number of digits after the decimal point. */
    public int scale() {
        return scale;
    }

    /** Returns the precision of a DECIMAL that can hold the sum with its scale, at least 1. */
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

    /** Returns the estimated heap of the sum in bytes, including this object. */
    public long heapBytes() {
        return high == null ? 32 : 32 + 40 + 16 + (high.bitLength() / 32 + 1) * 4L;
    }

    /** Returns the sum with its scale. */
    public BigDecimal toBigDecimal() {
        return high == null ? BigDecimal.valueOf(low, scale) : new BigDecimal(total(), scale);
    }

    /** Returns the sum as the server prints a BIGINT or DECIMAL: "-0.05", "0.00", "18446744073709551616". */
    @Override
    public String toString() {
        if (high == null && scale == 0) {
            return Long.toString(low);
        }
        return new BigDecimal(total(), scale).toPlainString();
    }

    /** Returns {@link #toString()} as bytes for a row. */
    public byte[] toText() {
        return toString().getBytes(StandardCharsets.ISO_8859_1);
    }
}
