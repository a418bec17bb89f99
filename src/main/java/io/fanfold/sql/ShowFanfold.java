package io.fanfold.sql;

import io.fanfold.reason.RefusedException;
import io.fanfold.wire.ServerFlavor;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;

/**
 * What {@code SHOW FANFOLD name [LIKE 'pattern'] [LIMIT [offset,] count | LIMIT count OFFSET offset]} asks for.
 *
 * @param name the word after FANFOLD in lower case, "" if there is none
 * @param like the pattern; empty if there is none
 * @param offset the number of rows to leave out, 0 or more
 * @param count the largest number of rows, 0 or more
 */
public record ShowFanfold(String name, Optional<String> like, long offset, long count) {
    private static final SqlDialect DIALECT = new SqlDialect(ServerFlavor.MYSQL, false, false, StandardCharsets.UTF_8);

    /** The text is not of that form. The message says from where on. */
    public static final class SyntaxException extends Exception {
        private static final long serialVersionUID = 1;

        SyntaxException(String near) {
            super(
                    "You have an error in your SQL syntax; expected SHOW FANFOLD name [LIKE 'pattern'] [LIMIT [offset,] count],"
                            + " near '" + near + "'");
        }
    }

    /**
     * Reads the text after {@code SHOW FANFOLD}.
     *
     * @throws SyntaxException if it is not of that form
     */
    public static ShowFanfold parse(String rest) throws SyntaxException {
        try {
            return new Clauses(rest, MySqlLexer.lex(rest, DIALECT)).read();
        } catch (RefusedException e) {
            throw new SyntaxException(rest);
        }
    }

    /** Takes the clauses from their tokens. */
    private static final class Clauses {
        private final String text;
        private final TokenList tokens;
        private int at;

        Clauses(String text, TokenList tokens) {
            this.text = text;
            this.tokens = tokens;
        }

        ShowFanfold read() throws SyntaxException {
            String name = "";
            if (at < tokens.size() && tokens.at(at).named()) {
                name = tokens.at(at++).text().toLowerCase(Locale.ROOT);
            }
            Optional<String> like = Optional.empty();
            if (word("LIKE")) {
                like = Optional.of(string());
            }
            long offset = 0;
            long count = Long.MAX_VALUE;
            if (word("LIMIT")) {
                count = number();
                if (at < tokens.size() && tokens.at(at).symbol(",")) {
                    at++;
                    offset = count;
                    count = number();
                } else if (word("OFFSET")) {
                    offset = number();
                }
            }
            if (at < tokens.size()) {
                throw here();
            }
            return new ShowFanfold(name, like, offset, count);
        }

        private boolean word(String word) {
            boolean there = at < tokens.size() && tokens.at(at).is(word);
            at += there ? 1 : 0;
            return there;
        }

        private long number() throws SyntaxException {
            if (at < tokens.size() && tokens.at(at).kind() == Token.TokenKind.NUMBER) {
                try {
                    return Long.parseLong(tokens.at(at++).text());
                } catch (NumberFormatException e) {
                    at--;
                }
            }
            throw here();
        }

        /** The server keeps the backslashes that LIKE needs, and takes the others away. */
        private String string() throws SyntaxException {
            if (at == tokens.size() || tokens.at(at).kind() != Token.TokenKind.STRING) {
                throw here();
            }
            String written = tokens.at(at).text();
            char quote = written.charAt(0);
            if (quote != '\'' && quote != '"') {
                throw here();
            }
            at++;
            StringBuilder value = new StringBuilder();
            for (int i = 1; i < written.length() - 1; i++) {
                char c = written.charAt(i);
                if (c == quote) {
                    i++;
                } else if (c == '\\') {
                    c = written.charAt(++i);
                    if (c == '%' || c == '_') {
                        value.append('\\');
                    }
                }
                value.append(c);
            }
            return value.toString();
        }

        private SyntaxException here() {
            return new SyntaxException(
                    at < tokens.size() ? text.substring(tokens.at(at).start()) : "");
        }
    }
}
