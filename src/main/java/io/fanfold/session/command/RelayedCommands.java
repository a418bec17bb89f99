package io.fanfold.session.command;

import io.fanfold.execute.ClientConnection.RelayEnd;
import io.fanfold.execute.FanOutDispatcher;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.session.channel.ChannelWrites;
import io.fanfold.session.channel.QueryText;
import io.fanfold.session.channel.SessionUse;
import io.fanfold.session.command.DiagnosticsArea.RelayedStatement;
import io.fanfold.session.command.TransactionWatch.SentCommand;
import io.fanfold.session.prepared.PreparedStatements;
import io.fanfold.wire.CommandCode;
import io.fanfold.wire.CommandExchange;
import io.fanfold.wire.PacketCodec;
import io.fanfold.wire.PacketPrefix;
import io.fanfold.wire.PacketRole;
import io.fanfold.wire.ProtocolException;
import io.fanfold.wire.ServerStatus;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reports each command that is sent to the server, and each packet of its response, to the parts that keep the
 * session's state. Event loop only.
 */
final class RelayedCommands {
    /** The arrival of a command whose response is not timed. */
    private static final long UNTIMED = Long.MIN_VALUE;

    private final Channel backend;
    private final SessionState session;
    private final KillCommands kills;
    private final FanOutDispatcher dispatcher;
    private final FanfoldMetrics metrics;
    private final Runnable onReset;
    private boolean farewell;
    private int lastCode;

    /** @param onReset called when the session returns to its initial state */
    RelayedCommands(
            Channel backend,
            SessionState session,
            KillCommands kills,
            FanOutDispatcher dispatcher,
            FanfoldMetrics metrics,
            Runnable onReset) {
        this.backend = backend;
        this.session = session;
        this.kills = kills;
        this.dispatcher = dispatcher;
        this.metrics = metrics;
        this.onReset = onReset;
    }

    /** What is open between two commands of the client. */
    SessionUse open() {
        int status = session.conversation().status();
        if ((status & ServerStatus.IN_TRANSACTION) != 0
                || session.transactions().hidden()) {
            return SessionUse.TRANSACTION;
        }
        int cursor = status & (ServerStatus.CURSOR_EXISTS | ServerStatus.LAST_ROW_SENT);
        // COM_STMT_CLOSE closes the cursor and has no response, so the flags stay
        return cursor == ServerStatus.CURSOR_EXISTS && lastCode != CommandCode.STMT_CLOSE
                ? SessionUse.CURSOR
                : SessionUse.IDLE;
    }

    /** Whether the client has said that it will close the connection. */
    boolean farewell() {
        return farewell;
    }

    /**
     * Follows a command that the caller sends to the server, without preflight queries.
     *
     * @param whole whether the payload is complete
     * @param worthRemembering whether it prepares a statement that may be worth splitting
     * @param answered to be run when a statement is answered
     */
    void relayed(byte[] payload, int code, boolean whole, boolean worthRemembering, Optional<Runnable> answered) {
        if (code == CommandCode.QUERY) {
            int text = whole ? QueryText.offset(payload, session.capabilities()) : -1;
            relayed(payload, code, session.last().relayed(payload, text), answered);
        } else if (code == CommandCode.STMT_EXECUTE) {
            boolean select = session.prepared().remembers(PreparedStatements.id(payload));
            relayed(payload, code, session.last().relayed(select), answered);
        } else {
            if (code == CommandCode.STMT_PREPARE && whole) {
                session.last().prepared(payload, 1);
            }
            sent(payload, code, worthRemembering);
        }
    }

    private void relayed(byte[] payload, int code, @Nullable RelayedStatement statement, Optional<Runnable> answered) {
        Consumer<RelayEnd> atEnd = answered.isEmpty()
                ? null
                : end -> {
                    if (end != RelayEnd.LOST) {
                        answered.get().run();
                    }
                };
        follow(payload, told(payload, code, false, statement, atEnd, System.nanoTime()));
    }

    /** Follows a command that is no statement. */
    void sent(byte[] payload, int code, boolean worthRemembering) {
        follow(payload, told(payload, code, worthRemembering, null, null, UNTIMED));
        if (code == CommandCode.RESET_CONNECTION || code == CommandCode.CHANGE_USER) {
            session.last().reset();
            onReset.run();
        } else if (code == CommandCode.QUIT) {
            farewell = true;
        }
    }

