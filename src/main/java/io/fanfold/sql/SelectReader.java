package io.fanfold.sql;

import io.fanfold.metrics.Reason;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Reads statements: lexer, subqueries taken out and read by themselves, PARTITION clauses and NATURAL taken out, refusals by tokens, masked text, JSqlParser,
 * proof that its tokens are ours, round trip, reserved names, white lists, and from both readings the {@link SelectModel}
 * of each block.
 * Whatever is in doubt is refused with a reason; no text makes it throw.
 *
 * <p>Takes from 50 microseconds to some milliseconds of the calling thread, which must not be an event loop; the limits on
 * length, tokens and depth and the time limit bound it. Safe for use by several threads.
 */
public final class SelectReader {
    /** The longest text that is read, in characters. */
    public static final int MAX_LENGTH = 64 * 1024;

    private static final Duration TIME_LIMIT = Duration.ofMillis(500);

    private final ScheduledExecutorService watchdog;
    private final Duration timeLimit;

    /**
     * A reader that gives the parser half a second at most.
     *
     * @param watchdog sets a flag when a parse takes too long; it needs one thread and stays the caller's to shut down
     */
    public SelectReader(ScheduledExecutorService watchdog) {
        this(watchdog, TIME_LIMIT);
    }

    SelectReader(ScheduledExecutorService watchdog, Duration timeLimit) {
        this.watchdog = watchdog;
        this.timeLimit = timeLimit;
    }

    /**
     * Reads one statement.
     *
     * @param sql the statement's text, decoded without loss; a closing semicolon is allowed
     * @param dialect how its session reads texts
     * @return the model, or why the statement is not split
     */
    public ParseResult read(String sql, SqlDialect dialect) {
        if (sql.length() > MAX_LENGTH) {
            return new ParseResult.Refused(Reason.TOO_LONG, sql.length() + " characters");
        }
        try {
            return new ParseResult.Parsed(new QueryReader(dialect, watchdog, timeLimit).statement(sql));
        } catch (Refusal refusal) {
            return refusal.result();
        } catch (StackOverflowError e) {
            return new ParseResult.Refused(Reason.PARSER_REFUSED, "nested too deeply");
        }
    }
}
