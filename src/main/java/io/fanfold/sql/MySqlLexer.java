package io.fanfold.sql;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import java.util.ArrayList;
import java.util.List;

/**
 * Splits a statement into tokens like the server's own lexer. Refuses everything that the server and JSqlParser are
 * known to read differently. It knows no grammar. An instance reads one text once.
 *
 * @see <a href="https://dev.mysql.com/doc/refman/8.4/en/language-structure.html">language structure</a>
 */
final class MySqlLexer {
    static final int MAX_TOKENS = 5_000;
    static final int MAX_DEPTH = 60;

    private static final String[] OPERATORS = {"<=>", "<=", ">=", "<>", "!="};
    private static final String SINGLE = "(),+-*/%=<>.";

    private final String sql;
    private final SqlDialect dialect;
    private final boolean parameters;
    private final List<Token> tokens = new ArrayList<>();
    private int at;
    private int depth;
    private final List<TextRange> hints = new ArrayList<>();

    private MySqlLexer(String sql, SqlDialect dialect, boolean parameters) {
        this.sql = sql;
        this.dialect = dialect;
        this.parameters = parameters;
    }

    /**
     * Reads a text.
     *
     * @throws RefusedException if the text has an unsupported construct, ends inside a token, or exceeds a limit
     */
    static TokenList lex(String sql, SqlDialect dialect) throws RefusedException {
        return new MySqlLexer(sql, dialect, false).run();
    }

    /** Reads a text to be prepared, in which a parameter is the symbol {@code ?}. */
    static TokenList lexPrepared(String sql, SqlDialect dialect) throws RefusedException {
        return new MySqlLexer(sql, dialect, true).run();
    }

    private TokenList run() throws RefusedException {
        while (skipBlanksAndComments()) {
            if (sql.charAt(at) == ';') {
                endAtSemicolon();
                break;
            }
            token();
            if (tokens.size() > MAX_TOKENS) {
                throw new RefusedException(Reason.TOO_LONG, "more than " + MAX_TOKENS + " tokens");
            }
        }
        return new TokenList(sql, tokens, hints);
    }

    private void endAtSemicolon() throws RefusedException {
        int semicolon = at++;
        if (skipBlanksAndComments()) {
            throw RefusedException.at(Reason.MULTI_STATEMENT, "text after ;", semicolon);
        }
    }

    /** Moves to the next token's first character; returns false at the end. */
    private boolean skipBlanksAndComments() throws RefusedException {
        int blanksFrom = at;
        boolean onlyBlanks = true;
        while (at < sql.length()) {
            char c = sql.charAt(at);
            if (c == ' ' || c >= '\t' && c <= '\r') {
                at++;
            } else if (c < ' ' || c == 0x7f) {
                throw RefusedException.at(Reason.LEXER_REFUSED, "a control character", at);
            } else if (c == '#') {
                skipLine();
                onlyBlanks = false;
            } else if (c == '-' && next(1) == '-') {
                dashes();
                onlyBlanks = false;
            } else if (c == '/' && next(1) == '*') {
                blockComment(onlyBlanks ? blanksFrom : -1);
                onlyBlanks = false;
            } else {
                return true;
            }
        }
        return false;
    }

    /** Skips a comment after two dashes. They are one only before a blank or control character or at the end. */
    private void dashes() throws RefusedException {
        char after = next(2);
        if (after > ' ') {
            throw RefusedException.at(Reason.LEXER_REFUSED, "-- without a blank", at);
        }
        skipLine();
    }

    private void skipLine() throws RefusedException {
        while (at < sql.length() && sql.charAt(at) != '\n') {
            refuseNul();
            at++;
        }
    }

