package io.fanfold.session.command;

import io.fanfold.execute.ClientConnection.ClientReply;
import io.fanfold.reason.Reason;
import io.fanfold.session.channel.ChannelWrites;
import io.fanfold.session.channel.DisconnectReason;
import io.fanfold.session.channel.PlainCause;
import io.fanfold.session.channel.ProxyError;
import io.fanfold.session.channel.QueryText;
import io.fanfold.session.channel.SessionControl;
import io.fanfold.session.channel.SessionFraming;
import io.fanfold.session.channel.SessionLimits;
import io.fanfold.session.channel.SessionSchema;
import io.fanfold.session.channel.SessionSecurity;
import io.fanfold.session.command.CommandChoice.CommandAction;
import io.fanfold.session.prepared.PreparedStatements;
import io.fanfold.wire.AuthResponse;
import io.fanfold.wire.CommandCode;
import io.fanfold.wire.PacketCodec;
import io.fanfold.wire.PacketRole;
import io.fanfold.wire.ProtocolException;
import io.fanfold.wire.ResponseTracker;
import io.fanfold.wire.ServerPacket;
import io.fanfold.wire.ServerStatus;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Relays the command phase of a session between client and server. It follows the packets of both sides and takes out
 * the statements that are offered for splitting. While such a statement is pending, or the proxy runs commands of its
 * own, further bytes of the client wait. Event loop only.
 */
public final class CommandRelay implements ClientStream.Commands, PendingSlot.PendingOwner, UserChange.UserChangeOwner {
    private static final Logger LOG = LoggerFactory.getLogger(CommandRelay.class);

    /**
     * The largest number of unanswered commands. At this limit reading from the client stops until half of them are
     * answered.
     */
    public static final int MOST_IN_FLIGHT = 4096;

    /** Why the client's bytes wait. */
    private enum PauseCause {
        NONE,
        /** A statement is offered for splitting. */
        PENDING,
        /** Queries that restore the diagnostics area run first. */
        RESTORE,
        /** The server must first answer earlier commands. */
        ANSWERS,
        /** The client has {@link #MOST_IN_FLIGHT} unanswered commands. */
        FULL,
        /** Buffered long data of a statement is sent to the server first. */
        KEPT,
        /** COM_CHANGE_USER is under way. */
        USER_CHANGE
    }

    private final SessionControl session;
    private final Channel client;
    private final Channel backend;
    private final SessionServices services;
    private final ServerPacket.Greeting greeting;
    private final long threadId;
    private final SessionSecurity security;
    private final long capabilities;
    private final ResponseTracker tracker;
    private final ClientStream fromClient;
    private final PacketCodec.Reader fromServer = new PacketCodec.Reader(ResponseTracker.PREFIX);
    private final ProxyCommands own;
    private final KillWatch kills;
    private final DiagnosticsArea last;
    private final PendingSlot hold;
    private final PreparedStatements prepared;
    private final SessionTracker tracking;
    private final TransactionWatch transactions;
    private final CommandChoice choice;
    private final SessionSchema schema;
    private final SequenceIdRewriter sequence;
    private PauseCause pause = PauseCause.NONE;
    private @Nullable UserChange userChange;
    private boolean farewell;

    /** Whether a fan-out has answered a statement of this session. */
    private boolean split;

    /** Whether the log already has the advice that this session's transactions prevent splitting. */
    private boolean advised;

    /** The number of the response to the newest command. */
    private long newest = -1;

