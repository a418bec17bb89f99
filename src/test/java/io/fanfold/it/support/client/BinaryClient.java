package io.fanfold.it.support.client;

import io.fanfold.wire.Algorithm;
import io.fanfold.wire.Capability;
import io.fanfold.wire.CommandCode;
import io.fanfold.wire.PacketCodec;
import io.fanfold.wire.PayloadReader;
import io.fanfold.wire.PayloadWriter;
import io.fanfold.wire.ProtocolException;
import io.fanfold.wire.ServerPacket;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A client that prepares and executes statements, and returns every packet of the answers as received. For one thread.
 */
public final class BinaryClient implements Closeable {
    /** An account without a password. Every authentication method lets it in at once. */
    public static final String USER = "fanfold_binary";

    public static final long USUAL = Capability.CLIENT_MYSQL
            | Capability.LONG_FLAG
            | Capability.PROTOCOL_41
            | Capability.TRANSACTIONS
            | Capability.SECURE_CONNECTION
            | Capability.MULTI_RESULTS
            | Capability.PS_MULTI_RESULTS
            | Capability.PLUGIN_AUTH;

    /** MariaDB's id of the last prepared statement. */
    public static final long LAST = 0xffff_ffffL;

    private static final int CHARSET = 45;
    private static final int AUTH_SWITCH = 0xfe;
    private static final int ZSTD_LEVEL = 3;

    /** Position of the flag in a prepare reply that says whether definitions follow. */
    private static final int METADATA_FOLLOWS = 12;

    private final ClientSocket socket;
    private final long capabilities;

    /** The sequence id of the last packet. */
    private int sequence;

    /** A parameter: its two-byte type, and the bytes of its value; null means NULL. */
    public record Parameter(int type, byte @Nullable [] value) {}

    /** A statement as the server prepared it, with the packets of the definitions. */
    public record Prepared(long id, List<byte[]> parameters, List<byte[]> columns) {}

    /** An answer: its definitions, its rows, and all other packets in order. */
    public record Answer(List<byte[]> definitions, List<byte[]> rows, List<byte[]> others) {
        public boolean failed() {
            byte[] last = others.get(others.size() - 1);
            return (last[0] & 0xff) == ServerPacket.ERROR;
        }
    }

    /** @param capabilities may include encryption and compression, which are used if the other side supports them */
    public BinaryClient(String host, int port, long capabilities) throws IOException {
        this(host, port, capabilities, USER);
    }

    /** @param user an account without a password */
    public BinaryClient(String host, int port, long capabilities, String user) throws IOException {
        socket = new ClientSocket(host, port);
        ServerPacket.Greeting greeting = decoded(read());
        this.capabilities = capabilities & (greeting.capabilities() | Capability.CLIENT_MYSQL);
        PayloadWriter head = new PayloadWriter()
                .int4(this.capabilities & 0xffff_ffffL)
                .int4(1 << 24)
                .int1(CHARSET)
                .bytes(new byte[19])
                .int4(this.capabilities >>> 32);
        int next = 1;
        if (has(Capability.SSL)) {
            write(next++, head.toBytes());
            socket.encrypt();
        }
        head.nulTerminated(user).int1(0).nulTerminated(greeting.authPlugin());
        if (has(Capability.ZSTD_COMPRESSION)) {
            head.int1(ZSTD_LEVEL);
        }
        write(next, head.toBytes());
        byte[] reply = read();
        if ((reply[0] & 0xff) == AUTH_SWITCH) {
            write(sequence + 1, new byte[0]);
            reply = read();
        }
        if (reply[0] != ServerPacket.OK) {
            throw new IOException("not let in: " + refusal(reply));
        }
        if (has(Capability.COMPRESS)) {
            socket.compress(Algorithm.ZLIB);
        } else if (has(Capability.ZSTD_COMPRESSION)) {
            socket.compress(Algorithm.ZSTD);
        }
    }

    private static String refusal(byte[] reply) throws IOException {
        try {
            return ServerPacket.Err.decode(reply).toString();
        } catch (ProtocolException e) {
            throw new IOException(e);
        }
    }

