package io.fanfold.wire;

import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.row.Row;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;

/**
 * The small server packets that the proxy decodes or builds. Decoding has no side effects and throws a
 * {@link ProtocolException} for a malformed payload.
 */
public sealed interface ServerPacket {
    int OK = 0x00;
    int LOCAL_INFILE = 0xfb;
    int EOF = 0xfe;
    int ERROR = 0xff;

    /** The error code of MariaDB's progress reports. */
    int PROGRESS_CODE = 0xffff;

    /** Length of a column definition's fixed part, without its length prefix. */
    int FIXED_PART = 12;

    /** The number of names before the fixed part: catalog, schema, table twice, column twice. */
    int NAMES = 6;

    /** The kind of a text in MariaDB's extended type information that names a data type. */
    int DATA_TYPE_NAME = 0;

    /**
     * An OK packet, or an EOF packet in OK format.
     *
     * @param affectedRows unsigned
     * @param lastInsertId unsigned
     * @param status see {@link ServerStatus}
     * @param warnings 0..65535
     * @param info info and session state, undecoded
     */
    record Ok(long affectedRows, long lastInsertId, int status, int warnings, byte[] info) implements ServerPacket {
        public static Ok decode(byte[] payload) throws ProtocolException {
            PayloadReader in = new PayloadReader(payload);
            int header = in.int1();
            if (header != OK && header != EOF) {
                throw new ProtocolException("OK packet starts with 0x" + Integer.toHexString(header));
            }
            return new Ok(in.lenencInt(), in.lenencInt(), in.int2(), in.int2(), in.rest());
        }

        /** Returns the payload of an OK packet without info. */
        public static byte[] encode(int header, int status, int warnings) {
            return new PayloadWriter()
                    .int1(header)
                    .lenencInt(0)
                    .lenencInt(0)
                    .int2(status)
                    .int2(warnings)
                    .toBytes();
        }
    }

    /** An EOF packet of the old format. */
    record Eof(int warnings, int status) implements ServerPacket {
        public static final int LENGTH = 5;

        public static Eof decode(byte[] payload) throws ProtocolException {
            PayloadReader in = new PayloadReader(payload);
            int header = in.int1();
            if (header != EOF || payload.length > LENGTH) {
                throw new ProtocolException("EOF packet starts with 0x" + Integer.toHexString(header) + " and has "
                        + payload.length + " bytes");
            }
            return payload.length == 1 ? new Eof(0, 0) : new Eof(in.int2(), in.int2());
        }

        /** Returns the same end of a result set in OK format. */
        public Ok asOk() {
            return new Ok(0, 0, status, warnings, new byte[0]);
        }

        public static byte[] encode(int warnings, int status) {
            return new PayloadWriter().int1(EOF).int2(warnings).int2(status).toBytes();
        }
    }

    /**
     * An error packet.
     *
     * @param code the server's error number, 0..65535
     * @param sqlState five characters; "HY000" if the packet has none
     * @param message as UTF-8
     */
    record Err(int code, String sqlState, String message) implements ServerPacket {
        public static Err decode(byte[] payload) throws ProtocolException {
            PayloadReader in = new PayloadReader(payload);
            if (in.int1() != ERROR) {
                throw new ProtocolException("error packet does not start with 0xff");
            }
            int code = in.int2();
            String state = "HY000";
            if (in.remaining() >= 6 && in.peek() == '#') {
                in.skip(1);
                state = new String(in.take(5), StandardCharsets.US_ASCII);
            }
            return new Err(code, state, new String(in.rest(), StandardCharsets.UTF_8));
        }

        public byte[] encode() {
            return new PayloadWriter()
                    .int1(ERROR)
                    .int2(code)
                    .int1('#')
                    .bytes(sqlState.getBytes(StandardCharsets.US_ASCII))
                    .bytes(message.getBytes(StandardCharsets.UTF_8))
                    .toBytes();
        }
    }

    /**
     * A progress report. MariaDB sends it in the format of an error, before a result or in place of a row.
     *
     * @param stage the current stage, 1..255
     * @param stages the number of stages, at least {@code stage}
     * @param thousandths the completed part of the stage in thousandths of a percent, 0..100000
     * @param text the current activity, as UTF-8
     * @see <a
     *     href="https://mariadb.com/docs/server/reference/clientserver-protocol/4-server-response-packets/err_packet">ERR_Packet</a>
     */
    record Progress(int stage, int stages, int thousandths, String text) implements ServerPacket {
        public byte[] encode() {
            return new PayloadWriter()
                    .int1(ERROR)
                    .int2(PROGRESS_CODE)
                    .int1(1) // the number of texts that follow
                    .int1(stage)
                    .int1(stages)
                    .int3(thousandths)
                    .lenencString(text)
                    .toBytes();
        }
    }

