package io.fanfold.wire;

import io.fanfold.row.ColumnType;

/**
 * Column definitions of results that Fanfold makes itself. Stateless.
 *
 * @see <a
 *     href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_query_response_text_resultset_column_definition.html">column
 *     definition</a>
 */
public final class ColumnDefinition {
    /** utf8mb4_general_ci, which every supported server has. */
    private static final int UTF8MB4 = 45;

    private static final int BINARY = 63;
    private static final int BINARY_FLAG = 0x80;

    /** The lengths of texts and numbers, as shown by clients. */
    private static final long TEXT_LENGTH = 1024;

    private static final long DIGITS = 21;

    /** NOT_FIXED_DEC: the server's value for floating-point numbers. */
    private static final int ANY_DECIMALS = 31;

    private static final int FIXED_FIELDS = 12;

    private ColumnDefinition() {}

    /**
     * Returns the payload of the definition of a column.
     *
     * @param type VAR_STRING for UTF-8 texts, LONGLONG or DOUBLE
     * @param capabilities those that the client negotiated
     */
    public static byte[] of(String name, ColumnType type, long capabilities) {
        PayloadWriter names = new PayloadWriter()
                .lenencString("def")
                .lenencString("")
                .lenencString("")
                .lenencString("")
                .lenencString(name)
                .lenencString("");
        if (Capability.has(capabilities, Capability.MARIADB_EXTENDED_METADATA)) {
            // no format or type beyond the usual ones
            names.lenencString("");
        }
        boolean text = type == ColumnType.VAR_STRING;
        return names.lenencInt(FIXED_FIELDS)
                .int2(text ? UTF8MB4 : BINARY)
                .int4(text ? TEXT_LENGTH : DIGITS)
                .int1(type.code())
                .int2(text ? 0 : BINARY_FLAG)
                .int1(type == ColumnType.DOUBLE ? ANY_DECIMALS : 0)
                .int2(0)
                .toBytes();
    }
}
