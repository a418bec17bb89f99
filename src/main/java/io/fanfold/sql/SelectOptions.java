package io.fanfold.sql;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Takes the words between SELECT and the select list, except DISTINCT, out of a block's tokens. The parser takes some
 * of them for names, and accepts them in one order only. Immutable.
 *
 * <pre>
 * SELECT STRAIGHT_JOIN DISTINCT a   is read as   SELECT DISTINCT a
 * </pre>
 *
 * <p>ALL is the default, and SQL_NO_CACHE does not affect the answer. MySQL warns about the latter, so it is refused
 * there, like all other options. The words are those of the manual, 15.2.13 SELECT Statement.
 *
 * @param list the block's tokens without the words
 * @param straightJoin whether STRAIGHT_JOIN is among them: the server joins the tables in their written order
 */
record SelectOptions(TokenList list, boolean straightJoin) {
    private static final Set<String> ANYWHERE = Set.of("ALL", "STRAIGHT_JOIN");

    private static final Set<String> OF_MARIADB = Set.of("ALL", "STRAIGHT_JOIN", "SQL_NO_CACHE");

    /**
     * Takes the options out.
     *
     * @param block a block, which begins with its SELECT
     * @throws RefusedException if ALL is combined with DISTINCT, or a word is repeated
     */
    static SelectOptions takenFrom(TokenList block, SqlDialect dialect) throws RefusedException {
        Set<String> known = dialect.flavor().isMariaDb() ? OF_MARIADB : ANYWHERE;
        List<String> taken = new ArrayList<>();
        List<Token> tokens = new ArrayList<>(block.tokens());
        boolean distinct = false;
        int at = 1;
        while (at < tokens.size()) {
            Token token = tokens.get(at);
            if (token.is("DISTINCT") && !distinct) {
                distinct = true;
                at++;
            } else if (token.kind() == Token.TokenKind.WORD && known.contains(token.text())) {
                if (taken.contains(token.text())) {
                    throw RefusedException.at(Reason.UNSUPPORTED_SYNTAX, token.text(), token.start());
                }
                taken.add(token.text());
                tokens.remove(at);
            } else {
                break;
            }
        }
        if (distinct && taken.contains("ALL")) {
            throw RefusedException.at(
                    Reason.UNSUPPORTED_SYNTAX, "DISTINCT and ALL", block.at(1).start());
        }
        return new SelectOptions(new TokenList(block.sql(), tokens, block.hints()), taken.contains("STRAIGHT_JOIN"));
    }
}
