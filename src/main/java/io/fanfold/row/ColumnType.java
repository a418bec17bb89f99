package io.fanfold.row;

import java.util.Locale;

/**
 * The column types of the protocol, with their codes.
 *
 * @see <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/field__types_8h.html">field_types.h</a>
 */
public enum ColumnType {
    DECIMAL(0),
    TINY(1),
    SHORT(2),
    LONG(3),
    FLOAT(4),
    DOUBLE(5),
    NULL(6),
    TIMESTAMP(7),
    LONGLONG(8),
    INT24(9),
    DATE(10),
    TIME(11),
    DATETIME(12),
    YEAR(13),
    NEWDATE(14),
    VARCHAR(15),
    BIT(16),
    VECTOR(242),
    JSON(245),
    NEWDECIMAL(246),
    ENUM(247),
    SET(248),
    TINY_BLOB(249),
    MEDIUM_BLOB(250),
    LONG_BLOB(251),
    BLOB(252),
    VAR_STRING(253),
    STRING(254),
    GEOMETRY(255),
    /** A code unknown to this build; its columns are never merged. */
    UNKNOWN(-1),
    /** MariaDB: announced as STRING, named by the extended type information. */
    INET4(-2),
    /** MariaDB: announced as STRING, named by the extended type information. */
    INET6(-3),
    /** MariaDB: announced as STRING, named by the extended type information. */
    UUID(-4),
    /** A MariaDB data type unknown to this build; its columns are never merged. */
    UNKNOWN_NAMED(-5);

    private final int code;

    ColumnType(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }

    /** Returns the type of a code (0..255); {@link #UNKNOWN} for a code not listed. */
    public static ColumnType ofCode(int code) {
        for (ColumnType type : values()) {
            if (type.code == code) {
                return type;
            }
        }
        return UNKNOWN;
    }

    /**
     * Returns the type of a column whose definition names its data type. MariaDB 10.11 announces INET4, INET6 and UUID
     * as STRING, even for an expression such as {@code COALESCE(i6, '::1')}. It names the subtypes of GEOMETRY too.
     *
     * @param name the data type's name in MariaDB's extended type information, e.g. "inet6"
     */
    public ColumnType named(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "inet4" -> INET4;
            case "inet6" -> INET6;
            case "uuid" -> UUID;
            default -> this == GEOMETRY ? this : UNKNOWN_NAMED;
        };
    }

    /** Whether it is announced as a string, and only MariaDB's extended type information shows that it is not. */
    public boolean isNamed() {
        return switch (this) {
            case INET4, INET6, UUID, UNKNOWN_NAMED -> true;
            default -> false;
        };
    }

    /**
     * The format of a value in the binary protocol.
     *
     * @see <a
     *     href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_binary_resultset.html#sect_protocol_binary_resultset_row_value">binary
     *     values</a>
     */
    public enum BinaryForm {
        INT1,
        INT2,
        INT4,
        INT8,
        FLOAT,
        DOUBLE,
        /** A date, possibly with a time. */
        MOMENT,
        /** A TIME. */
        SPAN,
        /** A length, and the bytes of the text form. */
        BYTES,
        /** There is no value. */
        NOTHING,
        UNKNOWN
    }

    /** Returns the format of this type's values. */
    public BinaryForm binaryForm() {
        return switch (this) {
            case TINY -> BinaryForm.INT1;
            case SHORT, YEAR -> BinaryForm.INT2;
            case LONG, INT24 -> BinaryForm.INT4;
            case LONGLONG -> BinaryForm.INT8;
            case FLOAT -> BinaryForm.FLOAT;
            case DOUBLE -> BinaryForm.DOUBLE;
            case DATE, DATETIME, TIMESTAMP -> BinaryForm.MOMENT;
            case TIME -> BinaryForm.SPAN;
            case DECIMAL,
                    NEWDECIMAL,
                    VARCHAR,
                    VAR_STRING,
                    STRING,
                    ENUM,
                    SET,
                    BIT,
                    JSON,
                    GEOMETRY,
                    VECTOR,
                    TINY_BLOB,
                    MEDIUM_BLOB,
                    LONG_BLOB,
                    BLOB,
                    INET4,
                    INET6,
                    UUID,
                    UNKNOWN_NAMED -> BinaryForm.BYTES;
            case NULL -> BinaryForm.NOTHING;
            case NEWDATE, UNKNOWN -> BinaryForm.UNKNOWN;
        };
    }

    /** Whether the text form is an exact integer: TINY, SHORT, INT24, LONG, LONGLONG, YEAR. */
    public boolean isInteger() {
        return switch (this) {
            case TINY, SHORT, INT24, LONG, LONGLONG, YEAR -> true;
            default -> false;
        };
    }

    /** Whether the text form is an exact number: an integer or a DECIMAL. */
    public boolean isExactNumber() {
        return isInteger() || this == NEWDECIMAL || this == DECIMAL;
    }

    public boolean isFloatingPoint() {
        return this == DOUBLE || this == FLOAT;
    }

    /** Whether values are character or byte strings (CHAR, VARCHAR, TEXT, BINARY, VARBINARY, BLOB). */
    public boolean isString() {
        return switch (this) {
            case VARCHAR, VAR_STRING, STRING, TINY_BLOB, MEDIUM_BLOB, LONG_BLOB, BLOB -> true;
            default -> false;
        };
    }

    /** Whether values have a date, a time or both: DATE, DATETIME, TIMESTAMP, TIME. */
    public boolean isTemporal() {
        return isDate() || this == TIME;
    }

    /** Whether values have a date: DATE, DATETIME, TIMESTAMP. */
    public boolean isDate() {
        return switch (this) {
            case DATE, NEWDATE, DATETIME, TIMESTAMP -> true;
            default -> false;
        };
    }
}
