package io.fanfold.session.command;

import io.fanfold.execute.ClientConnection.Command;
import io.fanfold.session.channel.ChannelWrites;
import io.fanfold.session.channel.QueryText;
import io.fanfold.wire.Capability;
import io.fanfold.wire.CommandCode;
import io.fanfold.wire.CommandExchange;
import io.fanfold.wire.Conversation;
import io.fanfold.wire.PacketCodec;
import io.fanfold.wire.PacketPrefix;
import io.fanfold.wire.PacketRole;
import io.fanfold.wire.PayloadWriter;
import io.fanfold.wire.ProtocolException;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerPacket;
import io.fanfold.wire.ServerStatus;
import io.netty.channel.Channel;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Sends proxy commands on a client's backend connection and collects their replies. Event loop only. */
final class ProxyCommands {
    private final Channel backend;
    private final Conversation conversation;
    private final long capabilities;
    private final int replyBytes;
    private final Runnable onStateChange;

    /**
     * @param onStateChange called when a reply reports a session state change, which the client then does not receive
     */
    ProxyCommands(
            Channel backend, Conversation conversation, long capabilities, int replyBytes, Runnable onStateChange) {
        this.backend = backend;
        this.conversation = conversation;
        this.capabilities = capabilities;
        this.replyBytes = replyBytes;
        this.onStateChange = onStateChange;
    }

    /** Sends commands in a single flush, together with those added before. */
    void send(List<Command> commands, CompletableFuture<List<Reply>> result) {
        add(commands, result);
        backend.flush();
        // reading may be paused because the client does not read its answer
        backend.config().setAutoRead(true);
    }

    /** Adds commands to the next {@link #send}. Their replies complete a separate result. */
    void add(List<Command> commands, CompletableFuture<List<Reply>> result) {
        Replies replies = new Replies(new ReplyCollector(commands, capabilities, replyBytes, result));
        for (Command command : commands) {
            send(payload(command), replies);
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

    private void send(byte[] payload, CommandExchange.Observer replies) {
        // first, because a write to a lost connection ends the session, which must find the exchange
        conversation.sent(CommandExchange.of(
                payload, CommandExchange.Audience.PROXY, PacketCodec.sequenceAfter(payload.length), 0, replies));
        PacketCodec.frame(payload, 0, bytes -> ChannelWrites.write(backend, bytes));
    }

    /** The replies to commands that were sent together. */
    private final class Replies implements CommandExchange.Observer {
        private final ReplyCollector collector;

        Replies(ReplyCollector collector) {
            this.collector = collector;
        }

        @Override
        public int wanted() {
            return collector.wanted();
        }

        @Override
        public void packet(PacketRole role, PacketPrefix packet, boolean last) throws ProtocolException {
            collector.packet(role, packet);
            if (last) {
                if (reportsStateChange(role, packet) && !(collector.command() instanceof Command.Transaction)) {
                    onStateChange.run();
                }
                collector.endReply().ifPresent(ProxyCommands.this::closeStatement);
                if (collector.complete()) {
                    collector.deliver();
                }
            }
        }

        @Override
        public void lost() {
            collector.fail(new IOException("the session has ended"));
        }
    }

    /**
     * Whether the packet that ended a reply reports a session state change. A packet in the old form has no room for
     * it.
     */
    private boolean reportsStateChange(PacketRole last, PacketPrefix packet) {
        boolean form = last == PacketRole.OK && packet.length() > ServerPacket.Eof.LENGTH
                || last == PacketRole.ROWS_END && Capability.has(capabilities, Capability.DEPRECATE_EOF);
        return form && (conversation.status() & ServerStatus.SESSION_STATE_CHANGED) != 0;
    }

    private void closeStatement(long id) {
        send(new PayloadWriter().int1(CommandCode.STMT_CLOSE).int4(id).toBytes(), CommandExchange.Observer.NONE);
        backend.flush();
    }
}
