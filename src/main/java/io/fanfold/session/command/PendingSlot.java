package io.fanfold.session.command;

import io.fanfold.execute.ClientConnection.Command;
import io.fanfold.execute.ClientConnection.RelayEnd;
import io.fanfold.execute.FanOutRequest;
import io.fanfold.execute.TransactionPlace;
import io.fanfold.reason.Reason;
import io.fanfold.session.channel.ChannelWrites;
import io.fanfold.session.channel.DisconnectReason;
import io.fanfold.session.channel.SessionControl;
import io.fanfold.wire.Conversation;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerPacket;
import io.netty.channel.Channel;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the pending statement of a session, at most one. A statement is pending from when it is taken out of the
 * client's bytes until it is answered or passed through. Event loop only.
 */
final class PendingSlot {
    private static final Logger LOG = LoggerFactory.getLogger(PendingSlot.class);

    /** The session of the pending statement. */
    interface PendingOwner {
        /** A statement was answered by the proxy, not by the server. */
        void answered(byte[] statement);

        /** No statement is pending any more. */
        void resume();
    }

    private final PendingOwner owner;
    private final SessionControl session;
    private final Channel client;
    private final SessionServices services;
    private final long threadId;
    private final SessionState view;
    private final Conversation conversation;
    private final PreflightQueries queries;
    private final RelayedCommands relayed;
    private @Nullable PendingStatement pending;

    PendingSlot(
            PendingOwner owner,
            SessionControl session,
            Channel client,
            SessionServices services,
            long threadId,
            SessionState view,
            PreflightQueries queries,
            RelayedCommands relayed) {
        this.owner = owner;
        this.session = session;
        this.client = client;
        this.services = services;
        this.threadId = threadId;
        this.view = view;
        this.conversation = view.conversation();
        this.queries = queries;
        this.relayed = relayed;
    }

    // ---- begin ----

    /**
     * Makes a statement pending and offers it for splitting.
     *
     * @param payload the whole COM_QUERY or COM_STMT_EXECUTE
     * @param sql its text, perhaps with parameters
     * @param execution the execution, if the text was prepared before
     */
    void request(byte[] payload, byte[] sql, Optional<FanOutRequest.Execution> execution) {
        Optional<TransactionPlace> transaction = conversation.outsideTransaction()
                ? Optional.empty()
                : view.transactions().offered(conversation.status());
        PendingStatement statement = hold(payload);
        FanOutRequest request = new FanOutRequest(
                sql, view.schema().name(), statement, statement.arrivalNanos(), execution, transaction);
        // after the current read, so that the bytes before the statement are sent first
        client.eventLoop().execute(() -> request(request, statement));
    }

    private void request(FanOutRequest request, PendingStatement statement) {
        try {
            services.dispatcher().submit(request);
        } catch (RuntimeException | Error e) {
            // an Error too, for instance if no thread can be started: otherwise the statement would wait forever
            LOG.warn("splitting a statement failed; the statement is passed through", e);
            if (statement.passThroughUnlessUsed()) {
                services.metrics().passedThrough(Reason.INTERNAL);
            }
        }
    }

    /** Makes a statement pending only until the bytes before it are sent, then passes it through. */
    void passThrough(byte[] payload) {
        PendingStatement statement = hold(payload);
        client.eventLoop().execute(statement::passThroughUnlessUsed);
    }

    private PendingStatement hold(byte[] payload) {
        PendingStatement statement = new PendingStatement(
                this,
                client,
                payload,
                threadId,
                view.capabilities(),
                conversation.status(),
                services.settings().slowClient());
        pending = statement;
        queries.begin();
        return statement;
    }

    // ---- from the statement ----

    /** The user name of the session's login. Any thread. */
    String user() {
        return view.schema().user();
    }

    /** Sets the session's schema, as the server has just named it. Any thread. */
    void schema(String name) {
        view.schema().is(name);
    }

    /** Sends proxy commands; the client does not see their replies. */
    @SuppressWarnings("FutureReturnValueIgnored") // whenComplete passes failures on
    void ask(PendingStatement statement, List<Command> commands, CompletableFuture<List<Reply>> result) {
        if (!holds(statement)) {
            result.completeExceptionally(new IOException("the session has ended"));
        } else if (commands.isEmpty()) {
            result.complete(List.of());
        } else {
            CompletableFuture<List<Reply>> replies = new CompletableFuture<>();
            replies.whenComplete((found, failure) -> {
                statement.status(conversation.status());
                if (failure != null) {
                    result.completeExceptionally(failure);
                } else {
                    result.complete(found);
                }
            });
            queries.ask(commands, replies);
        }
    }

    /** Passes the statement through. */
    void passThrough(PendingStatement statement) {
        if (holds(statement)) {
            PreflightQueries.KnownDiagnostics before = queries.known();
            relayed.send(
                    statement.payload(),
                    statement.arrivalNanos(),
                    statement.nextSequence() - 1,
                    end -> relayEnded(statement, before, end));
            release(statement);
        }
    }

    /** The last packet of the statement's answer was written. */
    void answered(PendingStatement statement, long rows) {
        if (holds(statement)) {
            view.last().split(rows);
            owner.answered(statement.payload());
            release(statement);
        }
    }

    /**
     * The last packet of the statement's answer was written, and it is an error.
     *
     * @param ran whether the server would have begun to run the statement
     */
    void failed(PendingStatement statement, ServerPacket.Err error, boolean ran) {
        if (holds(statement)) {
            view.last().failed(error, ran);
            owner.answered(statement.payload());
            release(statement);
        }
    }

    /** The client did not read its answer in time. */
    void clientTooSlow() {
        session.end(DisconnectReason.CLIENT_TOO_SLOW, "merged answer");
        ChannelWrites.close(client);
    }

    private boolean holds(PendingStatement statement) {
        return pending == statement && !session.hasEnded();
    }

    private void release(PendingStatement statement) {
        statement.stopReports();
        queries.end();
        pending = null;
        owner.resume();
    }

    // ---- from the session ----

    /**
     * A statement that was passed through has ended. If the client has sent further commands since, these have changed the
     * diagnostics area.
     */
    private void relayEnded(PendingStatement statement, PreflightQueries.KnownDiagnostics before, RelayEnd end) {
        if (end == RelayEnd.FAILED && conversation.idle()) {
            queries.refused(before, conversation.lastError());
        }
        statement.relayed().complete(end);
    }

    void clientWritabilityChanged() {
        PendingStatement statement = pending;
        if (statement != null) {
            statement.clientWritabilityChanged();
        }
    }

    /** Whether the answer to a pending statement has begun and not ended. */
    boolean answering() {
        PendingStatement statement = pending;
        return statement != null && statement.answering();
    }

    /** The sequence id of an error packet that ends the session while the client's bytes wait. */
    int nextSequence() {
        PendingStatement statement = pending;
        return statement == null ? 1 : statement.nextSequence();
    }

    void sessionEnded() {
        PendingStatement statement = pending;
        if (statement != null) {
            statement.sessionEnded();
        }
    }
}
