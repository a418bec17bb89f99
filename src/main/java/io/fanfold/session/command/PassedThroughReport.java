package io.fanfold.session.command;

import io.fanfold.reason.Reason;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts and logs the reasons why commands of one session are not offered for splitting. Event loop only. */
final class PassedThroughReport {
    /** Users know these lines under the name of {@link CommandRelay}. */
    private static final Logger LOG = LoggerFactory.getLogger(CommandRelay.class);

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
     * A command is not offered.
     *
     * @return to be run when the server has answered it; empty if its time is of no interest
     */
    Optional<Runnable> of(CommandAction.NotOffered command) {
        Reason reason = command.reason();
        if (reason == null) {
            return Optional.empty();
        }
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
        // the texts of commands that a client sends ahead are not kept: they may be many
        return reason != Reason.NOT_A_SELECT && session.conversation().idle()
                ? timed(command, reason)
                : Optional.empty();
    }

    private Optional<Runnable> timed(CommandAction.NotOffered command, Reason reason) {
        return services.dispatcher()
                .timed(
                        session.schema().sessionName(threadId),
                        reason,
                        command.text(),
                        command.offset(),
                        session.schema().name());
    }
}
