package io.fanfold.sql;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The common table expressions that a table's name may mean at one place of a statement. Immutable.
 *
 * @param text the WITH clause up to that place; empty without one
 * @param known those defined before that place, in order
 * @param hidden the names, a-z in lower case, of those defined later, which must not be used there
 */
record CteScope(String text, List<Cte> known, Set<String> hidden) {
    static final CteScope NONE = new CteScope("", List.of(), Set.of());

    CteScope {
        known = List.copyOf(known);
        hidden = Set.copyOf(hidden);
    }

    /**
     * A common table expression.
     *
     * @param query its query, whose text lies in the statement
     * @param columns its columns' visible names, a-z in lower case; empty if a star hides them
     */
    record Cte(String name, InnerQuery query, Optional<List<String>> columns) {}

    /**
     * Returns the common table expression that a name without a database means. Whether names are case-sensitive
     * depends on the server's settings, so names that differ only in case are refused.
     */
    Optional<Cte> find(Token name, String sql) throws RefusedException {
        String written = name.name(sql);
        String lower = TokenList.asciiLower(written);
        for (Cte cte : known) {
            if (cte.name().equals(written)) {
                return Optional.of(cte);
            }
            if (TokenList.asciiLower(cte.name()).equals(lower)) {
                throw ambiguous(name);
            }
        }
        if (hidden.contains(lower)) {
            throw ambiguous(name);
        }
        return Optional.empty();
    }

    private static RefusedException ambiguous(Token name) {
        return RefusedException.at(
                Reason.AMBIGUOUS_NAME, "a common table expression or a table: " + name.text(), name.start());
    }
}
