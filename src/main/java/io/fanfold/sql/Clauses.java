package io.fanfold.sql;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The ranges of the clauses of one SELECT block, found by the reserved words outside parentheses. A range counts tokens
 * and excludes the clause's own keywords.
 */
final class Clauses {
    /** The clauses in their required order. */
    enum ClauseKind {
        SELECT(1),
        FROM(1),
        WHERE(1),
        GROUP(2),
        HAVING(1),
        ORDER(2),
        LIMIT(1);

        private final int words;

        ClauseKind(int words) {
            this.words = words;
        }
    }

    /**
     * Tokens from one index up to another.
     *
     * @param from the first token's index
     * @param to the index after the last token
     */
    record Range(int from, int to) {}

    private final TokenList list;
    private final Map<ClauseKind, Integer> keywords;
    private final boolean distinct;
    private final boolean rollup;

    private Clauses(TokenList list, Map<ClauseKind, Integer> keywords) {
        this.list = list;
        this.keywords = keywords;
        distinct = list.at(1).is("DISTINCT");
        int groupEnd = keywords.containsKey(ClauseKind.GROUP) ? end(ClauseKind.GROUP) : 0;
        rollup = list.at(groupEnd - 2).is("WITH") && list.at(groupEnd - 1).is("ROLLUP");
    }

    /**
     * @throws RefusedException if a clause is repeated, out of order or empty, or there is no FROM
     */
    static Clauses of(TokenList list) throws RefusedException {
        Map<ClauseKind, Integer> keywords = new EnumMap<>(ClauseKind.class);
        int depth = 0;
        ClauseKind last = null;
        for (int i = 0; i < list.size(); i++) {
            Token token = list.at(i);
            depth += token.symbol("(") ? 1 : token.symbol(")") ? -1 : 0;
            ClauseKind clause = depth == 0 ? clause(token) : null;
            if (clause != null) {
                boolean complete = clause.words == 1 || list.at(i + 1).is("BY");
                if (!complete || last != null && last.compareTo(clause) >= 0) {
                    throw RefusedException.at(Reason.UNSUPPORTED_SYNTAX, token.text(), token.start());
                }
                keywords.put(clause, i);
                last = clause;
            }
        }
        if (depth != 0) {
            throw new RefusedException(Reason.PARSER_REFUSED, "a parenthesis that nothing closes");
        }
        if (!keywords.containsKey(ClauseKind.FROM)) {
            throw new RefusedException(Reason.NO_PARTITIONED_TABLE, "no FROM clause");
        }
        Clauses clauses = new Clauses(list, keywords);
        clauses.checkFilled();
        return clauses;
    }

    private static @Nullable ClauseKind clause(Token token) {
        if (token.kind() != Token.TokenKind.WORD) {
            return null;
        }
        for (ClauseKind clause : ClauseKind.values()) {
            if (token.text().equals(clause.name())) {
                return clause;
            }
        }
        return null;
    }

    private void checkFilled() throws RefusedException {
        for (ClauseKind clause : keywords.keySet()) {
            Range range = range(clause);
            if (range.from >= range.to) {
                throw new RefusedException(Reason.PARSER_REFUSED, "an empty clause " + clause);
            }
        }
        Token first = list.at(range(ClauseKind.SELECT).from);
        if (first.is("DISTINCT")) {
            throw RefusedException.at(Reason.UNSUPPORTED_SYNTAX, first.text(), first.start());
        }
    }

    boolean has(ClauseKind clause) {
        return keywords.containsKey(clause);
    }

    boolean distinct() {
        return distinct;
    }

    /** Whether GROUP BY ends in WITH ROLLUP. */
    boolean rollup() {
        return rollup;
    }

    /** Returns the index of the clause's first keyword. The clause must be present. */
    int keyword(ClauseKind clause) {
        return keywords.getOrDefault(clause, -1);
    }

    /** Returns the clause's tokens without its keywords, DISTINCT and WITH ROLLUP. The clause must be present. */
    Range range(ClauseKind clause) {
        int from = keyword(clause) + clause.words + (clause == ClauseKind.SELECT && distinct ? 1 : 0);
        return new Range(from, end(clause) - (clause == ClauseKind.GROUP && rollup ? 2 : 0));
    }

    /** Returns the index of the next clause's keyword. */
    private int end(ClauseKind clause) {
        for (ClauseKind later : ClauseKind.values()) {
            if (later.compareTo(clause) > 0 && keywords.containsKey(later)) {
                return keywords.getOrDefault(later, -1);
            }
        }
        return list.size();
    }

    /** Returns the parts of a range between the commas outside parentheses. */
    static List<Range> parts(TokenList list, Range range) throws RefusedException {
        List<Range> parts = new ArrayList<>();
        int depth = 0;
        int from = range.from;
        for (int i = range.from; i <= range.to; i++) {
            Token token = list.at(i);
            if (i == range.to || depth == 0 && token.symbol(",")) {
                if (i == from) {
                    throw RefusedException.at(Reason.PARSER_REFUSED, "nothing between commas", token.start());
                }
                parts.add(new Range(from, i));
                from = i + 1;
            } else {
                depth += token.symbol("(") ? 1 : token.symbol(")") ? -1 : 0;
            }
        }
        return parts;
    }
}
