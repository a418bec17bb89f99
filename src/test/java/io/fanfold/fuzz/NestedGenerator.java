package io.fanfold.fuzz;

import io.fanfold.fuzz.Expr.Role;
import io.fanfold.fuzz.FromWriter.From;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Generates subqueries, derived tables, common table expressions and windows. For one statement; not thread-safe. */
final class NestedGenerator {
    private final FuzzSchema schema;
    private final Dice dice;

    NestedGenerator(FuzzSchema schema, Dice dice) {
        this.schema = schema;
        this.dice = dice;
    }

    /** Returns a condition with a subquery on the rows of a table. */
    Expr condition(Source outer) {
        boolean wide = outer.unique().equals("id");
        String unique = outer.alias() + "." + outer.unique();
        Expr column = Expr.column(ValueType.of(Family.INT), unique, unique);
        FuzzTable table = dice.percent(50) ? dice.oneOf(schema.partitionedTables()) : schema.unpartitioned();
        Scope scope = new Scope(dice);
        Source source = scope.add(table, "sub");
        Expr id = Expr.column(ValueType.of(Family.INT), "sub.id", "sub.id");
        List<Expr> where = new ArrayList<>();
        where.add(Expr.column(ValueType.of(Family.INT), "sub.g", "sub.g"));
        int shape = wide ? dice.weighted(3, 2, 2, 2) : 3;
        Expr shown = id;
        if (shape == 1) {
            where.add(FromWriter.equal(id, column));
        } else if (shape >= 2) {
            Grammar.Production line = Grammar.Production.of(dice.oneOf("MAX({int})", "MIN({int})", "COUNT({int})"));
            shown = ExprWriter.make(
                    line, Role.AGGREGATE, Family.INT, List.of(scope.of(0, dice.oneOf("g", "i1", "id"))));
        }
        Query query = Query.of(shown, source, where);
        ValueType bool = ValueType.of(Family.BOOL);
        return switch (shape) {
            case 0 ->
                new Expr(
                        Role.SUBQUERY,
                        bool,
                        List.of("", dice.oneOf(" IN (", " NOT IN ("), ")"),
                        List.of(column, query),
                        "");
            case 1 ->
                new Expr(Role.SUBQUERY, bool, List.of(dice.oneOf("EXISTS (", "NOT EXISTS ("), ")"), List.of(query), "");
            default ->
                new Expr(
                        Role.SUBQUERY,
                        bool,
                        wide ? List.of("", dice.oneOf(" > (", " <= (", " <> ("), ")") : List.of("1 <= (", ")"),
                        wide ? List.of(column, query) : List.of(query),
                        "");
        };
    }

    /** Returns the groups with a subquery that is shown, or compared with the number of rows. */
    Query beside(Query groups) {
        FuzzTable table = dice.percent(40) ? dice.oneOf(schema.partitionedTables()) : schema.unpartitioned();
        Scope scope = new Scope(dice);
        Source source = scope.add(table, "sub");
        Grammar.Production line = Grammar.Production.of(dice.oneOf("MAX({int})", "MIN({int})", "COUNT({int})"));
        Expr value =
                ExprWriter.make(line, Role.AGGREGATE, Family.INT, List.of(scope.of(0, dice.oneOf("g", "i1", "id"))));
        Query query = Query.of(value, source, List.of());
        if (dice.percent(50)) {
            List<Item> items = new ArrayList<>(groups.items());
            ValueType type = ValueType.of(Family.INT);
            items.add(new Item(new Expr(Role.SUBQUERY, type, List.of("(", ")"), List.of(query), ""), "q1"));
            return groups.withItems(items);
        }
        List<Expr> having = new ArrayList<>(groups.having());
        having.add(new Expr(
                Role.SUBQUERY,
                ValueType.of(Family.BOOL),
                List.of(dice.oneOf("COUNT(*) <> (", "COUNT(*) <= (", "COUNT(*) NOT IN ("), ")"),
                List.of(query),
                ""));
        return groups.withHaving(having);
    }

    /** Returns a FROM clause with a statement as a derived table or a common table expression. */
    From derived(Query inner) {
        List<Item> items = new ArrayList<>();
        List<FuzzColumn> columns = new ArrayList<>();
        for (Item item : inner.items()) {
            String name = "c" + (items.size() + 1);
            items.add(new Item(item.expr(), name));
            columns.add(new FuzzColumn(name, "", item.expr().type(), 3));
        }
        boolean common = dice.percent(50);
        Query named = inner.withItems(items).withOrders(List.of()).withLimit(null);
        Source source = new Source("", common ? "cte" : "", common ? "cte" : "dt", List.of(), named, common, "");
        Scope scope = new Scope(dice);
        scope.add(source, columns);
        return new From(List.of(source), scope, List.of());
    }

    /** Returns the groups with an additional window function over them, ordered by all keys. */
    Query windowsOverGroups(Query groups) {
        String order = groups.groups().stream()
                .map(term -> term.expr().sql() + dice.oneOf("", " DESC"))
                .collect(Collectors.joining(", ", " ORDER BY ", ""));
        String function = dice.oneOf(
                "ROW_NUMBER()",
                "RANK()",
                "SUM(COUNT(*))",
                "COUNT(*)",
                "MAX(COUNT(*))",
                "AVG(COUNT(*))",
                "LAG(COUNT(*))");
        String first = groups.groups().get(0).expr().sql();
        return windowed(groups, function, dice.oneOf("", "PARTITION BY " + first) + order);
    }

    /** Returns a query with an additional window function at the end of its select list; the window may have a name. */
    private Query windowed(Query query, String function, String window) {
        boolean named = dice.percent(40);
        String over = named ? dice.oneOf(" OVER w", " OVER w", " OVER (w)") : " OVER (" + window + ")";
        List<Item> items = new ArrayList<>(query.items());
        items.add(new Item(
                new Expr(Role.WINDOW, ValueType.of(Family.INT), List.of(function + over), List.of(), ""), "w1"));
        return query.withItems(items).withWindow(named ? window : "");
    }

    /** Returns the rows with an additional window function over one total order. */
    Query windows(Query rows) {
        String alias = rows.sources().get(0).alias();
        String order = dice.oneOf(" ORDER BY ", " ORDER BY " + alias + ".g DESC, ") + alias + ".id";
        String function = dice.oneOf(
                "ROW_NUMBER()",
                "DENSE_RANK()",
                "SUM(" + alias + ".g)",
                "COUNT(*)",
                "MAX(" + alias + ".i4)",
                "AVG(" + alias + ".dec_s)",
                "MIN(" + alias + ".dt)",
                "LAG(" + alias + ".dec_m)",
                "LEAD(" + alias + ".v_bin, 2)",
                "FIRST_VALUE(" + alias + ".i8)");
        String partition = dice.oneOf("", "PARTITION BY " + alias + ".p");
        return windowed(rows, function, partition + order);
    }
}
