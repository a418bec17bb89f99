package io.fanfold.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Takes the word NATURAL out of joins, because the parser silently drops it. The next keyword token then represents
 * both words for {@link FromReader}. The text, and so the text sent to servers, is not changed. Stateless.
 *
 * <pre>
 * FROM t NATURAL LEFT JOIN u   is read as   FROM t LEFT JOIN u, where LEFT has the text NATURAL LEFT
 * </pre>
 */
final class NaturalJoins {
    private static final Set<String> BEGIN_JOINS = Set.of("JOIN", "INNER", "LEFT", "RIGHT");

    private static final String NATURAL = "NATURAL ";

    private NaturalJoins() {}

    static TokenList collapse(TokenList list) {
        List<Token> tokens = new ArrayList<>();
        for (int i = 0; i < list.size(); i++) {
            Token next = list.at(i + 1);
            if (list.at(i).is("NATURAL") && next.kind() == Token.TokenKind.WORD && BEGIN_JOINS.contains(next.text())) {
                tokens.add(new Token(Token.TokenKind.WORD, next.start(), next.end(), NATURAL + next.text()));
                i++;
            } else {
                tokens.add(list.at(i));
            }
        }
        return new TokenList(list.sql(), tokens, list.hints());
    }

    /** Whether a keyword token includes NATURAL. */
    static boolean begins(Token token) {
        return token.kind() == Token.TokenKind.WORD && token.text().startsWith(NATURAL);
    }

    /** Returns the keyword without NATURAL. */
    static Token plain(Token token) {
        return begins(token)
                ? new Token(
                        Token.TokenKind.WORD,
                        token.start(),
                        token.end(),
                        token.text().substring(NATURAL.length()))
                : token;
    }
}
