package io.fanfold.wire;

/**
 * How far the response to one command has arrived. For use by one thread.
 *
 * @see <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_command_phase.html">command phase</a>
 * @see <a
 *     href="https://mariadb.com/docs/server/reference/clientserver-protocol/4-server-response-packets/result-set-packets">MariaDB
 *     result sets</a>
 */
final class ResponseState {
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
        AUTHENTICATION,
        /** The response has ended. */
        NOTHING
    }

    private final CommandExchange exchange;
    private final ServerState server;
    private final ResponseKind kind;
    private int first;
    private Expected step;
    private long parameters;
    private long columns;
    private boolean columnsEof;

    ResponseState(CommandExchange exchange, ResponseKind kind, ServerState server) {
        this.exchange = exchange;
        this.server = server;
        this.kind = kind;
        this.first = exchange.firstSequence();
        this.step = switch (kind) {
            case RESULT -> Expected.RESULT;
            case PREPARE -> Expected.PREPARE;
            case ROWS -> Expected.ROWS;
            case TEXT -> Expected.TEXT;
            case AUTHENTICATION -> Expected.AUTHENTICATION;
            case SINGLE -> Expected.SINGLE;
            case NONE, OPAQUE -> Expected.NOTHING;
        };
    }

    CommandExchange exchange() {
        return exchange;
    }

    /** The command has ended, and the server begins the response with this sequence id. */
    void begins(int sequence) {
        first = sequence;
    }

    /** Returns the id of the response's first packet, as the client expects it. */
    int first() {
        return first + exchange.shift();
    }

    boolean ended() {
        return step == Expected.NOTHING;
    }

    /** Whether the next packet is a row, or ends the rows. */
    boolean awaitsRow() {
        return step == Expected.ROWS;
    }

    /** Whether the server awaits a file. */
    boolean awaitsFile() {
        return step == Expected.INFILE;
    }

    /** Whether the client's next packets are data, not commands: a file, or a step of authentication. */
    boolean awaitsData() {
        return step == Expected.INFILE || step == Expected.AUTHENTICATION;
    }

    /** The file has ended. */
    void fileEnded() {
        step = Expected.RESULT;
    }

    /**
     * The next packet has arrived.
     *
     * @throws ProtocolException if it does not follow the protocol
     */
    PacketRole packet(PacketPrefix payload) throws ProtocolException {
        int first = payload.first();
        if (first == ServerPacket.ERROR && step != Expected.TEXT) {
            return error(payload);
        }
        return switch (step) {
            case RESULT -> result(payload);
            case PREPARE -> prepare(payload);
            case PARAMETERS -> definition(Expected.PARAMETERS_END, PacketRole.PARAMETER);
            case PARAMETERS_END -> parametersEnd(payload);
            case COLUMNS -> definition(Expected.COLUMNS_END, PacketRole.COLUMN);
            case COLUMNS_END -> columnsEnd(payload);
            case ROWS -> row(payload);
            case INFILE -> fail("a packet comes before the file's end");
            case SINGLE -> single(payload);
            case TEXT -> {
                step = Expected.NOTHING;
                yield PacketRole.TEXT;
            }
            case AUTHENTICATION -> first == ServerPacket.OK ? single(payload) : PacketRole.AUTHENTICATION;
            case NOTHING -> throw new IllegalStateException("the response has ended");
        };
    }

    private PacketRole error(PacketPrefix payload) throws ProtocolException {
        int code = payload.int2(1);
        if (code == ServerPacket.PROGRESS_CODE && server.has(Capability.MARIADB_PROGRESS)) {
            return PacketRole.PROGRESS;
        }
        server.failed(code);
        step = Expected.NOTHING;
        return PacketRole.ERROR;
    }

    private PacketRole result(PacketPrefix payload) throws ProtocolException {
        int first = payload.first();
        if (first == ServerPacket.OK || first == ServerPacket.EOF && payload.length() < 9) {
            takeStatus(payload);
            nextResult();
            return PacketRole.OK;
        }
        if (first == ServerPacket.LOCAL_INFILE) {
            step = Expected.INFILE;
            return PacketRole.LOCAL_INFILE;
        }
        PayloadReader in = payload.reader();
        long count = in.lenencInt();
        boolean defined = in.remaining() == 0 || !optionalDefinitions() || in.int1() != 0;
        columns = defined ? count : 0;
        step = defined ? Expected.COLUMNS : afterColumns();
        return PacketRole.COLUMN_COUNT;
    }

    private boolean optionalDefinitions() {
        return server.has(Capability.OPTIONAL_RESULTSET_METADATA | Capability.MARIADB_CACHE_METADATA);
    }

    private Expected afterColumns() {
        return deprecateEof() ? Expected.ROWS : Expected.COLUMNS_END;
    }

    private boolean deprecateEof() {
        return server.has(Capability.DEPRECATE_EOF);
    }

    private PacketRole prepare(PacketPrefix payload) throws ProtocolException {
        if (payload.first() != ServerPacket.OK || payload.length() < 9) {
            return fail("the reply to a prepare");
        }
        boolean defined = !server.has(Capability.OPTIONAL_RESULTSET_METADATA)
                || payload.length() < 13
                || payload.prefix()[12] != 0;
        columns = defined ? payload.int2(5) : 0;
        parameters = defined ? payload.int2(7) : 0;
        columnsEof = !deprecateEof() && payload.int2(5) > 0;
        if (parameters > 0) {
            step = Expected.PARAMETERS;
        } else if (!deprecateEof() && payload.int2(7) > 0) {
            step = Expected.PARAMETERS_END;
        } else {
            afterParameters();
        }
        return PacketRole.PREPARE_OK;
    }

    private void afterParameters() {
        if (columns > 0) {
            step = Expected.COLUMNS;
        } else if (columnsEof) {
            step = Expected.COLUMNS_END;
        } else {
            step = Expected.NOTHING;
        }
    }

    private PacketRole definition(Expected then, PacketRole role) {
        long left = role == PacketRole.PARAMETER ? --parameters : --columns;
        if (left > 0) {
            return role;
        }
        if (!deprecateEof()) {
            step = then;
        } else if (kind != ResponseKind.PREPARE) {
            step = Expected.ROWS;
        } else if (role == PacketRole.PARAMETER) {
            afterParameters();
        } else {
            step = Expected.NOTHING;
        }
        return role;
    }

    private PacketRole parametersEnd(PacketPrefix payload) throws ProtocolException {
        requireEof(payload);
        afterParameters();
        return PacketRole.DEFINITIONS_END;
    }

    private PacketRole columnsEnd(PacketPrefix payload) throws ProtocolException {
        requireEof(payload);
        takeStatus(payload);
        if (kind == ResponseKind.PREPARE) {
            step = Expected.NOTHING;
        } else if (exchange.cursor() && (server.status() & ServerStatus.CURSOR_EXISTS) != 0) {
            nextResult();
        } else {
            step = Expected.ROWS;
        }
        return PacketRole.DEFINITIONS_END;
    }

    private static void requireEof(PacketPrefix payload) throws ProtocolException {
        if (payload.first() != ServerPacket.EOF || payload.length() > 5) {
            throw new ProtocolException("after the definitions comes a packet that starts with 0x"
                    + Integer.toHexString(payload.first()) + " (expected: EOF)");
        }
    }

    private PacketRole row(PacketPrefix payload) throws ProtocolException {
        if (!ServerPacket.endsRows(payload.first(), payload.length())) {
            return PacketRole.ROW;
        }
        takeStatus(payload);
        nextResult();
        return PacketRole.ROWS_END;
    }

    private PacketRole single(PacketPrefix payload) throws ProtocolException {
        if (payload.first() != ServerPacket.OK && payload.first() != ServerPacket.EOF) {
            return fail("the answer of one packet");
        }
        takeStatus(payload);
        step = Expected.NOTHING;
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
            server.reported(in.int2());
        } else if (payload.length() == 5) {
            server.reported(payload.int2(3));
        }
    }

    private void nextResult() {
        if ((server.status() & ServerStatus.MORE_RESULTS) != 0 && kind == ResponseKind.RESULT) {
            step = Expected.RESULT;
        } else {
            step = Expected.NOTHING;
        }
    }
}
