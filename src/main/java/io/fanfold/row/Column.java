package io.fanfold.row;

/**
 * One column definition of a result set, as the server sent it.
 *
 * @param schema database of the table, "" if computed
 * @param table alias of the table, "" if computed
 * @param orgTable original name of the table, "" if computed
 * @param name the name shown to the client
 * @param orgName the column's original name, "" if computed
 * @param collationId collation id of the values; 63 is binary. If {@code character_set_results} is NULL it is the
 *     column's own collation, otherwise that of the results' character set
 * @param length display length in bytes, 0..2^32-1
 * @param type the type in the protocol
 * @param flags the flag bits, see {@link Flags}
 * @param decimals digits after the decimal point, 0..30 for exact numbers, 0..6 for times, 31 or 39 if not fixed
 * @see <a
 *     href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_query_response_text_resultset_column_definition.html">column
 *     definition</a>
 */
public record Column(
        String schema,
        String table,
        String orgTable,
        String name,
        String orgName,
        int collationId,
        long length,
        ColumnType type,
        int flags,
        int decimals) {

    /** The collation id of byte strings and of numbers. */
    public static final int BINARY_COLLATION = 63;

    /** The first value of decimals that means not fixed: all digits of a DOUBLE are shown. */
    public static final int NOT_FIXED = 31;

    /** The maximum precision of exact decimals and their sums: DECIMAL(65). */
    public static final int MAX_PRECISION = 65;

    /** Flag bits of a column definition. */
    public static final class Flags {
        public static final int NOT_NULL = 1;
        /** The column belongs to a primary key, a unique key or another key. */
        public static final int KEY_FLAGS = 2 | 4 | 8 | 1 << 14;

        public static final int BLOB = 16;
        public static final int UNSIGNED = 32;
        public static final int BINARY = 128;
        public static final int ENUM = 256;
        public static final int SET = 2048;
        public static final int ZEROFILL = 64;

        private Flags() {}
    }

    /**
     * Whether it is not a table's column. For computed columns of a derived table, servers send an original name but no
     * schema.
     */
    public boolean computed() {
        return orgName.isEmpty() || schema.isEmpty();
    }

    /**
     * Returns the digits of an exact decimal, from its display length, which counts sign and point. May exceed
     * {@link #MAX_PRECISION} if computed.
     */
    public long precision() {
        return length - (decimals > 0 ? 1 : 0) - (unsigned() ? 0 : 1);
    }

    /** Whether values have a fixed number of digits after the decimal point. The text of a DOUBLE is then rounded. */
    public boolean digitsFixed() {
        return decimals < NOT_FIXED;
    }

    /** Whether it is an exact decimal. */
    public boolean decimal() {
        return type == ColumnType.NEWDECIMAL || type == ColumnType.DECIMAL;
    }

    /** Whether it is an exact decimal that is not a table's column. */
    public boolean computedDecimal() {
        return decimal() && computed();
    }

    /** Whether it is an exact decimal with all the digits there are. */
    public boolean fullDecimal() {
        return decimal() && precision() >= MAX_PRECISION;
    }

    public boolean unsigned() {
        return (flags & Flags.UNSIGNED) != 0;
    }

    /** Whether the value is an ENUM or SET. Servers send both as {@link ColumnType#STRING} with a flag. */
    public boolean enumOrSet() {
        return (flags & (Flags.ENUM | Flags.SET)) != 0 || type == ColumnType.ENUM || type == ColumnType.SET;
    }

    /** Returns this column with another collation id. */
    public Column withCollation(int id) {
        return new Column(schema, table, orgTable, name, orgName, id, length, type, flags, decimals);
    }

    /** Returns this column with another original name. */
    public Column withOrgName(String own) {
        return new Column(schema, table, orgTable, name, own, collationId, length, type, flags, decimals);
    }

    /** Returns this column with another display length. */
    public Column withLength(long bytes) {
        return new Column(schema, table, orgTable, name, orgName, collationId, bytes, type, flags, decimals);
    }

    /** Returns this column with another type. */
    public Column withType(ColumnType other) {
        return new Column(schema, table, orgTable, name, orgName, collationId, length, other, flags, decimals);
    }

    /** Returns this column with other {@link Flags}. */
    public Column withFlags(int bits) {
        return new Column(schema, table, orgTable, name, orgName, collationId, length, type, bits, decimals);
    }

    /** Returns this column with other decimals. */
    public Column withDecimals(int digits) {
        return new Column(schema, table, orgTable, name, orgName, collationId, length, type, flags, digits);
    }

    /** Whether values are strings of bytes without a character set. */
    public boolean binaryString() {
        return type.isString() && collationId == BINARY_COLLATION;
    }
}