    public CommandRelay(
            SessionControl session,
            Channel client,
            Channel backend,
            SessionServices services,
            ServerPacket.Greeting greeting,
            long capabilities,
            int status,
            SessionSecurity security,
            SessionFraming framing,
            SessionSchema schema) {
        this.session = session;
        this.schema = schema;
        this.client = client;
        this.backend = backend;
        this.services = services;
        this.greeting = greeting;
        this.threadId = greeting.threadId();
        this.security = security;
        this.capabilities = capabilities;
        SessionLimits settings = services.settings();
        this.tracker = new ResponseTracker(capabilities, status);
        this.fromClient = new ClientStream(backend, tracker, settings.statementBytes(), this);
        this.tracking = new SessionTracker(capabilities, greeting.flavor());
        this.transactions = new TransactionWatch(capabilities);
        this.sequence = new SequenceIdRewriter(framing.recounts());
        this.own = new ProxyCommands(
                backend,
                tracker,
                fromServer,
                capabilities,
                settings.replyBytes(),
                !framing.server(),
                tracking::reportedToProxy);
        this.kills = new KillWatch(services.kills(), capabilities);
        this.last = new DiagnosticsArea(greeting.flavor());
        this.prepared = new PreparedStatements(capabilities, greeting.flavor(), settings.statementBytes());
        this.hold =
                new PendingSlot(this, client, services, threadId, capabilities, tracker, last, own, sequence, schema);
        this.choice = new CommandChoice(
                services.dispatcher(),
                schema,
                tracker,
                last,
                prepared,
                tracking,
                transactions,
                security,
                capabilities,
                this::passedDirectly);
    }

    // ---- from the client ----

    /** @param bytes transferred */
    void fromClient(ByteBuf bytes) {
        if (session.hasEnded()) {
            bytes.release();
        } else if (userChange != null) {
            userChange.fromClient(bytes);
        } else {
            fromClient.add(bytes);
            if (paused() || fromClient.readsLater() || !backend.isWritable()) {
                // one read can deliver many pieces, each far larger than on the wire: do not wait until it is complete
                regulateClient();
            }
        }
    }

    @Override
    public boolean paused() {
        return pause != PauseCause.NONE;
    }

    @Override
    public ClientStream.Decision look(byte[] payload, int code, boolean whole, boolean alone) {
        if (tracker.inFlight() >= MOST_IN_FLIGHT) {
            pause = PauseCause.FULL;
            return ClientStream.Decision.WAIT;
        }
        CommandAction verdict = choice.of(payload, code, whole, alone);
        if (verdict instanceof CommandAction.Send send) {
            relayed(payload, code, whole, send.worthRemembering());
            return ClientStream.Decision.SEND;
        }
        if (verdict instanceof CommandAction.Offer request) {
            pause = PauseCause.PENDING;
            hold.request(payload, request.sql(), request.execution(), request.transaction());
            return ClientStream.Decision.TAKE;
        }
        if (verdict instanceof CommandAction.CompletedExecution) {
            pause = PauseCause.PENDING;
            hold.passThrough(payload);
            return ClientStream.Decision.TAKE;
        }
        if (verdict instanceof CommandAction.Keep) {
            return ClientStream.Decision.TAKE;
        }
        if (verdict instanceof CommandAction.ChangeUser change) {
            changeUser(payload, change.command());
            return ClientStream.Decision.TAKE;
        }
        if (verdict instanceof CommandAction.Repair restore) {
            restore(restore.queries());
        } else if (verdict instanceof CommandAction.SendKept kept) {
            pause = PauseCause.KEPT;
            afterTheCurrentRead(() -> {
                sendKept(kept.statement());
                resume();
            });
        } else {
            pause = PauseCause.ANSWERS;
        }
        if (verdict instanceof CommandAction.Misread) {
            afterTheCurrentRead(this::refuseExecution);
        }
        return ClientStream.Decision.WAIT;
    }

    private void refuseExecution() {
        String why =
                "COM_STMT_EXECUTE without parameter types (expected: new_params_bind_flag = 1, followed by the types)";
        session.end(DisconnectReason.CLIENT_PROTOCOL, why, ProxyError.WRONG_ARGUMENTS.packet(1, why));
    }

    @Override
    public boolean looksAtExecution(long statement, boolean tooLong) {
        return tooLong ? prepared.owes(statement) : prepared.remembers(statement);
    }

