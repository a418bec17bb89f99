package io.fanfold.catalog;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The type of a column whose values are on a line: each value has a position, and positions have the order of the
 * values. So the middle between two values can be computed. Immutable.
 *
 * @param kind the kind of type
 * @param scale the decimal digits of DECIMAL, else 0
 */
public record KeyType(Kind kind, int scale) {
    /** The kinds of types, with the unit of a position. */
    public enum Kind {
        /** A position is the number. */
        INTEGER,
        /** A position is the number without its decimal point. */
        DECIMAL,
        /** A position is a day, counted from 1970-01-01. */
        DATE,
        /** A position is a second, counted from 1970-01-01 00:00:00 in the column's own time. */
        DATETIME
    }

    private static final Pattern DEFINITION = Pattern.compile(
            "(tinyint|smallint|mediumint|int|bigint|decimal|date|datetime)(?:\\((\\d+)(?:,(\\d+))?\\))?(?: .*|)",
            Pattern.CASE_INSENSITIVE);

    private static final DateTimeFormatter SECONDS = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT);

    /** The length of a moment without fraction. */
    private static final int SECONDS_LENGTH = 19;

    /** The first and the last day of the range that the servers' manuals name. */
    private static final LocalDate FIRST_DAY = LocalDate.of(1000, 1, 1);

    private static final LocalDate LAST_DAY = LocalDate.of(9999, 12, 31);

    /**
     * Reads the type of a column.
     *
     * @param definition the column's definition in SHOW CREATE TABLE, after its name
     * @return empty if values of the type have no positions here
     */
    static Optional<KeyType> of(String definition) {
        Matcher type = DEFINITION.matcher(definition);
        if (!type.matches()) {
            return Optional.empty();
        }
        String digits = type.group(3);
        return Optional.of(
                switch (type.group(1).toLowerCase(Locale.ROOT)) {
                    case "decimal" -> new KeyType(Kind.DECIMAL, digits == null ? 0 : Integer.parseInt(digits));
                    case "date" -> new KeyType(Kind.DATE, 0);
                    case "datetime" -> new KeyType(Kind.DATETIME, 0);
                    default -> new KeyType(Kind.INTEGER, 0);
                });
    }

    /**
     * Returns the position of a value. A position may be inexact: it only has to be near the value.
     *
     * @param value as the server shows it
     * @return empty for a text that is no such value
     */
    public Optional<BigInteger> position(String value) {
        try {
            return Optional.of(
                    switch (kind) {
                        case INTEGER -> new BigInteger(value);
                        case DECIMAL ->
                            new BigDecimal(value)
                                    .setScale(scale, RoundingMode.FLOOR)
                                    .unscaledValue();
                        case DATE -> BigInteger.valueOf(day(value).toEpochDay());
                        case DATETIME -> BigInteger.valueOf(second(value).toEpochSecond(ZoneOffset.UTC));
                    });
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** Returns a date; one without day, month or year, such as {@code 0000-00-00}, is before all others. */
    private static LocalDate day(String value) {
        try {
            return LocalDate.parse(value);
        } catch (DateTimeException e) {
            return FIRST_DAY;
        }
    }

    private static LocalDateTime second(String value) {
        try {
            return LocalDateTime.parse(value.substring(0, Math.min(SECONDS_LENGTH, value.length())), SECONDS);
        } catch (DateTimeException e) {
            return FIRST_DAY.atStartOfDay();
        }
    }

    /** Returns the literal of a position. It means the same in every sql_mode and time zone. */
    public String literal(BigInteger position) {
        return switch (kind) {
            case INTEGER -> position.toString();
            case DECIMAL -> new BigDecimal(position, scale).toPlainString();
            case DATE -> "DATE'" + clamped(position, ChronoUnit.DAYS).toLocalDate() + "'";
            case DATETIME -> "TIMESTAMP'" + SECONDS.format(clamped(position, ChronoUnit.SECONDS)) + "'";
        };
    }

    private static LocalDateTime clamped(BigInteger position, ChronoUnit unit) {
        LocalDateTime first = FIRST_DAY.atStartOfDay();
        LocalDateTime last = LAST_DAY.atStartOfDay();
        LocalDateTime moment = LocalDateTime.ofEpochSecond(0, 0, ZoneOffset.UTC).plus(position.longValueExact(), unit);
        return moment.isBefore(first) ? first : moment.isAfter(last) ? last : moment;
    }
}
