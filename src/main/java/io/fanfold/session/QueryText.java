package io.fanfold.session;

import io.fanfold.protocol.Capability;
import io.fanfold.protocol.CommandCode;
import io.fanfold.protocol.PayloadWriter;

/**
 * Where the text lies in a COM_QUERY: query attributes may stand before it.
 *
 * @see <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_query.html">COM_QUERY</a>
 */
final class QueryText {
    private QueryText() {}

    /**
     * @param payload of a COM_QUERY
     * @return where its text starts; -1 when the statement carries attributes
     */
    static int offset(byte[] payload, long capabilities) {
        if (!Capability.has(capabilities, Capability.QUERY_ATTRIBUTES)) {
            return 1;
        }
        return payload.length >= 3 && payload[1] == 0 && payload[2] == 1 ? 3 : -1;
    }

    /** The payload of a COM_QUERY without attributes. */
    static byte[] command(byte[] sql, long capabilities) {
        PayloadWriter out = new PayloadWriter().int1(CommandCode.QUERY);
        if (Capability.has(capabilities, Capability.QUERY_ATTRIBUTES)) {
            out.lenencInt(0).lenencInt(1);
        }
        return out.bytes(sql).toBytes();
    }
}
