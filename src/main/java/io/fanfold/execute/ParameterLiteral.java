package io.fanfold.execute;

import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.sql.SessionCharset;
import io.fanfold.wire.BoundValue;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A literal that is equivalent to a parameter's value next to certain columns. A parameter is not a literal: MySQL
 * gives it the type of its neighbor, MariaDB that of its value.
 *
 * <p>Next to a column of the same family, both servers compare a parameter as they compare the literal. Next to a
 * number of another family they may compare whole numbers, exact decimals or doubles. So only values that are the same
 * in all of these are accepted. Measured on MySQL 9.7 and MariaDB 10.11, and tested by {@code PreparedIT} and
 * {@code ParameterValuesIT}; nothing else is assumed.
 *
 * @param value the bound value
 * @param sql the literal; if it contains backslashes, for sessions in which these escape
 */
record ParameterLiteral(BoundValue value, String sql) {
    private static final Pattern DECIMAL = Pattern.compile("-?[0-9]{1,35}(\\.[0-9]{1,30})?");

    /** A whole number as a server would write it. */
    private static final Pattern WHOLE = Pattern.compile("0|-?[1-9][0-9]{0,14}");

    /** Whole numbers below this are exact doubles. Larger numbers compare with them the same in both forms. */
    private static final double EXACT_DOUBLES = 1L << 53;

    /** A double preserves decimals of this many digits. */
    private static final int DOUBLE_DIGITS = 15;

    private static final Pattern MOMENT =
            Pattern.compile("([0-9]{4})-([0-9]{2})-([0-9]{2})(?: ([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\\.[0-9]{1,6})?)?");

    private static final Pattern YEAR = Pattern.compile("[0-9]{4}");

    private static final Pattern NO_LENGTH = Pattern.compile("-0+:00:00");

    private static final Pattern SPAN = Pattern.compile("-?([0-9]{2,3}):[0-5][0-9]:[0-5][0-9]");

    /** MySQL and MariaDB have no longer TIME values. */
    private static final int MOST_HOURS = 838;

    /**
     * Returns the literal of a value; empty if none is known to be equivalent.
     *
     * @param charset the character set in which the client sends text
     */
    static Optional<ParameterLiteral> of(BoundValue value, Charset charset) {
        return text(value, charset).map(sql -> new ParameterLiteral(value, sql));
    }

    private static Optional<String> text(BoundValue value, Charset charset) {
        if (value instanceof BoundValue.NullValue) {
            return Optional.of("NULL");
        }
        if (value instanceof BoundValue.IntegerValue whole) {
            return Optional.of(whole.digits());
        }
        if (value instanceof BoundValue.DecimalValue exact) {
            return DECIMAL.matcher(exact.text()).matches() ? Optional.of(exact.text()) : Optional.empty();
        }
        if (value instanceof BoundValue.DoubleValue real) {
            return real(real.value());
        }
        if (value instanceof BoundValue.TimestampValue moment) {
            return moment(moment);
        }
        if (value instanceof BoundValue.TimeValue span) {
            return span(span);
        }
        return value instanceof BoundValue.BytesValue bytes ? string(bytes, charset) : Optional.empty();
    }

    private static Optional<String> real(double value) {
        boolean negativeZero = value == 0 && 1 / value < 0;
        if (Double.isNaN(value) || Double.isInfinite(value) || negativeZero) {
            return Optional.empty();
        }
        String digits = Double.toString(value);
        return Optional.of(digits.contains("E") ? digits : digits + "E0");
    }

    private static Optional<String> moment(BoundValue.TimestampValue moment) {
        String day = String.format(Locale.ROOT, "%04d-%02d-%02d", moment.year(), moment.month(), moment.day());
        String time = String.format(
                Locale.ROOT, " %02d:%02d:%02d.%06d", moment.hour(), moment.minute(), moment.second(), moment.micros());
        boolean timed = moment.type() != ColumnType.DATE || !time.equals(" 00:00:00.000000");
        String text = timed ? day + time : day;
        return isMoment(text) ? Optional.of("'" + text + "'") : Optional.empty();
    }

    private static Optional<String> span(BoundValue.TimeValue span) {
        String text = String.format(
                Locale.ROOT,
                "%s%02d:%02d:%02d",
                span.negative() ? "-" : "",
                span.days() * 24 + span.hours(),
                span.minutes(),
                span.seconds());
        return span.micros() == 0 && isSpan(text) ? Optional.of("'" + text + "'") : Optional.empty();
    }

    private static Optional<String> string(BoundValue.BytesValue bytes, Charset charset) {
        return SessionCharset.decode(bytes.bytes(), charset)
                .filter(text -> text.chars().allMatch(ParameterLiteral::plain))
                .map(text -> "'" + text.replace("\\", "\\\\").replace("'", "''") + "'");
    }

    /**
     * Whether a character is allowed in a string literal as it is. Some session character sets have no characters of
     * two UTF-16 units.
     */
    private static boolean plain(int unit) {
        boolean control = unit < ' ' && unit != '\t' && unit != '\n' && unit != '\r';
        return !control && !Character.isSurrogate((char) unit);
    }

    /** Whether the literal has the right meaning only if backslashes escape. */
    boolean escaped() {
        return sql.indexOf('\\') >= 0;
    }

