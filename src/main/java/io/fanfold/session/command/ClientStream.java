package io.fanfold.session.command;

import io.fanfold.session.channel.ChannelWrites;
import io.fanfold.session.channel.Cumulation;
import io.fanfold.session.prepared.PreparedStatements;
import io.fanfold.wire.CommandCode;
import io.fanfold.wire.Conversation;
import io.fanfold.wire.PacketCodec;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;

/**
 * Splits the bytes of an authenticated client into commands. Commands that may matter are buffered whole and looked at
 * before they are written to the server. All other bytes are written on as they arrive. While the session is paused,
 * bytes wait here. Event loop only.
 */
final class ClientStream {
    /** The commands that begin with the id of a prepared statement. */
    private static final Set<Integer> OF_STATEMENTS = Set.of(
            CommandCode.STMT_EXECUTE,
            CommandCode.STMT_BULK_EXECUTE,
            CommandCode.STMT_SEND_LONG_DATA,
            CommandCode.STMT_RESET,
            CommandCode.STMT_FETCH,
            CommandCode.STMT_CLOSE);

    /**
     * The length of the prefix that shows whether an execution brings types: one NULL bit per parameter and the fields
     * around them.
     */
    private static final int EXECUTION_PREFIX = 0xffff / 8 + 32;

    /** The offset of the statement id in such a packet. */
    private static final int ID = PacketCodec.HEADER + 1;

    /**
     * The number of commands of one client that are read in one turn of the event loop, which serves other clients too.
     */
    static final int TURN_COMMANDS = 64;

    /** The number of bytes of one client that are read in one turn. */
    static final int TURN_BYTES = 1 << 17;

    /** A byte that is looked at counts as much as this number of bytes that are only written on. */
    static final int LOOK_COST = 8;

    /** What to do with a command. */
    enum Decision {
        /** Write it to the server. */
        SEND,
        /** Keep it and all later bytes here, then look at it again. */
        WAIT,
        /** Drop it here: the {@link Commands} have it. */
        TAKE
    }

    /** Decides on commands. */
    interface Commands {
        /** Whether the client's bytes must wait. */
        boolean paused();

        /**
         * Decides on a command.
         *
         * @param payload its payload, or its first {@link Conversation#COMMAND_PREFIX} bytes; more of an execution
         *     that is too long
         * @param code its first byte; -1 if it is empty
         * @param whole whether the payload is complete
         * @param last whether no byte after it has arrived yet
         */
        Decision look(byte[] payload, int code, boolean whole, boolean last);

        /** A later turn of the event loop has begun, in which the stream may be resumed. */
        void readOn();
    }

    private final Channel backend;
    private final Conversation conversation;
    private final PreparedStatements prepared;
    private final int statementBytes;
    private final Commands commands;
    private final PacketCodec.Reader scanner = new PacketCodec.Reader(0);
    private final Deque<ByteBuf> waiting = new ArrayDeque<>(1);
    private long waitingBytes;
    private boolean insideData;

    /** The number of commands that may still be read in this turn. */
    private int commandsLeft = TURN_COMMANDS;

    private int bytesLeft = TURN_BYTES;

    /** Whether the rest is read in a later turn. */
    private boolean later;

    /** Whether the task for the next turn is scheduled. */
    private boolean scheduled;

    /** The number of bytes of the current command that {@link Commands#look} took. */
    private int taken;

    /** @param statementBytes the longest statement that is looked at whole */
    ClientStream(
            Channel backend,
            Conversation conversation,
            PreparedStatements prepared,
            int statementBytes,
            Commands commands) {
        this.backend = backend;
        this.conversation = conversation;
        this.prepared = prepared;
        this.statementBytes = statementBytes;
        this.commands = commands;
    }

    /** @param bytes transferred */
    void add(ByteBuf bytes) {
        waitingBytes += bytes.readableBytes();
        waiting.addLast(bytes);
        resume();
    }

    /** A turn of the event loop begins. */
    void newTurn() {
        if (!later) {
            commandsLeft = TURN_COMMANDS;
            bytesLeft = TURN_BYTES;
        }
    }

    /** Reads on as far as possible in this turn. */
    void resume() {
        readOn();
        // only here, since the task must not run while something is being read
        if (later && !scheduled) {
            scheduled = true;
            ChannelWrites.executeAfterIo(backend.eventLoop(), this::nextTurn);
        }
    }

    private void readOn() {
        boolean lacking = false;
        while (!later && !commands.paused()) {
            ByteBuf bytes = waiting.poll();
            if (bytes == null) {
                return;
            }
            if (lacking && !waiting.isEmpty() && !conversation.opaque()) {
                bytes = Cumulation.append(backend.alloc(), bytes, waiting.remove());
            }
            lacking = !read(bytes);
            if (lacking && waiting.size() < 2) {
                return;
            }
        }
    }

    /** Whether the limit of this turn is reached; then the rest is read in a later turn. */
    private boolean exhausted() {
        later = later || commandsLeft <= 0 || bytesLeft <= 0;
        return later;
    }

    private void nextTurn() {
        scheduled = false;
        later = false;
        newTurn();
        commands.readOn();
    }

