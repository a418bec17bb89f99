package io.fanfold.wire;

import io.fanfold.row.Column;
import io.fanfold.row.Row;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * Converts text rows to the binary format of prepared statements, with the same bytes that the server would send.
 * Immutable.
 *
 * @see <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_binary_resultset.html">binary result
 *     set</a>
 */
public final class BinaryRow {
    /** The first two bits of a row's bitmap belong to no column. */
    private static final int FIRST_BIT = 2;

    private final List<Column> columns;

    /** @param columns as the result set announces them; none of them an {@link #obstacle} */
    public BinaryRow(List<Column> columns) {
        this.columns = List.copyOf(columns);
    }

    /**
     * Returns the first column whose values cannot be converted exactly from text. The text of a FLOAT has six digits,
     * and a DOUBLE with fixed decimals is rounded. The text of any other DOUBLE is the shortest that identifies its
     * value.
     */
    public static Optional<Column> obstacle(List<Column> columns) {
        return columns.stream().filter(BinaryRow::inexact).findFirst();
    }

    private static boolean inexact(Column column) {
        return switch (column.type()) {
            case FLOAT, NEWDATE, UNKNOWN -> true;
            case DOUBLE -> column.digitsFixed();
            default -> false;
        };
    }

    /**
     * Converts a row.
     *
     * @param row a text row with these columns
     * @return the packet's payload
     * @throws IllegalArgumentException if a text is not valid for its column's type
     */
    public byte[] encode(Row row) {
        byte[] nulls = new byte[(columns.size() + FIRST_BIT + 7) / 8];
        PayloadWriter values = new PayloadWriter();
        for (int i = 0; i < columns.size(); i++) {
            byte[] text = row.bytes(i);
            if (text == null) {
                nulls[(i + FIRST_BIT) / 8] |= (byte) (1 << (i + FIRST_BIT) % 8);
            } else {
                value(values, columns.get(i), text);
            }
        }
        return new PayloadWriter().int1(0).bytes(nulls).bytes(values.toBytes()).toBytes();
    }

    private static void value(PayloadWriter out, Column column, byte[] text) {
        switch (column.type().binaryForm()) {
            case INT1 -> out.int1((int) whole(text));
            case INT2 -> out.int2((int) whole(text));
            case INT4 -> out.int4(whole(text));
            case INT8 -> out.int8(whole(text));
            case DOUBLE -> out.int8(Double.doubleToRawLongBits(Double.parseDouble(ascii(text))));
            case MOMENT -> moment(out, ascii(text));
            case SPAN -> span(out, ascii(text));
            case BYTES -> out.lenencBytes(text);
            case FLOAT, NOTHING, UNKNOWN -> throw new IllegalArgumentException("a value of type " + column.type());
        }
    }

    private static String ascii(byte[] text) {
        return new String(text, StandardCharsets.ISO_8859_1);
    }

    private static long whole(byte[] text) {
        String digits = ascii(text);
        return digits.startsWith("-") ? Long.parseLong(digits) : Long.parseUnsignedLong(digits);
    }

    /** Writes {@code 2001-02-03} or {@code 2001-02-03 04:05:06.789}; trailing zero fields are left out. */
    private static void moment(PayloadWriter out, String text) {
        int year = number(text, 0, 4);
        int month = number(text, 5, 7);
        int day = number(text, 8, 10);
        boolean timed = text.length() > 10;
        int hour = timed ? number(text, 11, 13) : 0;
        int minute = timed ? number(text, 14, 16) : 0;
        int second = timed ? number(text, 17, 19) : 0;
        int micros = micros(text, 19);
        int length = micros != 0 ? 11 : (hour | minute | second) != 0 ? 7 : (year | month | day) != 0 ? 4 : 0;
        out.int1(length);
        if (length >= 4) {
            out.int2(year).int1(month).int1(day);
        }
        if (length >= 7) {
            out.int1(hour).int1(minute).int1(second);
        }
        if (length == 11) {
            out.int4(micros);
        }
    }

    /** Writes a time such as {@code -838:59:59.000000}. */
    private static void span(PayloadWriter out, String text) {
        boolean negative = text.startsWith("-");
        int from = negative ? 1 : 0;
        int colon = text.indexOf(':');
        int hours = number(text, from, colon);
        int minutes = number(text, colon + 1, colon + 3);
        int seconds = number(text, colon + 4, colon + 6);
        int micros = micros(text, colon + 6);
        int length = micros != 0 ? 12 : (hours | minutes | seconds) != 0 ? 8 : 0;
        out.int1(length);
        if (length >= 8) {
            out.int1(negative ? 1 : 0)
                    .int4(hours / 24)
                    .int1(hours % 24)
                    .int1(minutes)
                    .int1(seconds);
        }
        if (length == 12) {
            out.int4(micros);
        }
    }

    private static int number(String text, int from, int to) {
        if (from >= to || to > text.length()) {
            throw new IllegalArgumentException("a date or time of " + text.length() + " characters");
        }
        return Integer.parseUnsignedInt(text, from, to, 10);
    }

    /** Returns the digits after the decimal point in microseconds; 0 if there are none. */
    private static int micros(String text, int point) {
        if (text.length() <= point + 1) {
            return 0;
        }
        int value = number(text, point + 1, text.length());
        for (int digits = text.length() - point - 1; digits < 6; digits++) {
            value *= 10;
        }
        return value;
    }
}
