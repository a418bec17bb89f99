package io.fanfold.sql;

import java.util.Arrays;

/**
 * Makes the text for the parser. It has the same length, so that positions stay valid, and nothing that the parser's
 * lexer could read differently. Everything outside tokens, including comments and line feeds, becomes blanks. Strings
 * keep their length but not their content, and every quoted name has backticks. A subquery becomes a number, a derived
 * table a name. Stateless.
 */
final class Mask {
    private Mask() {}

    static String of(TokenList list) {
        String sql = list.sql();
        char[] masked = new char[sql.length()];
        Arrays.fill(masked, ' ');
        for (Token token : list.tokens()) {
            sql.getChars(token.start(), token.end(), masked, token.start());
            if (token.kind() == Token.TokenKind.STRING) {
                Arrays.fill(masked, token.start(), token.end(), 'x');
                quote(masked, token, '\'');
            } else if (token.kind() == Token.TokenKind.QUOTED) {
                for (int i = token.start() + 1; i < token.end() - 1; i++) {
                    masked[i] = plain(masked[i]) ? masked[i] : 'x';
                }
                quote(masked, token, '`');
            } else if (token.symbol("(")) {
                // for a subquery with EXISTS, this position is that of the word
                masked[token.start()] = '(';
            } else if (token.kind() == Token.TokenKind.SUBQUERY) {
                masked[token.start()] = '1';
            } else if (token.kind() == Token.TokenKind.DERIVED) {
                masked[token.start()] = 'x';
            }
        }
        return new String(masked);
    }

    private static void quote(char[] masked, Token token, char quote) {
        masked[token.start()] = quote;
        masked[token.end() - 1] = quote;
    }

    private static boolean plain(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_';
    }
}