    /**
     * @param blanksFrom the start of the blanks directly before it; -1 if there is a comment between
     */
    private void blockComment(int blanksFrom) throws RefusedException {
        int start = at;
        char kind = next(2);
        if (kind == '!' || kind == 'M' && next(3) == '!') {
            throw RefusedException.at(Reason.LEXER_REFUSED, "a version comment", start);
        }
        int close = sql.indexOf("*/", start + 2);
        if (close < 0) {
            throw RefusedException.at(Reason.LEXER_REFUSED, "a comment without end", start);
        }
        while (at < close) {
            refuseNul();
            at++;
        }
        at = close + 2;
        boolean afterSelect = !tokens.isEmpty()
                && tokens.get(tokens.size() - 1).is("SELECT")
                && tokens.get(tokens.size() - 1).end() == blanksFrom;
        if (kind == '+' && afterSelect) {
            hints.add(new TextRange(start, at));
        }
    }

    private void refuseNul() throws RefusedException {
        if (sql.charAt(at) == 0) {
            throw RefusedException.at(Reason.LEXER_REFUSED, "a NUL character", at);
        }
    }

    private void token() throws RefusedException {
        char c = sql.charAt(at);
        if (c == '\'' || c == '"' && !dialect.ansiQuotes()) {
            add(Token.TokenKind.STRING, endOfString(c));
        } else if (c == '`' || c == '"') {
            quotedName(c);
        } else if (digit(c) || c == '.' && digit(next(1))) {
            number();
        } else if (wordStart(c)) {
            word();
        } else {
            symbol(c);
        }
    }

    private int endOfString(char quote) throws RefusedException {
        int i = at + 1;
        while (i < sql.length()) {
            char c = sql.charAt(i);
            if (c == '\\' && !dialect.noBackslashEscapes()) {
                i += 2;
            } else if (c == quote) {
                if (i + 1 >= sql.length() || sql.charAt(i + 1) != quote) {
                    return i + 1;
                }
                i += 2;
            } else {
                i++;
            }
        }
        throw RefusedException.at(Reason.LEXER_REFUSED, "a string without end", at);
    }

