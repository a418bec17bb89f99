package io.fanfold.session.command;

import io.fanfold.execute.FanOutDispatcher;
import io.fanfold.execute.FanOutRequest.Execution;
import io.fanfold.execute.TransactionPlace;
import io.fanfold.reason.Reason;
import io.fanfold.session.channel.QueryText;
import io.fanfold.session.channel.SessionSecurity;
import io.fanfold.session.prepared.PreparedStatements;
import io.fanfold.wire.AuthResponse;
import io.fanfold.wire.CommandCode;
import io.fanfold.wire.Conversation;
import io.fanfold.wire.ProtocolException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decides what to do with each command of a client; the caller carries the decision out. Event loop only. */
final class CommandChoice {
    private static final Logger LOG = LoggerFactory.getLogger(CommandChoice.class);

    /** Reasons that hold for every execution of a prepared text, so that its executions need not be considered. */
    private static final Set<Reason> NEVER =
            Set.of(Reason.NOT_A_SELECT, Reason.TOO_LONG, Reason.NO_PARTITIONED_TABLE, Reason.DISABLED);

    /** What to do with a command. */
    sealed interface CommandAction {
        /**
         * Send it to the server.
         *
         * @param worthRemembering whether it prepares a statement that may be worth splitting
         */
        record Send(boolean worthRemembering) implements CommandAction {}

        /** Wait for the server's answers to earlier commands, then decide again. */
        record Wait() implements CommandAction {}

        /** Run these queries first and drop their results, then decide again. */
        record Repair(List<String> queries) implements CommandAction {}

        /**
         * Offer it for splitting.
         *
         * @param sql the text, perhaps with parameters
         * @param execution the execution, if the text was prepared before
         * @param transaction its place in a transaction; empty outside of transactions
         */
        record Offer(byte[] sql, Optional<Execution> execution, Optional<TransactionPlace> transaction)
                implements CommandAction {}

        /** Send it to the server together with what the server lacks: the types of its parameters, or its long data. */
        record CompletedExecution() implements CommandAction {}

        /** Buffer it: it is long data for a later execution. */
        record Keep() implements CommandAction {}

        /** Send the buffered long data of its statement first, then decide again. */
        record SendKept(long statement) implements CommandAction {}

        /** Change the user on a session whose two connections differ in their security. */
        record ChangeUser(AuthResponse command) implements CommandAction {}

        /** Refuse it: the server would read this execution with other parameter types than the client's. */
        record Misread() implements CommandAction {}
    }

    /** Receives the reason why a command that was considered is not offered. */
    interface PassedThrough {
        /**
         * Receives one reason.
         *
         * @param text contains the statement's text
         * @param offset the index of the text's first byte
         */
        void of(Reason reason, byte[] text, int offset);
    }

    private static final CommandAction SEND = new CommandAction.Send(false);
    private static final CommandAction WAIT = new CommandAction.Wait();

    private final FanOutDispatcher dispatcher;
    private final SessionView session;
    private final Conversation conversation;
    private final DiagnosticsArea last;
    private final PreparedStatements prepared;
    private final TransactionWatch transactions;
    private final SessionSecurity security;
    private final long capabilities;
    private final PassedThrough passedThrough;

    /** @param passedThrough receives the reason for each command that was considered but is not offered */
    CommandChoice(
            FanOutDispatcher dispatcher, SessionView session, SessionSecurity security, PassedThrough passedThrough) {
        this.dispatcher = dispatcher;
        this.session = session;
        this.conversation = session.conversation();
        this.last = session.last();
        this.prepared = session.prepared();
        this.transactions = session.transactions();
        this.security = security;
        this.capabilities = session.capabilities();
        this.passedThrough = passedThrough;
    }

    /** Decides on a command; the parameters are those of {@link ClientStream.Commands#look}. */
    CommandAction of(byte[] payload, int code, boolean whole, boolean alone) {
        List<String> restore = restoreBefore(payload, code, whole);
        if (!restore.isEmpty()) {
            return conversation.idle() ? new CommandAction.Repair(restore) : WAIT;
        }
        return switch (code) {
            case CommandCode.QUERY -> whole ? query(payload, alone) : SEND;
            case CommandCode.STMT_PREPARE -> new CommandAction.Send(whole && worthRemembering(payload));
            case CommandCode.STMT_EXECUTE -> execution(payload, whole, alone);
            case CommandCode.STMT_SEND_LONG_DATA -> longData(payload, whole);
            case CommandCode.STMT_BULK_EXECUTE -> sendKept(payload);
            case CommandCode.CHANGE_USER -> whole && alone && !security.alike() ? userChange(payload) : SEND;
            default -> SEND;
        };
    }

