package io.fanfold.execute;

import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.RunningSettings;
import io.fanfold.reason.Reason;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Accepts statements from sessions. Safe for all threads. */
public interface FanOutDispatcher {
    /** Reasons that hold for every execution of a prepared text, so that its executions need not be considered. */
    Set<Reason> NEVER = Set.of(
            Reason.NOT_A_SELECT,
            Reason.TOO_LONG,
            Reason.NO_PARTITIONED_TABLE,
            Reason.NO_SHAPE,
            Reason.DISABLED,
            Reason.UNSUPPORTED_SERVER);

    /**
     * Checks the bytes of a COM_QUERY without parsing. Cheap enough for an event loop.
     *
     * @param sql the statement, {@code length} bytes from {@code offset} on
     * @param schema the session's schema, empty if there is none; null if unknown. A wrong one only costs time
     * @return empty if the statement should be offered; else the reason against it
     */
    Optional<Reason> filter(byte[] sql, int offset, int length, @Nullable String schema);

    /**
     * Whether a text to be prepared may be worth splitting, now or at a later execution. Cheap enough for an event loop.
     *
     * @param sql the text, {@code length} bytes from {@code offset} on
     */
    default boolean worthRemembering(byte[] sql, int offset, int length) {
        return filter(sql, offset, length, null).filter(NEVER::contains).isEmpty();
    }

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
     * @param session gives the session's name in the log, and is called only if that is needed
     * @param reason as in {@link #describe}, like the further parameters
     * @return to be run when the server has answered; empty if slow statements are not logged
     */
    default Optional<Runnable> timed(
            Supplier<String> session, Reason reason, byte[] sql, int offset, @Nullable String schema) {
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
        return disabled(RunningSettings.of(FanfoldConfig.defaults()));
    }

    /** A dispatcher that splits nothing, and lets clients change settings. */
    static FanOutDispatcher disabled(RunningSettings settings) {
        return new DisabledDispatcher(settings);
    }
}
