package io.fanfold.sql;

import io.fanfold.metrics.Reason;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The common table expressions that a table's name may mean at one place of a statement. Immutable.
 *
 * @param text the WITH clause up to that place; empty without one
 * @param known those that stand before that place, in order
 * @param hidden the names, a-z in lower case, of those that do not: their meaning there is not looked into
 */
record CteScope(String text, List<Cte> known, Set<String> hidden) {
    /** Without any. */
    static final CteScope NONE = new CteScope("", List.of(), Set.of());

    CteScope {
        known = List.copyOf(known);
        hidden = Set.copyOf(hidden);
    }

    /**
     * A common table expression.
     *
     * @param query what it stands for; its text lies in the statement
     * @param columns its columns' names as they are seen, a-z in lower case; empty when a star hides them
     */
    record Cte(String name, InnerQuery query, Optional<List<String>> columns) {}

    /**
     * The common table expression that a name without a database means. Whether servers tell names apart by case depends
     * on their settings, so names that differ in nothing else are refused.
     */
    Optional<Cte> find(Token name, String sql) throws Refusal {
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

    private static Refusal ambiguous(Token name) {
        return Refusal.at(Reason.AMBIGUOUS_NAME, "a common table expression or a table: " + name.text(), name.start());
    }
}