    /**
     * Reads the commands in a buffer.
     *
     * @param bytes transferred
     * @return whether reading may go on, since all was read or a command was taken; otherwise the rest waits
     */
    private boolean read(ByteBuf bytes) {
        int start = bytes.readerIndex();
        int at = start;
        boolean done = false;
        try {
            while (at < bytes.writerIndex() && !commands.paused() && !exhausted()) {
                int next = step(bytes, at);
                if (next == at) {
                    break;
                }
                bytesLeft -= next - at;
                at = next;
            }
            done = true;
        } finally {
            if (!done) {
                // a look at a command threw: the session ends
                waitingBytes -= bytes.readableBytes();
                bytes.release();
            }
        }
        waitingBytes -= at - start;
        if (at == bytes.writerIndex()) {
            forward(bytes);
            return true;
        }
        forward(bytes.readRetainedSlice(at - start));
        boolean took = taken > 0;
        bytes.skipBytes(taken);
        waitingBytes -= taken;
        taken = 0;
        if (bytes.isReadable()) {
            waiting.addFirst(bytes);
        } else {
            bytes.release();
        }
        return took;
    }

    private void forward(ByteBuf bytes) {
        if (bytes.isReadable()) {
            ChannelWrites.write(backend, bytes);
        } else {
            bytes.release();
        }
    }

    /** Reads on to the next boundary; returns {@code at} if more bytes are needed or the command was not sent. */
    private int step(ByteBuf bytes, int at) {
        int end = bytes.writerIndex();
        if (conversation.opaque()) {
            return Math.min(end, at + bytesLeft);
        }
        if (!scanner.complete() || conversation.clientSendsData()) {
            return data(bytes, at);
        }
        int available = end - at - PacketCodec.HEADER;
        if (available < 0) {
            return at;
        }
        int length = PacketCodec.payloadLength(bytes, at);
        if (available < Math.min(length, Conversation.COMMAND_PREFIX)) {
            return at;
        }
        int code = length == 0 ? -1 : bytes.getUnsignedByte(at + PacketCodec.HEADER);
        boolean whole = looksAtWhole(bytes, at, length, code);
        int looked = whole ? length : Math.min(length, prefix(code, length));
        return available < looked ? at : command(bytes, at, length, code, whole, looked);
    }

    private static int prefix(int code, int length) {
        return code == CommandCode.STMT_EXECUTE && length == PacketCodec.MAX_PAYLOAD
                ? EXECUTION_PREFIX
                : Conversation.COMMAND_PREFIX;
    }

    private boolean looksAtWhole(ByteBuf bytes, int at, int length, int code) {
        boolean tooLong = length - 1 > statementBytes;
        if (code == CommandCode.QUERY || code == CommandCode.STMT_PREPARE || code == CommandCode.CHANGE_USER) {
            return !tooLong;
        }
        if (length < 1 + Integer.BYTES || !OF_STATEMENTS.contains(code)) {
            return false;
        }
        long named = bytes.getUnsignedIntLE(at + ID);
        long meant = prepared.resolved(named);
        if (meant != named) {
            bytes.setIntLE(at + ID, (int) meant);
        }
        if (code == CommandCode.STMT_SEND_LONG_DATA) {
            return !tooLong && prepared.keepsLongData(meant);
        }
        return code == CommandCode.STMT_EXECUTE
                && length < PacketCodec.MAX_PAYLOAD
                && (tooLong ? prepared.owes(meant) : prepared.remembers(meant));
    }

    private int command(ByteBuf bytes, int at, int length, int code, boolean whole, int looked) {
        commandsLeft--;
        bytesLeft -= LOOK_COST * looked;
        byte[] payload = ByteBufUtil.getBytes(bytes, at + PacketCodec.HEADER, looked, true);
        int after = at + PacketCodec.HEADER + length;
        boolean last = waiting.isEmpty() && after == bytes.writerIndex();
        switch (commands.look(payload, code, whole, last)) {
            case SEND -> {
                insideData = false;
                int next = scanner.scan(bytes, at, turnEnd(bytes, at));
                longCommandEnds();
                return next;
            }
            case TAKE -> {
                taken = after - at;
                return at;
            }
            case WAIT -> {
                return at;
            }
        }
        throw new IllegalStateException("no decision");
    }

    /** At least a header is scanned if it is there, so that what is written never ends inside one. */
    private int turnEnd(ByteBuf bytes, int at) {
        return Math.min(bytes.writerIndex(), at + Math.max(bytesLeft, PacketCodec.HEADER));
    }

    private int data(ByteBuf bytes, int at) {
        if (scanner.complete()) {
            insideData = true;
        }
        commandsLeft--;
        int next = scanner.scan(bytes, at, turnEnd(bytes, at));
        if (scanner.complete() && insideData) {
            conversation.clientData(scanner.payloadLength(), scanner.sequence());
        } else {
            longCommandEnds();
        }
        return next;
    }

    private void longCommandEnds() {
        if (scanner.complete() && scanner.payloadLength() >= PacketCodec.MAX_PAYLOAD) {
            conversation.commandEnded(scanner.sequence());
        }
    }

    /** Whether the bytes written to the server end with a whole packet. */
    boolean betweenPackets() {
        return scanner.complete();
    }

    /** Whether the rest is read in a later turn of the event loop. */
    boolean readsLater() {
        return later;
    }

    boolean empty() {
        return waiting.isEmpty();
    }

    long waitingBytes() {
        return waitingBytes;
    }

    /** Releases the bytes that wait. */
    void release() {
        ByteBuf bytes;
        while ((bytes = waiting.poll()) != null) {
            bytes.release();
        }
    }
}
