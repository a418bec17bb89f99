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
 * The one statement of a session that is held, if there is one: from when it was taken out of the client's bytes until it was
 * answered, or goes to the server after all. Then it is followed until the server has answered it. Event loop only.
 */
final class StatementHold {
    private static final Logger LOG = LoggerFactory.getLogger(StatementHold.class);

    /** The session whose statement is held. */
    interface Owner {
        /** Whether nothing is to be done any more. */
        boolean hasEnded();

        /**
         * Sends a statement to the server, with what that lacks for it.
         *
         * @param statement the whole command
         * @return the number of its response
         */
        long send(byte[] statement);

        /** A statement was answered without the server. */
        void answered(byte[] statement);

        /** The client left its socket full for too long. */
        void clientTooSlow();

        /** No statement is held any more. */
        void resume();
    }

    /**
     * A statement on its way through the server after it was held.
     *
     * @param response the number of its response
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

    /** The statement that was passed through after all and waits for its answer. */
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

    // ---- what is held ----

    /**
     * Holds a statement and offers it for splitting.
     *
     * @param payload the whole COM_QUERY or COM_STMT_EXECUTE
     * @param sql its text, perhaps with parameters
     * @param execution where the text was prepared before
     * @param transaction where it stands in a transaction; empty outside of transactions
     */
    void offer(
            byte[] payload,
            byte[] sql,
            Optional<StatementOffer.Execution> execution,
            Optional<TransactionPlace> transaction) {
        HeldStatement statement = hold(payload);
        StatementOffer offer =
                new StatementOffer(sql, schema.name(), statement, System.nanoTime(), execution, transaction);
        // behind the current read, so that what came before the statement is on its way
        client.eventLoop().execute(() -> offer(offer, statement));
    }

    private void offer(StatementOffer offer, HeldStatement statement) {
        try {
            services.splitter().offer(offer);
        } catch (RuntimeException | Error e) {
            // an error too, for instance where the system has no more threads: the statement would wait for ever
            LOG.warn("splitting a statement failed; the statement is passed through", e);
            statement.passThroughUnlessUsed();
        }
    }

    /** Holds a statement only until what came before it is on its way. */
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

    /** The session is as it was when it began. */
    void reset() {
        questions.reset();
    }

    // ---- from the statement ----

    /** The user name of the session's login; from any thread. */
    String user() {
        return schema.user();
    }

    /** The server has named the session's schema; from any thread. */
    void schema(String name) {
        schema.is(name);
    }

    /** Sends commands of the proxy's own; their replies do not reach the client. */
    @SuppressWarnings("FutureReturnValueIgnored") // what follows hands a failure on
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

    /** The statement goes to the server. */
    void passThrough(HeldStatement statement) {
        if (holds(statement)) {
            HeldQuestions.Known before = questions.known();
            long response = owner.send(statement.payload());
            sequence.shift(response, statement.nextSequence() - 1);
            passed = new Passed(statement, response, before);
            release(statement);
        }
    }

    /** The statement was answered, its last packet is written. */
    void answered(HeldStatement statement, long rows) {
        if (holds(statement)) {
            last.folded(rows);
            owner.answered(statement.payload());
            release(statement);
        }
    }

    /**
     * The same, but its last packet is an error.
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

    /** The server sent a packet, and the tracker was told of it. */
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

    /** Whether the answer of a held statement has begun and not ended. */
    boolean answering() {
        HeldStatement statement = held;
        return statement != null && statement.answering();
    }

    /** The sequence id of an error packet that ends the session, where the client's bytes wait. */
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
