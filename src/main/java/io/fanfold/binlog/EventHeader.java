package io.fanfold.binlog;

import io.fanfold.wire.PayloadReader;
import io.fanfold.wire.ProtocolException;

/**
 * The header that each event of a binary log has.
 *
 * @param type its type, 0..255
 * @param end the offset in the file after it, modulo 2^32; 0 if it is not in a file
 * @param artificial whether the server made it for this connection only
 * @see <a href="https://mariadb.com/docs/server/reference/clientserver-protocol/replication-protocol/2-binlog-event-header">event
 *     header</a>
 */
record EventHeader(int type, long end, boolean artificial) {
    private static final int ARTIFICIAL = 0x20;

    static EventHeader read(PayloadReader in) throws ProtocolException {
        in.int4();
        int type = in.int1();
        in.int4();
        in.int4();
        long end = in.int4();
        return new EventHeader(type, end, (in.int2() & ARTIFICIAL) != 0);
    }
}
