package io.fanfold.fuzz;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One element of FROM. Immutable.
 *
 * @param join the words before it, "" for the first
 * @param name the table as it is written, or the name of the common table expression
 * @param alias its alias, which qualifies its columns
 * @param on the join conditions, joined by AND; may be empty
 * @param derived the statement that produces its rows; null for a table
 * @param common whether {@code derived} is a common table expression
 * @param unique a column with unique values, "" if there is none
 */
record Source(
        String join,
        String name,
        String alias,
        List<Expr> on,
        @Nullable Statement derived,
        boolean common,
        String unique) {
    Source {
        on = List.copyOf(on);
    }

    static Source table(String name, String alias, String unique) {
        return new Source("", name, alias, List.of(), null, false, unique);
    }

    Source joined(String words, List<Expr> condition) {
        return new Source(words, name, alias, condition, derived, common, unique);
    }

    String sql() {
        String condition =
                on.isEmpty() ? "" : " ON " + on.stream().map(Expr::sql).collect(Collectors.joining(" AND "));
        String table = derived == null || common ? name : "(" + derived.sql() + ")";
        return join + (join.isEmpty() ? "" : " ") + table + (table.equals(alias) ? "" : " " + alias) + condition;
    }
}
