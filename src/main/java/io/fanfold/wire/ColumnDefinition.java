package io.fanfold.wire;

/**
 * Column definitions of results that Fanfold makes itself. Stateless.
 *
 * @see <a
 *     href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_query_response_text_resultset_column_definition.html">column
 *     definition</a>
 */
public final class ColumnDefinition {
    private static final int VAR_STRING = 0xfd;

    /** utf8mb4_general_ci, which every supported server has. */
    private static final int COLLATION = 45;

    private static final long LENGTH = 1024;
    private static final int FIXED_FIELDS = 12;

    private ColumnDefinition() {}

    /**
     * Returns the payload of the definition of a column of UTF-8 texts.
     *
     * @param capabilities those that the client negotiated
     */
    public static byte[] text(String name, long capabilities) {
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
        return names.lenencInt(FIXED_FIELDS)
                .int2(COLLATION)
                .int4(LENGTH)
                .int1(VAR_STRING)
                .int2(0)
                .int1(0)
                .int2(0)
                .toBytes();
    }
}
