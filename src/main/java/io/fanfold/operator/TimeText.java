package io.fanfold.operator;

import io.fanfold.row.MalformedValueException;

/**
 * Parses TIME values as the server prints them: optional minus, hours of two or more digits, minutes, seconds,
 * fraction.
 */
final class TimeText {
    private static final int MAX_HOUR_DIGITS = 9;
    private static final int MICRO_DIGITS = 6;

    private TimeText() {}

    /** The time in microseconds; -00:00:00 is 0. */
    static long micros(byte[] text, int start, int length) throws MalformedValueException {
        int end = start + length;
        boolean negative = length > 0 && text[start] == '-';
        int first = negative ? start + 1 : start;
        int colon = first;
        while (colon < end && text[colon] != ':') {
            colon++;
        }
        int hourDigits = colon - first;
        int seconds = colon + 4;
        int rest = end - seconds - 2;
        boolean shaped = hourDigits >= 2
                && hourDigits <= MAX_HOUR_DIGITS
                && rest >= 0
                && text[colon + 3] == ':'
                && (rest == 0 || rest >= 2 && rest <= MICRO_DIGITS + 1 && text[seconds + 2] == '.');
        long hour = shaped ? number(text, first, hourDigits) : -1;
        long minute = shaped ? number(text, colon + 1, 2) : -1;
        long second = shaped ? number(text, seconds, 2) : -1;
        long fraction = shaped && rest > 0 ? number(text, seconds + 3, rest - 1) : 0;
        if (!shaped || hour < 0 || minute < 0 || minute > 59 || second < 0 || second > 59 || fraction < 0) {
            throw new MalformedValueException("a TIME", text, start, length);
        }
        for (int digits = rest - 1; digits < MICRO_DIGITS; digits++) {
            fraction *= 10;
        }
        long micros = ((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction;
        return negative ? -micros : micros;
    }

    /** Parses digits; -1 if a byte is not a digit. */
    private static long number(byte[] text, int start, int count) {
        long value = 0;
        for (int i = start; i < start + count; i++) {
            int digit = text[i] - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            value = 10 * value + digit;
        }
        return value;
    }
}
