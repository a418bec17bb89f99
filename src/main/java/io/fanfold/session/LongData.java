package io.fanfold.session;

import io.fanfold.protocol.PayloadReader;
import io.fanfold.protocol.ProtocolException;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Values that a client sent by COM_STMT_SEND_LONG_DATA for statements that may be split, up to a number of bytes in all. The server
 * is sent them only before an execution that it gets: then it has nothing to forget of executions that were split. The
 * command has no answer, so that nobody sees when it comes. Event loop only.
 *
 * @see <a
 *     href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_stmt_send_long_data.html">COM_STMT_SEND_LONG_DATA</a>
 */
final class LongData {
    /** The code, the statement, and the parameter. */
    private static final int HEAD = 1 + Integer.BYTES + Short.BYTES;

    /** What a command costs beside its bytes: very many may have none. */
    private static final int COST = 32;

    private final int most;
    private final Map<Long, List<byte[]>> commands = new HashMap<>();
    private int bytes;

    /** @param most how many bytes are kept of a session, with {@link #COST} for each command */
    LongData(int most) {
        this.most = most;
    }

    /**
     * Keeps a command.
     *
     * @param payload the whole COM_STMT_SEND_LONG_DATA, not to be changed
     * @return whether there was room
     */
    boolean keep(long statement, byte[] payload) {
        // one that is too short has no parameter: the server will say so
        if (payload.length < HEAD || bytes + COST + payload.length > most) {
            return false;
        }
        commands.computeIfAbsent(statement, id -> new ArrayList<>()).add(payload);
        bytes += COST + payload.length;
        return true;
    }

    /** Whether something is kept for a statement. */
    boolean keeps(long statement) {
        return commands.containsKey(statement);
    }

    /** The values kept for a statement, by the index of their parameter, each put together from its pieces. */
    Map<Integer, byte[]> values(long statement) {
        Map<Integer, ByteArrayOutputStream> values = new HashMap<>();
        for (byte[] payload : commands.getOrDefault(statement, List.of())) {
            values.computeIfAbsent(parameter(payload), index -> new ByteArrayOutputStream())
                    .write(payload, HEAD, payload.length - HEAD);
        }
        Map<Integer, byte[]> whole = new HashMap<>();
        values.forEach((parameter, value) -> whole.put(parameter, value.toByteArray()));
        return whole;
    }

    private static int parameter(byte[] payload) {
        try {
            PayloadReader in = new PayloadReader(payload);
            in.skip(1 + Integer.BYTES);
            return in.int2();
        } catch (ProtocolException e) {
            throw new IllegalStateException("kept though it was too short", e);
        }
    }

    /** Takes out the commands kept for a statement, in the order in which they came. */
    List<byte[]> remove(long statement) {
        @Nullable List<byte[]> kept = commands.remove(statement);
        if (kept == null) {
            return List.of();
        }
        kept.forEach(payload -> bytes -= COST + payload.length);
        return kept;
    }

    void clear() {
        commands.clear();
        bytes = 0;
    }
}
