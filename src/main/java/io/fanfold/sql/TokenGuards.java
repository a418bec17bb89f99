package io.fanfold.sql;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.FunctionFacts.CallForm;
import java.util.Map;
import java.util.Set;

/**
 * Refuses, by tokens alone, texts that are not one plain SELECT block or that the parser is known to misread without an
 * error. It runs before the parser, so that the reason is correct even if the parser would fail. Stateless.
 */
final class TokenGuards {
    private static final Set<String> SET_OPERATIONS = Set.of("UNION", "INTERSECT", "EXCEPT");

    /** Words that are refused wherever they are keywords, with the reason. */
    private static final Map<String, Reason> DENIED = Map.ofEntries(
            Map.entry("INTO", Reason.LOCKING_READ),
            Map.entry("LOCK", Reason.LOCKING_READ),
            Map.entry("CURRENT_USER", Reason.SESSION_FUNCTION),
            Map.entry("CURRENT_ROLE", Reason.SESSION_FUNCTION),
            Map.entry("ROWNUM", Reason.SESSION_FUNCTION),
            // those before a subquery were taken out with it
            Map.entry("ALL", Reason.UNSUPPORTED_SYNTAX),
            Map.entry("CONVERT", Reason.UNSUPPORTED_SYNTAX),
            Map.entry("DISTINCTROW", Reason.UNSUPPORTED_SYNTAX),
            Map.entry("EXISTS", Reason.UNSUPPORTED_SYNTAX),
            Map.entry("FETCH", Reason.UNSUPPORTED_SYNTAX),
            Map.entry("GET_FORMAT", Reason.UNSUPPORTED_SYNTAX),
            Map.entry("HIGH_PRIORITY", Reason.UNSUPPORTED_SYNTAX),
            Map.entry("JSON_TABLE", Reason.UNSUPPORTED_SYNTAX),
            Map.entry("LATERAL", Reason.UNSUPPORTED_SYNTAX),
            Map.entry("MATCH", Reason.UNSUPPORTED_SYNTAX),
            Map.entry("NATURAL", Reason.UNSUPPORTED_SYNTAX),
            Map.entry("PROCEDURE", Reason.UNSUPPORTED_SYNTAX),
            Map.entry("QUALIFY", Reason.UNSUPPORTED_SYNTAX),
            Map.entry("SQL_BIG_RESULT", Reason.UNSUPPORTED_SYNTAX),
            Map.entry("SQL_BUFFER_RESULT", Reason.UNSUPPORTED_SYNTAX),
            Map.entry("SQL_CACHE", Reason.UNSUPPORTED_SYNTAX),
            Map.entry("SQL_CALC_FOUND_ROWS", Reason.UNSUPPORTED_SYNTAX),
            Map.entry("SQL_NO_CACHE", Reason.UNSUPPORTED_SYNTAX),
            Map.entry("SQL_SMALL_RESULT", Reason.UNSUPPORTED_SYNTAX),
            Map.entry("TABLESAMPLE", Reason.UNSUPPORTED_SYNTAX),
            Map.entry("VALUES", Reason.UNSUPPORTED_SYNTAX),
            Map.entry("WEIGHT_STRING", Reason.UNSUPPORTED_SYNTAX),
            Map.entry("XOR", Reason.UNSUPPORTED_SYNTAX));

    /** Words that form a literal with the string after them. */
    private static final Set<String> TEMPORAL = Set.of("DATE", "TIME", "TIMESTAMP");

    private TokenGuards() {}

    /**
     * @throws RefusedException if the tokens are not those of one supported SELECT block
     */
    static void check(TokenList list) throws RefusedException {
        structure(list);
        for (int i = 0; i < list.size(); i++) {
            Token token = list.at(i);
            if (token.kind() == Token.TokenKind.WORD) {
                word(list, i, token);
            } else if (token.kind() == Token.TokenKind.STRING) {
                string(list, i, token);
            }
        }
        IntervalGuard.check(list);
    }

