package io.fanfold.sql;

import io.fanfold.reason.RefusedException;
import io.fanfold.sql.FunctionFacts.DivisionKind;
import io.fanfold.sql.FunctionFacts.FunctionKind;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * The keywords, function names, numbers and symbols of some SQL text. Comments, string literals and quoted names hold
 * none of them, and a function's name is one only before a parenthesis. Immutable.
 */
public final class SqlWords {
    /** A literal whose first nonzero digit comes later than this may be zero: servers keep 30 decimals. */
    private static final int NONZERO_WITHIN = 20;

    /** Functions that may return a TIME, and the word for the type in CAST and before a literal. */
    private static final Set<String> TIMES =
            Set.of("TIME", "SEC_TO_TIME", "MAKETIME", "TIMEDIFF", "ADDTIME", "SUBTIME", "STR_TO_DATE");

    private final TokenList tokens;
    private final FunctionTable functions;

    private SqlWords(TokenList tokens, FunctionTable functions) {
        this.tokens = tokens;
        this.functions = functions;
    }

    /**
     * Reads a text.
     *
     * @param sql an expression or statement with all its parentheses, from a statement that was read before
     * @throws IllegalArgumentException if the text cannot be read
     */
    static SqlWords of(String sql, SqlDialect dialect) {
        try {
            return new SqlWords(MySqlLexer.lex(sql, dialect), FunctionTable.of(dialect.flavor()));
        } catch (RefusedException e) {
            throw new IllegalArgumentException("a text that was read before", e);
        }
    }

    /** Whether the text has a function or an operator of which something is true. */
    public boolean contains(Predicate<FunctionFacts> what) {
        return any(i -> known(i).filter(what).isPresent());
    }

    /** Whether the whole text is a call of a function of which something is true. */
    public boolean isCallOf(Predicate<FunctionFacts> what) {
        return known(0).filter(what).isPresent() && tokens.at(1).symbol("(") && tokens.closing(1) == tokens.size() - 1;
    }

    /** Whether the whole text is a minus before a single name, literal, call or expression in parentheses. */
    public boolean isNegation() {
        int from = 0;
        int to = tokens.size();
        while (to - from > 2 && tokens.at(from).symbol("(") && tokens.closing(from) == to - 1) {
            from++;
            to--;
        }
        if (!tokens.at(from).symbol("-")) {
            return false;
        }
        for (int i = from + 1; i < to; i++) {
            if (tokens.at(i).symbol("(")) {
                return i <= from + 2 && tokens.closing(i) == to - 1;
            }
            boolean between = (i - from) % 2 == 0;
            if (between != tokens.at(i).symbol(".")) {
                return false;
            }
        }
        return to - from > 1;
    }

    /** Whether the text compares a quoted name directly with a number. */
    public boolean comparesWithNumber(String name) {
        return any(i -> tokens.at(i).kind() == Token.TokenKind.QUOTED
                && tokens.at(i).text().equals(name)
                && (numberFrom(i + 1) || comparison(i - 1) && number(i - 2)));
    }

    private boolean numberFrom(int operator) {
        int at = tokens.at(operator).is("NOT") ? operator + 1 : operator;
        if (!comparison(at)) {
            return false;
        }
        do {
            at++;
        } while (tokens.at(at).symbol("(") || tokens.at(at).symbol("-"));
        return number(at);
    }

    private boolean comparison(int index) {
        return known(index).filter(FunctionFacts::compares).isPresent();
    }

    private boolean number(int index) {
        return tokens.at(index).kind() == Token.TokenKind.NUMBER;
    }

    /** Whether the text has a subquery. */
    public boolean containsSubquery() {
        return any(i -> tokens.at(i).is("SELECT"));
    }

    /** Whether the text may yield a decimal: it has a decimal literal, a quotient or a subquery. */
    public boolean mayYieldDecimals() {
        return containsDecimal()
                || containsSubquery()
                || contains(known -> known.is(FunctionKind.OPERATOR) && known.divides() == DivisionKind.QUOTIENT);
    }

    /** Whether the text has a number with a decimal point. */
    boolean containsDecimal() {
        return any(i -> tokens.at(i).kind() == Token.TokenKind.NUMBER
                && tokens.at(i).text().indexOf('.') >= 0);
    }

    /** Whether the text has a division whose divisor is not a literal other than zero. */
    public boolean mayDivideByZero() {
        return any(i -> known(i).filter(operator -> divides(operator) && !dividesByNonzero(operator, i))
                .isPresent());
    }

    private static boolean divides(FunctionFacts operator) {
        return operator.is(FunctionKind.OPERATOR) && operator.divides() != DivisionKind.NONE;
    }

    private boolean dividesByNonzero(FunctionFacts operator, int index) {
        if (operator.is(FunctionKind.SCALAR) && tokens.at(index + 1).symbol("(")) {
            int divisor = second(index + 1);
            return nonzero(divisor) && tokens.at(divisor + 1).symbol(")");
        }
        return nonzero(index + 1);
    }

    /** Whether the text asks for the time of the statement. */
    public boolean readsCurrentTime() {
        return any(i -> known(i).filter(known -> known.is(FunctionKind.MOMENT)
                        && (!known.is(FunctionKind.SCALAR) || tokens.at(i + 2).symbol(")")))
                .isPresent());
    }

    /** Whether the text may have a value of type TIME, apart from columns. */
    public boolean mayYieldTimes() {
        return any(i -> TIMES.stream().anyMatch(name -> tokens.at(i).is(name)));
    }

    private boolean any(IntPredicate what) {
        return IntStream.range(0, tokens.size()).anyMatch(what);
    }

    /** Returns the function or operator that a token is. */
    private Optional<FunctionFacts> known(int index) {
        Token token = tokens.at(index);
        if (token.kind() != Token.TokenKind.WORD && token.kind() != Token.TokenKind.SYMBOL) {
            return Optional.empty();
        }
        return functions
                .find(token.text())
                .filter(known -> known.bare() || tokens.at(index + 1).symbol("("));
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
