package io.fanfold.sql;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import net.sf.jsqlparser.parser.AbstractJSqlParser.Dialect;
import net.sf.jsqlparser.parser.CCJSqlParser;
import net.sf.jsqlparser.parser.CCJSqlParserConstants;
import net.sf.jsqlparser.parser.ParseException;
import net.sf.jsqlparser.parser.StringProvider;
import net.sf.jsqlparser.parser.Token;
import net.sf.jsqlparser.statement.Statement;
import net.sf.jsqlparser.statement.select.PlainSelect;
import net.sf.jsqlparser.statement.select.SetOperationList;

/**
 * One run of JSqlParser over a masked text.
 *
 * @param select the only statement
 * @param spans the spans of the parser's own tokens, in order
 */
record ParserRun(PlainSelect select, List<TextRange> spans) {
    /** The detail of a refusal that depends on the machine's load and must not be cached. */
    static final String TIMED_OUT = "the parser's time was over";

    /**
     * Parses a text in the calling thread.
     *
     * @param masked the text from {@link Mask}
     * @param watchdog interrupts the parser when its time is over, see {@link ParserAlarm}
     * @throws RefusedException if the parser does not accept the text as one plain SELECT
     */
    static ParserRun of(String masked, ScheduledExecutorService watchdog, Duration limit) throws RefusedException {
        CCJSqlParser parser = new CCJSqlParser(new StringProvider(masked))
                .withDialect(Dialect.MYSQL)
                .withAllowComplexParsing(false);
        Token head = parser.token;
        Statement statement;
        try (ParserAlarm alarm = new ParserAlarm(parser, watchdog, limit)) {
            statement = parser.Statement();
        } catch (ParseException | RuntimeException e) {
            throw new RefusedException(Reason.PARSER_REFUSED, parser.interrupted ? TIMED_OUT : firstLine(e));
        }
        if (parser.interrupted) {
            // The flag closes some of the grammar's alternatives, so the result may be another reading of the text.
            throw new RefusedException(Reason.PARSER_REFUSED, TIMED_OUT);
        }
        if (statement instanceof SetOperationList) {
            throw new RefusedException(Reason.SET_OPERATION, "a set operation");
        }
        if (!(statement instanceof PlainSelect select)) {
            throw new RefusedException(Reason.UNSUPPORTED_SYNTAX, "not a plain SELECT");
        }
        return new ParserRun(select, spans(head));
    }

    private static List<TextRange> spans(Token head) {
        List<TextRange> spans = new ArrayList<>();
        for (Token token = head.next; token != null && token.kind != CCJSqlParserConstants.EOF; token = token.next) {
            spans.add(new TextRange(token.absoluteBegin - 1, token.absoluteEnd - 1));
        }
        return spans;
    }

    private static String firstLine(Exception e) {
        String message = String.valueOf(e.getMessage());
        int end = message.indexOf('\n');
        return end < 0 ? message : message.substring(0, end);
    }
}
