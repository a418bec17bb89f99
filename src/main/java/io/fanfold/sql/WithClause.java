package io.fanfold.sql;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The tokens of a WITH clause: {@code WITH name [(column, ...)] AS (query), ...}. Immutable.
 *
 * @param elements its elements in order
 * @param end the index of the token after it
 */
record WithClause(List<Element> elements, int end) {
    private static final int MAX_ELEMENTS = 16;

    WithClause {
        elements = List.copyOf(elements);
    }

    /**
     * One common table expression.
     *
     * @param columns the column names after its own name, a-z in lower case
     * @param body the span of its query
     */
    record Element(String name, Optional<List<String>> columns, TextRange body) {}

    /** Reads the clause from the tokens of a statement that begins with WITH. */
    static WithClause read(TokenList list, NameGuard guard) throws RefusedException {
        if (list.at(1).is("RECURSIVE")) {
            throw RefusedException.at(
                    Reason.UNSUPPORTED_SYNTAX, "WITH RECURSIVE", list.at(0).start());
        }
        List<Element> elements = new ArrayList<>();
        Set<String> names = new HashSet<>();
        int at = 0;
        do {
            Token name = list.at(++at);
            if (!name.named()) {
                throw unexpected(name);
            }
            guard.check(name);
            if (!names.add(TokenList.asciiLower(name.name(list.sql())))) {
                throw RefusedException.at(Reason.AMBIGUOUS_NAME, "a second " + name.text() + " in WITH", name.start());
            }
            at++;
            Optional<List<String>> columns = Optional.empty();
            if (list.at(at).symbol("(")) {
                int close = list.closing(at);
                columns = Optional.of(columns(list, at, close, guard));
                at = close + 1;
            }
            int open = at + 1;
            int close = list.at(at).is("AS") && list.at(open).symbol("(") ? list.closing(open) : -1;
            if (close <= open + 1) {
                throw unexpected(list.at(at));
            }
            elements.add(new Element(name.name(list.sql()), columns, list.span(open + 1, close)));
            at = close + 1;
        } while (list.at(at).symbol(","));
        if (elements.size() > MAX_ELEMENTS) {
            throw new RefusedException(Reason.SUBQUERY, "too many common table expressions");
        }
        return new WithClause(elements, at);
    }

    private static List<String> columns(TokenList list, int open, int close, NameGuard guard) throws RefusedException {
        List<String> names = new ArrayList<>();
        for (int at = open + 1; at <= close; at += 2) {
            Token name = list.at(at);
            Token after = list.at(at + 1);
            if (!name.named() || !after.symbol(at + 1 == close ? ")" : ",")) {
                throw unexpected(name);
            }
            guard.check(name);
            names.add(TokenList.asciiLower(name.name(list.sql())));
        }
        return names;
    }

    private static RefusedException unexpected(Token token) {
        return RefusedException.at(Reason.UNSUPPORTED_SYNTAX, "in the WITH clause " + token.text(), token.start());
    }
}
