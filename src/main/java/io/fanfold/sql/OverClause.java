package io.fanfold.sql;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.Clauses.Range;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The parts of {@code OVER (PARTITION BY … ORDER BY … frame)}, by the tokens. A range counts tokens, excludes the
 * part's own keywords, and is empty if the part is missing. Immutable.
 *
 * @param partition the expressions after PARTITION BY
 * @param order the sort expressions after ORDER BY
 * @param frame the whole frame
 * @param close the index of the closing parenthesis
 */
record OverClause(Range partition, Range order, Range frame, int close) {
    private static final String BOUND =
            "(?:UNBOUNDED PRECEDING|UNBOUNDED FOLLOWING|CURRENT ROW|[0-9]{1,18} (?:PRECEDING|FOLLOWING))";

    /** Bounds must be plain numbers of rows or values; intervals and names are not supported. */
    private static final Pattern FRAME =
            Pattern.compile("(?:ROWS|RANGE) (?:" + BOUND + "|BETWEEN " + BOUND + " AND " + BOUND + ")");

    /**
     * Reads the clause.
     *
     * @param over the index of the word OVER
     * @throws RefusedException if there is a named window, or anything other than the three parts in their order
     */
    static OverClause at(TokenList list, int over) throws RefusedException {
        int open = over + 1;
        if (!list.at(over - 1).symbol(")") || !list.at(open).symbol("(")) {
            throw refusal(list, over);
        }
        int close = list.closing(open);
        if (close < 0) {
            throw refusal(list, open);
        }
        int order = close;
        int frame = close;
        int depth = 0;
        for (int i = open + 1; i < close; i++) {
            Token token = list.at(i);
            depth += token.symbol("(") ? 1 : token.symbol(")") ? -1 : 0;
            if (depth > 0) {
                continue;
            }
            if (token.is("ORDER") && order == close && frame == close) {
                order = i;
            } else if ((token.is("ROWS") || token.is("RANGE")) && frame == close) {
                frame = i;
            } else if (token.is("ORDER") || token.is("OVER") || token.is("PARTITION") && i != open + 1) {
                throw refusal(list, i);
            }
        }
        Range partition = clause(list, "PARTITION", open + 1, Math.min(order, frame));
        Range sorted = clause(list, "ORDER", order, frame);
        Range framed = new Range(frame, close);
        if (frame < close && !FRAME.matcher(text(list, framed)).matches()) {
            throw refusal(list, frame);
        }
        return new OverClause(partition, sorted, framed, close);
    }

    /**
     * Returns the tokens after a keyword and its BY. The range must be empty, or begin with both and have something
     * after them.
     */
    private static Range clause(TokenList list, String keyword, int from, int to) throws RefusedException {
        if (from >= to) {
            return new Range(to, to);
        }
        if (!list.at(from).is(keyword) || !list.at(from + 1).is("BY") || from + 2 >= to) {
            throw refusal(list, from);
        }
        return new Range(from + 2, to);
    }

    /** Whether a token is part of the frame. */
    boolean framed(int index) {
        return index >= frame.from() && index < frame.to();
    }

    /** Returns the elements of one of the ranges. */
    static List<Range> parts(TokenList list, Range range) throws RefusedException {
        return range.from() == range.to() ? List.of() : Clauses.parts(list, range);
    }

    private static String text(TokenList list, Range range) {
        List<String> words = new ArrayList<>();
        for (int i = range.from(); i < range.to(); i++) {
            words.add(list.at(i).text());
        }
        return String.join(" ", words);
    }

    private static RefusedException refusal(TokenList list, int index) {
        return RefusedException.at(
                Reason.UNSUPPORTED_SYNTAX,
                "a window with " + list.at(index).text(),
                list.at(index).start());
    }
}