    /** Whether it may replace the parameter in a comparison with a column. */
    boolean comparableWith(Column column, boolean pattern) {
        if (column.computed()) {
            return false;
        }
        if (value instanceof BoundValue.NullValue nothing) {
            return nothing(nothing.type(), column);
        }
        if (value instanceof BoundValue.BytesValue bytes) {
            return bytes(bytes, column, pattern);
        }
        if (pattern) {
            return false;
        }
        if (value instanceof BoundValue.TimestampValue) {
            return column.type().isDate();
        }
        if (value instanceof BoundValue.TimeValue) {
            return column.type() == ColumnType.TIME;
        }
        return number(column);
    }

    /**
     * Whether a prepared statement expects the value's type next to a column before it is executed. If so, MySQL does
     * not prepare it again for the value.
     */
    boolean expectedBeside(Column column) {
        ColumnType type = column.type();
        if (value instanceof BoundValue.NullValue) {
            return true;
        }
        if (value instanceof BoundValue.IntegerValue) {
            return type.isExactNumber() && type != ColumnType.YEAR;
        }
        if (value instanceof BoundValue.DecimalValue) {
            return column.decimal();
        }
        if (value instanceof BoundValue.DoubleValue) {
            return type == ColumnType.DOUBLE;
        }
        return value instanceof BoundValue.BytesValue && type.isString();
    }

    /**
     * Whether NULL of that type may be compared with the column. MariaDB compares by the type of NULL, and warns of
     * values that are not of that type.
     */
    private static boolean nothing(ColumnType type, Column column) {
        ColumnType beside = column.type();
        if (type == ColumnType.NULL || type.isString()) {
            return true;
        }
        return type.isTemporal()
                ? beside.isTemporal()
                : beside.isExactNumber()
                        || beside == ColumnType.FLOAT
                        || beside == ColumnType.DOUBLE
                        || beside == ColumnType.BIT;
    }

    private static boolean bytes(BoundValue.BytesValue bytes, Column column, boolean pattern) {
        boolean characters = switch (bytes.type()) {
            case VARCHAR, VAR_STRING, STRING -> true;
            default -> false;
        };
        if (column.type().isString()) {
            // a value bound as bytes has no collation; a literal has one, unless the column has none
            return characters || column.binaryString();
        }
        if (!characters || pattern) {
            return false;
        }
        String text = new String(bytes.bytes(), StandardCharsets.ISO_8859_1);
        return switch (column.type()) {
            case DATE, DATETIME, TIMESTAMP -> isMoment(text);
            case TIME -> isSpan(text);
            case TINY, SHORT, INT24, LONG, LONGLONG -> WHOLE.matcher(text).matches();
            case BIT -> WHOLE.matcher(text).matches() && !text.startsWith("-");
            case YEAR -> isYear(text);
            case DECIMAL, NEWDECIMAL -> column.precision() <= DOUBLE_DIGITS && isShort(text);
            case FLOAT, DOUBLE -> isShort(text);
            default -> false;
        };
    }

    /** Whether a number may be compared with the column. */
    private boolean number(Column column) {
        boolean exact = !(value instanceof BoundValue.DoubleValue);
        return switch (column.type()) {
            case TINY, SHORT, INT24, LONG, LONGLONG -> exact || sure();
            case DECIMAL, NEWDECIMAL -> exact || sure() && column.precision() <= DOUBLE_DIGITS;
            case FLOAT, DOUBLE -> !exact || isShort(sql);
            case BIT -> value instanceof BoundValue.IntegerValue && !sql.startsWith("-");
            case YEAR -> value instanceof BoundValue.IntegerValue && isYear(sql);
            default -> false;
        };
    }

    /** Whether a double compares with every number as it does when both are decimals. */
    private boolean sure() {
        return value instanceof BoundValue.DoubleValue real && Math.abs(real.value()) < EXACT_DOUBLES;
    }

    /** Whether it is allowed in a LIMIT clause. */
    boolean counts() {
        return value instanceof BoundValue.IntegerValue && !sql.startsWith("-");
    }

    /** Whether a text is a decimal that a double preserves. */
    private static boolean isShort(String text) {
        return DECIMAL.matcher(text).matches()
                && text.chars().filter(Character::isDigit).count() <= DOUBLE_DIGITS;
    }

    /** Whether a text is a year that is taken literally. */
    private static boolean isYear(String text) {
        return YEAR.matcher(text).matches() && text.compareTo("1901") >= 0 && text.compareTo("2155") <= 0;
    }

    /** Whether a text is a TIME value. A negative zero is none: as a parameter, MySQL takes it for less than zero. */
    private static boolean isSpan(String text) {
        Matcher parts = SPAN.matcher(text);
        return parts.matches() && !NO_LENGTH.matcher(text).matches() && Integer.parseInt(parts.group(1)) <= MOST_HOURS;
    }

    /** Whether a text is an existing date, with or without a time. */
    private static boolean isMoment(String text) {
        Matcher parts = MOMENT.matcher(text);
        if (!parts.matches()) {
            return false;
        }
        try {
            LocalDate day = LocalDate.of(
                    Integer.parseInt(parts.group(1)),
                    Integer.parseInt(parts.group(2)),
                    Integer.parseInt(parts.group(3)));
            if (parts.group(4) != null) {
                LocalTime.of(
                        Integer.parseInt(parts.group(4)),
                        Integer.parseInt(parts.group(5)),
                        Integer.parseInt(parts.group(6)));
            }
            return day.getYear() > 0;
        } catch (DateTimeException e) {
            return false;
        }
    }
}
