package io.fanfold.sql;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import java.util.BitSet;

/**
 * The place in a block's tokens while the parser's tree of an expression is walked in order of the text. For one
 * thread.
 */
final class TokenCursor {
    private final TokenList list;
    private final NormalText normalised;

    /** The opening parentheses that only group. */
    private final BitSet grouping = new BitSet();

    private int at;

    /**
     * @param normalised the normalised text of that list
     * @param at the first token
     */
    TokenCursor(TokenList list, NormalText normalised, int at) {
        this.list = list;
        this.normalised = normalised;
        this.at = at;
    }

    /** Returns the index of the next token. */
    int at() {
        return at;
    }

    /** Returns the next token and goes past it. */
    Token take() {
        return list.at(at++);
    }

    /** Goes past the next token if it is a word or symbol. */
    boolean skip(String text) {
        boolean found = list.at(at).is(text) || list.at(at).symbol(text);
        at += found ? 1 : 0;
        return found;
    }

    /** Goes past a word or symbol, which must be the next token. */
    void require(String text) throws RefusedException {
        if (!skip(text)) {
            throw differs();
        }
    }

    /** Goes past an operator, which must be the next token. */
    void require(Operator operator) throws RefusedException {
        if (!operator.writtenAs(list.at(at).text())) {
            throw differs();
        }
        at++;
    }

    /** Goes past a parenthesis that only groups, which must be the next token. */
    void group() throws RefusedException {
        grouping.set(at);
        require("(");
    }

    /** Goes past tokens, the first of which must be the next one. */
    void pass(int from, int to) throws RefusedException {
        require(from);
        at = to;
    }

    /** Requires that a token is the next one. */
    void require(int index) throws RefusedException {
        if (at != index) {
            throw differs();
        }
    }

    /** Returns the text of an expression that begins with a token and ends before the next one. */
    ExprText from(int first) {
        return text(list.span(first, at), first, at);
    }

    /** Returns the text of an expression with the parentheses that group it. */
    ExprText text(TextRange span, int from, int to) {
        int first = from;
        int last = to;
        while (first > 0 && grouping.get(first - 1) && list.at(last).symbol(")")) {
            first--;
            last++;
        }
        return new ExprText(normalised, span, first == from ? span : list.span(first, last));
    }

    private RefusedException differs() {
        return RefusedException.at(
                Reason.NOT_FAITHFUL,
                "an expression is read in two ways",
                list.at(at).start());
    }
}
