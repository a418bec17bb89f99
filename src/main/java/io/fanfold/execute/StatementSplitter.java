package io.fanfold.execute;

import io.fanfold.metrics.Reason;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Takes statements from sessions. Safe for all threads. */
public interface StatementSplitter {

    /**
     * A look at the bytes of a COM_QUERY, without parsing, cheap enough for an event loop.
     *
     * @param sql the statement, from {@code offset} on, {@code length} bytes
     * @param schema that of the session, empty for none; null where it is not known. One that is wrong costs time, nothing else
     * @return empty when the statement should be offered; else why not
     */
    Optional<Reason> filter(byte[] sql, int offset, int length, @Nullable String schema);

    /**
     * What the log at DEBUG says of a statement that was not offered: why, in words, and the statement without its literals.
     *
     * @param reason that of {@link #filter}, or the session's own
     * @param sql the statement, from {@code offset} on
     * @param schema that of the session, empty for none; null where it is not known
     */
    default String describe(Reason reason, byte[] sql, int offset, @Nullable String schema) {
        return "(" + reason.sentence() + ")";
    }

    /**
     * Takes a statement. Returns at once; later the port's use is ended in exactly one way: passed through, answered or
     * failed.
     */
    void offer(StatementOffer offer);

    /**
     * A KILL of this backend thread succeeded on the server.
     *
     * @param backendThreadId the thread that was killed
     */
    void killed(long backendThreadId);

    /** Splits nothing. */
    static StatementSplitter disabled() {
        return new StatementSplitter() {
            @Override
            public Optional<Reason> filter(byte[] sql, int offset, int length, @Nullable String schema) {
                return Optional.of(Reason.DISABLED);
            }

            @Override
            public void offer(StatementOffer offer) {
                offer.port().passThrough();
            }

            @Override
            public void killed(long backendThreadId) {}
        };
    }
}
