package io.fanfold.sql;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Reads statements. For each block it takes out subqueries, which are read separately, and then PARTITION clauses and
 * NATURAL. Token rules refuse some texts; the rest is masked and parsed by JSqlParser. The parser's tokens and its
 * round trip must match the text, and names and functions must be allowed. The {@link SelectModel} is built from both
 * readings. Any doubt is a refusal with a reason; no text causes another exception.
 *
 * <p>A call takes from 50 microseconds to some milliseconds of the calling thread, which must not be an event loop. It
 * is bounded by limits on length, tokens and depth, and by a time limit. Safe for use by several threads.
 */
public final class SelectReader {
    /** The maximum length of a text, in characters. */
    public static final int MAX_LENGTH = 64 * 1024;

    /**
     * The stack that a thread needs to read every text within the limits, in bytes. JSqlParser prints a chain of
     * operators by recursion; code that is not compiled yet takes about 900 bytes for each operator of the chain.
     */
    public static final long STACK_BYTES = 4 << 20;

    private static final Duration TIME_LIMIT = Duration.ofMillis(500);

    private final ScheduledExecutorService watchdog;
    private final Duration timeLimit;

    /**
     * Creates a reader that allows the parser at most half a second.
     *
     * @param watchdog sets a flag when a parse takes too long; it needs one thread, and the caller shuts it down
     */
    public SelectReader(ScheduledExecutorService watchdog) {
        this(watchdog, TIME_LIMIT);
    }

    /**
     * Creates a reader.
     *
     * @param watchdog as above
     * @param timeLimit the parser's limit of CPU time for one text
     */
    public SelectReader(ScheduledExecutorService watchdog, Duration timeLimit) {
        this.watchdog = watchdog;
        this.timeLimit = timeLimit;
    }

    /**
     * Reads one statement.
     *
     * @param sql the statement's text, decoded without loss; a closing semicolon is allowed
     * @param dialect how the session interprets text
     * @throws RefusedException if the statement cannot be read with certainty
     */
    public StatementModel read(String sql, SqlDialect dialect) throws RefusedException {
        if (sql.length() > MAX_LENGTH) {
            throw new RefusedException(Reason.TOO_LONG, sql.length() + " characters");
        }
        try {
            return new QueryReader(dialect, watchdog, timeLimit).statement(sql);
        } catch (StackOverflowError e) {
            throw new RefusedException(Reason.PARSER_REFUSED, "nested too deeply");
        }
    }
}
