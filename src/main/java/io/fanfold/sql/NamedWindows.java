package io.fanfold.sql;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Replaces the names of windows by their definitions, so that no other class has to know WINDOW clauses. An instance
 * reads one statement once.
 *
 * <pre>
 * SELECT RANK() OVER w FROM t WINDOW w AS (ORDER BY a)   is read as   SELECT RANK() OVER (ORDER BY a) FROM t
 * OVER (w ORDER BY b) and WINDOW w AS (PARTITION BY a)   is read as   OVER (PARTITION BY a ORDER BY b)
 * </pre>
 */
final class NamedWindows {
    private static final Set<String> SET_OPERATIONS = Set.of("UNION", "INTERSECT", "EXCEPT");

    private static final Set<String> FRAME = Set.of("ROWS", "RANGE", "GROUPS");

    /** Words that a window without a base window may begin with. */
    private static final Set<String> BEGIN = Set.of("PARTITION", "ORDER", "ROWS", "RANGE", "GROUPS");

    private final TokenList list;

    /** For each token, the number of the innermost query that it belongs to. */
    private final int[] queries;

    private final List<Edit> edits = new ArrayList<>();

    /**
     * A window as written.
     *
     * @param base the name of its base window
     * @param text the text between its parentheses, without that name
     * @param partition whether it has a PARTITION BY clause of its own
     * @param order whether it has an ORDER BY clause of its own
     * @param frame whether it has a frame of its own
     */
    private record Window(Optional<Token> base, String text, boolean partition, boolean order, boolean frame) {}

    /** A part of the text and its replacement. */
    private record Edit(TextRange span, String text) {}

    private NamedWindows(TokenList list) {
        this.list = list;
        this.queries = new int[list.size()];
    }

    /**
     * Returns the text without WINDOW clauses.
     *
     * @param list a whole statement
     * @return empty if there is no such clause
     * @throws RefusedException if a window is unknown or defined twice, or may not be based on its base window
     */
    static Optional<String> inlined(TokenList list) throws RefusedException {
        return new NamedWindows(list).inlined();
    }

    private Optional<String> inlined() throws RefusedException {
        distinguishQueries();
        Map<Integer, Map<String, Window>> windows = new HashMap<>();
        for (int i = 0; i < list.size(); i++) {
            if (list.at(i).is("WINDOW") && begins(i + 1)) {
                clause(i, windows.computeIfAbsent(queries[i], query -> new HashMap<>()));
            }
        }
        if (windows.isEmpty()) {
            return Optional.empty();
        }
        for (int i = 1; i + 1 < list.size(); i++) {
            if (list.at(i).is("OVER") && list.at(i - 1).symbol(")")) {
                over(i + 1, windows.getOrDefault(queries[i], Map.of()));
            }
        }
        edits.sort(Comparator.comparingInt(edit -> -edit.span().start()));
        StringBuilder text = new StringBuilder(list.sql());
        edits.forEach(edit -> text.replace(edit.span().start(), edit.span().end(), edit.text()));
        return Optional.of(text.toString());
    }

    /** Reads the name or the window after OVER. A window may have a base window. */
    private void over(int at, Map<String, Window> windows) throws RefusedException {
        Token first = list.at(at);
        if (first.named()) {
            edits.add(new Edit(first.span(), "(" + named(name(first), first, windows, Set.of()) + ")"));
        } else if (first.symbol("(") && list.closing(at) > 0) {
            Window window = window(at);
            if (window.base().isPresent()) {
                String text = "(" + whole(window, windows, Set.of()) + ")";
                edits.add(new Edit(list.span(at, list.closing(at) + 1), text));
            }
        }
    }

    private String name(Token token) {
        return TokenList.asciiLower(token.name(list.sql()));
    }

    /** Returns the text between the parentheses of a named window. */
    private String named(String name, Token reference, Map<String, Window> windows, Set<String> above)
            throws RefusedException {
        Window window = windows.get(name);
        if (window == null || above.contains(name)) {
            throw RefusedException.at(Reason.UNSUPPORTED_SYNTAX, "an unknown window", reference.start());
        }
        Set<String> path = new HashSet<>(above);
        path.add(name);
        return whole(window, windows, path);
    }

