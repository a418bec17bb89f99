package io.fanfold.sql;

/** A statement for the log: without its literals and comments, in one line. */
public final class StatementDigest {
    private static final int LONGEST = 300;

    private StatementDigest() {}

    /**
     * Replaces each literal by a question mark, as the server's own digests do.
     *
     * @param dialect how the session reads the text: by another one, a part of a literal might be taken for something else
     * @return at most some 300 characters; "" if the lexer refuses the text
     */
    public static String of(String sql, SqlDialect dialect) {
        try {
            return of(sql, MySqlLexer.lexPrepared(sql, dialect));
        } catch (Refusal e) {
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
            boolean literal = token.kind() == Token.Kind.STRING || token.kind() == Token.Kind.NUMBER;
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
