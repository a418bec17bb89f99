package io.fanfold.operator;

import io.fanfold.row.MalformedValueException;
import java.nio.charset.StandardCharsets;

/** Parses DOUBLE values as the server prints them. The text round-trips, so the value is the stored one. */
final class DoubleText {
    /**
     * Whole numbers of at most this many digits, and powers of ten up to 10^22, are exact doubles: one division rounds
     * once.
     */
    private static final int EXACT_DIGITS = 15;

    private static final double[] EXACT_POWERS = {
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15
    };

    private DoubleText() {}

    static double parse(byte[] text, int start, int length) throws MalformedValueException {
        int end = start + length;
        int at = length > 0 && text[start] == '-' ? start + 1 : start;
        boolean negative = at > start;
        int first = at;
        long digits = 0;
        while (at < end && isDigit(text[at])) {
            digits = 10 * digits + text[at++] - '0';
        }
        int count = at - first;
        int fraction = 0;
        boolean wellFormed = count > 0;
        if (at < end && text[at] == '.') {
            int point = at++;
            while (at < end && isDigit(text[at])) {
                digits = 10 * digits + text[at++] - '0';
            }
            fraction = at - point - 1;
            wellFormed &= fraction > 0;
        }
        if (wellFormed && at == end && count + fraction <= EXACT_DIGITS) {
            double value = digits / EXACT_POWERS[fraction];
            return negative ? -value : value;
        }
        if (at < end && (text[at] | 0x20) == 'e') {
            at = exponentEnd(text, at + 1, end);
        }
        if (!wellFormed || at != end) {
            throw malformed(text, start, length);
        }
        double value = Double.parseDouble(new String(text, start, length, StandardCharsets.ISO_8859_1));
        if (Double.isInfinite(value)) {
            throw malformed(text, start, length);
        }
        return value;
    }

    /** The end of an exponent's digits; -1 if there are none. */
    private static int exponentEnd(byte[] text, int from, int end) {
        int first = from < end && (text[from] == '-' || text[from] == '+') ? from + 1 : from;
        int at = first;
        while (at < end && isDigit(text[at])) {
            at++;
        }
        return at > first ? at : -1;
    }

    private static boolean isDigit(byte c) {
        return c >= '0' && c <= '9';
    }

    private static MalformedValueException malformed(byte[] text, int start, int length) {
        return new MalformedValueException("a DOUBLE", text, start, length);
    }

    /** Returns bits whose unsigned order is the order of the numbers. -0 has the bits of 0. */
    static long orderedBits(double value) {
        long bits = Double.doubleToLongBits(value == 0 ? 0.0 : value);
        return bits < 0 ? ~bits : bits ^ Long.MIN_VALUE;
    }
}
