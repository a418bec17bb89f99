package io.fanfold.session.command;

import io.fanfold.session.channel.ChannelWrites;
import io.fanfold.session.channel.DisconnectReason;
import io.fanfold.session.channel.PlainCause;
import io.fanfold.session.channel.ProxyError;
import io.fanfold.session.channel.SessionControl;
import io.fanfold.session.channel.SessionFraming;
import io.fanfold.session.channel.SessionLimits;
import io.fanfold.session.channel.SessionSchema;
import io.fanfold.session.channel.SessionSecurity;
import io.fanfold.session.channel.SessionUse;
import io.fanfold.session.prepared.PreparedStatements;
import io.fanfold.wire.AuthResponse;
import io.fanfold.wire.CommandCode;
import io.fanfold.wire.CommandExchange;
import io.fanfold.wire.Conversation;
import io.fanfold.wire.PacketPrefix;
import io.fanfold.wire.ProtocolException;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerFlavor;
import io.fanfold.wire.ServerPacket;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Relays the command phase of a session between client and server. It follows the packets of both sides and takes out
 * the statements that are offered for splitting. While such a statement is pending, or the proxy runs commands of its
 * own, further bytes of the client wait. Event loop only.
 */
public final class CommandRelay implements ClientStream.Commands, PendingSlot.PendingOwner, UserChange.UserChangeOwner {
    /** The most unanswered commands. Then reading from the client stops until half of them are answered. */
    public static final int MOST_IN_FLIGHT = 4096;

    private static final CommandPhase RELAYING = new CommandPhase.Relaying();

    private final SessionControl session;
    private final Channel client;
    private final Channel backend;
    private final SessionServices services;
    private final byte[] challenge;
    private final SessionSecurity security;
    private final long capabilities;
    private final Conversation conversation;
    private final ClientStream fromClient;
    private final ProxyCommands own;
    private final PendingSlot hold;
    private final SessionState view;
    private final RelayedCommands relayed;
    private final CommandClassifier classifier;
    private final PassedThroughReport report;
    private CommandPhase phase = RELAYING;