    /**
     * The server's first packet, protocol version 10.
     *
     * @param serverVersion e.g. "9.7.4" or "5.5.5-10.11.19-MariaDB"
     * @param threadId the connection id on the server
     * @param challenge 20 bytes of the authentication challenge (8 from old servers)
     * @param capabilities see {@link Capability}, MariaDB's extended ones in the high half
     * @param collation the server's default collation id, low byte
     * @param status see {@link ServerStatus}
     * @param authPlugin the default authentication plugin, "" if none was named
     * @see <a
     *     href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase_packets_protocol_handshake_v10.html">HandshakeV10</a>
     */
    record Greeting(
            String serverVersion,
            long threadId,
            byte[] challenge,
            long capabilities,
            int collation,
            int status,
            String authPlugin)
            implements ServerPacket {

        public static Greeting decode(byte[] payload) throws ProtocolException {
            PayloadReader in = new PayloadReader(payload);
            int version = in.int1();
            if (version != 10) {
                throw new ProtocolException("greeting has protocol version " + version + " (expected: 10)");
            }
            String serverVersion = in.nulTerminatedString();
            long threadId = in.int4();
            byte[] challengeStart = in.take(8);
            in.skip(1);
            long capabilities = in.int2();
            int collation = in.int1();
            int status = in.int2();
            capabilities |= (long) in.int2() << 16;
            int challengeLength = in.int1();
            in.skip(6);
            long extended = in.int4();
            if (!Capability.has(capabilities, Capability.CLIENT_MYSQL)) {
                capabilities |= extended << 32;
            }
            byte[] challenge = challengeStart;
            if (Capability.has(capabilities, Capability.SECURE_CONNECTION)) {
                byte[] more = in.take(Math.max(12, challengeLength - 9));
                in.skip(1);
                challenge = new byte[8 + more.length];
                System.arraycopy(challengeStart, 0, challenge, 0, 8);
                System.arraycopy(more, 0, challenge, 8, more.length);
            }
            String plugin = Capability.has(capabilities, Capability.PLUGIN_AUTH) ? in.nulTerminatedString() : "";
            return new Greeting(serverVersion, threadId, challenge, capabilities, collation, status, plugin);
        }

        public ServerFlavor flavor() {
            return ServerFlavor.mariaDbIf(serverVersion.toLowerCase(Locale.ROOT).contains("mariadb")
                    || !Capability.has(capabilities, Capability.CLIENT_MYSQL));
        }

        /**
         * Returns the greeting with some of the low 32 capability bits changed.
         *
         * @param clear bits to clear
         * @param set bits to set
         */
        public static byte[] withCapabilities(byte[] payload, long clear, long set) throws ProtocolException {
            PayloadReader in = new PayloadReader(payload);
            in.skip(1);
            in.nulTerminated();
            in.skip(4 + 8 + 1);
            int low = in.position();
            int high = low + 5;
            byte[] changed = payload.clone();
            int[] places = {low, low + 1, high, high + 1};
            for (int i = 0; i < places.length; i++) {
                int place = places[i];
                changed[place] = (byte) (changed[place] & ~(clear >>> 8 * i) | set >>> 8 * i);
            }
            return changed;
        }
    }

    /** The head of the reply to COM_STMT_PREPARE. */
    record PrepareOk(long statementId, int columns, int parameters, int warnings) implements ServerPacket {
        public static PrepareOk decode(byte[] payload) throws ProtocolException {
            PayloadReader in = new PayloadReader(payload);
            int header = in.int1();
            if (header != OK) {
                throw new ProtocolException("reply to a prepare starts with 0x" + Integer.toHexString(header));
            }
            long id = in.int4();
            int columns = in.int2();
            int parameters = in.int2();
            int warnings = 0;
            if (in.remaining() >= 3) {
                in.skip(1);
                warnings = in.int2();
            }
            return new PrepareOk(id, columns, parameters, warnings);
        }
    }

