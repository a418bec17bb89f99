package io.fanfold.row;

/**
 * One column definition of a result set, as the server described it.
 *
 * @param schema database of the table, "" when computed
 * @param table alias of the table, "" when computed
 * @param orgTable name of the table behind the alias, "" when computed
 * @param name the name shown to the client
 * @param orgName the column's own name, "" when computed
 * @param collationId collation id of the values; 63 is binary. It is the column's own collation only where
 *     {@code character_set_results} is NULL, else that of the results' character set
 * @param length display length in bytes, 0..2^32-1
 * @param type the type on the wire
 * @param flags the flag bits, see {@link Flags}
 * @param decimals digits after the point, 0..30 for exact numbers, 0..6 for times, 31 or 39 where not fixed
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

    /** From this number of decimals on the digits behind the point are not fixed: of a DOUBLE all are shown. */
    public static final int NOT_FIXED = 31;

    /** Flag bits of a column definition. */
    public static final class Flags {
        public static final int NOT_NULL = 1;
        /** Of a primary key, of a unique one, of another one, or of a part of one. */
        public static final int KEY_FLAGS = 2 | 4 | 8 | 1 << 14;

        public static final int BLOB = 16;
        public static final int UNSIGNED = 32;
        public static final int BINARY = 128;
        public static final int ENUM = 256;
        public static final int SET = 2048;
        public static final int ZEROFILL = 64;

        private Flags() {}
    }

    /** Whether it is no column of a table: of what a derived table computes servers name the column, but no schema. */
    public boolean computed() {
        return orgName.isEmpty() || schema.isEmpty();
    }

    /** The digits of an exact decimal by its display length, which counts sign and point; more than 65 of computed ones. */
    public long precision() {
        return length - (decimals > 0 ? 1 : 0) - (unsigned() ? 0 : 1);
    }

    /** Whether values have a fixed number of digits behind the point; then the text of a DOUBLE is rounded. */
    public boolean digitsFixed() {
        return decimals < NOT_FIXED;
    }

    /** Whether it is an exact decimal. */
    public boolean decimal() {
        return type == ColumnType.NEWDECIMAL || type == ColumnType.DECIMAL;
    }

    public boolean unsigned() {
        return (flags & Flags.UNSIGNED) != 0;
    }

    /** Whether the value is an ENUM or SET, which both travel as {@link ColumnType#STRING} with a flag. */
    public boolean enumOrSet() {
        return (flags & (Flags.ENUM | Flags.SET)) != 0 || type == ColumnType.ENUM || type == ColumnType.SET;
    }

    /** The same column with another collation id. */
    public Column withCollation(int id) {
        return new Column(schema, table, orgTable, name, orgName, id, length, type, flags, decimals);
    }

    /** The same column with another name of its own. */
    public Column withOrgName(String own) {
        return new Column(schema, table, orgTable, name, own, collationId, length, type, flags, decimals);
    }

    /** The same column with another display length. */
    public Column withLength(long bytes) {
        return new Column(schema, table, orgTable, name, orgName, collationId, bytes, type, flags, decimals);
    }

    /** The same column of another type. */
    public Column withType(ColumnType other) {
        return new Column(schema, table, orgTable, name, orgName, collationId, length, other, flags, decimals);
    }

    /** The same column with other {@link Flags}. */
    public Column withFlags(int bits) {
        return new Column(schema, table, orgTable, name, orgName, collationId, length, type, bits, decimals);
    }

    /** The same column with other decimals. */
    public Column withDecimals(int digits) {
        return new Column(schema, table, orgTable, name, orgName, collationId, length, type, flags, digits);
    }

    /** Whether values are strings of bytes without a character set. */
    public boolean binaryString() {
        return type.isString() && collationId == BINARY_COLLATION;
    }
}
