package io.fanfold.wire;

import io.fanfold.wire.CommandExchange.Audience;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The responses that a server owes on one connection, and who gets each. The caller reports each command when it sends
 * it, and passes on the server's bytes. A packet belongs to the oldest exchange without a complete response. The proxy
 * and the client may send commands before earlier ones are answered.
 *
 * <p>Some streams cannot be followed: replication, unknown commands, unexpected packets. Then {@link #opaque} becomes
 * true and stays true. All later bytes go to the client, and observers get no further packet.
 *
 * <p>For use by one thread. Observers may send further commands while they are told of a packet.
 *
 * @see <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_command_phase.html">command phase</a>
 */
public final class Conversation {
    /**
     * The number of payload bytes needed of a packet: an OK packet up to its warnings. Shorter packets are needed
     * completely.
     */
    public static final int PREFIX = 32;

    /** The number of payload bytes needed of a command. Shorter commands are needed completely. */
    public static final int COMMAND_PREFIX = 6;

    private final ServerState server;
    private final SequenceRule rule;
    private final Consumer<PacketPrefix> unasked;
    private final PacketCodec.Reader reader = new PacketCodec.Reader(PREFIX);
    private final Deque<ResponseState> owed = new ArrayDeque<>(1);
    private boolean opaque;

    /** The response to the client's last command; null if that has none, or has it already. */
    private @Nullable ResponseState newest;

    /** The id of the next packet of the oldest exchange. To the client, it includes the exchange's shift. */
    private int next = 1;

    /** The exchange whose ids are raised; null if there is none. Only replies to the proxy may be owed before it. */
    private @Nullable ResponseState shifted;

    /**
     * @param capabilities the negotiated capabilities; without {@link Capability#PROTOCOL_41} the stream is not
     *     followed
     * @param status the status flags of the OK packet that ended authentication
     * @param unasked is told the packets that belong to no command
     */
    public Conversation(long capabilities, int status, SequenceRule rule, Consumer<PacketPrefix> unasked) {
        this.server = new ServerState(capabilities, status);
        this.rule = rule;
        this.unasked = unasked;
        this.opaque = !server.has(Capability.PROTOCOL_41);
    }

    // ---- to the server ----

    /** Records a command. The observer of a command without a response is told nothing. */
    public void sent(CommandExchange exchange) {
        ResponseKind kind = ResponseKind.of(exchange.code());
        opaque = opaque || kind == ResponseKind.OPAQUE;
        boolean answered = !opaque && kind != ResponseKind.NONE;
        ResponseState response = answered ? new ResponseState(exchange, kind, server) : null;
        if (exchange.audience() == Audience.CLIENT) {
            newest = response;
        }
        if (response == null) {
            return;
        }
        owed.add(response);
        if (exchange.shift() != 0) {
            shifted = response;
        }
        if (owed.size() == 1) {
            begins(response);
        }
    }

    private void begins(ResponseState response) {
        next = response.first();
    }

    /**
     * Records the last packet of a command that was longer than a packet.
     *
     * @param sequence its sequence id
     */
    public void commandEnded(int sequence) {
        if (newest != null) {
            newest.begins(sequence + 1);
            if (newest == owed.peek()) {
                begins(newest);
            }
        }
    }

    /**
     * Records a data packet of the client, see {@link #clientSendsData}.
     *
     * @param payloadLength its length; an empty packet ends a file
     * @param sequence its sequence id
     */
    public void clientData(long payloadLength, int sequence) {
        ResponseState response = owed.peekLast();
        if (response != null && response.awaitsFile() && payloadLength == 0) {
            response.fileEnded();
        }
        commandEnded(sequence);
    }

    // ---- from the server ----

    /**
     * Reads bytes of the server, however they are divided.
     *
     * @param bytes transferred; ids are changed in place, unless an exchange raises them
     * @param client receives the client's bytes in the largest pieces possible, transferred
     * @throws ProtocolException if a packet is not what a command of the proxy asks for
     */
    public void received(ByteBuf bytes, Consumer<ByteBuf> client) throws ProtocolException {
        if (opaque && awaited() == Audience.PROXY) {
            bytes.release();
            throw new ProtocolException("the reply to a command of the proxy cannot be followed any more");
        }
        ByteBuf all = shifted == null ? bytes : copied(bytes);
        boolean given = false;
        try {
            int end = all.writerIndex();
            int at = all.readerIndex();
            while (at < end && !opaque) {
                ResponseState response = owed.peek();
                if (response == null || response.exchange().audience() == Audience.CLIENT) {
                    at = relay(all, at, end, response);
                    continue;
                }
                if (at > all.readerIndex()) {
                    client.accept(all.readRetainedSlice(at - all.readerIndex()));
                }
                at = take(all, at, end, response);
                all.readerIndex(at);
            }
            given = all.isReadable();
        } finally {
            if (!given) {
                all.release();
            }
        }
        if (given) {
            client.accept(all);
        }
    }

    /** Returns a copy: otherwise the compressed frame of these bytes would be sent to the client unchanged. */
    private static ByteBuf copied(ByteBuf bytes) {
        try {
            return bytes.copy();
        } finally {
            bytes.release();
        }
    }

    /** Follows a packet on its way to the client, or several rows. */
    private int relay(ByteBuf bytes, int from, int end, @Nullable ResponseState response) throws ProtocolException {
        boolean recounted = rule == SequenceRule.RECOUNTED;
        int raise =
                response != null && response == shifted ? response.exchange().shift() : 0;
        if (response != null && response.awaitsRow() && reader.complete() && !recounted && raise == 0) {
            int rows = reader.passRows(bytes, from, end);
            if (rows > from) {
                next = reader.sequence() + 1;
                return rows;
            }
        }
        keep(response);
        int at = reader.scan(bytes, from, end, recounted ? id -> next++ : raise != 0 ? id -> id + raise : null);
        if (reader.complete()) {
            if (!recounted) {
                next = reader.sequence() + 1 + raise;
            }
            packet(response, new PacketPrefix(reader.kept(), reader.keptLength(), reader.payloadLength()));
        }
        return at;
    }

    /** Takes a packet that the client does not see. */
    private int take(ByteBuf bytes, int from, int end, ResponseState response) throws ProtocolException {
        keep(response);
        int at = reader.scan(bytes, from, end);
        if (reader.complete()) {
            int expected = next + (int) (reader.payloadLength() / PacketCodec.MAX_PAYLOAD) & 0xff;
            if (rule == SequenceRule.COUNTED && reader.sequence() != expected) {
                throw new ProtocolException(
                        "packet has sequence id " + reader.sequence() + " (expected: " + expected + ")");
            }
            next = expected + 1;
            packet(response, new PacketPrefix(reader.kept(), reader.keptLength(), reader.payloadLength()));
            if (opaque) {
                throw new ProtocolException(
                        "a command of the proxy was answered with a packet that cannot be followed");
            }
        }
        return at;
    }

    private void keep(@Nullable ResponseState response) {
        if (reader.complete()) {
            reader.keepUpTo(
                    response == null
                            ? PREFIX
                            : Math.max(PREFIX, response.exchange().observer().wanted()));
        }
    }

    /**
     * Records a packet that was read elsewhere.
     *
     * @param payload the whole payload; borrowed
     * @throws ProtocolException if it is not what a command of the proxy asks for
     */
    public void packet(byte[] payload) throws ProtocolException {
        packet(owed.peek(), new PacketPrefix(payload, payload.length, payload.length));
    }

    private void packet(@Nullable ResponseState response, PacketPrefix packet) throws ProtocolException {
        if (response == null) {
            unasked.accept(packet);
            return;
        }
        boolean file = response.awaitsFile();
        PacketRole role = role(response, packet);
        boolean last = role != PacketRole.OPAQUE && response.ended();
        opaque = opaque || file && role == PacketRole.ERROR || role == PacketRole.LOCAL_INFILE && owed.size() > 1;
        if (last) {
            ended(response);
        } else if (role == PacketRole.ROW && response.exchange().audience() == Audience.CLIENT) {
            return;
        }
        boolean told = false;
        try {
            response.exchange().observer().packet(role, packet, last);
            told = true;
        } finally {
            if (last && !told) {
                // it is not owed any more, so fail() does not find it
                response.exchange().observer().lost();
            }
        }
    }

    private PacketRole role(ResponseState response, PacketPrefix packet) {
        try {
            return response.packet(packet);
        } catch (ProtocolException unreadable) {
            opaque = true;
            return PacketRole.OPAQUE;
        }
    }

    private void ended(ResponseState response) {
        owed.remove();
        if (response == shifted) {
            shifted = null;
        }
        if (response == newest) {
            newest = null;
        }
        ResponseState following = owed.peek();
        if (following != null) {
            begins(following);
        }
    }

    /** The connection has ended. */
    public void fail() {
        ResponseState response;
        while ((response = owed.poll()) != null) {
            response.exchange().observer().lost();
        }
    }

    // ---- questions ----

    /** Whether every command has its complete response. */
    public boolean idle() {
        return owed.isEmpty() && !opaque;
    }

    /** Returns the number of commands without a complete response. */
    public int owed() {
        return owed.size();
    }

    /** Returns who gets the next packet; null if none is owed. */
    public @Nullable Audience awaited() {
        ResponseState response = owed.peek();
        return response == null ? null : response.exchange().audience();
    }

    /** Whether the connection's streams are no longer followed. */
    public boolean opaque() {
        return opaque;
    }

    /** Whether the server's bytes so far end with a whole packet. */
    public boolean betweenPackets() {
        return reader.complete();
    }

    /** Whether the client's next packets are data, not commands: a file, or a step of authentication. */
    public boolean clientSendsData() {
        ResponseState last = owed.peekLast();
        return last != null && last.awaitsData();
    }

    /** Returns the id of the next packet that the client expects, not reduced to 8 bits. */
    public int nextSequence() {
        for (ResponseState response : owed) {
            if (response.exchange().audience() == Audience.CLIENT) {
                return response == owed.peek() ? next : response.first();
            }
        }
        return 1;
    }

    /** Returns the server's last status flags, see {@link ServerStatus}. */
    public int status() {
        return server.status();
    }

    /** Whether autocommit is on and no transaction is open, by the last status flags. */
    public boolean outsideTransaction() {
        return ServerStatus.outsideTransaction(server.status());
    }

    /** Returns the number of the server's last error; 0 if there was none. */
    public int lastError() {
        return server.lastError();
    }
}
