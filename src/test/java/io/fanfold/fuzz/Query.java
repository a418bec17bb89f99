package io.fanfold.fuzz;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A SELECT block. Immutable.
 *
 * @param modifiers hints and keywords between SELECT and the list
 * @param distinct whether the list is preceded by DISTINCT
 * @param items the select list
 * @param sources the FROM clause
 * @param where conditions, joined by AND
 * @param groups the GROUP BY clause
 * @param rollup whether it is followed by WITH ROLLUP
 * @param having conditions, joined by AND
 * @param window the definition of the named window w, "" for none
 * @param orders the ORDER BY clause
 * @param limit null for none
 */
record Query(
        List<String> modifiers,
        boolean distinct,
        List<Item> items,
        List<Source> sources,
        List<Expr> where,
        List<Term> groups,
        boolean rollup,
        List<Expr> having,
        String window,
        List<Term> orders,
        @Nullable Limit limit)
        implements Statement {
    Query {
        modifiers = List.copyOf(modifiers);
        items = List.copyOf(items);
        sources = List.copyOf(sources);
        where = List.copyOf(where);
        groups = List.copyOf(groups);
        having = List.copyOf(having);
        orders = List.copyOf(orders);
    }

    /** Returns a query for one expression over the rows of one source. */
    static Query of(Expr shown, Source source, List<Expr> where) {
        return new Query(
                List.of(),
                false,
                List.of(new Item(shown, "")),
                List.of(source),
                where,
                List.of(),
                false,
                List.of(),
                "",
                List.of(),
                null);
    }

    @Override
    public String sql() {
        StringBuilder sql = new StringBuilder();
        List<Source> common = sources.stream().filter(Source::common).toList();
        if (!common.isEmpty()) {
            sql.append("WITH ")
                    .append(common.stream()
                            .map(source -> source.name() + " AS (" + text(source.derived()) + ")")
                            .collect(Collectors.joining(", ")))
                    .append(' ');
        }
        sql.append("SELECT ");
        modifiers.forEach(modifier -> sql.append(modifier).append(' '));
        sql.append(distinct ? "DISTINCT " : "")
                .append(items.stream().map(Item::sql).collect(Collectors.joining(", ")))
                .append(" FROM ");
        for (Source source : sources) {
            sql.append(sql.charAt(sql.length() - 1) == ' ' || source.join().equals(",") ? "" : " ")
                    .append(source.sql());
        }
        sql.append(conditions(" WHERE ", where));
        if (!groups.isEmpty()) {
            sql.append(" GROUP BY ")
                    .append(groups.stream().map(term -> term.sql(items)).collect(Collectors.joining(", ")))
                    .append(rollup ? " WITH ROLLUP" : "");
        }
        sql.append(conditions(" HAVING ", having)).append(window.isEmpty() ? "" : " WINDOW w AS (" + window + ")");
        if (!orders.isEmpty()) {
            sql.append(" ORDER BY ")
                    .append(orders.stream().map(term -> term.sql(items)).collect(Collectors.joining(", ")));
        }
        return sql.append(limit == null ? "" : limit.sql()).toString();
    }

    private static String text(@Nullable Statement statement) {
        return statement == null ? "" : statement.sql();
    }

    private static String conditions(String word, List<Expr> conditions) {
        return conditions.isEmpty()
                ? ""
                : word + conditions.stream().map(Expr::sql).collect(Collectors.joining(" AND "));
    }

    @Override
    public Query unlimited() {
        return withLimit(null);
    }

    @Override
    public Expectation expectation() {
        return new Soundness(this).expectation();
    }

    /** Whether its rows are groups, including a single group of all rows. */
    boolean aggregated() {
        List<Expr> all = new ArrayList<>();
        items.forEach(item -> all.add(item.expr()));
        all.addAll(having);
        orders.forEach(term -> all.add(term.expr()));
        return !groups.isEmpty() || all.stream().anyMatch(expr -> expr.holds(Expr.Role.AGGREGATE));
    }

    Query withModifiers(List<String> changed) {
        return new Query(changed, distinct, items, sources, where, groups, rollup, having, window, orders, limit);
    }

    Query withDistinct(boolean changed) {
        return new Query(modifiers, changed, items, sources, where, groups, rollup, having, window, orders, limit);
    }

    Query withItems(List<Item> changed) {
        return new Query(modifiers, distinct, changed, sources, where, groups, rollup, having, window, orders, limit);
    }

    Query withSources(List<Source> changed) {
        return new Query(modifiers, distinct, items, changed, where, groups, rollup, having, window, orders, limit);
    }

    Query withWhere(List<Expr> changed) {
        return new Query(modifiers, distinct, items, sources, changed, groups, rollup, having, window, orders, limit);
    }

    Query withGroups(List<Term> changed, boolean rolledUp) {
        return new Query(modifiers, distinct, items, sources, where, changed, rolledUp, having, window, orders, limit);
    }

    Query withHaving(List<Expr> changed) {
        return new Query(modifiers, distinct, items, sources, where, groups, rollup, changed, window, orders, limit);
    }

    Query withWindow(String changed) {
        return new Query(modifiers, distinct, items, sources, where, groups, rollup, having, changed, orders, limit);
    }

    Query withOrders(List<Term> changed) {
        return new Query(modifiers, distinct, items, sources, where, groups, rollup, having, window, changed, limit);
    }

    Query withLimit(@Nullable Limit changed) {
        return new Query(modifiers, distinct, items, sources, where, groups, rollup, having, window, orders, changed);
    }
}
