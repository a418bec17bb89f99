package io.fanfold.demo;

import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.format.TextStyle;
import java.util.List;
import java.util.Locale;

/** The table {@code dim_date}: one row for each day of {@link SsbCalendar}. */
record DateRows() implements SsbTable {
    private static final List<String> SEASONS = List.of("Winter", "Spring", "Summer", "Fall", "Christmas");

    @Override
    public String name() {
        return "dim_date";
    }

    @Override
    public long units() {
        return SsbCalendar.DAYS;
    }

    @Override
    public long rows() {
        return units();
    }

    @Override
    public int append(StringBuilder to, long unit) {
        LocalDate date = SsbCalendar.date((int) unit);
        String month = date.getMonth().getDisplayName(TextStyle.FULL, Locale.ENGLISH);
        String weekday = date.getDayOfWeek().getDisplayName(TextStyle.FULL, Locale.ENGLISH);
        boolean lastOfMonth = date.getDayOfMonth() == date.lengthOfMonth();
        boolean weekend = date.getDayOfWeek().compareTo(DayOfWeek.SATURDAY) >= 0;
        boolean holiday = date.getDayOfMonth() == 25 && date.getMonthValue() == 12 || date.getDayOfYear() == 1;
        new RowWriter(to)
                .begin()
                .number(SsbCalendar.key(date))
                .text(month + " " + date.getDayOfMonth() + ", " + date.getYear())
                .text(weekday)
                .text(month)
                .number(date.getYear())
                .number(date.getYear() * 100 + date.getMonthValue())
                .text(month.substring(0, 3) + date.getYear())
                .number(date.getDayOfWeek().getValue() % 7 + 1)
                .number(date.getDayOfMonth())
                .number(date.getDayOfYear())
                .number(date.getMonthValue())
                .number((date.getDayOfYear() - 1) / 7 + 1)
                .text(season(date))
                .number(date.getDayOfWeek() == DayOfWeek.SATURDAY ? 1 : 0)
                .number(lastOfMonth ? 1 : 0)
                .number(holiday ? 1 : 0)
                .number(weekend ? 0 : 1)
                .end();
        return 1;
    }

    private static String season(LocalDate date) {
        int month = date.getMonthValue();
        return SEASONS.get(month >= 11 ? 4 : month <= 3 ? 0 : month <= 5 ? 1 : month <= 8 ? 2 : 3);
    }
}
