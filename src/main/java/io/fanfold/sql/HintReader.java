package io.fanfold.sql;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Reads the hints for Fanfold in an optimizer hint comment: {@code PARALLEL}, {@code PARALLEL(n)}, {@code NO_PARALLEL},
 * and the {@link HintWord}s, in any case, alone or with hints for the server. NO_PARALLEL takes precedence over PARALLEL,
 * the first PARALLEL over later ones. An instance reads one comment once.
 */
final class HintReader {
    private static final int MAX_DEGREE = 100_000;

    /** The hints for variables and threads of the server. */
    private static final Set<String> SETTINGS = Set.of("set_var", "resource_group");

    private static final String TIME_LIMIT = "max_execution_time";

    private final String sql;
    private final TextRange comment;
    private final int end;
    private final List<TextRange> spans = new ArrayList<>();
    private Hint hint = new Hint.None();
    private final Set<HintWord> words = EnumSet.noneOf(HintWord.class);
    private boolean others;
    private int at;

    private HintReader(String sql, TextRange comment) {
        this.sql = sql;
        this.comment = comment;
        at = comment.start() + "/*+".length();
        end = comment.end() - "*/".length();
    }

    /**
     * The hints of a comment.
     *
     * @param hint the hint
     * @param words those without arguments
     * @param spans the text that the server does not get: the whole comment if nothing else is in it, else the hints
     */
    record Hints(Hint hint, Set<HintWord> words, List<TextRange> spans) {}

    static Hints read(String sql, Optional<TextRange> comment) throws RefusedException {
        return comment.isPresent()
                ? new HintReader(sql, comment.get()).run()
                : new Hints(new Hint.None(), Set.of(), List.of());
    }

    /**
     * Whether hints for the server may change more than the plan. The name of such a hint counts anywhere in the text:
     * a parenthesis in a quoted name can make the reader take a hint for an argument.
     */
    static boolean changeMore(String hints) {
        String text = TokenList.asciiLower(hints);
        return text.contains(TIME_LIMIT) || SETTINGS.stream().anyMatch(text::contains);
    }

    private Hints run() throws RefusedException {
        while (at < end) {
            int start = at;
            if (!wordCharacter(sql.charAt(at))) {
                others |= sql.charAt(at) > ' ' && sql.charAt(at) != ',';
                at++;
                continue;
            }
            while (at < end && wordCharacter(sql.charAt(at))) {
                at++;
            }
            word(start, TokenList.asciiLower(sql.substring(start, at)));
        }
        if (!others && !spans.isEmpty()) {
            return new Hints(hint, words, List.of(comment));
        }
        return new Hints(hint, words, spans);
    }

    private void word(int start, String word) throws RefusedException {
        Optional<TextRange> argument = argument();
        switch (word) {
            case "no_parallel" -> {
                hint = new Hint.NoParallel();
                spans.add(new TextRange(start, at));
            }
            case "parallel" -> {
                Optional<Integer> degree =
                        argument.isPresent() ? Optional.of(degree(argument.get())) : Optional.empty();
                if (hint instanceof Hint.None) {
                    hint = new Hint.Parallel(degree);
                }
                spans.add(new TextRange(start, at));
            }
            default -> {
                Optional<HintWord> known = known(word);
                if (known.isPresent()) {
                    words.add(known.get());
                    spans.add(new TextRange(start, at));
                    return;
                }
                if (SETTINGS.contains(word)) {
                    throw RefusedException.at(Reason.UNSUPPORTED_SYNTAX, "the hint " + word, start);
                }
                others = true;
            }
        }
    }

    private static Optional<HintWord> known(String word) {
        return Arrays.stream(HintWord.values())
                .filter(each -> TokenList.asciiLower(each.name()).equals(word))
                .findFirst();
    }

    /** Returns the text in the following parentheses, without these, and moves past them. */
    private Optional<TextRange> argument() throws RefusedException {
        int open = at;
        while (open < end && sql.charAt(open) <= ' ') {
            open++;
        }
        if (open >= end || sql.charAt(open) != '(') {
            return Optional.empty();
        }
        int depth = 0;
        for (int i = open; i < end; i++) {
            depth += sql.charAt(i) == '(' ? 1 : sql.charAt(i) == ')' ? -1 : 0;
            if (depth == 0) {
                at = i + 1;
                return Optional.of(new TextRange(open + 1, i));
            }
        }
        throw RefusedException.at(Reason.LEXER_REFUSED, "a hint's parenthesis without end", open);
    }

    private int degree(TextRange argument) throws RefusedException {
        String text = argument.of(sql).strip();
        if (!text.isEmpty() && text.length() <= 6 && text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            int degree = Integer.parseInt(text);
            if (degree >= 1 && degree <= MAX_DEGREE) {
                return degree;
            }
        }
        throw RefusedException.at(
                Reason.HINT, "a degree that is no number from 1 to " + MAX_DEGREE + ": " + text, argument.start());
    }

    private static boolean wordCharacter(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_';
    }
}