    @Override
    public boolean keepsLongData(long statement) {
        return prepared.keepsLongData(statement);
    }

    /** Sends the buffered long data of a statement in a single write, since it may consist of very many packets. */
    private void sendKept(long statement) {
        List<byte[]> values = prepared.takeKept(statement);
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

    @Override
    public long resolved(long statement) {
        return prepared.resolved(statement);
    }

    /** Follows a command of the client that is sent to the server without preflight queries. */
    private void relayed(byte[] payload, int code, boolean whole, boolean worthRemembering) {
        if (code == CommandCode.QUERY) {
            long response = follow(payload, code, worthRemembering);
            last.relayed(payload, whole ? QueryText.offset(payload, capabilities) : -1, response);
        } else if (code == CommandCode.STMT_EXECUTE) {
            boolean select = prepared.remembers(PreparedStatements.id(payload));
            last.relayed(follow(payload, code, worthRemembering), select);
        } else {
            sent(payload, code, worthRemembering);
        }
    }

    /**
     * Follows a command that is sent to the server.
     *
     * @param worthRemembering whether it prepares a statement that may be worth splitting
     * @return the number of its response
     */
    private long sent(byte[] payload, int code, boolean worthRemembering) {
        long response = follow(payload, code, worthRemembering);
        if (code == CommandCode.QUERY || code == CommandCode.STMT_EXECUTE) {
            last.clear();
        } else if (code == CommandCode.RESET_CONNECTION || code == CommandCode.CHANGE_USER) {
            last.reset();
            hold.reset();
        } else if (code == CommandCode.QUIT) {
            farewell = true;
        }
        return response;
    }

    private long follow(byte[] payload, int code, boolean worthRemembering) {
        long response = tracker.command(payload, payload.length);
        schema.sent(payload, code, code == CommandCode.QUERY ? QueryText.offset(payload, capabilities) : -1);
        kills.sent(payload, code, response);
        prepared.sent(payload, code, response, worthRemembering);
        tracking.sent(payload, code);
        transactions.sent(payload, code, response);
        newest = response;
        if (response == tracker.current()) {
            sequence.command(response);
        }
        return response;
    }

    @Override
    public boolean hasEnded() {
        return session.hasEnded();
    }

    @Override
    public long send(byte[] statement) {
        int code = statement[0] & 0xff;
        byte[] payload = statement;
        if (code == CommandCode.STMT_EXECUTE) {
            sendKept(PreparedStatements.id(statement));
            payload = prepared.outgoing(statement);
        }
        long response = sent(payload, code, false);
        int following = PacketCodec.frame(payload, 0, bytes -> ChannelWrites.write(backend, bytes));
        sequence.data(following - 1);
        return response;
    }

    @Override
    public void answered(byte[] statement) {
        split = true;
        transactions.answered();
        if ((statement[0] & 0xff) == CommandCode.STMT_EXECUTE) {
            prepared.split(statement);
        }
    }

    @Override
    public void clientTooSlow() {
        session.end(DisconnectReason.CLIENT_TOO_SLOW, "merged answer");
        ChannelWrites.close(client);
    }

    @Override
    public void dataSent(int id) {
        if (newest == tracker.current()) {
            sequence.data(id);
        }
    }

    private void changeUser(byte[] payload, AuthResponse command) {
        sent(payload, CommandCode.CHANGE_USER, false);
        pause = PauseCause.USER_CHANGE;
        UserChange change = new UserChange(session, this, client, backend, capabilities, security, services.tls());
        userChange = change;
        afterTheCurrentRead(() -> change.begin(command, greeting.challenge()));
    }

    /** Runs a task that writes to the server, after the bytes of the current read, which must be sent first. */
    private void afterTheCurrentRead(Runnable task) {
        client.eventLoop().execute(() -> {
            if (!session.hasEnded()) {
                task.run();
            }
        });
    }

    @Override
    public void userChanged(byte[] last) {
        UserChange change = Objects.requireNonNull(userChange);
        userChange = null;
        tracker.packet(last, last.length, last.length);
        ByteBuf ofServer = change.restOfServer();
        ByteBuf ofClient = change.restOfClient();
        if (ofServer != null) {
            fromServer(ofServer);
            client.flush();
        }
        if (ofClient != null) {
            fromClient(ofClient);
        }
        resume();
    }

    @SuppressWarnings("FutureReturnValueIgnored") // it fails only when the session has ended
    private void restore(List<String> queries) {
        pause = PauseCause.RESTORE;
        last.clear();
        CompletableFuture<List<ClientReply>> done = new CompletableFuture<>();
        done.thenRun(() -> backend.eventLoop().execute(this::resume));
        afterTheCurrentRead(
                () -> own.send(queries.stream().map(PreflightQueries::query).toList(), done));
    }

    private void passedDirectly(Reason reason, byte[] text, int offset) {
        if (LOG.isDebugEnabled()) {
            LOG.debug(
                    "{} passed through: {} {}",
                    schema.sessionName(threadId),
                    reason.label(),
                    services.dispatcher().describe(reason, text, offset, schema.name()));
        }
        if (reason == Reason.IN_TRANSACTION && !split && !advised) {
            advised = true;
            boolean autocommit = (tracker.status() & ServerStatus.AUTOCOMMIT) != 0;
            services.transactions().advise(schema.user(), schema.sessionName(threadId), autocommit);
        }
        services.metrics().passedThrough(reason);
    }

    @Override
    public void readOn() {
        if (session.hasEnded()) {
            return;
        }
        try {
            fromClient.resume();
        } catch (RuntimeException | OutOfMemoryError e) {
            // runs as a task of the event loop: no handler sees its exceptions
            clientLost(DisconnectReason.CLIENT_FAILED, PlainCause.text(e));
            throw e;
        }
        backend.flush();
        regulateClient();
        endWhenDrained();
    }

    @Override
    public void resume() {
        if (session.hasEnded()) {
            return;
        }
        pause = PauseCause.NONE;
        fromClient.resume();
        backend.flush();
        regulateClient();
        endWhenDrained();
    }

    // ---- from the server ----

    /** @param bytes transferred */
    void fromServer(ByteBuf bytes) {
        if (session.hasEnded()) {
            bytes.release();
            return;
        }
        if (userChange != null) {
            userChange.fromServer(bytes);
            return;
        }
        int end = bytes.writerIndex();
        int at = bytes.readerIndex();
        try {
            if (own.expected()) {
                while (at < end && own.expected()) {
                    at = own.take(bytes, at, end);
                }
                answersBegin();
            }
        } catch (ProtocolException e) {
            bytes.release();
            serverLost(DisconnectReason.BACKEND_PROTOCOL, PlainCause.text(e));
            return;
        }
        bytes.readerIndex(at);
        relay(sequence.changeable(bytes));
        if (!client.isWritable()) {
            // otherwise reading goes on to the end of this turn of the event loop
            regulateServer();
        }
        boolean enough = pause == PauseCause.ANSWERS && tracker.idle()
                || pause == PauseCause.FULL && tracker.inFlight() <= MOST_IN_FLIGHT / 2;
        if (enough || (pause == PauseCause.ANSWERS || pause == PauseCause.FULL) && tracker.opaque()) {
            resume();
        }
    }

    /**
     * After a response or the replies to proxy commands, the next bytes answer the oldest command that is still
     * waiting.
     */
    private void answersBegin() {
        if (!own.expected() && tracker.waiting()) {
            sequence.command(tracker.current());
        }
    }

    /** @param bytes transferred */
    private void relay(ByteBuf bytes) {
        int at = bytes.readerIndex();
        int end = bytes.writerIndex();
        while (at < end && !tracker.opaque()) {
            at = fromServer.scan(bytes, at, end, sequence.ids());
            if (fromServer.complete()) {
                follow();
            }
        }
        if (bytes.isReadable()) {
            ChannelWrites.write(client, bytes);
        } else {
            bytes.release();
        }
    }

    private void follow() {
        PacketRole role = tracker.packet(fromServer.kept(), fromServer.keptLength(), fromServer.payloadLength());
        sequence.packet(fromServer.sequence(), tracker.ended());
        transactions.received(role, tracker.ended(), tracker.status());
        if (tracker.ended() >= 0) {
            answersBegin();
        }
        if (role == PacketRole.UNSOLICITED) {
            farewell = fromServer.keptLength() > 0 && (fromServer.kept()[0] & 0xff) == ServerPacket.ERROR;
        }
        prepared.received(role, fromServer, tracker);
        fromServer.keepUpTo(prepared.wanted());
        hold.received(role);
        if (tracker.ended() >= 0) {
            last.answered(tracker.ended(), role, tracker.lastError());
            kills.ended(tracker.ended(), role).ifPresent(services.dispatcher()::killed);
        }
    }

    // ---- both ----

    void clientReadComplete() {
        fromClient.newTurn();
        backend.flush();
        regulateClient();
    }

    void serverReadComplete() {
        client.flush();
        regulateServer();
        endWhenDrained();
    }

    void clientWritabilityChanged() {
        regulateServer();
        hold.clientWritabilityChanged();
    }

    void serverWritabilityChanged() {
        regulateClient();
    }

    /** Reads from the client only while its bytes can be sent or buffered. */
    private void regulateClient() {
        // commands left for a later turn are already buffered: reading the socket now would only delay other sessions
        boolean room = pause == PauseCause.NONE
                ? !fromClient.readsLater()
                : fromClient.waitingBytes() + changing() < services.settings().pendingBytes();
        client.config().setAutoRead(backend.isWritable() && room);
    }

    /** The number of bytes that wait in a change of user. */
    private int changing() {
        UserChange change = userChange;
        return change == null ? 0 : change.waiting();
    }

    private void regulateServer() {
        backend.config().setAutoRead(client.isWritable() || own.expected());
    }

    void clientLost(DisconnectReason reason, String detail) {
        session.end(reason, detail);
    }

    /**
     * Ends the session because the server connection is lost. A client that waits for an answer gets an error packet,
     * if it can be sent between two packets. An idle client gets none, since it would take it for a broken answer to
     * its next command. A server that shuts down sends nothing either.
     */
    @Override
    public void serverLost(DisconnectReason reason, String detail) {
        UserChange change = userChange;
        boolean inside = change != null && !change.serverBetweenPackets()
                || !own.expected() && !fromServer.complete()
                || !fromClient.betweenPackets();
        boolean idle = change == null && pause == PauseCause.NONE && !tracker.waiting();
        if (hold.answering() || inside || idle || farewell || tracker.opaque()) {
            session.end(reason, detail);
        } else {
            session.end(reason, detail, ProxyError.serverLost(sequenceOfError()));
        }
    }

    private int sequenceOfError() {
        UserChange change = userChange;
        if (change != null) {
            return change.nextSequence();
        }
        return pause == PauseCause.NONE || pause == PauseCause.FULL ? sequence.next() : hold.nextSequence();
    }

    private void endWhenDrained() {
        if (session.draining() && atRest()) {
            session.end(DisconnectReason.DRAINED, "idle");
        }
    }

    /** Whether nothing is under way: no answer outstanding, no statement pending, no transaction open. */
    public boolean atRest() {
        return pause == PauseCause.NONE
                && tracker.idle()
                && tracker.outsideTransaction()
                && fromClient.empty()
                && fromClient.betweenPackets();
    }

    /** Ends what depends on the session and releases the buffers that wait. */
    public void ended() {
        own.fail();
        transactions.end();
        hold.sessionEnded();
        UserChange change = userChange;
        if (change != null) {
            change.release();
        }
        fromClient.release();
    }
}
