package io.fanfold.sql;

import io.fanfold.sql.BoundText.ParameterPlace;
import io.fanfold.wire.ServerFlavor;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Finds the places of parameters in a text, and the queries that probe the columns beside them. For one thread. */
final class ParameterReader {
    private static final Set<String> COMPARISONS = Set.of("=", "<>", "!=", "<", ">", "<=", ">=", "<=>");

    /** Tokens that may precede a condition. */
    private static final Set<String> BEFORE = Set.of("WHERE", "ON", "AND", "OR", "NOT", "(");

    /** Tokens that may follow a condition, none of which continues it. */
    private static final Set<String> AFTER = Set.of(
            "",
            "AND",
            "OR",
            ")",
            "GROUP",
            "ORDER",
            "HAVING",
            "LIMIT",
            "WINDOW",
            "UNION",
            "INTERSECT",
            "EXCEPT",
            "WHERE",
            "JOIN",
            "INNER",
            "LEFT",
            "RIGHT",
            "CROSS",
            "STRAIGHT_JOIN");

    /** Clauses in which names may mean other things than columns of the FROM clause. */
    private static final Set<String> OTHER_CLAUSES = Set.of("SELECT", "HAVING", "BY", "WINDOW", "OVER", "LIMIT");

    private static final Set<String> AFTER_FROM =
            Set.of("WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "WINDOW", "UNION", "INTERSECT", "EXCEPT");

    /**
     * MySQL accepts it only after a column of utf8mb4. It compares other columns with a parameter differently than
     * with a literal.
     */
    private static final String ALL_CHARACTERS = " COLLATE utf8mb4_bin";

    /**
     * A SELECT of columns.
     *
     * @param columns grows
     * @param unicode whether it tests the columns' character sets
     */
    private record Probe(String with, List<String> columns, String from, boolean unicode) {}

    private final TokenList list;
    private final ServerFlavor flavor;
    private final List<Integer> parameters;
    private final List<String> literals;

    private final List<Probe> probes = new ArrayList<>();

    ParameterReader(TokenList list, ServerFlavor flavor, List<Integer> parameters, List<String> literals) {
        this.list = list;
        this.flavor = flavor;
        this.parameters = parameters;
        this.literals = literals;
    }

    BoundText bound() {
        List<ParameterPlace> places = parameters.stream().map(this::place).toList();
        List<String> selects = probes.stream()
                .map(probe -> probe.with() + "SELECT " + String.join(", ", probe.columns()) + " " + probe.from())
                .toList();
        return new BoundText(text(0, list.sql().length()), places, selects);
    }

    /** Returns a part of the text with the literals in it. */
    private String text(int from, int to) {
        StringBuilder text = new StringBuilder();
        int at = from;
        for (int i = 0; i < parameters.size(); i++) {
            Token token = list.at(parameters.get(i));
            if (token.start() >= from && token.end() <= to) {
                text.append(list.sql(), at, token.start()).append(literals.get(i));
                at = token.end();
            }
        }
        return text.append(list.sql(), at, to).toString();
    }

    private ParameterPlace place(int at) {
        if (limit(at)) {
            return new ParameterPlace.LimitParameter();
        }
        if (list.at(at + 1).is("IS")) {
            return tested(at);
        }
        boolean string = string(at);
        Token before = list.at(at - 1);
        if (before.kind() == Token.TokenKind.SYMBOL && COMPARISONS.contains(before.text())) {
            return column(at, at - 1, at + 1, false);
        }
        if (before.is("LIKE")) {
            return column(at, unnegated(at - 1), at + 1, true);
        }
        if (before.is("BETWEEN") && list.at(at + 1).is("AND")) {
            int end = after(at + 2, string);
            return end < 0 ? new ParameterPlace.Elsewhere() : column(at, unnegated(at - 1), end, false);
        }
        if (before.is("AND")) {
            int lower = start(at - 2, string);
            return lower >= 0 && list.at(lower - 1).is("BETWEEN")
                    ? column(at, unnegated(lower - 1), at + 1, false)
                    : new ParameterPlace.Elsewhere();
        }
        return listed(at, string);
    }

    /** Returns the place of a parameter that a condition of its own tests for NULL. */
    private ParameterPlace tested(int at) {
        int last = list.at(at + 2).is("NOT") ? at + 3 : at + 2;
        boolean condition = list.at(last).is("NULL") && begins(at) && ends(last + 1) && fromBefore(at) >= 0;
        return condition ? new ParameterPlace.Tested() : new ParameterPlace.Elsewhere();
    }

    /** Returns the place of a parameter in an IN list that has only literals of one kind. */
    private ParameterPlace listed(int at, boolean string) {
        int open = at;
        while (list.at(open - 1).symbol(",") && start(open - 2, string) >= 0) {
            open = start(open - 2, string);
        }
        int end = at + 1;
        while (list.at(end).symbol(",") && after(end + 1, string) >= 0) {
            end = after(end + 1, string);
        }
        boolean list = this.list.at(open - 1).symbol("(")
                && this.list.at(open - 2).is("IN")
                && this.list.at(end).symbol(")");
        return list ? column(at, unnegated(open - 2), end + 1, false) : new ParameterPlace.Elsewhere();
    }

    /** Returns the start of an operator, including a NOT before it. */
    private int unnegated(int operator) {
        return list.at(operator - 1).is("NOT") ? operator - 1 : operator;
    }

    /** Whether a literal is a string; for a parameter, its bound literal. */
    private boolean string(int at) {
        int parameter = parameters.indexOf(at);
        return parameter >= 0
                ? literals.get(parameter).endsWith("'")
                : list.at(at).kind() == Token.TokenKind.STRING;
    }

    private boolean literal(int at, boolean string) {
        Token token = list.at(at);
        boolean any =
                token.kind() == Token.TokenKind.NUMBER || token.kind() == Token.TokenKind.STRING || token.symbol("?");
        return any && string(at) == string;
    }

    /** Returns the start of the literal of that kind whose last token is {@code last}, -1 if there is none. */
    private int start(int last, boolean string) {
        if (!literal(last, string)) {
            return -1;
        }
        return list.at(last).kind() == Token.TokenKind.NUMBER
                        && list.at(last - 1).symbol("-")
                ? last - 1
                : last;
    }

    /** Returns the token after the literal of that kind that starts at {@code first}, -1 if there is none. */
    private int after(int first, boolean string) {
        boolean negative = list.at(first).symbol("-") && list.at(first + 1).kind() == Token.TokenKind.NUMBER;
        int last = negative ? first + 1 : first;
        return literal(last, string) ? last + 1 : -1;
    }

    /**
     * Returns the place of a parameter that is compared with a single column, in a condition that ends at
     * {@code end}.
     */
    private ParameterPlace column(int parameter, int operator, int end, boolean pattern) {
        int last = operator - 1;
        int first = last;
        while (list.at(first).named()
                && list.at(first - 1).symbol(".")
                && list.at(first - 2).named()) {
            first -= 2;
        }
        int from = list.at(last).named() && begins(first) && ends(end) ? fromBefore(first) : -1;
        return from < 0 ? new ParameterPlace.Elsewhere() : probed(parameter, first, last, from, pattern);
    }

    /** Whether a condition ends before a token. */
    private boolean ends(int end) {
        Token after = list.at(end);
        return (after.kind() == Token.TokenKind.WORD || after.kind() == Token.TokenKind.SYMBOL)
                && AFTER.contains(after.text());
    }

    /** Whether a condition begins with a token. */
    private boolean begins(int first) {
        Token before = list.at(first - 1);
        if (!opens(before)) {
            return false;
        }
        // neither a function's parenthesis nor that of a list, so the parenthesis holds a condition
        return before.symbol("(") ? opens(list.at(first - 2)) : !before.is("AND") || !ofBetween(first - 1);
    }

    private static boolean opens(Token token) {
        return token.symbol("(") || token.kind() == Token.TokenKind.WORD && BEFORE.contains(token.text());
    }

    /** Whether an AND belongs to a BETWEEN. */
    private boolean ofBetween(int and) {
        int ands = 0;
        for (int i = and - 1; i >= 0; i--) {
            Token token = list.at(i);
            if (token.symbol(")")) {
                i = opening(i);
            } else if (token.symbol("(")) {
                return false;
            } else if (token.is("AND")) {
                ands++;
            } else if (token.is("BETWEEN")) {
                // the first AND after it is its own
                return ands == 0;
            }
        }
        return false;
    }

    /** Returns the opening parenthesis of a closing one. */
    private int opening(int closing) {
        int depth = 0;
        for (int i = closing; i > 0; i--) {
            depth += list.at(i).symbol(")") ? 1 : list.at(i).symbol("(") ? -1 : 0;
            if (depth == 0) {
                return i;
            }
        }
        return 0;
    }

    /** Returns the FROM of the query whose WHERE or ON has the condition, -1 if it is elsewhere. */
    private int fromBefore(int first) {
        int from = first - 1;
        while (from > 0 && !list.at(from).is("FROM")) {
            Token token = list.at(from);
            if (token.kind() == Token.TokenKind.WORD && OTHER_CLAUSES.contains(token.text())) {
                return -1;
            }
            from = list.at(from).symbol(")") ? opening(from) - 1 : from - 1;
        }
        return from >= 0 && list.at(from).is("FROM") && !nestedWith() && from >= mainSelect() ? from : -1;
    }

    /** Adds a column to the probe of its query's tables. */
    private ParameterPlace probed(int parameter, int first, int last, int from, boolean pattern) {
        String with = list.at(0).is("WITH") ? text(0, list.at(mainSelect()).start()) : "";
        int to = endOfFrom(from);
        String clause = text(list.at(from).start(), list.at(to - 1).end());
        String column =
                list.sql().substring(list.at(first).start(), list.at(last).end());
        Probe probe = probe(with, clause, false);
        int at = put(probe, column);
        int unicode = -1;
        if (flavor.isMySql()
                && literals.get(parameters.indexOf(parameter)).chars().anyMatch(unit -> unit > 0x7f)) {
            Probe all = probe(with, clause, true);
            put(all, column + ALL_CHARACTERS);
            unicode = probes.indexOf(all);
        }
        return new ParameterPlace.ComparedParameter(probes.indexOf(probe), at, pattern, unicode);
    }

    private Probe probe(String with, String from, boolean unicode) {
        return probes.stream()
                .filter(other -> other.from().equals(from) && other.unicode() == unicode)
                .findFirst()
                .orElseGet(() -> {
                    probes.add(new Probe(with, new ArrayList<>(), from, unicode));
                    return probes.get(probes.size() - 1);
                });
    }

    private static int put(Probe probe, String column) {
        if (!probe.columns().contains(column)) {
            probe.columns().add(column);
        }
        return probe.columns().indexOf(column);
    }

    private int endOfFrom(int from) {
        int at = from + 1;
        while (at < list.size()) {
            Token token = list.at(at);
            if (token.symbol(")") || token.kind() == Token.TokenKind.WORD && AFTER_FROM.contains(token.text())) {
                return at;
            }
            int closing = token.symbol("(") ? list.closing(at) : at;
            at = closing < 0 ? list.size() : closing + 1;
        }
        return at;
    }

    /** Whether a query inside the statement has common table expressions of its own. */
    private boolean nestedWith() {
        for (int i = 1; i < list.size(); i++) {
            if (list.at(i).is("WITH") && !list.at(i + 1).is("ROLLUP")) {
                return true;
            }
        }
        return false;
    }

    /** Returns the start of the statement after its common table expressions, 0 if it has none. */
    private int mainSelect() {
        if (!list.at(0).is("WITH")) {
            return 0;
        }
        int at = 0;
        while (at < list.size() && !list.at(at).is("SELECT")) {
            int closing = list.at(at).symbol("(") ? list.closing(at) : at;
            at = closing < 0 ? list.size() : closing + 1;
        }
        return at;
    }

    private boolean limit(int at) {
        Token before = list.at(at - 1);
        if (before.is("LIMIT") || before.is("OFFSET")) {
            return true;
        }
        int count = start(at - 2, false);
        return before.symbol(",") && count >= 0 && list.at(count - 1).is("LIMIT");
    }
}
