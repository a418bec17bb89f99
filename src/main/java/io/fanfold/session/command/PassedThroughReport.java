package io.fanfold.session.command;

import io.fanfold.reason.Reason;
import io.fanfold.sql.ProxyStatement;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the statements of one session that are considered for splitting, and counts and logs the reasons why they are
 * not offered. Event loop only.
 */
final class PassedThroughReport {
    /** Users know these lines under the name of {@link CommandRelay}. */
    private static final Logger LOG = LoggerFactory.getLogger(CommandRelay.class);

    /** Statements with these reasons were never read, so that they have no digest. They may be very many. */
    private static final Set<Reason> UNNAMED = EnumSet.of(
            Reason.NOT_A_SELECT,
            Reason.NO_PARTITIONED_TABLE,
            Reason.TOO_LONG,
            Reason.DISABLED,
            Reason.UNSUPPORTED_SERVER,
            Reason.PIPELINED,
            Reason.IN_TRANSACTION,
            Reason.PREPARED_STATE,
            Reason.SESSION_VARIABLE);

    private final SessionServices services;
    private final SessionState session;
    private final long threadId;

    /** Whether a fan-out has answered a statement of this session. */
    private boolean split;

    /** Whether the log already has the advice that this session's transactions prevent splitting. */
    private boolean advised;

    PassedThroughReport(SessionServices services, SessionState session, long threadId) {
        this.services = services;
        this.session = session;
        this.threadId = threadId;
    }

    /** A fan-out has answered a statement. */
    void split() {
        split = true;
    }

    /**
     * A command was classified. It counts if it is a statement that the server could have run instead of Fanfold.
     *
     * @return to be run when the server has answered it; empty if its time is of no interest
     */
    Optional<Runnable> looked(CommandAction action) {
        if (action instanceof CommandAction.Offer offer
                && ProxyStatement.of(offer.sql(), 0, offer.sql().length).isEmpty()) {
            services.metrics().attempted();
        }
        return action.findings().notOffered().flatMap(this::notOffered);
    }

    private Optional<Runnable> notOffered(CommandAction.NotOffered command) {
        services.metrics().attempted();
        Reason reason = command.reason();
        if (LOG.isDebugEnabled()) {
            LOG.debug(
                    "{} passed through: {} {}",
                    session.schema().sessionName(threadId),
                    reason.label(),
                    services.dispatcher()
                            .describe(
                                    reason,
                                    command.text(),
                                    command.offset(),
                                    session.schema().name()));
        }
        if (reason == Reason.IN_TRANSACTION && !split && !advised) {
            advised = true;
            services.transactions()
                    .advise(session.schema().user(), session.schema().sessionName(threadId), session.autocommit());
        }
        services.metrics().passedThrough(reason);
        if (!UNNAMED.contains(reason)) {
            services.dispatcher()
                    .notOffered(
                            command.text(),
                            command.offset(),
                            session.schema().name(),
                            session.schema().user());
        }
        // the texts of commands that a client sends ahead are not kept: they may be many
        return reason != Reason.NOT_A_SELECT && session.conversation().idle()
                ? timed(command, reason)
                : Optional.empty();
    }

    private Optional<Runnable> timed(CommandAction.NotOffered command, Reason reason) {
        return services.dispatcher()
                .timed(
                        () -> session.schema().sessionName(threadId),
                        reason,
                        command.text(),
                        command.offset(),
                        session.schema().name());
    }
}
