package io.fanfold.sql;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import java.util.Set;

/**
 * Refuses expressions with two adjacent operands and no operator between them. The parser knows postfix and prefix
 * words of many products ({@code a year}, {@code a isnull}, {@code prior a}). To the server, such a word is an alias or
 * a column. Stateless.
 */
final class AdjacencyGuard {
    /** The words that connect or enclose operands in the supported expressions. */
    private static final Set<String> CONNECTING = Set.of(
            "AND",
            "AS",
            "ASC",
            "BETWEEN",
            "BOTH",
            "BY",
            "CASE",
            "COLLATE",
            "DESC",
            "DISTINCT",
            "DIV",
            "ELSE",
            "END",
            "ESCAPE",
            "FOR",
            "FROM",
            "IN",
            "INTERVAL",
            "IS",
            "LEADING",
            "LIKE",
            "NOT",
            "OR",
            "ORDER",
            "OVER",
            "PARTITION",
            "REGEXP",
            "RLIKE",
            "SEPARATOR",
            "SIGNED",
            "THEN",
            "TRAILING",
            "UNSIGNED",
            "WHEN");

    private AdjacencyGuard() {}

    static void check(TokenList list, Clauses.Range range) throws RefusedException {
        OverClause over = null;
        for (int i = range.from(); i + 1 < range.to(); i++) {
            over = list.at(i).is("OVER") ? OverClause.at(list, i) : over;
            if (over != null && over.framed(i + 1)) {
                continue;
            }
            Token left = list.at(i);
            Token right = list.at(i + 1);
            boolean side = (operand(left) || left.symbol(")") || left.is("END")) && operand(right);
            if (side && !temporalLiteral(left, right) && !IntervalGuard.unitAt(list, i + 1)) {
                throw RefusedException.at(Reason.NOT_FAITHFUL, left.text() + " beside " + right.text(), left.start());
            }
        }
    }

    private static boolean operand(Token token) {
        return token.kind() != Token.TokenKind.SYMBOL
                && !(token.kind() == Token.TokenKind.WORD && CONNECTING.contains(token.text()));
    }

    private static boolean temporalLiteral(Token left, Token right) {
        return right.kind() == Token.TokenKind.STRING && (left.is("DATE") || left.is("TIME") || left.is("TIMESTAMP"));
    }
}
