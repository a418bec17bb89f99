package io.fanfold.sql;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The tokens of queries combined by UNION, INTERSECT or EXCEPT. Their precedence is left to the server. Immutable.
 *
 * @param branches the queries in order, two or more
 * @param tail ORDER BY and LIMIT after all of them; empty without
 */
record SetOperations(List<Branch> branches, Optional<TextRange> tail) {
    private static final Set<String> WORDS = Set.of("UNION", "INTERSECT", "EXCEPT");
    private static final int MAX_BRANCHES = 16;

    SetOperations {
        branches = List.copyOf(branches);
    }

    /**
     * One of the queries.
     *
     * @param body its text, without parentheses around it
     * @param bare whether it has no parentheses around it
     */
    record Branch(TextRange body, boolean bare) {}

    /** Reads them from the tokens of a query; empty if there is no set operation outside its parentheses. */
    static Optional<SetOperations> of(TokenList list) throws RefusedException {
        return next(list, 0, list.size()) < list.size() ? Optional.of(read(list)) : Optional.empty();
    }

    /** Whether parentheses contain queries with set operations, the first of them in its own parentheses. */
    static boolean opens(TokenList list, int open) {
        if (!list.at(open).symbol("(") || !list.at(open + 1).symbol("(")) {
            return false;
        }
        int close = list.closing(open + 1);
        return close > 0 && word(list.at(close + 1)) && (list.at(open + 2).is("SELECT") || opens(list, open + 1));
    }

    private static SetOperations read(TokenList list) throws RefusedException {
        List<Branch> branches = new ArrayList<>();
        int at = 0;
        while (true) {
            int end = next(list, at, list.size());
            boolean last = end == list.size();
            int tail = tail(list, at, end);
            if (tail < end && !last) {
                throw RefusedException.at(
                        Reason.SET_OPERATION,
                        list.at(tail).text() + " before another query",
                        list.at(tail).start());
            }
            branches.add(branch(list, at, tail));
            if (branches.size() > MAX_BRANCHES) {
                throw new RefusedException(Reason.SET_OPERATION, "more than " + MAX_BRANCHES + " queries");
            }
            if (last) {
                return new SetOperations(branches, tail < end ? Optional.of(list.span(tail, end)) : Optional.empty());
            }
            at = end + 1;
            if (list.at(at).is("ALL") || list.at(at).is("DISTINCT")) {
                at++;
            }
        }
    }

    private static Branch branch(TokenList list, int from, int to) throws RefusedException {
        if (list.at(from).symbol("(") && list.closing(from) == to - 1 && to - from > 2) {
            return new Branch(list.span(from + 1, to - 1), false);
        }
        if (from >= to || !list.at(from).is("SELECT")) {
            throw RefusedException.at(
                    Reason.SET_OPERATION,
                    "a query that is no SELECT",
                    list.at(from).start());
        }
        return new Branch(list.span(from, to), true);
    }

    /** Returns the index of the next set operation outside parentheses, or the end. */
    private static int next(TokenList list, int from, int end) {
        return find(list, from, end, WORDS);
    }

    private static int tail(TokenList list, int from, int end) {
        return find(list, from, end, Set.of("ORDER", "LIMIT"));
    }

    private static int find(TokenList list, int from, int end, Set<String> words) {
        int depth = 0;
        for (int i = from; i < end; i++) {
            Token token = list.at(i);
            depth += token.symbol("(") ? 1 : token.symbol(")") ? -1 : 0;
            if (depth == 0 && token.kind() == Token.TokenKind.WORD && words.contains(token.text())) {
                return i;
            }
        }
        return end;
    }

    private static boolean word(Token token) {
        return token.kind() == Token.TokenKind.WORD && WORDS.contains(token.text());
    }
}
