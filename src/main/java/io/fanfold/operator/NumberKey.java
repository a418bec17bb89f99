package io.fanfold.operator;

import io.fanfold.row.ExactDecimal;
import io.fanfold.row.MalformedValueException;

/**
 * Encodes exact numbers as bytes whose unsigned order is the order of the values. Equal numbers have equal bytes,
 * whatever their scale and leading zeros.
 *
 * <pre>
 *   zero      02
 *   positive  03, number of digits before the point, all digits, 00
 *   negative  01, the complement of the bytes after 03 for the number without its minus
 * </pre>
 */
final class NumberKey {
    private static final int NEGATIVE = 1;
    private static final int ZERO = 2;
    private static final int POSITIVE = 3;

    private NumberKey() {}

    static void write(byte[] text, int start, int length, KeyBuffer to) throws MalformedValueException, MergeException {
        int end = start + length;
        boolean negative = length > 0 && text[start] == '-';
        int first = negative ? start + 1 : start;
        int point = pointOf(text, start, first, end);
        if (point == first || point == end - 1) {
            throw new MalformedValueException("an exact number", text, start, length);
        }
        while (first < point && text[first] == '0') {
            first++;
        }
        int last = end;
        while (last > point && text[last - 1] == '0') {
            last--;
        }
        int whole = point - first;
        int fraction = Math.max(last - point - 1, 0);
        if (whole > ExactDecimal.MAX_DIGITS || fraction > ExactDecimal.MAX_DIGITS) {
            throw new MalformedValueException("an exact number", text, start, length);
        }
        if (whole == 0 && fraction == 0) {
            to.put(ZERO);
            return;
        }
        to.put(negative ? NEGATIVE : POSITIVE);
        int body = to.length();
        to.put(whole);
        to.put(text, first, whole);
        if (fraction > 0) {
            to.put(text, point + 1, fraction);
        }
        to.put(0);
        if (negative) {
            to.invert(body);
        }
    }

    /** The end of a number that begins at {@code start}. */
    static int end(byte[] bytes, int start) {
        if (bytes[start] == ZERO) {
            return start + 1;
        }
        byte last = (byte) (bytes[start] == NEGATIVE ? 0xff : 0);
        int at = start + 2;
        while (bytes[at] != last) {
            at++;
        }
        return at + 1;
    }

    /**
     * The position of the decimal point; the end if there is none. Checks that everything else from {@code first} on is
     * digits.
     */
    private static int pointOf(byte[] text, int start, int first, int end) throws MalformedValueException {
        int point = end;
        for (int i = first; i < end; i++) {
            if (text[i] == '.' && point == end) {
                point = i;
            } else if (text[i] < '0' || text[i] > '9') {
                throw new MalformedValueException("an exact number", text, start, end - start);
            }
        }
        return point;
    }

    /**
     * Adds an encoded number to a sum.
     *
     * @param key an array with the bytes from {@link #write}
     * @param start their start; they extend to the array's end
     */
    static void addTo(ExactDecimal sum, byte[] key, int start) throws MergeException {
        if (key[start] == ZERO) {
            return;
        }
        int mask = key[start] == NEGATIVE ? 0xff : 0;
        int whole = key[start + 1] & 0xff ^ mask;
        int digits = key.length - start - 3;
        byte[] text = new byte[digits + 3];
        int at = 0;
        if (mask != 0) {
            text[at++] = '-';
        }
        if (whole == 0) {
            text[at++] = '0';
        }
        for (int i = 0; i < digits; i++) {
            if (i == whole) {
                text[at++] = '.';
            }
            text[at++] = (byte) (key[start + 2 + i] ^ mask);
        }
        try {
            sum.add(text, 0, at);
        } catch (MalformedValueException e) {
            throw new IllegalStateException("a key that was a number is none", e);
        }
    }
}
