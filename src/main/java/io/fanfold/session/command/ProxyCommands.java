package io.fanfold.session.command;

import io.fanfold.execute.ClientConnection.ClientReply;
import io.fanfold.execute.ClientConnection.Command;
import io.fanfold.session.channel.ChannelWrites;
import io.fanfold.session.channel.QueryText;
import io.fanfold.session.channel.SessionFraming;
import io.fanfold.wire.Capability;
import io.fanfold.wire.CommandCode;
import io.fanfold.wire.PacketCodec;
import io.fanfold.wire.PacketRole;
import io.fanfold.wire.PayloadWriter;
import io.fanfold.wire.ProtocolException;
import io.fanfold.wire.ResponseTracker;
import io.fanfold.wire.ServerStatus;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Sends proxy commands on a client's backend connection and reads their replies. Event loop only. */
final class ProxyCommands {
    /** The length of an EOF packet in the old form. */
    private static final int SHORT = 5;

    private final Channel backend;
    private final ResponseTracker tracker;
    private final PacketCodec.Reader fromServer;
    private final long capabilities;
    private final int replyBytes;
    private final boolean counted;
    private final Runnable onStateChange;
    private final Deque<ReplyCollector> collectors = new ArrayDeque<>();

    /** For each command without a complete reply: the sequence id of the reply's next packet. */
    private final Deque<Integer> sequences = new ArrayDeque<>();

    /**
     * @param fromServer follows the server's bytes; between two packets whenever commands are sent
     * @param counted whether the server's sequence ids count its packets, see {@link SessionFraming}
     * @param told called when a reply reports a session state change, which the client then does not receive
     */
    ProxyCommands(
            Channel backend,
            ResponseTracker tracker,
            PacketCodec.Reader fromServer,
            long capabilities,
            int replyBytes,
            boolean counted,
            Runnable told) {
        this.backend = backend;
        this.tracker = tracker;
        this.fromServer = fromServer;
        this.capabilities = capabilities;
        this.replyBytes = replyBytes;
        this.counted = counted;
        this.onStateChange = told;
    }

    /** Sends commands in a single flush, together with those added before. */
    void send(List<Command> commands, CompletableFuture<List<ClientReply>> result) {
        add(commands, result);
        backend.flush();
        // reading may be paused because the client does not read its answer
        backend.config().setAutoRead(true);
    }

    /** Adds commands, with a result of their own, to the next {@link #send}. */
    void add(List<Command> commands, CompletableFuture<List<ClientReply>> result) {
        collectors.add(new ReplyCollector(commands, capabilities, replyBytes, result));
        for (Command command : commands) {
            sequences.add(send(payload(command)));
        }
    }

    private byte[] payload(Command command) {
        if (command instanceof Command.Execute execute) {
            return execute.bytes();
        }
        return command instanceof Command.Prepare prepare
                ? new PayloadWriter()
                        .int1(CommandCode.STMT_PREPARE)
                        .bytes(prepare.bytes())
                        .toBytes()
                : QueryText.command(command.bytes(), capabilities);
    }

    private int send(byte[] payload) {
        tracker.command(payload, payload.length);
        return PacketCodec.frame(payload, 0, bytes -> ChannelWrites.write(backend, bytes));
    }

    /** Whether the server's next packets belong to a reply. */
    boolean expected() {
        return !collectors.isEmpty();
    }

    /**
     * Takes bytes of a reply, up to the end of a packet.
     *
     * @param bytes borrowed
     * @return the index after the last byte taken
     * @throws ProtocolException if they are not a valid reply
     */
    int take(ByteBuf bytes, int at, int end) throws ProtocolException {
        ReplyCollector collector = collectors.element();
        if (fromServer.complete()) {
            fromServer.keepUpTo(Math.max(ResponseTracker.PREFIX, collector.wanted()));
        }
        int next = fromServer.scan(bytes, at, end);
        if (!fromServer.complete()) {
            return next;
        }
        follow();
        PacketRole role = tracker.packet(fromServer.kept(), fromServer.keptLength(), fromServer.payloadLength());
        collector.packet(role, fromServer);
        if (tracker.ended() >= 0) {
            sequences.remove();
            if (reportsStateChange(role) && !(collector.command() instanceof Command.Transaction)) {
                onStateChange.run();
            }
            collector.endReply().ifPresent(this::closeStatement);
            if (collector.complete()) {
                collectors.remove();
                fromServer.keepUpTo(ResponseTracker.PREFIX);
                collector.deliver();
            }
        }
        return next;
    }

    /**
     * Whether the packet that ended a reply reports a session state change. A packet in the old form has no room for
     * it.
     */
    private boolean reportsStateChange(PacketRole last) {
        boolean form = last == PacketRole.OK && fromServer.payloadLength() > SHORT
                || last == PacketRole.ROWS_END && Capability.has(capabilities, Capability.DEPRECATE_EOF);
        return form && (tracker.status() & ServerStatus.SESSION_STATE_CHANGED) != 0;
    }

    /** Checks the sequence id of a packet. In a relayed answer the client does this itself. */
    private void follow() throws ProtocolException {
        long parts = fromServer.payloadLength() / PacketCodec.MAX_PAYLOAD;
        int expected = (int) (sequences.remove() + parts) & 0xff;
        if (counted && fromServer.sequence() != expected) {
            throw new ProtocolException(
                    "packet has sequence id " + fromServer.sequence() + " (expected: " + expected + ")");
        }
        sequences.addFirst(expected + 1);
    }

    private void closeStatement(long id) {
        send(new PayloadWriter().int1(CommandCode.STMT_CLOSE).int4(id).toBytes());
        backend.flush();
    }

    /** Fails all results because the session has ended. */
    void fail() {
        ReplyCollector collector;
        while ((collector = collectors.poll()) != null) {
            collector.fail(new IOException("the session has ended"));
        }
    }
}
