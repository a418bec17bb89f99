package io.fanfold.row;

/**
 * Reads numbers of the server's text form that fit into a long: at most 18 digits without leading zeros. Holds the last
 * number read. Reusable, for one thread.
 */
public final class ShortDecimal {
    /** The most digits of a number that is read. */
    public static final int MAX_DIGITS = 18;

    private long unscaled;
    private int scale;
    private int significant;
    private int point;

    /**
     * Reads a number: optional minus, digits, optional point and digits.
     *
     * @param text the array in which the number lies, such as the payload of a {@link Row}
     * @param start where it starts
     * @param length how many bytes it has
     * @return whether the number is short enough; else {@link #unscaled()} has no meaning
     * @throws MalformedValueException when the bytes are anything else
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

    /** The number times ten to the power of {@link #scale()}. */
    public long unscaled() {
        return unscaled;
    }

    /** How many digits the number has after the point. */
    public int scale() {
        return scale;
    }

    /** How many digits the number has without leading zeros. */
    int significant() {
        return significant;
    }

    /** Where the point stands in the array; the number's end when there is none. */
    int point() {
        return point;
    }
}
