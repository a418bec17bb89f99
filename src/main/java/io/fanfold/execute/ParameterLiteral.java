package io.fanfold.execute;

import io.fanfold.protocol.BoundValue;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The literal that a parameter's value is beside certain columns. A parameter is no literal: MySQL gives it the type of what
 * stands beside it, MariaDB that of its value. Beside a column of the same family both come to the same comparison as
 * with the literal (measured on MySQL 9.7 and MariaDB 10.11, see {@code PreparedIT}); elsewhere nothing is assumed.
 *
 * @param value what was bound
 * @param sql the literal, of ASCII characters that every sql_mode and character set reads alike
 */
record ParameterLiteral(BoundValue value, String sql) {
    private static final Pattern DECIMAL = Pattern.compile("-?[0-9]{1,35}(\\.[0-9]{1,30})?");

    private static final Pattern MOMENT =
            Pattern.compile("([0-9]{4})-([0-9]{2})-([0-9]{2})(?: ([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\\.[0-9]{1,6})?)?");

    /** The literal of a value; empty where none is known to be the same. */
    static Optional<ParameterLiteral> of(BoundValue value) {
        return text(value).map(sql -> new ParameterLiteral(value, sql));
    }

    private static Optional<String> text(BoundValue value) {
        if (value instanceof BoundValue.Whole whole) {
            return Optional.of(whole.digits());
        }
        if (value instanceof BoundValue.Exact exact) {
            return DECIMAL.matcher(exact.text()).matches() ? Optional.of(exact.text()) : Optional.empty();
        }
        if (value instanceof BoundValue.Real real) {
            return real(real);
        }
        if (value instanceof BoundValue.Moment moment) {
            return moment(moment);
        }
        return value instanceof BoundValue.Bytes bytes ? string(bytes) : Optional.empty();
    }

    private static Optional<String> real(BoundValue.Real real) {
        double value = real.value();
        boolean negativeZero = value == 0 && 1 / value < 0;
        if (real.single() || Double.isNaN(value) || Double.isInfinite(value) || negativeZero) {
            return Optional.empty();
        }
        String digits = Double.toString(value);
        return Optional.of(digits.contains("E") ? digits : digits + "E0");
    }

    private static Optional<String> moment(BoundValue.Moment moment) {
        String day = String.format(Locale.ROOT, "%04d-%02d-%02d", moment.year(), moment.month(), moment.day());
        String time = String.format(
                Locale.ROOT, " %02d:%02d:%02d.%06d", moment.hour(), moment.minute(), moment.second(), moment.micros());
        boolean timed = moment.type() != ColumnType.DATE || !time.equals(" 00:00:00.000000");
        String text = timed ? day + time : day;
        return isMoment(text) ? Optional.of("'" + text + "'") : Optional.empty();
    }

    /** Of printable ASCII characters only, which are the same bytes in every character set that is read. */
    private static Optional<String> string(BoundValue.Bytes bytes) {
        boolean characters = switch (bytes.type()) {
            case VARCHAR, VAR_STRING, STRING -> true;
            default -> false;
        };
        if (!characters) {
            return Optional.empty();
        }
        for (byte b : bytes.bytes()) {
            if (b < ' ' || b > '~' || b == '\\') {
                return Optional.empty();
            }
        }
        String text = new String(bytes.bytes(), StandardCharsets.US_ASCII);
        return Optional.of("'" + text.replace("'", "''") + "'");
    }

    /** Whether the literal may stand for the parameter in a comparison with a column. */
    boolean comparableWith(Column column, boolean pattern) {
        if (column.computed()) {
            return false;
        }
        if (value instanceof BoundValue.Bytes bytes) {
            String text = new String(bytes.bytes(), StandardCharsets.US_ASCII);
            boolean characters = column.type().isString() && !column.binaryString() && !column.enumOrSet();
            return characters || column.type().isDate() && !pattern && isMoment(text);
        }
        if (pattern) {
            return false;
        }
        if (value instanceof BoundValue.Real) {
            return column.type() == ColumnType.DOUBLE;
        }
        if (value instanceof BoundValue.Moment) {
            return column.type().isDate();
        }
        return column.type().isExactNumber() && column.type() != ColumnType.YEAR;
    }

    /** Whether it may stand in a LIMIT clause. */
    boolean counts() {
        return value instanceof BoundValue.Whole && !sql.startsWith("-");
    }

    /** Whether a text is a day, or a day and a time, that there is. */
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
