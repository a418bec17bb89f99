package io.fanfold.sql;

import io.fanfold.reason.RefusedException;

/** Formats a statement for the log: in one line, without its literals and comments. */
public final class StatementDigest {
    private static final int LONGEST = 300;

    private StatementDigest() {}

    /**
     * Replaces each literal by a question mark, like the server's own digests.
     *
     * @param dialect how the session interprets the text; with another one, part of a literal might be left in the
     *     result
     * @return at most about 300 characters; "" if the lexer refuses the text
     */
    public static String of(String sql, SqlDialect dialect) {
        try {
            return of(sql, MySqlLexer.lexPrepared(sql, dialect));
        } catch (RefusedException e) {
            return "";
        }
    }

    private static String of(String sql, TokenList tokens) {
        StringBuilder digest = new StringBuilder();
        int end = 0;
        for (int i = 0; i < tokens.size() && digest.length() < LONGEST; i++) {
            Token token = tokens.at(i);
            if (i > 0 && token.start() > end) {
                digest.append(' ');
            }
            boolean literal = token.kind() == Token.TokenKind.STRING || token.kind() == Token.TokenKind.NUMBER;
            digest.append(literal ? "?" : sql.substring(token.start(), token.end()));
            end = token.end();
        }
        for (int i = 0; i < digest.length(); i++) {
            if (Character.isISOControl(digest.charAt(i))
                    || Character.getType(digest.charAt(i)) == Character.LINE_SEPARATOR) {
                digest.setCharAt(i, ' ');
            }
        }
        if (digest.length() <= LONGEST) {
            return digest.toString();
        }
        int cut = Character.isHighSurrogate(digest.charAt(LONGEST - 1)) ? LONGEST - 1 : LONGEST;
        return digest.substring(0, cut) + " ...";
    }
}
