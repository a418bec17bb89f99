package io.fanfold.session.command;

import io.fanfold.execute.FanOutRequest.Execution;
import io.fanfold.reason.Reason;
import io.fanfold.session.prepared.PreparedStatements.ExecutionChoice;
import io.fanfold.wire.AuthResponse;
import java.util.List;
import java.util.Optional;

/** What to do with a command of a client. */
sealed interface CommandAction {
    /**
     * What was found out about a command.
     *
     * @param execution the execution of a statement that may be worth splitting
     * @param notOffered why the command is not offered for splitting; empty if it is, or was not considered
     */
    record Findings(Optional<ExecutionChoice> execution, Optional<NotOffered> notOffered) {
        static final Findings NONE = new Findings(Optional.empty(), Optional.empty());
    }

    /**
     * Why a command that was considered is not offered for splitting.
     *
     * @param text contains the statement's text
     * @param offset the index of the text's first byte
     */
    record NotOffered(Reason reason, byte[] text, int offset) {}

    /** Returns what was found out; it takes effect when the action is carried out. */
    default Findings findings() {
        return Findings.NONE;
    }

    /**
     * Send it to the server.
     *
     * @param worthRemembering whether it prepares a statement that may be worth splitting
     */
    record Send(boolean worthRemembering, Findings findings) implements CommandAction {}

    /** Wait for the server's answers to earlier commands, then decide again. */
    record Wait() implements CommandAction {}

    /** Run these queries first and drop their results, then decide again. */
    record RestoreDiagnostics(List<String> queries) implements CommandAction {}

    /**
     * Offer it for splitting.
     *
     * @param sql the text, perhaps with parameters
     * @param prepared the execution, if the text was prepared before
     */
    record Offer(byte[] sql, Optional<Execution> prepared, Findings findings) implements CommandAction {}

    /** Send it to the server together with what the server lacks: the types of its parameters, or its long data. */
    record CompletedExecution(Findings findings) implements CommandAction {}

    /** Buffer it: it is long data for a later execution. */
    record Keep() implements CommandAction {}

    /** Send the buffered long data of its statement first, then decide again. */
    record SendKept(long statement) implements CommandAction {}

    /** Change the user on a session whose two connections differ in their security. */
    record ChangeUser(AuthResponse command) implements CommandAction {}

    /** Refuse it: the server would read this execution with other parameter types than the client's. */
    record Reject() implements CommandAction {}
}
