package io.fanfold.row;

/**
 * Parses numbers in the server's text format that fit into a long: at most 18 digits without leading zeros. Holds the
 * last number. Reusable, for use by one thread.
 */
public final class ShortDecimal {
    /** The most digits of a parsed number. */
    public static final int MAX_DIGITS = 18;

    private long unscaled;
    private int scale;
    private int significant;
    private int point;

    /**
     * Parses a number: optional minus, digits, optional point and digits.
     *
     * @param text the array that contains the number, such as the payload of a {@link Row}
     * @param start the index of its first byte
     * @param length the number of bytes
     * @return whether the number is short enough; otherwise {@link #unscaled()} has no meaning
     * @throws MalformedValueException if the bytes are not such a number
     */
    public boolean read(byte[] text, int start, int length) throws MalformedValueException {
        int end = start + length;
        boolean negative = length > 0 && text[start] == '-';
        int first = negative ? start + 1 : start;
        long value = 0;
        int found = 0;
        point = end;
        for (int i = first; i < end; i++) {
            int digit = text[i] - '0';
            if (digit < 0 || digit > 9) {
                if (text[i] != '.' || point != end) {
                    throw new MalformedValueException("an exact number", text, start, length);
                }
                point = i;
                continue;
            }
            if (found > 0 || digit > 0) {
                found++;
                value = found <= MAX_DIGITS ? 10 * value + digit : 0;
            }
        }
        scale = Math.max(end - point - 1, 0);
        significant = found;
        if (point == first || point == end - 1) {
            throw new MalformedValueException("an exact number", text, start, length);
        }
        unscaled = negative ? -value : value;
        return found <= MAX_DIGITS;
    }

    /** Returns the number times ten to the power of {@link #scale()}. */
    public long unscaled() {
        return unscaled;
    }

    /** Returns the number of digits after the decimal point. */
    public int scale() {
        return scale;
    }

    /** Returns the number of digits without leading zeros. */
    int significant() {
        return significant;
    }

    /** Returns the position of the decimal point in the array; the number's end if there is none. */
    int point() {
        return point;
    }
}
