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
import org.jspecify.annotations.Nullable;

/**
 * The type of a column whose values are on a line: each value has a position, and positions have the order of the
 * values. So the middle between two values can be computed. Immutable.
 *
 * @param kind the kind of type
 * @param scale the decimal digits of DECIMAL, else 0
 * @param texts the positions of texts; empty for all other kinds
 */
public record KeyType(Kind kind, int scale, Optional<TextPositions> texts) {
    /** The kinds of types, with the unit of a position. */
    public enum Kind {
        /** A position is the number. */
        INTEGER,
        /** A position is the number without its decimal point. */
        DECIMAL,
        /** A position is a day, counted from 1970-01-01. */
        DATE,
        /** A position is a second, counted from 1970-01-01 00:00:00 in the column's own time. */
        DATETIME,
        /** A position is a number whose first digits are the first bytes. */
        BINARY,
        /** A position is a number whose first digits are the first characters. */
        TEXT
    }

    /** The bytes of a binary value that count. */
    private static final int BYTES = 32;

    private static final Pattern DEFINITION = Pattern.compile(
            "(tinyint|smallint|mediumint|int|bigint|decimal|date|datetime|binary|varbinary|char|varchar)"
                    + "(?:\\((\\d+)(?:,(\\d+))?\\))?(?: CHARACTER SET (\\w+))?(?: COLLATE (\\w+))?(?: .*|)",
            Pattern.CASE_INSENSITIVE);

    private static final DateTimeFormatter SECONDS = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT);

    private static final int HEX = 16;

    /** The length of a moment without fraction. */
    private static final int SECONDS_LENGTH = 19;

    /** The first and the last day of the range that the servers' manuals name. */
    private static final LocalDate FIRST_DAY = LocalDate.of(1000, 1, 1);

    private static final LocalDate LAST_DAY = LocalDate.of(9999, 12, 31);

    /** Creates a type other than text. */
    public KeyType(Kind kind, int scale) {
        this(kind, scale, Optional.empty());
    }

    /**
     * Reads the type of a column.
     *
     * @param definition the column's definition in SHOW CREATE TABLE, after its name
     * @param tableCollation the collation of the table's columns that name no character set; "" if unknown
     * @return empty if values of the type have no positions here
     */
    static Optional<KeyType> of(String definition, String tableCollation) {
        Matcher type = DEFINITION.matcher(definition);
        if (!type.matches()) {
            return Optional.empty();
        }
        String digits = type.group(3);
        return switch (type.group(1).toLowerCase(Locale.ROOT)) {
            case "decimal" -> Optional.of(new KeyType(Kind.DECIMAL, digits == null ? 0 : Integer.parseInt(digits)));
            case "date" -> Optional.of(new KeyType(Kind.DATE, 0));
            case "datetime" -> Optional.of(new KeyType(Kind.DATETIME, 0));
            case "binary", "varbinary" -> Optional.of(new KeyType(Kind.BINARY, 0));
            case "char", "varchar" ->
                TextPositions.of(
                                type.group(4) == null && type.group(5) == null
                                        ? tableCollation
                                        : collation(type.group(4), type.group(5)))
                        .map(texts -> new KeyType(Kind.TEXT, 0, Optional.of(texts)));
            default -> Optional.of(new KeyType(Kind.INTEGER, 0));
        };
    }

    /**
     * Returns the collation of a character set and a collation in SHOW CREATE TABLE. The servers leave out the collation
     * only where it is the default of an old character set.
     *
     * @return "" if it is not known
     */
    static String collation(@Nullable String charset, @Nullable String collation) {
        if (collation != null) {
            return collation;
        }
        return charset == null
                ? ""
                : switch (charset) {
                    case "latin1" -> "latin1_swedish_ci";
                    case "ascii", "utf8", "utf8mb3" -> charset + "_general_ci";
                    default -> "";
                };
    }

    /**
     * Returns the question for the smallest and the largest value, each as {@link #position} reads it, and what must be
     * true of them.
     *
     * @param column quoted
     * @return a SELECT list of three columns; the third is 1 if the values have the order of their positions
     */
    public String ends(String column) {
        String least = "MIN(" + column + ")";
        String most = "MAX(" + column + ")";
        if (texts.isPresent()) {
            return least + ", " + most + ", COLLATION(" + least + ") = '"
                    + texts.get().collation() + "' AND " + texts.get().proof();
        }
        return kind == Kind.BINARY ? "HEX(" + least + "), HEX(" + most + "), 1" : least + ", " + most + ", 1";
    }

    /**
     * Returns the position of a value. A position may be inexact: it only has to be near the value.
     *
     * @param value as the server shows it; of BINARY its hexadecimal digits
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
                        case BINARY ->
                            new BigInteger("0" + (value + "0".repeat(2 * BYTES)).substring(0, 2 * BYTES), HEX);
                        case TEXT -> texts.orElseThrow().position(value);
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
            case BINARY -> bytes(position);
            case TEXT -> texts.orElseThrow().literal(position);
        };
    }

    /** Whether all values at or after a position, and before the next one, are equal to the literal of the position. */
    public boolean exact(BigInteger position) {
        return switch (kind) {
            case INTEGER, DECIMAL -> true;
            // the first and the last day stand for all days before and after them
            case DATE -> inside(position);
            case DATETIME, BINARY, TEXT -> false;
        };
    }

    private static boolean inside(BigInteger day) {
        return day.compareTo(BigInteger.valueOf(FIRST_DAY.toEpochDay())) > 0
                && day.compareTo(BigInteger.valueOf(LAST_DAY.toEpochDay())) < 0;
    }

    /** Returns the literal of bytes, without zeros at the end. */
    private static String bytes(BigInteger position) {
        BigInteger most = BigInteger.ONE.shiftLeft(Byte.SIZE * BYTES).subtract(BigInteger.ONE);
        String digits = position.max(BigInteger.ZERO).min(most).toString(HEX);
        String all = "0".repeat(2 * BYTES - digits.length()) + digits;
        int end = all.length();
        while (end > 0 && all.startsWith("00", end - 2)) {
            end -= 2;
        }
        return "x'" + all.substring(0, end) + "'";
    }

    private static LocalDateTime clamped(BigInteger position, ChronoUnit unit) {
        LocalDateTime first = FIRST_DAY.atStartOfDay();
        LocalDateTime last = LAST_DAY.atStartOfDay();
        LocalDateTime moment = LocalDateTime.ofEpochSecond(0, 0, ZoneOffset.UTC).plus(position.longValueExact(), unit);
        return moment.isBefore(first) ? first : moment.isAfter(last) ? last : moment;
    }
}
