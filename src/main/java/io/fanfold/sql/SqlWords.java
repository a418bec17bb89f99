package io.fanfold.sql;

import io.fanfold.reason.RefusedException;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * The keywords, function names, numbers and symbols of some SQL text. Comments, string literals and quoted names hold
 * none of them, and a function's name is one only before a parenthesis. Immutable.
 */
public final class SqlWords {
    private static final Set<String> MOMENTS_WITHOUT_PARENTHESES = Set.of(
            "CURRENT_DATE",
            "CURRENT_TIME",
            "CURRENT_TIMESTAMP",
            "LOCALTIME",
            "LOCALTIMESTAMP",
            "UTC_DATE",
            "UTC_TIME",
            "UTC_TIMESTAMP");

    private static final Set<String> MOMENTS = Set.of("NOW", "CURDATE", "CURTIME");

    /** A literal whose first nonzero digit comes later than this may be zero: servers keep 30 decimals. */
    private static final int NONZERO_WITHIN = 20;

    private final TokenList tokens;

    private SqlWords(TokenList tokens) {
        this.tokens = tokens;
    }

    /**
     * Reads a text.
     *
     * @param sql an expression or statement with all its parentheses, from a statement that was read before
     * @throws IllegalArgumentException if the text cannot be read
     */
    static SqlWords of(String sql, SqlDialect dialect) {
        try {
            return new SqlWords(MySqlLexer.lex(sql, dialect));
        } catch (RefusedException e) {
            throw new IllegalArgumentException("a text that was read before", e);
        }
    }

    /** Whether the text has one of some keywords, in upper case, or symbols. */
    public boolean hold(Set<String> words) {
        return any(i -> word(i) && words.contains(tokens.at(i).text()));
    }

    /** Whether the text calls one of some functions, in upper case. */
    public boolean call(Set<String> functions) {
        return any(i -> calls(i, functions));
    }

    /** Whether the whole text is a call of one of some functions, in upper case. */
    public boolean areCallOf(Set<String> functions) {
        return calls(0, functions) && tokens.closing(1) == tokens.size() - 1;
    }

    /** Whether the text has a number with a decimal point. */
    public boolean holdDecimal() {
        return any(i -> tokens.at(i).kind() == Token.TokenKind.NUMBER
                && tokens.at(i).text().indexOf('.') >= 0);
    }

    /** Whether the text has a division whose divisor is not a literal other than zero. */
    public boolean mayDivideByZero() {
        return any(i -> divides(i)
                && !(calls(i, Set.of("MOD"))
                        ? nonzero(second(i + 1)) && tokens.at(second(i + 1) + 1).symbol(")")
                        : nonzero(i + 1)));
    }

    /** Whether the text asks for the time of the statement. */
    public boolean askTheTime() {
        return any(i -> word(i)
                        && MOMENTS_WITHOUT_PARENTHESES.contains(tokens.at(i).text())
                || calls(i, MOMENTS)
                || calls(i, Set.of("UNIX_TIMESTAMP")) && tokens.at(i + 2).symbol(")"));
    }

    private boolean any(IntPredicate what) {
        return IntStream.range(0, tokens.size()).anyMatch(what);
    }

    private boolean word(int index) {
        Token token = tokens.at(index);
        return token.kind() == Token.TokenKind.WORD || token.kind() == Token.TokenKind.SYMBOL;
    }

    private boolean calls(int index, Set<String> functions) {
        return tokens.at(index).kind() == Token.TokenKind.WORD
                && functions.contains(tokens.at(index).text())
                && tokens.at(index + 1).symbol("(");
    }

    private boolean divides(int index) {
        Token token = tokens.at(index);
        return token.symbol("/") || token.symbol("%") || token.is("DIV") || token.is("MOD");
    }

    /** Returns the index of the second argument after a parenthesis, or of the token after all arguments. */
    private int second(int open) {
        int depth = 0;
        for (int i = open; i < tokens.size(); i++) {
            depth += tokens.at(i).symbol("(") ? 1 : tokens.at(i).symbol(")") ? -1 : 0;
            if (depth == 0 || depth == 1 && tokens.at(i).symbol(",")) {
                return i + 1;
            }
        }
        return tokens.size();
    }

    /** Whether a token is a number other than zero, which no digits or exponent can make too small to be one. */
    private boolean nonzero(int index) {
        Token token = tokens.at(index);
        return token.kind() == Token.TokenKind.NUMBER
                && token.text().indexOf('-') < 0
                && token.text()
                        .chars()
                        .limit(NONZERO_WITHIN)
                        .takeWhile(c -> c == '.' || c >= '0' && c <= '9')
                        .anyMatch(c -> c >= '1' && c <= '9');
    }
}
