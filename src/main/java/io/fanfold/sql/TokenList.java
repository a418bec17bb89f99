package io.fanfold.sql;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A statement's text and its tokens, without comments and closing semicolon. Immutable.
 *
 * @param sql the text
 * @param tokens its tokens in order
 * @param hints the optimizer hint comments directly after a SELECT, in order of position
 */
record TokenList(String sql, List<Token> tokens, List<TextRange> hints) {
    /** The token before the first and after the last one. */
    private static final Token NONE = new Token(Token.TokenKind.SYMBOL, 0, 0, "");

    TokenList {
        tokens = List.copyOf(tokens);
        hints = List.copyOf(hints);
    }

    /** Returns the optimizer hint comment directly after the SELECT that is the first token. */
    Optional<TextRange> hint() {
        return hints.stream()
                .filter(hint -> at(0).end() <= hint.start() && hint.end() <= at(1).start())
                .findFirst();
    }

    /** Returns some of these tokens with the same text. */
    TokenList part(int from, int to) {
        return new TokenList(sql, tokens.subList(from, to), hints);
    }

    /** Returns the token at an index, or one without text if there is none. */
    Token at(int index) {
        return index >= 0 && index < tokens.size() ? tokens.get(index) : NONE;
    }

    int size() {
        return tokens.size();
    }

    /** Returns the index of the token that starts at a position, -1 if there is none. */
    int startingAt(int position) {
        int low = 0;
        int high = tokens.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int start = tokens.get(middle).start();
            if (start == position) {
                return middle;
            }
            if (start < position) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -1;
    }

    /** Returns the index after the last token that ends at or before a position. */
    int endingBy(int position) {
        int index = startingAt(position);
        if (index >= 0) {
            return index;
        }
        int count = 0;
        int high = tokens.size();
        while (count < high) {
            int middle = (count + high) >>> 1;
            if (tokens.get(middle).end() <= position) {
                count = middle + 1;
            } else {
                high = middle;
            }
        }
        return count;
    }

    /** Returns the index of the parenthesis that closes the one at an index, -1 if there is none. */
    int closing(int open) {
        int depth = 0;
        for (int i = open; i < size(); i++) {
            depth += at(i).symbol("(") ? 1 : at(i).symbol(")") ? -1 : 0;
            if (depth == 0) {
                return i;
            }
        }
        return -1;
    }

    /** Returns the span from the start of one token to the end of the one before {@code to}. */
    TextRange span(int from, int to) {
        return new TextRange(at(from).start(), at(to - 1).end());
    }

    /**
     * Returns the tokens joined by blanks in a form in which equal texts are equal expressions. Names and keywords are
     * in lower case (a-z only). Quotes of identifiers are dropped if the name could mean nothing else without them.
     */
    String normalised(int from, int to, WordLists words) {
        StringBuilder text = new StringBuilder();
        for (int i = from; i < to; i++) {
            if (i > from) {
                text.append(' ');
            }
            Token token = at(i);
            switch (token.kind()) {
                case WORD, NAME -> text.append(asciiLower(token.name(sql)));
                case QUOTED -> {
                    String name = asciiLower(token.text());
                    text.append(
                            plain(name) && !words.reserved(name.toUpperCase(Locale.ROOT)) ? name : "`" + name + "`");
                }
                default -> text.append(token.text());
            }
        }
        return text.toString();
    }

    private static boolean plain(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (!(c >= 'a' && c <= 'z'
                    || c == '_'
                    || c > 0x7f && Character.isLetter(c)
                    || i > 0 && c >= '0' && c <= '9')) {
                return false;
            }
        }
        return true;
    }

    static String asciiLower(String text) {
        char[] chars = text.toCharArray();
        for (int i = 0; i < chars.length; i++) {
            if (chars[i] >= 'A' && chars[i] <= 'Z') {
                chars[i] = (char) (chars[i] + ('a' - 'A'));
            }
        }
        return new String(chars);
    }
}
