package io.fanfold.session.prepared;

import io.fanfold.execute.PreparedText;
import io.fanfold.wire.CommandExchange;
import io.fanfold.wire.Conversation;
import io.fanfold.wire.DefinitionsDigest;
import io.fanfold.wire.PacketPrefix;
import io.fanfold.wire.PacketRole;
import io.fanfold.wire.ProtocolException;
import io.fanfold.wire.ServerPacket;
import java.util.ArrayList;
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
     * A prepared statement that returns rows and is remembered.
     *
     * @param statement its id
     * @param epoch the session's epoch when it was sent
     */
    record Done(long statement, PreparedText text, int parameters, long epoch) {}

    private final boolean cached;
    private final Predicate<byte[]> room;
    private final Consumer<Done> done;

    /** The number of statements that the server has not answered. */
    private int unanswered;

    /** The last of them; null if there are none. */
    private @Nullable PendingPrepare newest;

    /** The total length of the waiting texts. */
    private long pendingBytes;

    /** The number of statements that were sent. */
    private long sent;

    /** The statements up to this number are not remembered. */
    private long unfollowed;

    /** The statements up to this number are closed once their preparation is answered. */
    private long closed;

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
     * @param text null if it need not be remembered
     * @return follows the response
     */
    CommandExchange.Observer sent(byte @Nullable [] text, long epoch) {
        // a client may send very many before the first is answered
        boolean fits = text != null && pendingBytes + text.length <= MOST_BYTES;
        PendingPrepare statement = new PendingPrepare(++sent, fits ? text : null, epoch);
        pendingBytes += statement.bytes();
        unanswered++;
        newest = statement;
        return statement;
    }

    /** Whether the server has answered all. */
    boolean ended() {
        return unanswered == 0;
    }

    /** Whether the newest is not answered yet and will be remembered. */
    boolean awaitsNewest() {
        return newest != null && newest.text() != null;
    }

    /** Gives up remembering all that are not answered yet. */
    void unfollow() {
        unfollowed = sent;
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
        if (statement == LAST && newest != null) {
            newest.close();
        }
        if (statement == last) {
            last = LAST;
        }
    }

    /** All statements are closed, including those that are not answered yet. */
    void sessionReset() {
        unfollow();
        closed = sent;
        last = LAST;
    }

    /** A statement whose preparation is not answered yet. */
    private final class PendingPrepare implements CommandExchange.Observer {
        private final long number;
        private final long epoch;

        /** Null if it need not be remembered. */
        private byte @Nullable [] text;

        /** Whether a COM_STMT_CLOSE of it was already sent. */
        private boolean closedEarly;

        /** The first packet of the reply, if the statement is remembered. */
        private ServerPacket.@Nullable PrepareOk reply;

        private final List<byte[]> definitions = new ArrayList<>();
        private long collected;

        PendingPrepare(long number, byte @Nullable [] text, long epoch) {
            this.number = number;
            this.text = text;
            this.epoch = epoch;
        }

        int bytes() {
            return text == null ? 0 : text.length;
        }

        /** Returns the text if the statement is to be remembered; otherwise null. */
        byte @Nullable [] text() {
            return number > unfollowed ? text : null;
        }

        void close() {
            pendingBytes -= bytes();
            text = null;
            closedEarly = true;
        }

        @Override
        public int wanted() {
            return reply == null || !cached ? Conversation.PREFIX : MOST_BYTES;
        }

        @Override
        public void packet(PacketRole role, PacketPrefix packet, boolean ends) {
            if (role == PacketRole.PREPARE_OK) {
                begin(packet.copy());
            } else if (role == PacketRole.ERROR) {
                last = LAST;
            } else if (role == PacketRole.COLUMN && reply != null && cached) {
                collect(packet);
            }
            if (ends) {
                unanswered--;
                pendingBytes -= bytes();
                newest = newest == this ? null : newest;
                end();
            }
        }

        private void begin(byte[] prefix) {
            ServerPacket.PrepareOk head;
            try {
                head = ServerPacket.PrepareOk.decode(prefix);
            } catch (ProtocolException e) {
                return;
            }
            last = closedEarly || number <= closed ? LAST : head.statementId();
            byte[] remembered = text();
            reply = head.columns() > 0 && remembered != null && room.test(remembered) ? head : null;
        }

        private void collect(PacketPrefix packet) {
            collected += packet.length();
            if (collected > MOST_BYTES) {
                reply = null;
                definitions.clear();
            } else {
                definitions.add(packet.copy());
            }
        }

        private void end() {
            byte[] remembered = text();
            if (reply != null && remembered != null) {
                Optional<DefinitionsDigest> announced =
                        cached ? Optional.of(DefinitionsDigest.of(definitions)) : Optional.empty();
                done.accept(new Done(
                        reply.statementId(),
                        new PreparedText(remembered, reply.columns(), announced),
                        reply.parameters(),
                        epoch));
            }
        }
    }
}
