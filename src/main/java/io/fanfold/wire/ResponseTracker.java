package io.fanfold.wire;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Finds the end of each server response. The caller reports every client command and every server packet, in order. The
 * client may send commands before earlier ones are answered.
 *
 * <p>If a stream cannot be followed (replication, unknown commands, unexpected packets), {@link #opaque} becomes true
 * and stays so: such a connection can only be relayed.
 *
 * <p>For use by one thread.
 *
 * @see <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_command_phase.html">command phase</a>
 * @see <a
 *     href="https://mariadb.com/docs/server/reference/clientserver-protocol/4-server-response-packets/result-set-packets">MariaDB
 *     result sets</a>
 */
public final class ResponseTracker {
    /**
     * The number of payload bytes needed of a packet: an OK packet up to its warnings. Shorter packets are needed
     * completely.
     */
    public static final int PREFIX = 32;

    /** The number of payload bytes needed of a command. Shorter commands are needed completely. */
    public static final int COMMAND_PREFIX = 6;

    private static final int CURSOR_TYPES = 7;

    private final long capabilities;
    private final Deque<Response> responses = new ArrayDeque<>();
    private boolean opaque;
    private int status;
    private int lastError;
    private long commands;
    private long ended = -1;

    /**
     * Creates a tracker.
     *
     * @param capabilities the negotiated capabilities; without {@link Capability#PROTOCOL_41} the stream is not
     *     followed
     * @param status the status flags of the OK packet that ended authentication
     */
    public ResponseTracker(long capabilities, int status) {
        this.capabilities = capabilities;
        this.status = status;
        this.opaque = !Capability.has(capabilities, Capability.PROTOCOL_41);
    }

    /**
     * Records a command of the client.
     *
     * @param prefix the first bytes of its payload, at least {@link #COMMAND_PREFIX} or all
     * @param length the number of these bytes
     * @return the response's number, counted from 0; -1 if no response will be followed
     */
    public long command(byte[] prefix, int length) {
        if (opaque) {
            return -1;
        }
        if (length == 0) {
            opaque = true;
            return -1;
        }
        int code = prefix[0] & 0xff;
        ResponseKind kind = ResponseKind.of(code);
        if (kind == ResponseKind.OPAQUE) {
            opaque = true;
            return -1;
        }
        if (kind == ResponseKind.NONE) {
            return -1;
        }
        boolean cursor = code == CommandCode.STMT_EXECUTE && length > 5 && (prefix[5] & CURSOR_TYPES) != 0;
        responses.add(new Response(kind, commands, cursor));
        return commands++;
    }

    /**
     * Records a packet of the server.
     *
     * @param prefix the first bytes of its payload, at least {@link #PREFIX} or all; borrowed
     * @param length the number of these bytes
     * @param payloadLength length of the whole payload
     */
    public PacketRole packet(byte[] prefix, int length, long payloadLength) {
        ended = -1;
        if (opaque) {
            return PacketRole.OPAQUE;
        }
        Response response = responses.peek();
        if (response == null) {
            return PacketRole.UNSOLICITED;
        }
        PacketPrefix payload = new PacketPrefix(prefix, length, payloadLength);
        try {
            return role(response, payload);
        } catch (ProtocolException unreadable) {
            opaque = true;
            return PacketRole.OPAQUE;
        }
    }

    private PacketRole role(Response response, PacketPrefix payload) throws ProtocolException {
        int first = payload.first();
        if (first == ServerPacket.ERROR && response.step != Expected.TEXT) {
            return error(response, payload);
        }
        return switch (response.step) {
            case RESULT -> result(response, payload);
            case PREPARE -> prepare(response, payload);
            case PARAMETERS -> definition(response, Expected.PARAMETERS_END, PacketRole.PARAMETER);
            case PARAMETERS_END -> parametersEnd(response, payload);
            case COLUMNS -> definition(response, Expected.COLUMNS_END, PacketRole.COLUMN);
            case COLUMNS_END -> columnsEnd(response, payload);
            case ROWS -> row(response, payload);
            case INFILE -> fail("a packet comes before the file's end");
            case SINGLE -> single(response, payload);
            case TEXT -> {
                end(response);
                yield PacketRole.TEXT;
            }
            case AUTHENTICATION -> first == ServerPacket.OK ? single(response, payload) : PacketRole.AUTHENTICATION;
        };
    }

    private PacketRole error(Response response, PacketPrefix payload) throws ProtocolException {
        int code = payload.int2(1);
        if (code == ServerPacket.PROGRESS_CODE && Capability.has(capabilities, Capability.MARIADB_PROGRESS)) {
            return PacketRole.PROGRESS;
        }
        lastError = code;
        if (response.step == Expected.INFILE) {
            opaque = true;
        }
        end(response);
        return PacketRole.ERROR;
    }

    private PacketRole result(Response response, PacketPrefix payload) throws ProtocolException {
        int first = payload.first();
        if (first == ServerPacket.OK || first == ServerPacket.EOF && payload.length() < 9) {
            takeStatus(payload);
            nextResult(response);
            return PacketRole.OK;
        }
        if (first == ServerPacket.LOCAL_INFILE) {
            response.step = Expected.INFILE;
            opaque = responses.size() > 1;
            return PacketRole.LOCAL_INFILE;
        }
        PayloadReader in = payload.reader();
        long columns = in.lenencInt();
        boolean defined = in.remaining() == 0 || !optionalDefinitions() || in.int1() != 0;
        response.columns = defined ? columns : 0;
        response.step = defined ? Expected.COLUMNS : afterColumns();
        return PacketRole.COLUMN_COUNT;
    }

    private boolean optionalDefinitions() {
        return Capability.has(capabilities, Capability.OPTIONAL_RESULTSET_METADATA | Capability.MARIADB_CACHE_METADATA);
    }

    private Expected afterColumns() {
        return deprecateEof() ? Expected.ROWS : Expected.COLUMNS_END;
    }

    private boolean deprecateEof() {
        return Capability.has(capabilities, Capability.DEPRECATE_EOF);
    }

    private PacketRole prepare(Response response, PacketPrefix payload) throws ProtocolException {
        if (payload.first() != ServerPacket.OK || payload.length() < 9) {
            return fail("the reply to a prepare");
        }
        boolean defined = !Capability.has(capabilities, Capability.OPTIONAL_RESULTSET_METADATA)
                || payload.length() < 13
                || payload.prefix()[12] != 0;
        response.columns = defined ? payload.int2(5) : 0;
        response.parameters = defined ? payload.int2(7) : 0;
        response.columnsEof = !deprecateEof() && payload.int2(5) > 0;
        if (response.parameters > 0) {
            response.step = Expected.PARAMETERS;
        } else if (!deprecateEof() && payload.int2(7) > 0) {
            response.step = Expected.PARAMETERS_END;
        } else {
            afterParameters(response);
        }
        return PacketRole.PREPARE_OK;
    }

    private void afterParameters(Response response) {
        if (response.columns > 0) {
            response.step = Expected.COLUMNS;
        } else if (response.columnsEof) {
            response.step = Expected.COLUMNS_END;
        } else {
            end(response);
        }
    }

    private PacketRole definition(Response response, Expected then, PacketRole role) {
        long left = role == PacketRole.PARAMETER ? --response.parameters : --response.columns;
        if (left > 0) {
            return role;
        }
        if (!deprecateEof()) {
            response.step = then;
        } else if (response.kind != ResponseKind.PREPARE) {
            response.step = Expected.ROWS;
        } else if (role == PacketRole.PARAMETER) {
            afterParameters(response);
        } else {
            end(response);
        }
        return role;
    }

    private PacketRole parametersEnd(Response response, PacketPrefix payload) throws ProtocolException {
        requireEof(payload);
        afterParameters(response);
        return PacketRole.DEFINITIONS_END;
    }

    private PacketRole columnsEnd(Response response, PacketPrefix payload) throws ProtocolException {
        requireEof(payload);
        takeStatus(payload);
        if (response.kind == ResponseKind.PREPARE) {
            end(response);
        } else if (response.cursor && (status & ServerStatus.CURSOR_EXISTS) != 0) {
            nextResult(response);
        } else {
            response.step = Expected.ROWS;
        }
        return PacketRole.DEFINITIONS_END;
    }

    private static void requireEof(PacketPrefix payload) throws ProtocolException {
        if (payload.first() != ServerPacket.EOF || payload.length() > 5) {
            throw new ProtocolException("after the definitions comes a packet that starts with 0x"
                    + Integer.toHexString(payload.first()) + " (expected: EOF)");
        }
    }

    private PacketRole row(Response response, PacketPrefix payload) throws ProtocolException {
        if (!ServerPacket.endsRows(payload.first(), payload.length())) {
            return PacketRole.ROW;
        }
        takeStatus(payload);
        nextResult(response);
        return PacketRole.ROWS_END;
    }

    private PacketRole single(Response response, PacketPrefix payload) throws ProtocolException {
        if (payload.first() != ServerPacket.OK && payload.first() != ServerPacket.EOF) {
            return fail("the answer of one packet");
        }
        takeStatus(payload);
        end(response);
        return PacketRole.OK;
    }

    private static PacketRole fail(String what) throws ProtocolException {
        throw new ProtocolException(what + " does not follow the protocol");
    }

    private void takeStatus(PacketPrefix payload) throws ProtocolException {
        if (payload.length() > 5) {
            PayloadReader in = payload.reader();
            in.skip(1);
            in.lenencInt();
            in.lenencInt();
            status = in.int2();
        } else if (payload.length() == 5) {
            status = payload.int2(3);
        }
    }

    private void nextResult(Response response) {
        if ((status & ServerStatus.MORE_RESULTS) != 0 && response.kind == ResponseKind.RESULT) {
            response.step = Expected.RESULT;
        } else {
            end(response);
        }
    }

    private void end(Response response) {
        ended = response.number;
        responses.remove();
    }

    /** Returns the number of the current or next response; -1 if none is awaited. */
    public long current() {
        Response response = responses.peek();
        return response == null ? -1 : response.number;
    }

    /** Returns the number of the response that the last packet ended; -1 if it ended none. */
    public long ended() {
        return ended;
    }

    /** Whether every command has its complete response. */
    public boolean idle() {
        return responses.isEmpty() && !opaque;
    }

    /** Returns the number of commands without a complete response. */
    public int inFlight() {
        return responses.size();
    }

    /** Whether a response, or the rest of one, is awaited. */
    public boolean waiting() {
        return !responses.isEmpty();
    }

    /** Whether the connection's streams are no longer followed. */
    public boolean opaque() {
        return opaque;
    }

    /** Whether the client's next packets are data, not commands: a file, or a step of authentication. */
    public boolean clientSendsData() {
        Response last = responses.peekLast();
        return last != null && (last.step == Expected.INFILE || last.step == Expected.AUTHENTICATION);
    }

    /**
     * Records a data packet of the client.
     *
     * @param payloadLength its length; an empty packet ends a file
     */
    public void clientData(long payloadLength) {
        Response response = responses.peekLast();
        if (response != null && response.step == Expected.INFILE && payloadLength == 0) {
            response.step = Expected.RESULT;
        }
    }

    /** Returns the server's last status flags, see {@link ServerStatus}. */
    public int status() {
        return status;
    }

    /** Whether autocommit is on and no transaction is open, by the last status flags. */
    public boolean outsideTransaction() {
        return ServerStatus.outsideTransaction(status);
    }

    /** Returns the number of the server's last error; 0 if there was none. */
    public int lastError() {
        return lastError;
    }

    /** The next expected packet of a response. */
    private enum Expected {
        RESULT,
        PREPARE,
        PARAMETERS,
        PARAMETERS_END,
        COLUMNS,
        COLUMNS_END,
        ROWS,
        INFILE,
        SINGLE,
        TEXT,
        AUTHENTICATION
    }

    private static final class Response {
        private final ResponseKind kind;
        private final long number;
        private final boolean cursor;
        private Expected step;
        private long parameters;
        private long columns;
        private boolean columnsEof;

        Response(ResponseKind kind, long number, boolean cursor) {
            this.kind = kind;
            this.number = number;
            this.cursor = cursor;
            this.step = switch (kind) {
                case RESULT -> Expected.RESULT;
                case PREPARE -> Expected.PREPARE;
                case ROWS -> Expected.ROWS;
                case TEXT -> Expected.TEXT;
                case AUTHENTICATION -> Expected.AUTHENTICATION;
                case SINGLE, NONE, OPAQUE -> Expected.SINGLE;
            };
        }
    }
}
