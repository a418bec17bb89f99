package io.fanfold.sql;

import java.util.Arrays;

/**
 * Makes the text that the parser is given: of the same length, so that positions stay valid, with a blank for every
 * character outside tokens and without anything that its lexer could read differently. Comments and line feeds vanish;
 * strings keep their length and lose their content; every quoted name has backticks; a subquery is a number, a derived
 * table a name. Without state.
 */
final class Mask {
    private Mask() {}

    static String of(TokenList list) {
        String sql = list.sql();
        char[] masked = new char[sql.length()];
        Arrays.fill(masked, ' ');
        for (Token token : list.tokens()) {
            sql.getChars(token.start(), token.end(), masked, token.start());
            if (token.kind() == Token.Kind.STRING) {
                Arrays.fill(masked, token.start(), token.end(), 'x');
                quote(masked, token, '\'');
            } else if (token.kind() == Token.Kind.QUOTED) {
                for (int i = token.start() + 1; i < token.end() - 1; i++) {
                    masked[i] = plain(masked[i]) ? masked[i] : 'x';
                }
                quote(masked, token, '`');
            } else if (token.symbol("(")) {
                // of a subquery with EXISTS it stands where that word begins
                masked[token.start()] = '(';
            } else if (token.kind() == Token.Kind.SUBQUERY) {
                masked[token.start()] = '1';
            } else if (token.kind() == Token.Kind.DERIVED) {
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
