package io.fanfold.sql;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.FunctionFacts.CallForm;
import java.util.Set;

/**
 * Allows INTERVAL only where the parser and the server bind it the same way: in {@code d + INTERVAL 1 DAY} and as the
 * last argument of DATE_ADD and the like, with a literal or a column as its number. Stateless.
 */
final class IntervalGuard {
    private static final Set<String> UNITS = Set.of(
            "MICROSECOND",
            "SECOND",
            "MINUTE",
            "HOUR",
            "DAY",
            "WEEK",
            "MONTH",
            "QUARTER",
            "YEAR",
            "SECOND_MICROSECOND",
            "MINUTE_MICROSECOND",
            "MINUTE_SECOND",
            "HOUR_MICROSECOND",
            "HOUR_SECOND",
            "HOUR_MINUTE",
            "DAY_MICROSECOND",
            "DAY_SECOND",
            "DAY_MINUTE",
            "DAY_HOUR",
            "YEAR_MONTH");
    private static final Set<String> TIGHTER = Set.of("*", "/", "%", "DIV", "MOD", "COLLATE");

    private IntervalGuard() {}

    static boolean unit(String word) {
        return UNITS.contains(word);
    }

    static void check(TokenList list) throws RefusedException {
        for (int i = 0; i < list.size(); i++) {
            if (list.at(i).is("INTERVAL") && !readable(list, i)) {
                throw RefusedException.at(
                        Reason.UNSUPPORTED_SYNTAX, "INTERVAL", list.at(i).start());
            }
        }
    }

    /** Whether a token is the unit of an INTERVAL. */
    static boolean unitAt(TokenList list, int index) {
        for (int i = index - 2; i >= 0 && i >= index - 6; i--) {
            if (list.at(i).is("INTERVAL")) {
                return unitIndex(list, i) == index;
            }
        }
        return false;
    }

    /** Returns the expected index of the unit of an INTERVAL, -1 if there is no literal or column before it. */
    private static int unitIndex(TokenList list, int interval) {
        int at = interval + 1;
        if (list.at(at).symbol("-") && list.at(at + 1).kind() == Token.TokenKind.NUMBER) {
            at++;
        }
        return operandEnd(list, at);
    }

    private static boolean readable(TokenList list, int interval) {
        int at = unitIndex(list, interval);
        if (at < 0
                || list.at(at).kind() != Token.TokenKind.WORD
                || !unit(list.at(at).text())) {
            return false;
        }
        Token after = list.at(at + 1);
        Token before = list.at(interval - 1);
        if (before.symbol(",")) {
            int open = TokenGuards.opening(list, interval);
            return open > 0 && WordLists.hasForm(list.at(open - 1).text(), CallForm.INTERVAL) && after.symbol(")");
        }
        return (before.symbol("+") || before.symbol("-"))
                && operand(list.at(interval - 2))
                && !TIGHTER.contains(after.text());
    }

    /** Returns the index after a literal or a column name, -1 if there is neither. */
    private static int operandEnd(TokenList list, int from) {
        Token token = list.at(from);
        if (token.kind() == Token.TokenKind.NUMBER || token.kind() == Token.TokenKind.STRING) {
            return from + 1;
        }
        int at = from;
        while (list.at(at).named() && list.at(at + 1).symbol(".")) {
            at += 2;
        }
        return list.at(at).named() ? at + 1 : -1;
    }

    private static boolean operand(Token token) {
        return token.named()
                || token.kind() == Token.TokenKind.NUMBER
                || token.kind() == Token.TokenKind.STRING
                || token.symbol(")");
    }
}