    private static ServerPacket.Greeting decoded(byte[] greeting) throws IOException {
        try {
            return ServerPacket.Greeting.decode(greeting);
        } catch (ProtocolException e) {
            throw new IOException(e);
        }
    }

    /** Returns the negotiated capabilities. */
    public long capabilities() {
        return capabilities;
    }

    public boolean has(long capability) {
        return Capability.has(capabilities, capability);
    }

    public Answer query(String sql) throws IOException {
        sendQuery(sql);
        return answer();
    }

    public void sendQuery(String sql) throws IOException {
        PayloadWriter command = new PayloadWriter().int1(CommandCode.QUERY);
        if (has(Capability.QUERY_ATTRIBUTES)) {
            command.int1(0).int1(1);
        }
        write(0, command.bytes(sql.getBytes(StandardCharsets.UTF_8)).toBytes());
    }

    public void sendPrepare(String sql) throws IOException {
        write(
                0,
                new PayloadWriter()
                        .int1(CommandCode.STMT_PREPARE)
                        .bytes(sql.getBytes(StandardCharsets.UTF_8))
                        .toBytes());
    }

    public Prepared prepare(String sql) throws IOException {
        sendPrepare(sql);
        return prepared();
    }

    public Prepared prepared() throws IOException {
        byte[] head = read();
        if (head[0] != ServerPacket.OK) {
            throw new IOException(new String(head, StandardCharsets.UTF_8));
        }
        ServerPacket.PrepareOk ok;
        try {
            ok = ServerPacket.PrepareOk.decode(head);
        } catch (ProtocolException e) {
            throw new IOException(e);
        }
        boolean defined = !has(Capability.OPTIONAL_RESULTSET_METADATA) || head[METADATA_FOLLOWS] != 0;
        return new Prepared(
                ok.statementId(), definitions(ok.parameters(), defined), definitions(ok.columns(), defined));
    }

    private List<byte[]> definitions(int count, boolean defined) throws IOException {
        List<byte[]> definitions = new ArrayList<>();
        for (int i = 0; defined && i < count; i++) {
            definitions.add(read());
        }
        if (count > 0 && !has(Capability.DEPRECATE_EOF)) {
            read();
        }
        return definitions;
    }

    /** Returns the payload of an execution. */
    public byte[] execution(long id, int flags, boolean types, List<Parameter> parameters) {
        boolean named = has(Capability.QUERY_ATTRIBUTES);
        PayloadWriter command = new PayloadWriter()
                .int1(CommandCode.STMT_EXECUTE)
                .int4(id)
                .int1(flags | (named ? 8 : 0))
                .int4(1);
        if (named) {
            command.lenencInt(parameters.size());
        }
        if (parameters.isEmpty()) {
            return command.toBytes();
        }
        byte[] nulls = new byte[(parameters.size() + 7) / 8];
        for (int i = 0; i < parameters.size(); i++) {
            nulls[i / 8] |= (byte) (parameters.get(i).value() == null ? 1 << i % 8 : 0);
        }
        command.bytes(nulls).int1(types ? 1 : 0);
        for (Parameter parameter : types ? parameters : List.<Parameter>of()) {
            command.int2(parameter.type());
            if (named) {
                command.int1(0);
            }
        }
        for (Parameter parameter : parameters) {
            byte[] value = parameter.value();
            if (value != null) {
                command.bytes(value);
            }
        }
        return command.toBytes();
    }

    public void sendExecute(long id, List<Parameter> parameters) throws IOException {
        write(0, execution(id, 0, true, parameters));
    }

    public Answer execute(long id, List<Parameter> parameters) throws IOException {
        sendExecute(id, parameters);
        return answer();
    }

    /** Executes with the types of the previous execution. */
    public Answer executeAgain(long id, List<Parameter> parameters) throws IOException {
        write(0, execution(id, 0, false, parameters));
        return answer();
    }

    /** Sends a command that has no answer. */
    public void send(int command, long id, byte[] rest) throws IOException {
        write(0, new PayloadWriter().int1(command).int4(id).bytes(rest).toBytes());
    }