    /**
     * Returns the text of a window with the parts that it inherits. A part that must not be inherited or repeated is
     * refused, because a text that is invalid for the server must not become a valid window.
     */
    private String whole(Window window, Map<String, Window> windows, Set<String> above) throws RefusedException {
        if (window.base().isEmpty()) {
            return window.text();
        }
        Token reference = window.base().get();
        Window base = windows.get(name(reference));
        if (base != null && (base.frame() || window.partition() || window.order() && ordered(base, windows, above))) {
            throw RefusedException.at(
                    Reason.UNSUPPORTED_SYNTAX, "a window that says again what another says", reference.start());
        }
        String text = named(name(reference), reference, windows, above);
        return window.text().isEmpty() || text.isEmpty() ? text + window.text() : text + " " + window.text();
    }

    private boolean ordered(Window window, Map<String, Window> windows, Set<String> above) {
        Window base = window.base()
                .map(this::name)
                .filter(name -> !above.contains(name))
                .map(windows::get)
                .orElse(null);
        Set<String> path = new HashSet<>(above);
        window.base().map(this::name).ifPresent(path::add);
        return window.order() || base != null && ordered(base, windows, path);
    }

    /** Returns the window whose opening parenthesis is at that token. */
    private Window window(int open) {
        int close = list.closing(open);
        Token first = list.at(open + 1);
        boolean based = first.named() && !(first.kind() == Token.TokenKind.WORD && BEGIN.contains(first.text()));
        boolean partition = false;
        boolean order = false;
        boolean frame = false;
        int depth = 0;
        for (int i = open + 1; i < close; i++) {
            Token token = list.at(i);
            depth += token.symbol("(") ? 1 : token.symbol(")") ? -1 : 0;
            if (depth == 0 && token.kind() == Token.TokenKind.WORD) {
                partition |= token.is("PARTITION");
                order |= token.is("ORDER");
                frame |= FRAME.contains(token.text());
            }
        }
        int from = based ? open + 2 : open + 1;
        // without a comment after it, which might contain a line end
        String text = from < close ? list.span(from, close).of(list.sql()) : "";
        return new Window(based ? Optional.of(first) : Optional.empty(), text, partition, order, frame);
    }

    private void distinguishQueries() {
        Deque<Integer> open = new ArrayDeque<>(List.of(0));
        int last = 0;
        for (int i = 0; i < list.size(); i++) {
            Token token = list.at(i);
            if (token.symbol("(")) {
                open.push(opensQuery(i) ? ++last : open.element());
            } else if (token.symbol(")") && open.size() > 1) {
                open.pop();
            } else if (token.kind() == Token.TokenKind.WORD && SET_OPERATIONS.contains(token.text())) {
                open.pop();
                open.push(++last);
            }
            queries[i] = open.element();
        }
    }

    private boolean opensQuery(int parenthesis) {
        int first = parenthesis;
        while (list.at(first).symbol("(")) {
            first++;
        }
        return list.at(first).is("SELECT") || list.at(first).is("WITH");
    }

    /** Whether a definition {@code name AS (} begins there. */
    private boolean begins(int at) {
        return list.at(at).named()
                && list.at(at + 1).is("AS")
                && list.at(at + 2).symbol("(");
    }

    /** Reads a clause and removes it from the text. */
    private void clause(int keyword, Map<String, Window> windows) throws RefusedException {
        int at = keyword;
        do {
            int open = at + 3;
            int close = list.closing(open);
            Token name = list.at(at + 1);
            if (close < 0 || windows.containsKey(name(name))) {
                throw RefusedException.at(Reason.UNSUPPORTED_SYNTAX, "the window " + name(name), name.start());
            }
            windows.put(name(name), window(open));
            at = close + 1;
        } while (list.at(at).symbol(",") && begins(at + 1));
        for (Window window : windows.values()) {
            // even if no function uses it, because the server would refuse it
            whole(window, windows, Set.of());
        }
        edits.add(new Edit(list.span(keyword, at), " "));
    }
}
