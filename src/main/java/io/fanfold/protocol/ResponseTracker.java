package io.fanfold.protocol;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Knows where each response of a server ends. It is told of every command the client sends and of every packet the server
 * sends, in order; commands may be sent before earlier ones were answered. Where a stream cannot be followed (replication,
 * unknown commands, packets that fit nowhere) it says so by {@link #opaque} and stays that way: such a connection can only
 * be relayed.
 *
 * <p>For one thread.
 *
 * @see <a
 *     href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_command_phase.html">command phase</a>
 * @see <a
 *     href="https://mariadb.com/docs/server/reference/clientserver-protocol/4-server-response-packets/result-set-packets">MariaDB
 *     result sets</a>
 */
public final class ResponseTracker {
    /** How many bytes of a packet's payload are needed, where it has that many: an OK packet up to its warnings. */
    public static final int PREFIX = 32;

    /** How many bytes of a command's payload are needed, where it has that many. */
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
     * @param capabilities what client and server negotiated; without {@link Capability#PROTOCOL_41} nothing is followed
     * @param status the status flags of the OK packet that ended authentication
     */
    public ResponseTracker(long capabilities, int status) {
        this.capabilities = capabilities;
        this.status = status;
        this.opaque = !Capability.has(capabilities, Capability.PROTOCOL_41);
    }

    /**
     * The client sends a command.
     *
     * @param prefix the first bytes of its payload, at least {@link #COMMAND_PREFIX} where it has that many
     * @param length how many of them there are
     * @return the response's number, counted from 0; -1 when there will be none to follow
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
     * The server sent a packet.
     *
     * @param prefix the first bytes of its payload, at least {@link #PREFIX} where it has that many; borrowed
     * @param length how many of them there are
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
        Payload payload = new Payload(prefix, length, payloadLength);
        try {
            return role(response, payload);
        } catch (ProtocolException unreadable) {
            opaque = true;
            return PacketRole.OPAQUE;
        }
    }

    private PacketRole role(Response response, Payload payload) throws ProtocolException {
        int first = payload.first();
        if (first == ServerPacket.ERROR && response.step != Step.TEXT) {
            return error(response, payload);
        }
        return switch (response.step) {
            case RESULT -> result(response, payload);
            case PREPARE -> prepare(response, payload);
            case PARAMETERS -> definition(response, Step.PARAMETERS_END, PacketRole.PARAMETER);
            case PARAMETERS_END -> parametersEnd(response, payload);
            case COLUMNS -> definition(response, Step.COLUMNS_END, PacketRole.COLUMN);
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

    private PacketRole error(Response response, Payload payload) throws ProtocolException {
        int code = payload.int2(1);
        if (code == ServerPacket.PROGRESS_CODE && Capability.has(capabilities, Capability.MARIADB_PROGRESS)) {
            return PacketRole.PROGRESS;
        }
        lastError = code;
        if (response.step == Step.INFILE) {
            opaque = true;
        }
        end(response);
        return PacketRole.ERROR;
    }

    private PacketRole result(Response response, Payload payload) throws ProtocolException {
        int first = payload.first();
        if (first == ServerPacket.OK || first == ServerPacket.EOF && payload.length < 9) {
            takeStatus(payload);
            nextResult(response);
            return PacketRole.OK;
        }
        if (first == ServerPacket.LOCAL_INFILE) {
            response.step = Step.INFILE;
            opaque = responses.size() > 1;
            return PacketRole.LOCAL_INFILE;
        }
        PayloadReader in = payload.reader();
        long columns = in.lenencInt();
        boolean defined = in.remaining() == 0 || !optionalDefinitions() || in.int1() != 0;
        response.columns = defined ? columns : 0;
        response.step = defined ? Step.COLUMNS : afterColumns();
        return PacketRole.COLUMN_COUNT;
    }

    private boolean optionalDefinitions() {
        return Capability.has(capabilities, Capability.OPTIONAL_RESULTSET_METADATA | Capability.MARIADB_CACHE_METADATA);
    }

    private Step afterColumns() {
        return deprecateEof() ? Step.ROWS : Step.COLUMNS_END;
    }

    private boolean deprecateEof() {
        return Capability.has(capabilities, Capability.DEPRECATE_EOF);
    }

    private PacketRole prepare(Response response, Payload payload) throws ProtocolException {
        if (payload.first() != ServerPacket.OK || payload.length < 9) {
            return fail("the reply to a prepare");
        }
        boolean defined = !Capability.has(capabilities, Capability.OPTIONAL_RESULTSET_METADATA)
                || payload.length < 13
                || payload.prefix[12] != 0;
        response.columns = defined ? payload.int2(5) : 0;
        response.parameters = defined ? payload.int2(7) : 0;
        response.columnsEof = !deprecateEof() && payload.int2(5) > 0;
        if (response.parameters > 0) {
            response.step = Step.PARAMETERS;
        } else if (!deprecateEof() && payload.int2(7) > 0) {
            response.step = Step.PARAMETERS_END;
        } else {
            afterParameters(response);
        }
        return PacketRole.PREPARE_OK;
    }

    private void afterParameters(Response response) {
        if (response.columns > 0) {
            response.step = Step.COLUMNS;
        } else if (response.columnsEof) {
            response.step = Step.COLUMNS_END;
        } else {
            end(response);
        }
    }

    private PacketRole definition(Response response, Step then, PacketRole role) {
        long left = role == PacketRole.PARAMETER ? --response.parameters : --response.columns;
        if (left > 0) {
            return role;
        }
        if (!deprecateEof()) {
            response.step = then;
        } else if (response.kind != ResponseKind.PREPARE) {
            response.step = Step.ROWS;
        } else if (role == PacketRole.PARAMETER) {
            afterParameters(response);
        } else {
            end(response);
        }
        return role;
    }

    private PacketRole parametersEnd(Response response, Payload payload) throws ProtocolException {
        requireEof(payload);
        afterParameters(response);
        return PacketRole.DEFINITIONS_END;
    }

    private PacketRole columnsEnd(Response response, Payload payload) throws ProtocolException {
        requireEof(payload);
        takeStatus(payload);
        if (response.kind == ResponseKind.PREPARE) {
            end(response);
        } else if (response.cursor && (status & ServerStatus.CURSOR_EXISTS) != 0) {
            nextResult(response);
        } else {
            response.step = Step.ROWS;
        }
        return PacketRole.DEFINITIONS_END;
    }

    private static void requireEof(Payload payload) throws ProtocolException {
        if (payload.first() != ServerPacket.EOF || payload.length > 5) {
            throw new ProtocolException("after the definitions comes a packet that starts with 0x"
                    + Integer.toHexString(payload.first()) + " (expected: EOF)");
        }
    }

    private PacketRole row(Response response, Payload payload) throws ProtocolException {
        if (!ServerPacket.endsRows(payload.first(), payload.length)) {
            return PacketRole.ROW;
        }
        takeStatus(payload);
        nextResult(response);
        return PacketRole.ROWS_END;
    }

    private PacketRole single(Response response, Payload payload) throws ProtocolException {
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

    private void takeStatus(Payload payload) throws ProtocolException {
        if (payload.length > 5) {
            PayloadReader in = payload.reader();
            in.skip(1);
            in.lenencInt();
            in.lenencInt();
            status = in.int2();
        } else if (payload.length == 5) {
            status = payload.int2(3);
        }
    }

    private void nextResult(Response response) {
        if ((status & ServerStatus.MORE_RESULTS) != 0 && response.kind == ResponseKind.RESULT) {
            response.step = Step.RESULT;
        } else {
            end(response);
        }
    }

    private void end(Response response) {
        ended = response.number;
        responses.remove();
    }

    /** The number of the response that comes now or next; -1 when none is awaited. */
    public long current() {
        Response response = responses.peek();
        return response == null ? -1 : response.number;
    }

    /** The number of the response that the last packet ended; -1 when it ended none. */
    public long ended() {
        return ended;
    }

    /** Whether every command has its whole answer. */
    public boolean idle() {
        return responses.isEmpty() && !opaque;
    }

    /** How many commands have not their whole answer. */
    public int inFlight() {
        return responses.size();
    }

    /** Whether an answer, or the rest of one, is still to come. */
    public boolean waiting() {
        return !responses.isEmpty();
    }

    /** Whether the connection's streams are not followed any more. */
    public boolean opaque() {
        return opaque;
    }

    /** Whether the client's next packets are no commands: a file's bytes, or a step of an authentication. */
    public boolean clientSendsData() {
        Response last = responses.peekLast();
        return last != null && (last.step == Step.INFILE || last.step == Step.AUTHENTICATION);
    }

    /**
     * The client sent a packet of data.
     *
     * @param payloadLength its length; an empty one ends a file
     */
    public void clientData(long payloadLength) {
        Response response = responses.peekLast();
        if (response != null && response.step == Step.INFILE && payloadLength == 0) {
            response.step = Step.RESULT;
        }
    }

    /** The last status flags the server sent, see {@link ServerStatus}. */
    public int status() {
        return status;
    }

    /** Whether autocommit is on and no transaction is open, by the last status flags. */
    public boolean outsideTransaction() {
        return ServerStatus.outsideTransaction(status);
    }

    /** The number of the last error the server reported; 0 when there was none. */
    public int lastError() {
        return lastError;
    }

    /** What has to come next in a response. */
    private enum Step {
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
        private Step step;
        private long parameters;
        private long columns;
        private boolean columnsEof;

        Response(ResponseKind kind, long number, boolean cursor) {
            this.kind = kind;
            this.number = number;
            this.cursor = cursor;
            this.step = switch (kind) {
                case RESULT -> Step.RESULT;
                case PREPARE -> Step.PREPARE;
                case ROWS -> Step.ROWS;
                case TEXT -> Step.TEXT;
                case AUTHENTICATION -> Step.AUTHENTICATION;
                case SINGLE, NONE, OPAQUE -> Step.SINGLE;
            };
        }
    }

    /** A packet's first bytes and length. */
    private record Payload(byte[] prefix, int prefixLength, long length) {
        int first() throws ProtocolException {
            return int1(0);
        }

        private int int1(int at) throws ProtocolException {
            if (at >= prefixLength) {
                throw new ProtocolException("packet ends: " + (at + 1) + " bytes are needed, it has " + prefixLength);
            }
            return prefix[at] & 0xff;
        }

        int int2(int at) throws ProtocolException {
            return int1(at) | int1(at + 1) << 8;
        }

        PayloadReader reader() {
            return new PayloadReader(prefix, 0, prefixLength);
        }
    }
}
