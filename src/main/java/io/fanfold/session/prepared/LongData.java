package io.fanfold.session.prepared;

import io.fanfold.wire.PayloadReader;
import io.fanfold.wire.ProtocolException;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Buffers the values that a client sent by COM_STMT_SEND_LONG_DATA for statements that may be split, up to a total
 * size. The server receives them only before an execution that is sent to it, so it has nothing to forget after a split
 * execution. The command has no answer, so the client does not notice the delay. Event loop only.
 *
 * @see <a
 *     href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_stmt_send_long_data.html">COM_STMT_SEND_LONG_DATA</a>
 */
final class LongData {
    /** The length of the code, the statement id and the parameter index. */
    private static final int HEAD = 1 + Integer.BYTES + Short.BYTES;

    /** The cost of a command besides its bytes, since a client may send very many without a value. */
    private static final int COST = 32;

    private final int most;

    /** By statement. While nothing is buffered, it is the immutable empty map: an idle client needs none of its own. */
    private Map<Long, List<byte[]>> commands = Map.of();

    private int bytes;

    /** @param most the most bytes buffered for a session, including {@link #COST} for each command */
    LongData(int most) {
        this.most = most;
    }

    /** Whether there is room for a command. One that is too short has no parameter: the server reports the error. */
    boolean fits(byte[] payload) {
        return payload.length >= HEAD && bytes + COST + payload.length <= most;
    }

    /**
     * Buffers a command that {@link #fits}.
     *
     * @param payload the whole COM_STMT_SEND_LONG_DATA, not to be changed
     */
    void keep(long statement, byte[] payload) {
        if (commands.isEmpty()) {
            commands = new HashMap<>();
        }
        commands.computeIfAbsent(statement, id -> new ArrayList<>()).add(payload);
        bytes += COST + payload.length;
    }

    /** Whether anything is buffered for a statement. */
    boolean keeps(long statement) {
        return commands.containsKey(statement);
    }

    /** Returns the values for a statement by parameter index, each assembled from its pieces. */
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

    /** Removes and returns the commands for a statement in the order of their arrival. */
    List<byte[]> remove(long statement) {
        if (!commands.containsKey(statement)) {
            return List.of();
        }
        List<byte[]> kept = commands.remove(statement);
        kept.forEach(payload -> bytes -= COST + payload.length);
        return kept;
    }

    void clear() {
        commands = Map.of();
        bytes = 0;
    }
}
