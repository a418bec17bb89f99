package io.fanfold.sql;

/**
 * One token of a statement.
 *
 * @param kind its kind
 * @param start index of its first character
 * @param end index after its last character
 * @param text the word with a-z in upper case for {@link TokenKind#WORD}, the name between the quotes for
 *     {@link TokenKind#QUOTED}, else the token as written
 */
record Token(TokenKind kind, int start, int end, String text) {

    enum TokenKind {
        /** An unquoted word that may be a keyword. */
        WORD,
        /** An unquoted word next to a dot, which is a name even if the word is reserved. */
        NAME,
        /** A quoted identifier. */
        QUOTED,
        STRING,
        NUMBER,
        /** An operator or punctuation. */
        SYMBOL,
        /** Represents the text of a subquery between its parentheses; the span is that of its first character. */
        SUBQUERY,
        /** Represents a derived table with its parentheses; the span is that of the first one. */
        DERIVED
    }

    /** Whether this is the given keyword, given in upper case. */
    boolean is(String keyword) {
        return kind == TokenKind.WORD && text.equals(keyword);
    }

    boolean symbol(String symbol) {
        return kind == TokenKind.SYMBOL && text.equals(symbol);
    }

    /** Whether this can be part of a name. */
    boolean named() {
        return kind == TokenKind.WORD || kind == TokenKind.NAME || kind == TokenKind.QUOTED;
    }

    /** Returns the name as the server sees it, for a token that is {@link #named()}. */
    String name(String sql) {
        return kind == TokenKind.QUOTED ? text : sql.substring(start, end);
    }

    boolean touches(Token next) {
        return end == next.start;
    }

    TextRange span() {
        return new TextRange(start, end);
    }
}
