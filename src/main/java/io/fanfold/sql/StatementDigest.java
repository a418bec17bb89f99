package io.fanfold.sql;

import io.fanfold.reason.RefusedException;

/** Formats a statement for logs and statistics: in one line, without its literals and comments. */
public final class StatementDigest {
    /** performance_schema_max_digest_length is 1024 bytes: the server does not tell longer statements apart either. */
    private static final int LONGEST = 1024;

    private static final int LONGEST_IN_LOG = 300;

    private StatementDigest() {}

    /**
     * Replaces each literal by a question mark, like the server's own digests.
     *
     * @param dialect how the session interprets the text; with another one, part of a literal might be left in the
     *     result
     * @return at most about 1024 characters; "" if the lexer refuses the text
     */
    public static String of(String sql, SqlDialect dialect) {
        try {
            return of(sql, MySqlLexer.lexPrepared(sql, dialect));
        } catch (RefusedException e) {
            return "";
        }
    }

    /**
     * Returns the text that statements have in common if they differ only in literals, in the lengths of lists of
     * literals, in blanks and in comments. Like the server's own digests, {@code (?, ?)} is {@code (...)}.
     *
     * @param dialect as in {@link #of}
     * @return not cut; "" if the lexer refuses the text
     */
    public static String whole(String sql, SqlDialect dialect) {
        try {
            return whole(sql, MySqlLexer.lexPrepared(sql, dialect));
        } catch (RefusedException e) {
            return "";
        }
    }

    private static String whole(String sql, TokenList tokens) {
        StringBuilder digest = new StringBuilder();
        for (int i = 0; i < tokens.size(); i++) {
            Token token = tokens.at(i);
            int list = endOfLiterals(tokens, i);
            boolean apart = i > 0 && token.start() > tokens.at(i - 1).end();
            boolean tight = token.symbol(",") || token.symbol(")") || token.symbol(".") || token.symbol("(") && !apart;
            Token before = tokens.at(i - 1);
            if (i > 0 && !tight && !before.symbol("(") && !before.symbol(".")) {
                digest.append(' ');
            }
            if (list > 0) {
                digest.append("(...)");
                i = list;
            } else {
                digest.append(literal(token) ? "?" : sql.substring(token.start(), token.end()));
            }
        }
        return digest.toString();
    }

    /** Returns the index of the parenthesis after a list of two literals or more that begins here, 0 if none does. */
    private static int endOfLiterals(TokenList tokens, int open) {
        if (!tokens.at(open).symbol("(")) {
            return 0;
        }
        int at = open + 1;
        while (literal(tokens.at(at)) && tokens.at(at + 1).symbol(",")) {
            at += 2;
        }
        return at > open + 1 && literal(tokens.at(at)) && tokens.at(at + 1).symbol(")") ? at + 1 : 0;
    }

    private static boolean literal(Token token) {
        return token.kind() == Token.TokenKind.STRING || token.kind() == Token.TokenKind.NUMBER || token.symbol("?");
    }

    private static String of(String sql, TokenList tokens) {
        StringBuilder digest = new StringBuilder();
        int end = 0;
        for (int i = 0; i < tokens.size() && digest.length() < LONGEST; i++) {
            Token token = tokens.at(i);
            if (i > 0 && token.start() > end) {
                digest.append(' ');
            }
            digest.append(literal(token) ? "?" : sql.substring(token.start(), token.end()));
            end = token.end();
        }
        for (int i = 0; i < digest.length(); i++) {
            if (Character.isISOControl(digest.charAt(i))
                    || Character.getType(digest.charAt(i)) == Character.LINE_SEPARATOR) {
                digest.setCharAt(i, ' ');
            }
        }
        return cut(digest.toString(), LONGEST);
    }

    /** Returns a digest that was made in another way, as long as those of this class. */
    public static String cut(String digest) {
        return cut(digest, LONGEST);
    }

    /** Returns a digest for a log line: at most about 300 characters. */
    public static String shortened(String digest) {
        return cut(digest, LONGEST_IN_LOG);
    }

    private static String cut(String digest, int longest) {
        if (digest.length() <= longest) {
            return digest;
        }
        int cut = Character.isHighSurrogate(digest.charAt(longest - 1)) ? longest - 1 : longest;
        return digest.substring(0, cut) + " ...";
    }
}
