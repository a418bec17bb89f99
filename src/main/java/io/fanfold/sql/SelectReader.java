package io.fanfold.sql;

import io.fanfold.metrics.Reason;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Reads statements: lexer, subqueries taken out and read by themselves, refusals by tokens, masked text, JSqlParser,
 * proof that its tokens are ours, round trip, reserved names, white lists, and from both readings the {@link SelectModel}.
 * Whatever is in doubt is refused with a reason; no text makes it throw.
 *
 * <p>Takes from 50 microseconds to some milliseconds of the calling thread, which must not be an event loop; the limits on
 * length, tokens and depth and the time limit bound it. Safe for use by several threads.
 */
public final class SelectReader {
    /** The longest text that is read, in characters. */
    public static final int MAX_LENGTH = 64 * 1024;

    private static final Duration TIME_LIMIT = Duration.ofMillis(500);

    /** How deep subqueries may be nested, and how many a block may have: each is parsed by itself. */
    private static final int MAX_DEPTH = 4;

    private static final int MAX_SUBQUERIES = 16;

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
            return new ParseResult.Parsed(block(MySqlLexer.lex(sql, dialect), dialect, 0));
        } catch (Refusal refusal) {
            return refusal.result();
        } catch (StackOverflowError e) {
            return new ParseResult.Refused(Reason.PARSER_REFUSED, "nested too deeply");
        }
    }

    private SelectModel inner(TokenList text, SqlDialect dialect, int depth) throws Refusal {
        try {
            return block(text, dialect, depth + 1);
        } catch (Refusal refusal) {
            // that the subquery reads no table says nothing of the statement
            throw refusal.result().reason() == Reason.NO_PARTITIONED_TABLE
                    ? new Refusal(Reason.SUBQUERY, "a subquery without FROM")
                    : refusal;
        }
    }

    private SelectModel block(TokenList whole, SqlDialect dialect, int depth) throws Refusal {
        Subqueries.Collapsed collapsed = Subqueries.collapse(whole);
        if (depth == MAX_DEPTH || collapsed.bodies().size() > MAX_SUBQUERIES) {
            throw new Refusal(Reason.SUBQUERY, "subqueries in subqueries, or too many");
        }
        TokenList list = NaturalJoins.collapse(collapsed.list());
        TokenGuards.check(list);
        String masked = Mask.of(list);
        ParserRun run = ParserRun.of(masked, watchdog, timeLimit);
        Faithfulness.check(list, masked, run);
        Map<Integer, InnerBlock> inner = new LinkedHashMap<>();
        for (Map.Entry<Integer, Span> body : collapsed.bodies().entrySet()) {
            TokenList text = MySqlLexer.lex(body.getValue().of(whole.sql()), dialect);
            if (text.hint().isPresent()) {
                throw new Refusal(Reason.HINT, "in a subquery");
            }
            inner.put(
                    body.getKey(),
                    new InnerBlock(
                            plain(inner(text, dialect, depth)), body.getValue().start()));
        }
        return new ModelReader(list, masked, run.select(), WordLists.of(dialect), inner).read();
    }

    /** Super rows and windows are made over a whole block, which inside a statement nobody takes apart. */
    private static SelectModel plain(SelectModel inner) throws Refusal {
        if (inner.windowed() || inner.rollup()) {
            throw new Refusal(Reason.UNSUPPORTED_SYNTAX, "ROLLUP or a window function in a subquery");
        }
        return inner;
    }
}
