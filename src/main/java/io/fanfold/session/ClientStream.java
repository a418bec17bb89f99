package io.fanfold.session;

import io.fanfold.protocol.CommandCode;
import io.fanfold.protocol.PacketScanner;
import io.fanfold.protocol.ResponseTracker;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;

/**
 * The bytes of an authenticated client: cut into commands, of which the interesting ones are looked at whole before they
 * are written to the server; the rest is written on as it comes. Bytes wait here while the session is paused. Event loop
 * only.
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

    /** Of an execution so much says whether it brings types: a bit for each of the parameters, and what is before and behind. */
    private static final int EXECUTION_PREFIX = 0xffff / 8 + 32;

    /** Where the id stands in such a packet. */
    private static final int ID = PacketScanner.HEADER + 1;

    /** So many commands of one client are read in one turn of the event loop, which has others to serve. */
    static final int TURN_COMMANDS = 64;

    /** So many bytes are, and the rest of the command that was begun. */
    static final int TURN_BYTES = 1 << 17;

    /** A byte that is looked at costs as much as so many that are only written on. */
    static final int LOOK_COST = 8;

    /** What is to be done with a command. */
    enum Decision {
        /** It goes to the server. */
        SEND,
        /** It and all behind it wait; it is looked at again. */
        WAIT,
        /** Whoever looked at it keeps it. */
        TAKE
    }

    /** Looks at commands. */
    interface Commands {
        /** Whether the client's bytes have to wait. */
        boolean paused();

        /**
         * A command begins.
         *
         * @param payload its payload, or its first {@link ResponseTracker#COMMAND_PREFIX} bytes; more where an execution is too
         *     long
         * @param code its first byte; -1 when it is empty
         * @param whole whether the payload is complete
         * @param last whether nothing is there behind it
         */
        Decision look(byte[] payload, int code, boolean whole, boolean last);

        /**
         * Whether an execution of a prepared statement is looked at whole.
         *
         * @param tooLong whether it is longer than what is looked at else
         */
        boolean looksAtExecution(long statement, boolean tooLong);

        /** Whether values sent before an execution of a prepared statement are looked at whole. */
        boolean keepsLongData(long statement);

        /** The prepared statement that an id means: MariaDB has one for that which was prepared last. */
        long resolved(long statement);

        /** A later turn of the event loop has come, in which the stream may be resumed. */
        void readOn();

        /** A packet that is no command, or the end of a command of several, went to the server. */
        void dataSent(int sequence);
    }

    private final Channel backend;
    private final ResponseTracker tracker;
    private final int statementBytes;
    private final Commands commands;
    private final PacketScanner scanner = new PacketScanner(0);
    private final Deque<ByteBuf> waiting = new ArrayDeque<>();
    private long waitingBytes;
    private boolean insideData;

    /** What may be read in this turn. */
    private int commandsLeft = TURN_COMMANDS;

    private int bytesLeft = TURN_BYTES;

    /** Whether the rest is read in another turn. */
    private boolean later;

    /** Whether the task that begins it is on its way. */
    private boolean scheduled;

    /** How many bytes of the command that is looked at somebody else keeps. */
    private int taken;

    /** @param statementBytes the longest statement that is looked at whole */
    ClientStream(Channel backend, ResponseTracker tracker, int statementBytes, Commands commands) {
        this.backend = backend;
        this.tracker = tracker;
        this.statementBytes = statementBytes;
        this.commands = commands;
    }

    /** @param bytes transferred */
    void add(ByteBuf bytes) {
        waitingBytes += bytes.readableBytes();
        waiting.addLast(bytes);
        resume();
    }

    /** Another turn of the event loop begins. */
    void newTurn() {
        if (!later) {
            commandsLeft = TURN_COMMANDS;
            bytesLeft = TURN_BYTES;
        }
    }

    /** Reads on as far as possible in this turn. */
    void resume() {
        readOn();
        // only now, when nothing is in the middle of being read, may the task run
        if (later && !scheduled) {
            scheduled = true;
            Fire.executeAfterIo(backend.eventLoop(), this::nextTurn);
        }
    }

    private void readOn() {
        boolean lacking = false;
        while (!later && !commands.paused()) {
            ByteBuf bytes = waiting.poll();
            if (bytes == null) {
                return;
            }
            if (lacking && !waiting.isEmpty() && !tracker.opaque()) {
                bytes = Cumulation.append(backend.alloc(), bytes, waiting.remove());
            }
            lacking = !read(bytes);
            if (lacking && waiting.size() < 2) {
                return;
            }
        }
    }

    /** Whether this turn has done enough; then the rest is read in another one. */
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
     * Reads as many commands as are there.
     *
     * @param bytes transferred
     * @return whether reading may go on, since all was read or a command was taken; else the rest waits
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
                // whoever looked at a command failed: the session ends
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
            Fire.write(backend, bytes);
        } else {
            bytes.release();
        }
    }

    /** Reads on to the next border; returns {@code at} when more bytes are needed or the command does not go on. */
    private int step(ByteBuf bytes, int at) {
        int end = bytes.writerIndex();
        if (tracker.opaque()) {
            return Math.min(end, at + bytesLeft);
        }
        if (!scanner.complete() || tracker.clientSendsData()) {
            return data(bytes, at);
        }
        int available = end - at - PacketScanner.HEADER;
        if (available < 0) {
            return at;
        }
        int length = bytes.getUnsignedMediumLE(at);
        if (available < Math.min(length, ResponseTracker.COMMAND_PREFIX)) {
            return at;
        }
        int code = length == 0 ? -1 : bytes.getUnsignedByte(at + PacketScanner.HEADER);
        boolean whole = looksAtWhole(bytes, at, length, code);
        int looked = whole ? length : Math.min(length, prefix(code, length));
        return available < looked ? at : command(bytes, at, length, code, whole, looked);
    }

    private static int prefix(int code, int length) {
        return code == CommandCode.STMT_EXECUTE && length == PacketScanner.MAX_PAYLOAD
                ? EXECUTION_PREFIX
                : ResponseTracker.COMMAND_PREFIX;
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
        long meant = commands.resolved(named);
        if (meant != named) {
            bytes.setIntLE(at + ID, (int) meant);
        }
        if (code == CommandCode.STMT_SEND_LONG_DATA) {
            return !tooLong && commands.keepsLongData(meant);
        }
        return code == CommandCode.STMT_EXECUTE
                && length < PacketScanner.MAX_PAYLOAD
                && commands.looksAtExecution(meant, tooLong);
    }

    private int command(ByteBuf bytes, int at, int length, int code, boolean whole, int looked) {
        commandsLeft--;
        bytesLeft -= LOOK_COST * looked;
        byte[] payload = ByteBufUtil.getBytes(bytes, at + PacketScanner.HEADER, looked, true);
        int after = at + PacketScanner.HEADER + length;
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

    /** A header is scanned whole where it is there, so that what is written ends with a whole one. */
    private int turnEnd(ByteBuf bytes, int at) {
        return Math.min(bytes.writerIndex(), at + Math.max(bytesLeft, PacketScanner.HEADER));
    }

    private int data(ByteBuf bytes, int at) {
        if (scanner.complete()) {
            insideData = true;
        }
        commandsLeft--;
        int next = scanner.scan(bytes, at, turnEnd(bytes, at));
        if (scanner.complete() && insideData) {
            tracker.clientData(scanner.payloadLength());
            commands.dataSent(scanner.sequence());
        } else {
            longCommandEnds();
        }
        return next;
    }

    private void longCommandEnds() {
        if (scanner.complete() && scanner.payloadLength() >= PacketScanner.MAX_PAYLOAD) {
            commands.dataSent(scanner.sequence());
        }
    }

    /** Whether the bytes written to the server end with a packet's end. */
    boolean betweenPackets() {
        return scanner.complete();
    }

    /** Whether the rest is read in another turn of the event loop. */
    boolean readsLater() {
        return later;
    }

    boolean empty() {
        return waiting.isEmpty();
    }

    /** How many bytes wait. */
    long waitingBytes() {
        return waitingBytes;
    }

    /** Gives back what waits. */
    void release() {
        ByteBuf bytes;
        while ((bytes = waiting.poll()) != null) {
            bytes.release();
        }
    }
}