    private void quotedName(char quote) throws RefusedException {
        int close = sql.indexOf(quote, at + 1);
        if (close < 0) {
            throw RefusedException.at(Reason.LEXER_REFUSED, "a quoted name without end", at);
        }
        String name = sql.substring(at + 1, close);
        if (name.isEmpty() || close + 1 < sql.length() && sql.charAt(close + 1) == quote) {
            throw RefusedException.at(Reason.LEXER_REFUSED, "an empty name or a quote inside a name", at);
        }
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c < ' ' || c == '.' || c == '`' || c == '"' || c > 0x7f && !caseless(c)) {
                throw RefusedException.at(Reason.LEXER_REFUSED, "a name with a special character", at);
            }
        }
        tokens.add(new Token(Token.TokenKind.QUOTED, at, close + 1, name));
        at = close + 1;
    }

    private void number() throws RefusedException {
        Token before = tokens.isEmpty() ? null : tokens.get(tokens.size() - 1);
        if (sql.charAt(at) == '.' && before != null && before.named() && before.end() == at) {
            throw RefusedException.at(Reason.LEXER_REFUSED, "a name that starts with a digit", at);
        }
        int i = digits(at);
        if (i < sql.length() && sql.charAt(i) == '.') {
            i = digits(i + 1);
        }
        if (i < sql.length() && (sql.charAt(i) | 0x20) == 'e') {
            int exponent = i + 1;
            if (exponent < sql.length() && (sql.charAt(exponent) == '+' || sql.charAt(exponent) == '-')) {
                exponent++;
            }
            int end = digits(exponent);
            if (end > exponent) {
                i = end;
            }
        }
        if (i < sql.length() && (wordStart(sql.charAt(i)) || sql.charAt(i) == '.' || sql.charAt(i) == '$')) {
            throw RefusedException.at(Reason.LEXER_REFUSED, "a name that starts with a digit", at);
        }
        add(Token.TokenKind.NUMBER, i);
    }

    private int digits(int from) {
        int i = from;
        while (i < sql.length() && digit(sql.charAt(i))) {
            i++;
        }
        return i;
    }

    private void word() throws RefusedException {
        int i = at;
        while (i < sql.length() && (wordStart(sql.charAt(i)) || digit(sql.charAt(i)))) {
            i++;
        }
        char after = i < sql.length() ? sql.charAt(i) : ' ';
        if (after == '$' || after > 0x7f) {
            throw RefusedException.at(Reason.LEXER_REFUSED, "a name with a special character", at);
        }
        boolean afterDot = !tokens.isEmpty() && tokens.get(tokens.size() - 1).symbol(".");
        boolean beforeName = after == '.' && i + 1 < sql.length() && wordStart(sql.charAt(i + 1));
        if (afterDot || beforeName) {
            add(Token.TokenKind.NAME, i);
        } else {
            tokens.add(new Token(Token.TokenKind.WORD, at, i, asciiUpper(sql.substring(at, i))));
            at = i;
        }
    }

    private void symbol(char c) throws RefusedException {
        for (String operator : OPERATORS) {
            if (sql.startsWith(operator, at)) {
                add(Token.TokenKind.SYMBOL, at + operator.length());
                return;
            }
        }
        if (c == '@' || c == ':' && next(1) == '=') {
            throw RefusedException.at(Reason.USER_VARIABLE, "a variable", at);
        }
        if (c == '?') {
            if (parameters) {
                add(Token.TokenKind.SYMBOL, at + 1);
                return;
            }
            throw RefusedException.at(Reason.UNSUPPORTED_SYNTAX, "a parameter", at);
        }
        if (SINGLE.indexOf(c) < 0 || c == '/' && next(1) == '/' || c == '-' && next(1) == '>') {
            throw RefusedException.at(Reason.LEXER_REFUSED, "the character " + c, at);
        }
        if (c == '<' && next(1) == '<' || c == '>' && next(1) == '>') {
            throw RefusedException.at(Reason.LEXER_REFUSED, "a shift", at);
        }
        if (c == '.') {
            dot();
        }
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (depth > MAX_DEPTH) {
            throw new RefusedException(Reason.TOO_LONG, "parentheses deeper than " + MAX_DEPTH);
        }
        if (depth < 0) {
            throw RefusedException.at(Reason.LEXER_REFUSED, "a parenthesis that nothing opened", at);
        }
        add(Token.TokenKind.SYMBOL, at + 1);
    }

    /** Refuses a dot with blanks around it, after which keywords are read in other ways. */
    private void dot() throws RefusedException {
        Token before = tokens.isEmpty() ? null : tokens.get(tokens.size() - 1);
        char after = next(1);
        boolean name = wordStart(after) || after == '`' || after == '*' || after == '"' && dialect.ansiQuotes();
        if (before == null || !before.named() || before.end() != at || !name) {
            throw RefusedException.at(Reason.LEXER_REFUSED, "a dot that stands free", at);
        }
    }

    private void add(Token.TokenKind kind, int end) {
        tokens.add(new Token(kind, at, end, sql.substring(at, end)));
        at = end;
    }

    private char next(int offset) {
        return at + offset < sql.length() ? sql.charAt(at + offset) : 0;
    }

    private static boolean digit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean wordStart(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c > 0x7f && caseless(c);
    }

    /**
     * Whether a letter beyond ASCII is lower case or has no case. The server folds upper case with its own tables, so
     * names with such letters could not be compared here.
     */
    private static boolean caseless(char c) {
        return Character.isLetter(c) && Character.toLowerCase(c) == c;
    }

    private static String asciiUpper(String text) {
        char[] chars = text.toCharArray();
        for (int i = 0; i < chars.length; i++) {
            if (chars[i] >= 'a' && chars[i] <= 'z') {
                chars[i] = (char) (chars[i] - ('a' - 'A'));
            }
        }
        return new String(chars);
    }
}