    private List<String> restoreBefore(byte[] payload, int code, boolean whole) {
        if (code == CommandCode.STMT_EXECUTE) {
            return last.beforeExecute();
        }
        if (!whole || code != CommandCode.QUERY && code != CommandCode.STMT_PREPARE) {
            return List.of();
        }
        boolean prepare = code == CommandCode.STMT_PREPARE;
        int offset = prepare ? 1 : QueryText.offset(payload, capabilities);
        return last.before(payload, offset < 0 ? 1 : offset, prepare);
    }

    private CommandAction query(byte[] payload, boolean alone) {
        int offset = QueryText.offset(payload, capabilities);
        return offset >= 0 && splittable(payload, offset, alone)
                ? new CommandAction.Offer(
                        Arrays.copyOfRange(payload, offset, payload.length), Optional.empty(), transaction())
                : SEND;
    }

    private CommandAction userChange(byte[] payload) {
        AuthResponse command = read(payload);
        if (command == null) {
            return SEND;
        }
        return conversation.idle() ? new CommandAction.ChangeUser(command) : WAIT;
    }

    /** Returns null if it cannot be read; then the server reports the error to the client. */
    private @Nullable AuthResponse read(byte[] payload) {
        try {
            return AuthResponse.ofChangeUser(payload, capabilities);
        } catch (ProtocolException e) {
            return null;
        }
    }

    private CommandAction longData(byte[] payload, boolean whole) {
        return whole && prepared.keep(payload) ? new CommandAction.Keep() : sendKept(payload);
    }

    private CommandAction sendKept(byte[] payload) {
        long statement = PreparedStatements.id(payload);
        return prepared.keeps(statement) ? new CommandAction.SendKept(statement) : SEND;
    }

    private CommandAction execution(byte[] payload, boolean whole, boolean alone) {
        if (prepared.awaits(payload)) {
            return WAIT;
        }
        if (prepared.wouldBeMisread(payload, whole)) {
            return new CommandAction.Misread();
        }
        PreparedStatements.ExecutionChoice look = whole ? prepared.look(payload).orElse(null) : null;
        if (look == null) {
            return sendKept(payload);
        }
        if (look.incomplete() && !conversation.idle()) {
            return WAIT;
        }
        if (look.execution().isEmpty()) {
            passedThrough.of(Reason.PREPARED_STATE, look.text(), 0);
        } else if (splittable(look.text(), 0, alone)) {
            return new CommandAction.Offer(look.text(), look.execution(), transaction());
        }
        return look.incomplete() ? new CommandAction.CompletedExecution() : SEND;
    }

    private boolean splittable(byte[] payload, int offset, boolean alone) {
        try {
            Optional<Reason> reason = dispatcher
                    .filter(
                            payload,
                            offset,
                            payload.length - offset,
                            session.schema().name())
                    .or(() -> refusal(alone));
            reason.ifPresent(found -> passedThrough.of(found, payload, offset));
            return reason.isEmpty();
        } catch (RuntimeException e) {
            LOG.warn("deciding whether to split a statement failed; the statement is passed through", e);
            return false;
        }
    }

    private Optional<Reason> refusal(boolean alone) {
        if (!conversation.idle() || !alone) {
            return Optional.of(Reason.PIPELINED);
        }
        if (transactions.hidden()
                || !conversation.outsideTransaction() && !transactions.maySplit(conversation.status())) {
            return Optional.of(Reason.IN_TRANSACTION);
        }
        return session.tracking().reportsEach() ? Optional.of(Reason.SESSION_VARIABLE) : Optional.empty();
    }

    private Optional<TransactionPlace> transaction() {
        return conversation.outsideTransaction() ? Optional.empty() : transactions.offered(conversation.status());
    }

    /** Whether a text to be prepared may be worth splitting, now or at a later execution. */
    private boolean worthRemembering(byte[] payload) {
        try {
            Optional<Reason> reason = dispatcher.filter(payload, 1, payload.length - 1, null);
            return reason.isEmpty() || !NEVER.contains(reason.get());
        } catch (RuntimeException e) {
            LOG.warn("deciding whether to split a prepared statement failed; its executions are passed through", e);
            return false;
        }
    }
}
