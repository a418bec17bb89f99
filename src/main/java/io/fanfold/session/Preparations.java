package io.fanfold.session;

import io.fanfold.execute.PreparedText;
import io.fanfold.protocol.DefinitionsDigest;
import io.fanfold.protocol.PacketRole;
import io.fanfold.protocol.PacketScanner;
import io.fanfold.protocol.ProtocolException;
import io.fanfold.protocol.ResponseTracker;
import io.fanfold.protocol.ServerPacket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The statements that the server was sent to prepare, until it has answered each. Event loop only. */
final class Preparations {
    /** MariaDB: the statement that was prepared last. */
    static final long LAST = 0xffff_ffffL;

    /** Of a text and of the definitions in a reply. */
    static final int MOST_BYTES = 128 * 1024;

    /**
     * A statement whose preparation has not been answered.
     *
     * @param response the number of its response
     * @param number its own number
     * @param text null when it need not be remembered
     * @param closed whether it is to be closed behind that
     */
    private record Pending(long response, long number, byte @Nullable [] text, long epoch, boolean closed) {
        int bytes() {
            return text == null ? 0 : text.length;
        }
    }

    /**
     * A statement that returns rows, is to be remembered, and was prepared.
     *
     * @param statement its id
     * @param epoch as it was when it was sent
     */
    record Done(long statement, PreparedText text, int parameters, long epoch) {}

    private final boolean cached;
    private final Predicate<byte[]> room;
    private final Consumer<Done> done;
    private final Deque<Pending> pending = new ArrayDeque<>();

    /** How many bytes their texts have. */
    private long pendingBytes;

    /** The number of the newest. */
    private long newest;

    /** None up to this number is to be remembered. */
    private long unfollowed;

    /** All up to this number are to be closed behind their answers. */
    private long closed;

    /** The head of the reply to a preparation whose statement is to be remembered, while the rest of it comes. */
    private ServerPacket.@Nullable PrepareOk reply;

    private final List<byte[]> definitions = new ArrayList<>();
    private long collected;
    private long last = LAST;

    /**
     * @param cached whether executions leave out definitions that the client has, so that they matter
     * @param room for a text that is to be remembered
     */
    Preparations(boolean cached, Predicate<byte[]> room, Consumer<Done> done) {
        this.cached = cached;
        this.room = room;
        this.done = done;
    }

    /**
     * A statement is sent to be prepared.
     *
     * @param response the number of its response
     * @param text null when it need not be remembered
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

    /** Whether the newest is not answered yet and is to be remembered. */
    boolean awaitsNewest() {
        Pending last = pending.peekLast();
        return last != null && text(last) != null;
    }

    /** None of those that are not answered yet is to be remembered. */
    void unfollow() {
        unfollowed = newest;
    }

    /** The text of one that is to be remembered. */
    private byte @Nullable [] text(Pending each) {
        return each.number() > unfollowed ? each.text() : null;
    }

    /** The id of the statement that the client prepared last; {@link #LAST} where there is none. */
    long last() {
        return last;
    }

    /**
     * A statement is closed.
     *
     * @param statement {@link #LAST} too where not all are answered
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

    /** All statements are closed, also those that are not answered yet. */
    void sessionReset() {
        unfollow();
        closed = newest;
        last = LAST;
    }

    /** How many bytes of the server's next packets are to be kept. */
    int wanted() {
        return reply == null || !cached ? ResponseTracker.PREFIX : MOST_BYTES;
    }

    /**
     * The server sent a packet of a response.
     *
     * @param packet its first {@link #wanted} bytes
     * @param ended the number of the response that it ended, or less than 0
     */
    void received(PacketRole role, PacketScanner packet, long ended) {
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

    private void collect(PacketScanner packet) {
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