    /** Sends a command whose answer is one packet. */
    public byte[] single(byte[] command) throws IOException {
        write(0, command);
        return read();
    }

    /**
     * Writes a payload, in as many packets as it needs.
     *
     * @param first the first packet's sequence id; 0 begins a command
     */
    public void write(int first, byte[] payload) throws IOException {
        if (first == 0) {
            socket.command();
        }
        ByteArrayOutputStream framed = new ByteArrayOutputStream(payload.length + PacketCodec.HEADER);
        int next = first;
        int at = 0;
        int length;
        do {
            length = Math.min(payload.length - at, PacketCodec.MAX_PAYLOAD);
            framed.writeBytes(new PayloadWriter().int3(length).int1(next++).toBytes());
            framed.write(payload, at, length);
            at += length;
        } while (length == PacketCodec.MAX_PAYLOAD);
        socket.write(framed.toByteArray());
        sequence = next - 1;
    }

    /** Writes framed commands in one write. */
    public void writeAll(byte[] packets) throws IOException {
        socket.command();
        socket.write(packets);
        sequence = 0;
    }

    /** Reads the answer to an execution or query, with at most one result set. */
    public Answer answer() throws IOException {
        return answer(read());
    }

    /** Writes raw bytes, which are compressed if the connection is. */
    public void writeRaw(byte[] bytes) throws IOException {
        socket.writeRaw(bytes);
    }

    /** Reads raw bytes of any answers; returns less than 0 at the end. */
    public int readRaw(byte[] into) throws IOException {
        return socket.readRaw(into);
    }

    /**
     * Reads the rest of such an answer.
     *
     * @param head its first packet
     */
    public Answer answer(byte[] head) throws IOException {
        List<byte[]> definitions = new ArrayList<>();
        List<byte[]> rows = new ArrayList<>();
        List<byte[]> others = new ArrayList<>();
        others.add(head);
        int first = head[0] & 0xff;
        if (first == ServerPacket.OK || first == ServerPacket.ERROR) {
            return new Answer(definitions, rows, others);
        }
        long columns = count(head);
        for (int i = 0; i < columns; i++) {
            definitions.add(read());
        }
        if (!has(Capability.DEPRECATE_EOF)) {
            others.add(read());
        }
        while (true) {
            byte[] packet = read();
            if (ServerPacket.endsRows(packet[0] & 0xff, packet.length)) {
                others.add(packet);
                return new Answer(definitions, rows, others);
            }
            rows.add(packet);
        }
    }

    /** Reads the answer that opens a cursor, without rows. */
    public Answer opened() throws IOException {
        List<byte[]> others = new ArrayList<>(List.of(read()));
        List<byte[]> definitions = new ArrayList<>();
        for (long i = count(others.get(0)); i > 0; i--) {
            definitions.add(read());
        }
        others.add(read());
        return new Answer(definitions, List.of(), others);
    }

    /** Reads fetched rows. */
    public Answer fetched() throws IOException {
        List<byte[]> rows = new ArrayList<>();
        byte[] packet = read();
        while (!ServerPacket.endsRows(packet[0] & 0xff, packet.length)) {
            rows.add(packet);
            packet = read();
        }
        return new Answer(List.of(), rows, List.of(packet));
    }

    private long count(byte[] head) throws IOException {
        try {
            PayloadReader reader = new PayloadReader(head);
            long columns = reader.lenencInt();
            boolean defined = reader.remaining() == 0 || reader.int1() != 0;
            return defined ? columns : 0;
        } catch (ProtocolException e) {
            throw new IOException(e);
        }
    }

    public byte[] read() throws IOException {
        ByteArrayOutputStream payload = new ByteArrayOutputStream();
        int length;
        do {
            byte[] header = socket.read(PacketCodec.HEADER);
            length = header[0] & 0xff | (header[1] & 0xff) << 8 | (header[2] & 0xff) << 16;
            sequence = header[3] & 0xff;
            payload.writeBytes(socket.read(length));
        } while (length == PacketCodec.MAX_PAYLOAD);
        return payload.toByteArray();
    }

    /** Returns the sequence id of the packet last read or written, or of its last fragment. */
    public int sequence() {
        return sequence;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