    /** Whether the server has said that it will close the connection. */
    private boolean farewell;

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
        this.client = client;
        this.backend = backend;
        this.services = services;
        this.challenge = greeting.challenge();
        this.security = security;
        this.capabilities = capabilities;
        SessionLimits settings = services.settings();
        ServerFlavor flavor = greeting.flavor();
        this.conversation = new Conversation(capabilities, status, framing.sequences(), this::unasked);
        PreparedStatements prepared = new PreparedStatements(capabilities, flavor, settings.statementBytes());
        DiagnosticsArea last = new DiagnosticsArea(flavor);
        SessionTracker tracking = new SessionTracker(capabilities, flavor);
        this.view = new SessionState(
                capabilities, conversation, schema, last, prepared, tracking, new TransactionWatch(capabilities));
        this.fromClient = new ClientStream(backend, conversation, prepared, settings.statementBytes(), this);
        this.own = new ProxyCommands(
                backend, conversation, capabilities, settings.replyBytes(), tracking::reportedToProxy);
        PreflightQueries queries = new PreflightQueries(own, last);
        KillCommands kills = new KillCommands(services.kills(), capabilities);
        this.relayed =
                new RelayedCommands(backend, view, kills, services.dispatcher(), services.metrics(), queries::reset);
        this.hold = new PendingSlot(this, session, client, services, greeting.threadId(), view, queries, relayed);
        this.report = new PassedThroughReport(services, view, greeting.threadId());
        this.classifier = new CommandClassifier(services.dispatcher(), view, security);
    }

    // ---- from the client ----

    /** @param bytes transferred */
    void fromClient(ByteBuf bytes) {
        if (session.hasEnded()) {
            bytes.release();
        } else if (phase instanceof CommandPhase.ChangingUser changing) {
            changing.change().fromClient(bytes);
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
        return !(phase instanceof CommandPhase.Relaying);
    }

    @Override
    public ClientStream.Decision look(byte[] payload, int code, boolean whole, boolean alone) {
        if (conversation.owed() >= MOST_IN_FLIGHT) {
            phase = new CommandPhase.AwaitingReplies(MOST_IN_FLIGHT / 2);
            return ClientStream.Decision.WAIT;
        }
        CommandAction action = classifier.classify(payload, code, whole, alone);
        action.findings().execution().ifPresent(view.prepared()::examined);
        Optional<Runnable> answered = report.looked(action);
        if (action instanceof CommandAction.Send send) {
            relayed.relayed(payload, code, whole, send.worthRemembering(), answered);
            return ClientStream.Decision.SEND;
        }
        return taken(payload, action) ? ClientStream.Decision.TAKE : waiting(action);
    }

    /** Takes over a command that is not sent as it came; false if it must wait instead. */
    private boolean taken(byte[] payload, CommandAction action) {
        if (action instanceof CommandAction.Offer request) {
            phase = new CommandPhase.Pending();
            hold.request(payload, request.sql(), request.prepared());
        } else if (action instanceof CommandAction.CompletedExecution) {
            phase = new CommandPhase.Pending();
            hold.passThrough(payload);
        } else if (action instanceof CommandAction.ChangeUser change) {
            changeUser(payload, change.command());
        } else if (action instanceof CommandAction.Keep) {
            view.prepared().keep(payload);
        } else {
            return false;
        }
        return true;
    }

    private ClientStream.Decision waiting(CommandAction action) {
        if (action instanceof CommandAction.RestoreDiagnostics restore) {
            restore(restore.queries());
        } else if (action instanceof CommandAction.SendKept kept) {
            phase = new CommandPhase.Restoring();
            afterTheCurrentRead(() -> {
                relayed.sendKept(kept.statement());
                resume();
            });
        } else {
            phase = new CommandPhase.AwaitingReplies(0);
        }
        if (action instanceof CommandAction.Reject) {
            afterTheCurrentRead(this::refuseExecution);
        }
        return ClientStream.Decision.WAIT;
    }

    private void refuseExecution() {
        String why = "COM_STMT_EXECUTE without parameter types (expected: new_params_bind_flag = 1 and the types)";
        session.end(DisconnectReason.CLIENT_PROTOCOL, why, ProxyError.WRONG_ARGUMENTS.packet(1, why));
    }

    @Override
    public void answered(byte[] statement) {
        report.split();
        view.transactions().answered();
        if ((statement[0] & 0xff) == CommandCode.STMT_EXECUTE) {
            view.prepared().split(statement);
        }
    }

    private void changeUser(byte[] payload, AuthResponse command) {
        relayed.sent(payload, CommandCode.CHANGE_USER, false);
        UserChange change = new UserChange(session, this, client, backend, capabilities, security, services.tls());
        phase = new CommandPhase.ChangingUser(change);
        afterTheCurrentRead(() -> change.begin(command, challenge));
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
        UserChange change = ((CommandPhase.ChangingUser) phase).change();
        phase = RELAYING;
        try {
            conversation.packet(last);
        } catch (ProtocolException e) {
            throw new IllegalStateException("an observer of a client's command threw", e);
        }
        ByteBuf ofServer = change.restOfServer();
        ByteBuf ofClient = change.restOfClient();
        if (ofServer != null) {
            fromServer(ofServer);
            client.flush();
        }
        if (ofClient != null) {
            fromClient(ofClient);
        }
        // not resume(): a command in these bytes may have begun another phase
        readOn();
    }

    @SuppressWarnings("FutureReturnValueIgnored") // it fails only when the session has ended
    private void restore(List<String> queries) {
        phase = new CommandPhase.Restoring();
        view.last().clear();
        CompletableFuture<List<Reply>> done = new CompletableFuture<>();
        done.thenRun(() -> backend.eventLoop().execute(this::resume));
        afterTheCurrentRead(
                () -> own.send(queries.stream().map(PreflightQueries::query).toList(), done));
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
        settled();
    }

    @Override
    public void resume() {
        if (session.hasEnded()) {
            return;
        }
        phase = RELAYING;
        readOn();
    }

    // ---- from the server ----

    /** @param bytes transferred */
    void fromServer(ByteBuf bytes) {
        if (session.hasEnded()) {
            bytes.release();
            return;
        }
        if (phase instanceof CommandPhase.ChangingUser changing) {
            changing.change().fromServer(bytes);
            return;
        }
        try {
            conversation.received(bytes, relayed -> ChannelWrites.write(client, relayed));
        } catch (ProtocolException e) {
            serverLost(DisconnectReason.BACKEND_PROTOCOL, PlainCause.text(e));
            return;
        }
        if (!client.isWritable()) {
            // otherwise reading goes on to the end of this turn of the event loop
            regulateServer();
        }
        if (phase instanceof CommandPhase.AwaitingReplies awaiting
                && (conversation.opaque() || conversation.owed() <= awaiting.mostOwed())) {
            resume();
        }
    }

    /** The server sent a packet that belongs to no command: it says why it closes the connection. */
    private void unasked(PacketPrefix packet) {
        farewell = packet.prefixLength() > 0 && (packet.prefix()[0] & 0xff) == ServerPacket.ERROR;
    }

    private boolean awaitsReplies() {
        return conversation.awaited() == CommandExchange.Audience.PROXY;
    }

    // ---- both ----

    void clientReadComplete() {
        fromClient.newTurn();
        backend.flush();
        regulateClient();
        // some commands have no response, for instance one that closes a cursor
        settled();
    }

    void serverReadComplete() {
        client.flush();
        regulateServer();
        settled();
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
        boolean room = paused()
                ? fromClient.waitingBytes() + changing() < services.settings().pendingBytes()
                : !fromClient.readsLater();
        client.config().setAutoRead(backend.isWritable() && room);
    }

    /** The number of bytes that wait in a change of user. */
    private int changing() {
        return phase instanceof CommandPhase.ChangingUser changing
                ? changing.change().waiting()
                : 0;
    }

    private void regulateServer() {
        backend.config().setAutoRead(client.isWritable() || awaitsReplies());
    }

    void clientLost(DisconnectReason reason, String detail) {
        session.end(reason, detail);
    }

    /** Ends the session without an error, as servers do: SQLAlchemy 2.0 keeps a connection after error 1053. */
    @Override
    public void serverLost(DisconnectReason reason, String detail) {
        session.end(reason, detail);
    }

    /**
     * Ends the session because the proxy stops. A client that waits for an answer gets an error packet, if it can be sent
     * between two packets. An idle client gets none, since it would take it for a broken answer to its next command.
     */
    public void stop() {
        boolean inside = phase instanceof CommandPhase.ChangingUser changing
                ? !changing.change().serverBetweenPackets()
                : !awaitsReplies() && !conversation.betweenPackets();
        boolean idle = !paused() && conversation.owed() == 0;
        boolean leaving = farewell || relayed.farewell() || conversation.opaque();
        boolean untold = hold.answering() || inside || !fromClient.betweenPackets() || idle || leaving;
        session.end(DisconnectReason.STOPPED, "in use", untold ? null : ProxyError.shutdown(sequenceOfError()));
    }

    private int sequenceOfError() {
        if (phase instanceof CommandPhase.ChangingUser changing) {
            return changing.change().nextSequence();
        }
        return phase instanceof CommandPhase.Pending ? hold.nextSequence() : conversation.nextSequence();
    }

    private void settled() {
        if (session.draining()) {
            session.settled(use());
        }
    }

    /** What the session is used for. */
    public SessionUse use() {
        if (paused() || !conversation.idle() || !fromClient.empty() || !fromClient.betweenPackets()) {
            return phase instanceof CommandPhase.Pending ? SessionUse.FAN_OUT : SessionUse.STATEMENT;
        }
        return relayed.open();
    }

    /** Ends what depends on the session and releases the buffers that wait. */
    public void ended() {
        conversation.fail();
        view.transactions().end();
        hold.sessionEnded();
        if (phase instanceof CommandPhase.ChangingUser changing) {
            changing.change().release();
        }
        fromClient.release();
    }
}
