package io.fanfold.session.channel;

import io.fanfold.wire.BoundValue;
import io.fanfold.wire.Capability;
import io.fanfold.wire.CommandCode;
import io.fanfold.wire.PayloadReader;
import io.fanfold.wire.PayloadWriter;
import io.fanfold.wire.ProtocolException;

/**
 * Finds the text in a COM_QUERY, which query attributes may precede.
 *
 * @see <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_query.html">COM_QUERY</a>
 */
public final class QueryText {
    private QueryText() {}

    /**
     * @param payload of a COM_QUERY
     * @return the index of the text's first byte; -1 if the bytes before it are not understood
     */
    public static int offset(byte[] payload, long capabilities) {
        if (!Capability.has(capabilities, Capability.QUERY_ATTRIBUTES)) {
            return 1;
        }
        try {
            return afterAttributes(new PayloadReader(payload));
        } catch (ProtocolException e) {
            return -1;
        }
    }

    private static int afterAttributes(PayloadReader in) throws ProtocolException {
        in.skip(1);
        long count = in.lenencInt();
        if (in.lenencInt() != 1 || count < 0 || count > in.remaining()) {
            throw new ProtocolException(count + " attributes");
        }
        if (count == 0) {
            return in.position();
        }
        byte[] nulls = in.take((int) (count + 7) / 8);
        if (in.int1() != 1) {
            throw new ProtocolException("attributes without types");
        }
        int[] types = new int[(int) count];
        for (int i = 0; i < types.length; i++) {
            types[i] = in.int2();
            in.lenencBytes();
        }
        for (int i = 0; i < types.length; i++) {
            if ((nulls[i / 8] >> i % 8 & 1) == 0) {
                BoundValue.read(in, types[i]);
            }
        }
        return in.position();
    }

    /**
     * Returns the index of the first byte that is neither a blank nor part of a comment that servers skip. Drivers
     * begin a text with a comment that names them.
     *
     * @param text the index of the text's first byte
     * @return the payload's length if there is none
     */
    public static int begin(byte[] payload, int text) {
        int at = afterBlanks(payload, text);
        while (startsWith(payload, at, '/', '*') && at + 2 < payload.length && "!Mm".indexOf(payload[at + 2]) < 0) {
            at += 2;
            while (at < payload.length && !startsWith(payload, at, '*', '/')) {
                at++;
            }
            at = afterBlanks(payload, Math.min(payload.length, at + 2));
        }
        return at;
    }

    private static boolean startsWith(byte[] payload, int at, char first, char second) {
        return at + 1 < payload.length && payload[at] == first && payload[at + 1] == second;
    }

    private static int afterBlanks(byte[] payload, int from) {
        int at = from;
        while (at < payload.length && (payload[at] == ' ' || payload[at] >= '\t' && payload[at] <= '\r')) {
            at++;
        }
        return at;
    }

    /** Returns the payload of a COM_QUERY without attributes. */
    public static byte[] command(byte[] sql, long capabilities) {
        PayloadWriter out = new PayloadWriter().int1(CommandCode.QUERY);
        if (Capability.has(capabilities, Capability.QUERY_ATTRIBUTES)) {
            out.lenencInt(0).lenencInt(1);
        }
        return out.bytes(sql).toBytes();
    }
}
