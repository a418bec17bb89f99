package io.fanfold.sql;

import io.fanfold.reason.RefusedException;
import io.fanfold.sql.Clauses.Range;
import java.util.List;

/**
 * The parts of an aggregate call, by the tokens: {@code f([DISTINCT] arguments [ORDER BY order] [SEPARATOR s])}.
 * Immutable.
 *
 * @param distinct whether DISTINCT was written
 * @param arguments the arguments in order; a star is one
 * @param order the elements of ORDER BY with their directions; empty without it
 * @param separator whether SEPARATOR was written
 */
record CallParts(boolean distinct, List<Range> arguments, List<Range> order, boolean separator) {

    /** Reads a call whose tokens are known to be the function's name and its parentheses. */
    static CallParts of(TokenList list, TextRange span) throws RefusedException {
        int from = list.startingAt(span.start()) + 2;
        int close = list.endingBy(span.end()) - 1;
        boolean distinct = list.at(from).is("DISTINCT");
        int separator = close;
        int order = close;
        int depth = 0;
        for (int i = from; i < close; i++) {
            Token token = list.at(i);
            depth += token.symbol("(") ? 1 : token.symbol(")") ? -1 : 0;
            if (depth == 0
                    && token.is("SEPARATOR")
                    && list.at(i + 1).kind() == Token.TokenKind.STRING
                    && i + 2 == close) {
                separator = i;
            } else if (depth == 0 && token.is("ORDER") && list.at(i + 1).is("BY") && order == close) {
                order = i;
            }
        }
        int end = Math.min(order, separator);
        return new CallParts(
                distinct,
                Clauses.parts(list, new Range(distinct ? from + 1 : from, end)),
                order < separator ? Clauses.parts(list, new Range(order + 2, separator)) : List.of(),
                separator < close);
    }
}
