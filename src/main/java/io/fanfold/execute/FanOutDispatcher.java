package io.fanfold.execute;

import io.fanfold.reason.Reason;
import io.fanfold.sql.ProxyStatement;
import io.fanfold.wire.ServerFlavor;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Accepts statements from sessions. Safe for all threads. */
public interface FanOutDispatcher {

    /**
     * Checks the bytes of a COM_QUERY without parsing. Cheap enough for an event loop.
     *
     * @param sql the statement, {@code length} bytes from {@code offset} on
     * @param schema the session's schema, empty if there is none; null if unknown. A wrong one only costs time
     * @return empty if the statement should be offered; else the reason against it
     */
    Optional<Reason> filter(byte[] sql, int offset, int length, @Nullable String schema);

    /**
     * Describes a statement that was not offered, for the log at DEBUG: the reason in words, and the statement without
     * its literals.
     *
     * @param reason that of {@link #filter}, or the session's own
     * @param sql the statement, from {@code offset} on
     * @param schema the session's schema, empty if there is none; null if unknown
     */
    default String describe(Reason reason, byte[] sql, int offset, @Nullable String schema) {
        return "(" + reason.sentence() + ")";
    }

    /**
     * Counts a statement that was not offered because it was refused a while ago. Cheap enough for an event loop.
     *
     * @param sql the statement, from {@code offset} on
     * @param schema the session's schema, empty if there is none; null if unknown
     * @param user the user name of the session's login
     */
    default void notOffered(byte[] sql, int offset, @Nullable String schema, String user) {}

    /**
     * Times a SELECT that was not offered, if slow statements are logged.
     *
     * @param session the session's name in the log
     * @param reason as in {@link #describe}, like the further parameters
     * @return to be run when the server has answered; empty if slow statements are not logged
     */
    default Optional<Runnable> timed(String session, Reason reason, byte[] sql, int offset, @Nullable String schema) {
        return Optional.empty();
    }

    /**
     * Accepts a statement and returns at once. Later the port's use ends in exactly one way: passed through, answered
     * or failed.
     */
    void submit(FanOutRequest request);

    /**
     * Cancels the fan-out of a session after a KILL succeeded on the server.
     *
     * @param backendThreadId the thread that was killed
     */
    void killed(long backendThreadId);

    /** Cancels all running fan-outs because the proxy stops. Returns at once. */
    default void stop() {}

    /** A dispatcher that splits nothing. */
    static FanOutDispatcher disabled() {
        return new FanOutDispatcher() {
            @Override
            public Optional<Reason> filter(byte[] sql, int offset, int length, @Nullable String schema) {
                return Optional.of(Reason.DISABLED);
            }

            @Override
            public void submit(FanOutRequest request) {
                if (ProxyStatement.of(request.sql(), 0, request.sql().length)
                        .filter(ProxyStatement.Explain.class::isInstance)
                        .isPresent()) {
                    ProxyAnswer.send(
                            request.client(),
                            Explanation.refused(Reason.DISABLED, "").table(),
                            ServerFlavor.MYSQL);
                } else {
                    request.client().passThrough();
                }
            }

            @Override
            public void killed(long backendThreadId) {}
        };
    }
}
