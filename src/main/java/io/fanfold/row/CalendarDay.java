package io.fanfold.row;

import java.time.Month;

/**
 * Recognizes real dates in the server's text format. A column may contain days that do not exist: {@code 2020-00-00},
 * with {@code ALLOW_INVALID_DATES} also {@code 2020-02-31}. The server keeps such a day, turns it into
 * {@code 0000-00-00} or NULL, or raises a warning. This depends on sql_mode and on whether its plan has a temporary
 * table.
 */
public final class CalendarDay {
    private static final int LENGTH = 10;
    private static final int MONTHS = 12;

    private CalendarDay() {}

    /** Whether a text is or begins with an existing day: {@code 2001-02-03} or {@code 2001-02-03 04:05:06}. */
    public static boolean startsWithOne(byte[] text, int start, int length) {
        return length >= LENGTH
                && text[start + 4] == '-'
                && text[start + 7] == '-'
                && exists(number(text, start, 4), number(text, start + 5, 2), number(text, start + 8, 2));
    }

    private static boolean exists(int year, int month, int day) {
        if (year < 1 || month < 1 || month > MONTHS || day < 1) {
            return false;
        }
        boolean leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        return day <= Month.of(month).length(leap);
    }

    /** Parses a number, or returns -1 if not all characters are digits. */
    private static int number(byte[] text, int start, int length) {
        int number = 0;
        for (int i = start; i < start + length; i++) {
            if (text[i] < '0' || text[i] > '9') {
                return -1;
            }
            number = 10 * number + text[i] - '0';
        }
        return number;
    }
}