    private static void structure(TokenList list) throws RefusedException {
        boolean subquery = false;
        for (int i = 0; i < list.size(); i++) {
            Token token = list.at(i);
            if (token.kind() == Token.TokenKind.WORD && SET_OPERATIONS.contains(token.text())) {
                throw refusal(Reason.SET_OPERATION, token);
            }
            if (token.is("WITH") && list.at(i - 1).symbol("(")) {
                throw refusal(Reason.UNSUPPORTED_SYNTAX, token);
            }
            subquery |= i > 0 && token.is("SELECT");
        }
        Token first = list.at(0);
        if (first.symbol("(") || first.is("WITH")) {
            throw refusal(Reason.UNSUPPORTED_SYNTAX, first);
        }
        if (!first.is("SELECT")) {
            throw refusal(Reason.NOT_A_SELECT, first);
        }
        if (subquery) {
            throw new RefusedException(Reason.SUBQUERY, "a second SELECT");
        }
    }

    private static void word(TokenList list, int i, Token token) throws RefusedException {
        Reason denied = DENIED.get(token.text());
        if (denied != null) {
            throw refusal(denied, token);
        }
        Token next = list.at(i + 1);
        if (next.symbol("(") && WordLists.sessionFunction(token.text())) {
            throw refusal(Reason.SESSION_FUNCTION, token);
        }
        if (WordLists.hasForm(token.text(), CallForm.COLUMN) && !next.symbol("(")) {
            throw refusal(Reason.UNSUPPORTED_SYNTAX, token);
        }
        switch (token.text()) {
            case "FOR" -> forWord(list, i, token, next);
            case "OVER" -> OverClause.at(list, i);
            case "PARTITION" -> {
                if (!next.is("BY")) {
                    throw refusal(Reason.EXPLICIT_PARTITION, token);
                }
                if (!list.at(i - 2).is("OVER")) {
                    throw refusal(Reason.UNSUPPORTED_SYNTAX, token);
                }
            }
            case "WITH" -> {
                if (!next.is("ROLLUP")) {
                    throw refusal(Reason.UNSUPPORTED_SYNTAX, token);
                }
            }
            case "VALUE" -> {
                if (next.is("FOR")) {
                    throw refusal(Reason.SESSION_FUNCTION, token);
                }
            }
            case "ESCAPE" -> {
                if (next.kind() != Token.TokenKind.STRING) {
                    throw refusal(Reason.LEXER_REFUSED, token);
                }
            }
            case "BINARY" -> {
                if (!list.at(i - 1).is("AS")) {
                    throw refusal(Reason.UNSUPPORTED_SYNTAX, token);
                }
            }
            case "SOUNDS" -> refuseBefore(next, "LIKE", token);
            case "MEMBER" -> refuseBefore(next, "OF", token);
            default -> {}
        }
    }

    private static void refuseBefore(Token next, String keyword, Token token) throws RefusedException {
        if (next.is(keyword)) {
            throw refusal(Reason.UNSUPPORTED_SYNTAX, token);
        }
    }

    private static void forWord(TokenList list, int i, Token token, Token next) throws RefusedException {
        if (next.is("UPDATE") || next.is("SHARE")) {
            throw refusal(Reason.LOCKING_READ, token);
        }
        int open = opening(list, i);
        if (open < 1 || !WordLists.hasForm(list.at(open - 1).text(), CallForm.FROM)) {
            throw refusal(Reason.UNSUPPORTED_SYNTAX, token);
        }
    }

    private static void string(TokenList list, int i, Token token) throws RefusedException {
        Token before = list.at(i - 1);
        if (before.kind() == Token.TokenKind.STRING) {
            throw RefusedException.at(Reason.LEXER_REFUSED, "adjacent strings", token.start());
        }
        boolean introducer =
                before.kind() == Token.TokenKind.WORD && before.text().startsWith("_");
        boolean glued = before.named() && before.touches(token) && !TEMPORAL.contains(before.text());
        if (introducer || glued) {
            throw RefusedException.at(Reason.LEXER_REFUSED, "a string after the word " + before.text(), before.start());
        }
    }

    /** Returns the index of the innermost open parenthesis at a token, -1 at depth 0. */
    static int opening(TokenList list, int index) {
        int depth = 0;
        for (int i = index - 1; i >= 0; i--) {
            if (list.at(i).symbol(")")) {
                depth++;
            } else if (list.at(i).symbol("(") && depth-- == 0) {
                return i;
            }
        }
        return -1;
    }

    private static RefusedException refusal(Reason reason, Token token) {
        return RefusedException.at(reason, token.text(), token.start());
    }
}
