package io.fanfold.sql;

import io.fanfold.metrics.Reason;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Writes named windows where their names stand, so that nothing else has to know of WINDOW clauses. An instance reads one
 * statement once.
 *
 * <pre>
 * SELECT RANK() OVER w FROM t WINDOW w AS (ORDER BY a)   is read as   SELECT RANK() OVER (ORDER BY a) FROM t
 * </pre>
 */
final class NamedWindows {
    private static final Set<String> SET_OPERATIONS = Set.of("UNION", "INTERSECT", "EXCEPT");

    /** What a window may begin with that is not based on another one. */
    private static final Set<String> BEGIN = Set.of("PARTITION", "ORDER", "ROWS", "RANGE");

    private final TokenList list;

    /** For each token the number of the query that it stands in, without the queries inside it. */
    private final int[] queries;

    private final List<Edit> edits = new ArrayList<>();

    /** A part of the text and what it becomes. */
    private record Edit(Span span, String text) {}

    private NamedWindows(TokenList list) {
        this.list = list;
        this.queries = new int[list.size()];
    }

    /**
     * The text without WINDOW clauses.
     *
     * @param list a whole statement
     * @return empty when there is no such clause
     * @throws Refusal when a window is based on another, or two have one name
     */
    static Optional<String> inlined(TokenList list) throws Refusal {
        return new NamedWindows(list).inlined();
    }

    private Optional<String> inlined() throws Refusal {
        tellQueriesApart();
        Map<Integer, Map<String, String>> windows = new HashMap<>();
        for (int i = 0; i < list.size(); i++) {
            if (list.at(i).is("WINDOW") && begins(i + 1)) {
                clause(i, windows.computeIfAbsent(queries[i], query -> new HashMap<>()));
            }
        }
        if (windows.isEmpty()) {
            return Optional.empty();
        }
        for (int i = 1; i + 1 < list.size(); i++) {
            Token name = list.at(i + 1);
            if (list.at(i).is("OVER") && list.at(i - 1).symbol(")") && name.named()) {
                String window =
                        windows.getOrDefault(queries[i], Map.of()).get(TokenList.asciiLower(name.name(list.sql())));
                if (window == null) {
                    throw Refusal.at(Reason.UNSUPPORTED_SYNTAX, "an unknown window", name.start());
                }
                edits.add(new Edit(name.span(), window));
            }
        }
        edits.sort(Comparator.comparingInt(edit -> -edit.span().start()));
        StringBuilder text = new StringBuilder(list.sql());
        edits.forEach(edit -> text.replace(edit.span().start(), edit.span().end(), edit.text()));
        return Optional.of(text.toString());
    }

    private void tellQueriesApart() {
        Deque<Integer> open = new ArrayDeque<>(List.of(0));
        int last = 0;
        for (int i = 0; i < list.size(); i++) {
            Token token = list.at(i);
            if (token.symbol("(")) {
                open.push(opensQuery(i) ? ++last : open.element());
            } else if (token.symbol(")") && open.size() > 1) {
                open.pop();
            } else if (token.kind() == Token.Kind.WORD && SET_OPERATIONS.contains(token.text())) {
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

    /** Reads a clause, and takes it out of the text. */
    private void clause(int keyword, Map<String, String> windows) throws Refusal {
        int at = keyword;
        do {
            int open = at + 3;
            Token first = list.at(open + 1);
            int close = list.closing(open);
            boolean own = first.symbol(")") || first.kind() == Token.Kind.WORD && BEGIN.contains(first.text());
            String name = TokenList.asciiLower(list.at(at + 1).name(list.sql()));
            if (close < 0 || !own || windows.containsKey(name)) {
                throw Refusal.at(Reason.UNSUPPORTED_SYNTAX, "the window " + name, first.start());
            }
            windows.put(name, list.span(open, close + 1).of(list.sql()));
            at = close + 1;
        } while (list.at(at).symbol(",") && begins(at + 1));
        edits.add(new Edit(list.span(keyword, at), " "));
    }
}
