package io.fanfold.session;

import io.fanfold.execute.ClientPort.Command;
import io.fanfold.execute.ClientPort.Reply;
import io.fanfold.execute.StatementOffer;
import io.fanfold.execute.TransactionPlace;
import io.fanfold.protocol.PacketRole;
import io.fanfold.protocol.ResponseTracker;
import io.fanfold.protocol.ServerPacket;
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
 * client's bytes until it is answered or passed through. If it is passed through, it is followed until the server has
 * answered it. Event loop only.
 */
final class StatementHold {
    private static final Logger LOG = LoggerFactory.getLogger(StatementHold.class);

    /** The session of the pending statement. */
    interface Owner {
        /** Whether the session has ended. */
        boolean hasEnded();

        /**
         * Sends a statement to the server, together with what the server lacks for it.
         *
         * @param statement the whole command
         * @return the number of its response
         */
        long send(byte[] statement);

        /** A statement was answered by the proxy, not by the server. */
        void answered(byte[] statement);

        /** The client did not read its answer in time. */
        void clientTooSlow();

        /** No statement is pending any more. */
        void resume();
    }

    /**
     * A pending statement that was then passed through and is not answered yet.
     *
     * @param response the number of its response
     * @param before the state before it was sent
     */
    private record Passed(HeldStatement statement, long response, HeldQuestions.Known before) {}

    private final Owner owner;
    private final Channel client;
    private final SessionServices services;
    private final long threadId;
    private final long capabilities;
    private final ResponseTracker tracker;
    private final LastStatement last;
    private final HeldQuestions questions;
    private final RelayedSequence sequence;
    private final SessionSchema schema;
    private @Nullable HeldStatement held;

    /** Null if the server has answered it, or none was passed through. */
    private @Nullable Passed passed;

    StatementHold(
            Owner owner,
            Channel client,
            SessionServices services,
            long threadId,
            long capabilities,
            ResponseTracker tracker,
            LastStatement last,
            OwnCommands own,
            RelayedSequence sequence,
            SessionSchema schema) {
        this.owner = owner;
        this.client = client;
        this.services = services;
        this.threadId = threadId;
        this.capabilities = capabilities;
        this.tracker = tracker;
        this.last = last;
        this.questions = new HeldQuestions(own, last);
        this.sequence = sequence;
        this.schema = schema;
    }

    // ---- begin ----

    /**
     * Makes a statement pending and offers it for splitting.
     *
     * @param payload the whole COM_QUERY or COM_STMT_EXECUTE
     * @param sql its text, perhaps with parameters
     * @param execution the execution, if the text was prepared before
     * @param transaction its place in a transaction; empty outside of transactions
     */
    void offer(
            byte[] payload,
            byte[] sql,
            Optional<StatementOffer.Execution> execution,
            Optional<TransactionPlace> transaction) {
        HeldStatement statement = hold(payload);
        StatementOffer offer =
                new StatementOffer(sql, schema.name(), statement, System.nanoTime(), execution, transaction);
        // after the current read, so that the bytes before the statement are sent first
        client.eventLoop().execute(() -> offer(offer, statement));
    }

    private void offer(StatementOffer offer, HeldStatement statement) {
        try {
            services.splitter().offer(offer);
        } catch (RuntimeException | Error e) {
            // an Error too, for instance if no thread can be started: otherwise the statement would wait forever
            LOG.warn("splitting a statement failed; the statement is passed through", e);
            statement.passThroughUnlessUsed();
        }
    }

    /** Makes a statement pending only until the bytes before it are sent, then passes it through. */
    void passThrough(byte[] payload) {
        HeldStatement statement = hold(payload);
        client.eventLoop().execute(statement::passThroughUnlessUsed);
    }

    private HeldStatement hold(byte[] payload) {
        HeldStatement statement = new HeldStatement(
                this,
                client,
                payload,
                threadId,
                capabilities,
                tracker.status(),
                services.settings().slowClient());
        held = statement;
        questions.begin();
        return statement;
    }

    /** The session was reset to its initial state. */
    void reset() {
        questions.reset();
    }

    // ---- from the statement ----

    /** The user name of the session's login. Any thread. */
    String user() {
        return schema.user();
    }

    /** Sets the session's schema, as the server has just named it. Any thread. */
    void schema(String name) {
        schema.is(name);
    }

    /** Sends proxy commands; the client does not see their replies. */
    @SuppressWarnings("FutureReturnValueIgnored") // whenComplete passes failures on
    void ask(HeldStatement statement, List<Command> commands, CompletableFuture<List<Reply>> result) {
        if (!holds(statement)) {
            result.completeExceptionally(new IOException("the session has ended"));
        } else if (commands.isEmpty()) {
            result.complete(List.of());
        } else {
            CompletableFuture<List<Reply>> replies = new CompletableFuture<>();
            replies.whenComplete((found, failure) -> {
                statement.status(tracker.status());
                if (failure != null) {
                    result.completeExceptionally(failure);
                } else {
                    result.complete(found);
                }
            });
            questions.ask(commands, replies);
        }
    }

    /** Passes the statement through. */
    void passThrough(HeldStatement statement) {
        if (holds(statement)) {
            HeldQuestions.Known before = questions.known();
            long response = owner.send(statement.payload());
            sequence.shift(response, statement.nextSequence() - 1);
            passed = new Passed(statement, response, before);
            release(statement);
        }
    }

    /** The last packet of the statement's answer was written. */
    void answered(HeldStatement statement, long rows) {
        if (holds(statement)) {
            last.folded(rows);
            owner.answered(statement.payload());
            release(statement);
        }
    }

    /**
     * The last packet of the statement's answer was written, and it is an error.
     *
     * @param ran whether the server would have begun to run the statement
     */
    void failed(HeldStatement statement, ServerPacket.Err error, boolean ran) {
        if (holds(statement)) {
            last.failed(error, ran);
            owner.answered(statement.payload());
            release(statement);
        }
    }

    void clientTooSlow() {
        owner.clientTooSlow();
    }

    private boolean holds(HeldStatement statement) {
        return held == statement && !owner.hasEnded();
    }

    private void release(HeldStatement statement) {
        statement.stopReports();
        questions.end();
        held = null;
        owner.resume();
    }

    // ---- from the session ----

    /** The server sent a packet, which the tracker has already processed. */
    void received(PacketRole role) {
        Passed answered = passed;
        if (answered != null && tracker.idle()) {
            passed = null;
            if (role == PacketRole.ERROR && tracker.ended() == answered.response()) {
                questions.refused(answered.before(), tracker.lastError());
            }
            answered.statement().relayed().complete(null);
        }
    }

    void clientWritabilityChanged() {
        HeldStatement statement = held;
        if (statement != null) {
            statement.clientWritabilityChanged();
        }
    }

    /** Whether the answer to a pending statement has begun and not ended. */
    boolean answering() {
        HeldStatement statement = held;
        return statement != null && statement.answering();
    }

    /** The sequence id of an error packet that ends the session while the client's bytes wait. */
    int nextSequence() {
        HeldStatement statement = held;
        return statement == null ? 1 : statement.nextSequence();
    }

    void sessionEnded() {
        HeldStatement statement = held;
        if (statement != null) {
            statement.sessionEnded();
        }
    }
}