    /**
     * Decodes a column definition.
     *
     * @param capabilities the negotiated capabilities; they decide whether MariaDB's extended type information follows
     */
    static Column column(byte[] payload, long capabilities) throws ProtocolException {
        PayloadReader in = new PayloadReader(payload);
        in.lenencBytes();
        String schema = in.lenencString(StandardCharsets.UTF_8);
        String table = in.lenencString(StandardCharsets.UTF_8);
        String orgTable = in.lenencString(StandardCharsets.UTF_8);
        String name = in.lenencString(StandardCharsets.UTF_8);
        String orgName = in.lenencString(StandardCharsets.UTF_8);
        Optional<String> named = Capability.has(capabilities, Capability.MARIADB_EXTENDED_METADATA)
                ? dataTypeName(in.lenencBytes())
                : Optional.empty();
        long fixed = in.lenencInt();
        if (fixed != FIXED_PART || in.remaining() != FIXED_PART) {
            throw new ProtocolException("a column definition's fixed part claims " + fixed + " bytes and has "
                    + in.remaining() + " (expected: " + FIXED_PART + ")");
        }
        int collation = in.int2();
        long length = in.int4();
        ColumnType announced = ColumnType.ofCode(in.int1());
        ColumnType type = named.map(announced::named).orElse(announced);
        int flags = in.int2();
        int decimals = in.int1();
        return new Column(schema, table, orgTable, name, orgName, collation, length, type, flags, decimals);
    }

    /**
     * Returns the data type's name in MariaDB's extended type information, a list of pairs of kind and text. The
     * format, such as "json", has another kind.
     */
    private static Optional<String> dataTypeName(byte[] extended) throws ProtocolException {
        PayloadReader in = new PayloadReader(extended);
        while (in.remaining() > 0) {
            int kind = in.int1();
            String text = in.lenencString(StandardCharsets.UTF_8);
            if (kind == DATA_TYPE_NAME) {
                return Optional.of(text);
            }
        }
        return Optional.empty();
    }

    /**
     * Returns the column definition as a field of a temporary table has it: with the fixed part of {@code field}. If
     * {@code field} has an original name and the definition has none, the column's name becomes its original name.
     *
     * @return a changed copy
     */
    static byte[] redefined(byte[] payload, Column field) throws ProtocolException {
        PayloadReader in = new PayloadReader(payload);
        PayloadWriter out = new PayloadWriter();
        byte[] name = {};
        for (int i = 0; i < NAMES - 1; i++) {
            name = in.lenencBytes();
            out.lenencBytes(name);
        }
        byte[] orgName = in.lenencBytes();
        out.lenencBytes(orgName.length == 0 && !field.orgName().isEmpty() ? name : orgName);
        // copies MariaDB's extended type information, if negotiated, and the length of the fixed part
        out.bytes(in.take(in.remaining() - FIXED_PART));
        in.skip(2 + 4);
        int announced = in.int1();
        in.skip(2 + 1);
        // a type known only from MariaDB's extended type information, or not at all, has no code
        int type = field.type().code() < 0 ? announced : field.type().code();
        return out.int2(field.collationId())
                .int4(field.length())
                .int1(type)
                .int2(field.flags())
                .int1(field.decimals())
                .int2(0)
                .toBytes();
    }

    /**
     * Whether values of both columns are read alike: same type, collation and sign. The fixed part is the end of each
     * definition.
     */
    static boolean sameType(byte[] definition, byte[] other) {
        int one = definition.length - FIXED_PART;
        int two = other.length - FIXED_PART;
        return definition[one] == other[two]
                && definition[one + 1] == other[two + 1]
                && definition[one + 6] == other[two + 6]
                && ((definition[one + 7] ^ other[two + 7]) & Column.Flags.UNSIGNED) == 0;
    }

    /**
     * Decodes a row of the text protocol.
     *
     * @param payload retained, so not to be changed
     */
    static Row row(byte[] payload, int columns) throws ProtocolException {
        try {
            return Row.of(payload, columns);
        } catch (IllegalArgumentException e) {
            ProtocolException odd = new ProtocolException(String.valueOf(e.getMessage()));
            odd.initCause(e);
            throw odd;
        }
    }

    /** Decodes an OK packet, or an EOF packet of either format. */
    static Ok end(byte[] payload) throws ProtocolException {
        return payload.length > Eof.LENGTH
                ? Ok.decode(payload)
                : Eof.decode(payload).asOk();
    }

    /** Whether a packet in place of a row ends the result set: an EOF or an error. */
    static boolean endsRows(int firstByte, long payloadLength) {
        return firstByte == ERROR || firstByte == EOF && payloadLength < PacketCodec.MAX_PAYLOAD;
    }
}
