package io.fanfold.demo;

import java.time.LocalDate;
import java.time.temporal.ChronoUnit;

/** The benchmark's seven years, 1992-01-01 to 1998-12-31. Orders end on 1998-08-02, so that commit dates fit. */
final class SsbCalendar {
    private static final LocalDate FIRST = LocalDate.of(1992, 1, 1);

    /** The number of all days. */
    static final int DAYS = days(LocalDate.of(1998, 12, 31));

    /** The number of days on which orders were placed, the first ones of {@link #DAYS}. */
    static final int ORDER_DAYS = days(LocalDate.of(1998, 8, 2));

    private SsbCalendar() {}

    /** @param day 0 to DAYS-1 */
    static LocalDate date(int day) {
        return FIRST.plusDays(day);
    }

    /** The date as a number, year * 10000 + month * 100 + day. */
    static int key(LocalDate date) {
        return date.getYear() * 10_000 + date.getMonthValue() * 100 + date.getDayOfMonth();
    }

    private static int days(LocalDate last) {
        return (int) ChronoUnit.DAYS.between(FIRST, last) + 1;
    }
}
