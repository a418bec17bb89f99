package io.fanfold.wire;

import io.fanfold.row.Column;
import io.fanfold.row.Row;
import java.util.List;

/** The server's reply to one command of the proxy, read to its end; rows are those of the text protocol. Immutable. */
public sealed interface Reply {
    /**
     * The command succeeded without a result set.
     *
     * @param status the server's status flags after it, see {@link ServerStatus}
     * @param warnings the number of warnings, 0..65535
     */
    record Completed(int status, int warnings) implements Reply {}

    /**
     * A complete result set.
     *
     * @param columns its columns in order; empty if the session's results omit definitions
     * @param rows its rows in the server's order
     * @param warnings the number of warnings, 0..65535
     * @param status the server's status flags after its rows, see {@link ServerStatus}
     */
    record Result(List<Column> columns, List<Row> rows, int warnings, int status) implements Reply {
        public Result {
            columns = List.copyOf(columns);
            rows = List.copyOf(rows);
        }
    }

    /**
     * The statement was prepared.
     *
     * @param parameters the number of parameter markers
     * @param columnDefinitions the payloads of its column definitions, in the form that the session negotiated
     * @param columns the same definitions, decoded; empty if the statement returns no rows
     * @param warnings the number of warnings that preparing raised, 0..65535
     */
    record Prepared(int parameters, List<byte[]> columnDefinitions, List<Column> columns, int warnings)
            implements Reply {
        public Prepared {
            columnDefinitions = List.copyOf(columnDefinitions);
            columns = List.copyOf(columns);
        }
    }

    /**
     * The server refused the command; the connection is still usable.
     *
     * @param errno the server's error number, 0..65535
     * @param sqlState five characters
     * @param message the server's text, without number and state
     */
    record Failed(int errno, String sqlState, String message) implements Reply {
        /** Decodes an error packet. */
        public static Failed decode(byte[] payload) throws ProtocolException {
            ServerPacket.Err error = ServerPacket.Err.decode(payload);
            return new Failed(error.code(), error.sqlState(), error.message());
        }
    }

    /**
     * The reply was larger than allowed. It was read to its end and dropped.
     *
     * @param bytes the length of its payloads
     */
    record TooLarge(long bytes) implements Reply {}
}
