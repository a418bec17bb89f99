package io.fanfold.wire;

import io.fanfold.row.ColumnType;
import java.nio.charset.StandardCharsets;

/**
 * The value of a parameter in COM_STMT_EXECUTE.
 *
 * @see <a
 *     href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_binary_resultset.html#sect_protocol_binary_resultset_row_value">binary
 *     values</a>
 */
public sealed interface BoundValue {
    /** The unsigned bit of a parameter's type. */
    int UNSIGNED = 0x8000;

    /**
     * NULL.
     *
     * @param type the parameter's type; NULL if the client gave none
     */
    record NullValue(ColumnType type) implements BoundValue {}

    /**
     * An integer.
     *
     * @param value negative for an unsigned value of 2^63 or more
     */
    record IntegerValue(long value, boolean unsigned) implements BoundValue {
        /** Returns the decimal digits. */
        public String digits() {
            return unsigned ? Long.toUnsignedString(value) : Long.toString(value);
        }
    }

    /** A DOUBLE, or a FLOAT if {@code single}. */
    record DoubleValue(double value, boolean single) implements BoundValue {}

    /**
     * An exact decimal.
     *
     * @param text as the client wrote it; may not be a number
     */
    record DecimalValue(String text) implements BoundValue {}

    /**
     * A date, with a time unless the type is DATE.
     *
     * @param type DATE, DATETIME or TIMESTAMP
     */
    record TimestampValue(ColumnType type, int year, int month, int day, int hour, int minute, int second, long micros)
            implements BoundValue {}

    /** A TIME. */
    record TimeValue(boolean negative, long days, int hours, int minutes, int seconds, long micros)
            implements BoundValue {}

    /** Characters in the session's {@code character_set_client}, or bytes. */
    record BytesValue(ColumnType type, byte[] bytes) implements BoundValue {}

    /**
     * Returns the type that two bytes denote, with {@link #UNSIGNED}, if all servers read its values as intended.
     * Servers refuse parameters of other types, or read something else (measured on MySQL 9.7 and MariaDB 10.11,
     * tested by {@code ExecutionIT}).
     *
     * @throws ProtocolException if it is another type
     */
    static ColumnType type(int type) throws ProtocolException {
        ColumnType column = ColumnType.ofCode(type & ~UNSIGNED);
        return switch (column) {
            case TINY,
                    SHORT,
                    LONG,
                    LONGLONG,
                    FLOAT,
                    DOUBLE,
                    DECIMAL,
                    NEWDECIMAL,
                    NULL,
                    DATE,
                    TIME,
                    DATETIME,
                    TIMESTAMP,
                    VARCHAR,
                    VAR_STRING,
                    STRING,
                    TINY_BLOB,
                    MEDIUM_BLOB,
                    LONG_BLOB,
                    BLOB -> column;
            default -> throw new ProtocolException("a parameter of type " + type);
        };
    }

    /**
     * Reads the next value, which is not NULL according to the bitmap.
     *
     * @param type its type in two bytes, with {@link #UNSIGNED}
     * @throws ProtocolException if the value is truncated, its length does not fit its type, or the type is not one of
     *     parameters
     */
    static BoundValue read(PayloadReader in, int type) throws ProtocolException {
        boolean unsigned = (type & UNSIGNED) != 0;
        ColumnType column = type(type);
        return switch (column.binaryForm()) {
            case INT1 -> new IntegerValue(unsigned ? in.int1() : (byte) in.int1(), unsigned);
            case INT2 -> new IntegerValue(unsigned ? in.int2() : (short) in.int2(), unsigned);
            case INT4 -> new IntegerValue(unsigned ? in.int4() : (int) in.int4(), unsigned);
            case INT8 -> new IntegerValue(in.int8(), unsigned);
            case FLOAT -> new DoubleValue(Float.intBitsToFloat((int) in.int4()), true);
            case DOUBLE -> new DoubleValue(Double.longBitsToDouble(in.int8()), false);
            case MOMENT -> moment(in, column);
            case SPAN -> span(in);
            case BYTES ->
                column == ColumnType.DECIMAL || column == ColumnType.NEWDECIMAL
                        ? new DecimalValue(in.lenencString(StandardCharsets.ISO_8859_1))
                        : new BytesValue(column, in.lenencBytes());
            case NOTHING, UNKNOWN -> throw new ProtocolException("a value of type " + column);
        };
    }

    private static BoundValue moment(PayloadReader in, ColumnType type) throws ProtocolException {
        int length = in.int1();
        if (length != 0 && length != 4 && length != 7 && length != 11) {
            throw new ProtocolException("a moment of " + length + " bytes (expected: 0, 4, 7 or 11)");
        }
        if (type == ColumnType.DATE && length > 4) {
            // MySQL refuses it, MariaDB ignores the time
            throw new ProtocolException("a DATE of " + length + " bytes (expected: 0 or 4)");
        }
        boolean day = length >= 4;
        boolean time = length >= 7;
        return new TimestampValue(
                type,
                day ? in.int2() : 0,
                day ? in.int1() : 0,
                day ? in.int1() : 0,
                time ? in.int1() : 0,
                time ? in.int1() : 0,
                time ? in.int1() : 0,
                length == 11 ? in.int4() : 0);
    }

    private static BoundValue span(PayloadReader in) throws ProtocolException {
        int length = in.int1();
        if (length != 0 && length != 8 && length != 12) {
            throw new ProtocolException("a time of " + length + " bytes (expected: 0, 8 or 12)");
        }
        if (length == 0) {
            return new TimeValue(false, 0, 0, 0, 0, 0);
        }
        return new TimeValue(in.int1() != 0, in.int4(), in.int1(), in.int1(), in.int1(), length == 12 ? in.int4() : 0);
    }
}
