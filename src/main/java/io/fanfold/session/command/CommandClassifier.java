package io.fanfold.session.command;

import io.fanfold.execute.FanOutDispatcher;
import io.fanfold.reason.Reason;
import io.fanfold.session.channel.QueryText;
import io.fanfold.session.channel.SessionSecurity;
import io.fanfold.session.command.CommandAction.Findings;
import io.fanfold.session.command.CommandAction.NotOffered;
import io.fanfold.session.prepared.PreparedStatements;
import io.fanfold.session.prepared.PreparedStatements.ExecutionChoice;
import io.fanfold.sql.ProxyStatement;
import io.fanfold.wire.AuthResponse;
import io.fanfold.wire.CommandCode;
import io.fanfold.wire.Conversation;
import io.fanfold.wire.ProtocolException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides what to do with each command of a client. It only reads the state of the session and changes nothing, so the
 * same command may be classified again after it has waited. Event loop only.
 */
final class CommandClassifier {
    private static final Logger LOG = LoggerFactory.getLogger(CommandClassifier.class);

    private static final CommandAction SEND = new CommandAction.Send(false, Findings.NONE);
    private static final CommandAction WAIT = new CommandAction.Wait();

    private final FanOutDispatcher dispatcher;
    private final SessionState session;
    private final Conversation conversation;
    private final PreparedStatements prepared;
    private final SessionSecurity security;

    CommandClassifier(FanOutDispatcher dispatcher, SessionState session, SessionSecurity security) {
        this.dispatcher = dispatcher;
        this.session = session;
        this.conversation = session.conversation();
        this.prepared = session.prepared();
        this.security = security;
    }

    /** Classifies a command; the parameters are those of {@link ClientStream.Commands#look}. */
    CommandAction classify(byte[] payload, int code, boolean whole, boolean alone) {
        List<String> restore = restoreBefore(payload, code, whole);
        if (!restore.isEmpty()) {
            return conversation.idle() ? new CommandAction.RestoreDiagnostics(restore) : WAIT;
        }
        return switch (code) {
            case CommandCode.QUERY -> whole ? query(payload, alone) : SEND;
            case CommandCode.STMT_PREPARE ->
                whole && worthRemembering(payload) ? new CommandAction.Send(true, Findings.NONE) : SEND;
            case CommandCode.STMT_EXECUTE -> execution(payload, whole, alone);
            case CommandCode.STMT_SEND_LONG_DATA ->
                whole && prepared.mayKeep(payload) ? new CommandAction.Keep() : sendKept(payload);
            case CommandCode.STMT_BULK_EXECUTE -> sendKept(payload);
            case CommandCode.CHANGE_USER -> whole && alone && !security.alike() ? userChange(payload) : SEND;
            default -> SEND;
        };
    }

    private List<String> restoreBefore(byte[] payload, int code, boolean whole) {
        if (code == CommandCode.STMT_EXECUTE) {
            return session.last().beforeExecute();
        }
        if (!whole || code != CommandCode.QUERY && code != CommandCode.STMT_PREPARE) {
            return List.of();
        }
        boolean prepare = code == CommandCode.STMT_PREPARE;
        int offset = prepare ? 1 : QueryText.offset(payload, session.capabilities());
        return session.last().before(payload, offset < 0 ? 1 : offset, prepare);
    }

    private CommandAction query(byte[] payload, boolean alone) {
        int offset = QueryText.offset(payload, session.capabilities());
        if (offset < 0) {
            return SEND;
        }
        Optional<NotOffered> reason = notOffered(payload, offset, alone);
        Findings findings = new Findings(Optional.empty(), reason);
        return reason.isEmpty()
                ? new CommandAction.Offer(
                        Arrays.copyOfRange(payload, offset, payload.length), Optional.empty(), findings)
                : new CommandAction.Send(false, findings);
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
            return AuthResponse.ofChangeUser(payload, session.capabilities());
        } catch (ProtocolException e) {
            return null;
        }
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
            return new CommandAction.Reject();
        }
        ExecutionChoice look = whole ? prepared.look(payload).orElse(null) : null;
        if (look == null) {
            return sendKept(payload);
        }
        if (look.incomplete() && !conversation.idle()) {
            return WAIT;
        }
        Optional<NotOffered> reason = look.execution().isEmpty()
                ? Optional.of(new NotOffered(Reason.PREPARED_STATE, look.text(), 0))
                : notOffered(look.text(), 0, alone);
        Findings findings = new Findings(Optional.of(look), reason);
        if (reason.isEmpty()) {
            return new CommandAction.Offer(look.text(), look.execution(), findings);
        }
        return look.incomplete()
                ? new CommandAction.CompletedExecution(findings)
                : new CommandAction.Send(false, findings);
    }

    private Optional<NotOffered> notOffered(byte[] payload, int offset, boolean alone) {
        if (ProxyStatement.of(payload, offset, payload.length - offset).isPresent()) {
            return conversation.idle() && alone
                    ? Optional.empty()
                    : Optional.of(new NotOffered(Reason.PIPELINED, payload, offset));
        }
        try {
            return dispatcher
                    .filter(
                            payload,
                            offset,
                            payload.length - offset,
                            session.schema().name())
                    .or(() -> refusal(alone))
                    .map(reason -> new NotOffered(reason, payload, offset));
        } catch (RuntimeException e) {
            LOG.warn("deciding whether to split a statement failed; the statement is passed through", e);
            return Optional.of(new NotOffered(Reason.INTERNAL, payload, offset));
        }
    }

    private Optional<Reason> refusal(boolean alone) {
        if (!conversation.idle() || !alone) {
            return Optional.of(Reason.PIPELINED);
        }
        TransactionWatch transactions = session.transactions();
        if (transactions.hidden()
                || !conversation.outsideTransaction() && !transactions.maySplit(conversation.status())) {
            return Optional.of(Reason.IN_TRANSACTION);
        }
        return session.tracking().reportsEach() ? Optional.of(Reason.SESSION_VARIABLE) : Optional.empty();
    }

    /** Whether a text to be prepared may be worth splitting, now or at a later execution. */
    private boolean worthRemembering(byte[] payload) {
        try {
            return dispatcher.worthRemembering(payload, 1, payload.length - 1);
        } catch (RuntimeException e) {
            LOG.warn("deciding whether to split a prepared statement failed; its executions are passed through", e);
            return false;
        }
    }
}
