package io.fanfold.session.prepared;

import io.fanfold.execute.PreparedText;
import io.fanfold.wire.DefinitionsDigest;
import io.fanfold.wire.PacketCodec;
import io.fanfold.wire.PacketRole;
import io.fanfold.wire.ProtocolException;
import io.fanfold.wire.ResponseTracker;
import io.fanfold.wire.ServerPacket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The COM_STMT_PREPAREs that were sent to the server, until it has answered each of them. Event loop only. */
final class PendingPrepares {
    /** MariaDB's id of the statement that was prepared last. */
    static final long LAST = 0xffff_ffffL;

    /** The largest size of the waiting texts, and of the definitions in a reply. */
    static final int MOST_BYTES = 128 * 1024;

    /**
     * A statement whose preparation is not answered yet.
     *
     * @param response the number of its response
     * @param number its own number
     * @param text null if it need not be remembered
     * @param closed whether a COM_STMT_CLOSE of it was already sent
     */
    private record Pending(long response, long number, byte @Nullable [] text, long epoch, boolean closed) {
        int bytes() {
            return text == null ? 0 : text.length;
        }
    }

    /**
     * A prepared statement that returns rows and is remembered.
     *
     * @param statement its id
     * @param epoch the session's epoch when it was sent
     */
    record Done(long statement, PreparedText text, int parameters, long epoch) {}

    private final boolean cached;
    private final Predicate<byte[]> room;
    private final Consumer<Done> done;
    private final Deque<Pending> pending = new ArrayDeque<>();

    /** The total length of the waiting texts. */
    private long pendingBytes;

    /** The number of the newest statement. */
    private long newest;

    /** The statements up to this number are not remembered. */
    private long unfollowed;

    /** The statements up to this number are closed once their preparation is answered. */
    private long closed;

    /** The first packet of the reply for a statement that is remembered, while the rest of the reply is awaited. */
    private ServerPacket.@Nullable PrepareOk reply;

    private final List<byte[]> definitions = new ArrayList<>();
    private long collected;
    private long last = LAST;

    /**
     * @param cached whether executions omit definitions that the client has, so that the definitions matter
     * @param room whether there is room for another text
     */
    PendingPrepares(boolean cached, Predicate<byte[]> room, Consumer<Done> done) {
        this.cached = cached;
        this.room = room;
        this.done = done;
    }

    /**
     * A statement is sent to be prepared.
     *
     * @param response the number of its response
     * @param text null if it need not be remembered
     */
    void sent(long response, byte @Nullable [] text, long epoch) {
        // a client may send very many before the first is answered
        boolean room = text != null && pendingBytes + text.length <= MOST_BYTES;
        add(new Pending(response, ++newest, room ? text : null, epoch, false));
    }

    private void add(Pending last) {
        pending.add(last);
        pendingBytes += last.bytes();
    }

    /** Whether the server has answered all. */
    boolean ended() {
        return pending.isEmpty();
    }

    /** Whether the newest is not answered yet and will be remembered. */
    boolean awaitsNewest() {
        Pending last = pending.peekLast();
        return last != null && text(last) != null;
    }

    /** Gives up remembering all that are not answered yet. */
    void unfollow() {
        unfollowed = newest;
    }

    /** Returns the text of a statement that is remembered; otherwise null. */
    private byte @Nullable [] text(Pending each) {
        return each.number() > unfollowed ? each.text() : null;
    }

    /** Returns the id of the statement that the client prepared last; {@link #LAST} if there is none. */
    long last() {
        return last;
    }

    /**
     * A statement is closed.
     *
     * @param statement its id; may be {@link #LAST}, even while its preparation is not answered
     */
    void closed(long statement) {
        Pending open = pending.peekLast();
        if (statement == LAST && open != null) {
            pending.removeLast();
            pendingBytes -= open.bytes();
            add(new Pending(open.response(), open.number(), null, open.epoch(), true));
        }
        if (statement == last) {
            last = LAST;
        }
    }

    /** All statements are closed, including those that are not answered yet. */
    void sessionReset() {
        unfollow();
        closed = newest;
        last = LAST;
    }

    /** The number of bytes to keep of the server's next packets. */
    int wanted() {
        return reply == null || !cached ? ResponseTracker.PREFIX : MOST_BYTES;
    }

    /**
     * The server sent a packet of a response.
     *
     * @param packet its first {@link #wanted} bytes
     * @param ended the number of the response that it ended, or less than 0
     */
    void received(PacketRole role, PacketCodec.Reader packet, long ended) {
        Pending first = pending.peek();
        if (first == null) {
            return;
        }
        if (role == PacketRole.PREPARE_OK) {
            begin(first, packet.kept());
        } else if (role == PacketRole.ERROR && ended == first.response()) {
            last = LAST;
        } else if (role == PacketRole.COLUMN && reply != null && cached) {
            collect(packet);
        }
        if (ended == first.response()) {
            pending.remove();
            pendingBytes -= first.bytes();
            end(first);
        }
    }

    private void begin(Pending first, byte[] prefix) {
        ServerPacket.PrepareOk head;
        try {
            head = ServerPacket.PrepareOk.decode(prefix);
        } catch (ProtocolException e) {
            return;
        }
        last = first.closed() || first.number() <= closed ? LAST : head.statementId();
        definitions.clear();
        collected = 0;
        byte[] text = text(first);
        reply = head.columns() > 0 && text != null && room.test(text) ? head : null;
    }

    private void collect(PacketCodec.Reader packet) {
        collected += packet.payloadLength();
        if (collected > MOST_BYTES) {
            reply = null;
            definitions.clear();
        } else {
            definitions.add(packet.copyOfKept());
        }
    }

    private void end(Pending first) {
        ServerPacket.PrepareOk head = reply;
        byte[] text = text(first);
        if (head != null && text != null) {
            Optional<DefinitionsDigest> announced =
                    cached ? Optional.of(DefinitionsDigest.of(definitions)) : Optional.empty();
            done.accept(new Done(
                    head.statementId(),
                    new PreparedText(text, head.columns(), announced),
                    head.parameters(),
                    first.epoch()));
        }
        reply = null;
        definitions.clear();
    }
}