    /**
     * Tells all of a command, and returns what is to be told of its response.
     *
     * @param arrival when a statement arrived, in {@link System#nanoTime}; {@link #UNTIMED} if the command is no statement
     */
    private ClientResponse told(
            byte[] payload,
            int code,
            boolean worthRemembering,
            @Nullable RelayedStatement statement,
            @Nullable Consumer<RelayEnd> atEnd,
            long arrival) {
        lastCode = code;
        int text = code == CommandCode.QUERY ? QueryText.offset(payload, session.capabilities()) : -1;
        session.schema().sent(payload, code, text);
        session.tracking().sent(payload, code);
        return new ClientResponse(
                session.prepared().sent(payload, code, worthRemembering),
                session.transactions().sent(payload, code),
                kills.killed(payload, code),
                statement,
                atEnd,
                arrival);
    }

    private void follow(byte[] payload, ClientResponse response) {
        session.conversation().sent(CommandExchange.of(payload, CommandExchange.Audience.CLIENT, response));
    }

    /**
     * Sends a statement, together with what the server lacks for it.
     *
     * @param statement the whole command
     * @param arrival when it arrived, in {@link System#nanoTime}
     * @param packets the number of packets that the client was already sent
     * @param atEnd receives how it ended
     */
    void send(byte[] statement, long arrival, int packets, Consumer<RelayEnd> atEnd) {
        int code = statement[0] & 0xff;
        byte[] payload = statement;
        if (code == CommandCode.STMT_EXECUTE) {
            sendKept(PreparedStatements.id(statement));
            payload = session.prepared().outgoing(statement);
        }
        ClientResponse response = told(payload, code, false, null, atEnd, arrival);
        session.last().clear();
        int first = PacketCodec.sequenceAfter(payload.length);
        session.conversation()
                .sent(CommandExchange.of(payload, CommandExchange.Audience.CLIENT, first, packets, response));
        PacketCodec.frame(payload, 0, bytes -> ChannelWrites.write(backend, bytes));
    }

    /** Sends the buffered long data of a statement in a single write, since it may consist of very many packets. */
    void sendKept(long statement) {
        List<byte[]> values = session.prepared().takeKept(statement);
        if (values.isEmpty()) {
            return;
        }
        ByteBuf all = Unpooled.buffer();
        for (byte[] value : values) {
            sent(value, CommandCode.STMT_SEND_LONG_DATA, false);
            PacketCodec.frame(value, 0, bytes -> {
                all.writeBytes(bytes);
                bytes.release();
            });
        }
        ChannelWrites.write(backend, all);
    }

    /** A command and its response. */
    private final class ClientResponse implements CommandExchange.Observer {
        private final CommandExchange.Observer prepared;
        private final SentCommand command;

        /** The thread that the command kills. */
        private final OptionalLong killed;

        private final @Nullable RelayedStatement statement;
        private final @Nullable Consumer<RelayEnd> atEnd;
        private final long arrival;

        ClientResponse(
                CommandExchange.Observer prepared,
                SentCommand command,
                OptionalLong killed,
                @Nullable RelayedStatement statement,
                @Nullable Consumer<RelayEnd> atEnd,
                long arrival) {
            this.prepared = prepared;
            this.command = command;
            this.killed = killed;
            this.statement = statement;
            this.atEnd = atEnd;
            this.arrival = arrival;
        }

        @Override
        public int wanted() {
            return prepared.wanted();
        }

        @Override
        public void packet(PacketRole role, PacketPrefix packet, boolean last) throws ProtocolException {
            int status = session.conversation().status();
            session.transactions().received(role, last ? command : null, status);
            prepared.packet(role, packet, last);
            if (last) {
                ended(role);
            }
        }

        @Override
        public void lost() {
            tell(RelayEnd.LOST);
        }

        private void tell(RelayEnd end) {
            if (atEnd != null) {
                atEnd.accept(end);
            }
        }

        private void ended(PacketRole last) {
            if (arrival != UNTIMED) {
                metrics.relayed(System.nanoTime() - arrival);
            }
            // first: if it restores the diagnostics area after an error, the area then notes this very error
            tell(last == PacketRole.ERROR ? RelayEnd.FAILED : RelayEnd.ANSWERED);
            session.last().answered(statement, last, session.conversation().lastError());
            if (last == PacketRole.OK) {
                killed.ifPresent(dispatcher::killed);
            }
        }
    }
}
