package io.fanfold.fuzz;

import io.fanfold.fuzz.FromWriter.From;
import io.fanfold.fuzz.Term.Form;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Generates one statement. Not thread-safe. */
final class BlockGenerator {
    private static final List<Family> KEY_FAMILIES = List.of(
            Family.INT,
            Family.INT,
            Family.INT,
            Family.INT,
            Family.TEXT,
            Family.TEXT,
            Family.TEXT,
            Family.DEC,
            Family.DATE,
            Family.DATETIME,
            Family.TIME,
            Family.BYTES,
            Family.DBL,
            Family.BOOL,
            Family.ODD);

    /** The longest alias in characters; MySQL truncates longer ones. */
    private static final int LONGEST_ALIAS = 256;

    private final Grammar grammar;
    private final Dice dice;
    private final ExprWriter writer;
    private final FromWriter froms;
    private final NestedGenerator nested;
    private final FuzzSchema schema;
    private final int stars;
    private boolean starJoin;
    private int aliases;

    /** @param stars the percentage of FROM clauses that are star joins, 0 to 100 */
    BlockGenerator(Grammar grammar, FuzzSchema schema, Dice dice, int stars) {
        this.grammar = grammar;
        this.schema = schema;
        this.stars = stars;
        this.dice = dice;
        this.writer = new ExprWriter(grammar, dice);
        this.froms = new FromWriter(schema, dice);
        this.nested = new NestedGenerator(schema, dice);
    }

    Statement statement() {
        return switch (dice.weighted(18, 38, 10, 13, 8, 13)) {
            case 0 -> aggregated(from(), 0);
            case 1 -> aggregated(from(), dice.between(1, dice.percent(80) ? 2 : 3));
            case 2 -> distinct(from());
            case 3 -> rows(from(), true);
            case 4 -> rows(from(), false);
            default -> other();
        };
    }

    /** Whether the generated statement contains a star join. */
    boolean starJoin() {
        return starJoin;
    }

    private From from() {
        if (dice.percent(stars)) {
            starJoin = true;
            return new StarWriter(schema, dice, writer).write();
        }
        return froms.write();
    }

    private Statement other() {
        return switch (dice.weighted(20, 20, 20, 12, 15, 15, 8, 8)) {
            case 0 -> {
                Query query = aggregated(from(), dice.between(1, 2)).withOrders(List.of());
                yield query.withLimit(null).withGroups(query.groups(), true);
            }
            case 1 -> {
                Query query = dice.percent(70) ? aggregated(from(), dice.between(0, 2)) : distinct(from());
                List<Expr> where = new ArrayList<>(query.where());
                where.add(nested.condition(query.sources().get(0)));
                yield query.withWhere(where);
            }
            case 2 -> aggregated(nested.derived(aggregated(from(), dice.between(1, 2))), dice.between(0, 1));
            case 3 -> nested.windows(rows(froms.single(), true));
            case 4 -> nested.beside(aggregated(from(), dice.between(1, 2)));
            case 5 -> aggregated(nested.derived(nested.windows(rows(froms.single(), true))), dice.between(0, 1));
            case 6 -> nested.windowsOverGroups(aggregated(from(), dice.between(1, 2)));
            default -> {
                Query first = aggregated(from(), 1).withOrders(List.of()).withLimit(null);
                Query second = aggregated(from(), 1).withOrders(List.of()).withLimit(null);
                int items = Math.min(first.items().size(), second.items().size());
                yield new Union(
                        List.of(
                                first.withItems(first.items().subList(0, items)),
                                second.withItems(second.items().subList(0, items))),
                        dice.oneOf("UNION ALL", "UNION ALL", "UNION", "UNION DISTINCT"),
                        dice.between(0, items),
                        null);
            }
        };
    }

    private Query aggregated(From from, int keyCount) {
        List<Expr> keys = new ArrayList<>();
        for (int i = 0; i < keyCount; i++) {
            Expr key = key(from.scope());
            if (keys.stream().noneMatch(key::same)) {
                keys.add(key);
            }
        }
        Groups groups = new Groups(grammar, dice, writer, from.scope(), keys, distinctArguments(from.scope()));
        List<Item> items = new ArrayList<>();
        for (Expr key : keys) {
            if (dice.percent(85)) {
                items.add(item(key));
            }
        }
        int more = dice.between(items.isEmpty() ? 1 : 0, 4);
        for (int i = 0; i < more; i++) {
            items.add(dice.between(0, items.size()), item(groups.item()));
        }
        List<Expr> having = new ArrayList<>();
        if (dice.percent(keys.isEmpty() ? 8 : 25)) {
            having.add(writer.write(Family.BOOL, dice.between(0, 2), groups));
        }
        List<Term> orders = new ArrayList<>();
        if (dice.percent(keys.isEmpty() ? 10 : 65)) {
            int terms = dice.between(0, 2);
            for (int i = 0; i < terms; i++) {
                Expr expr = dice.percent(70)
                        ? dice.oneOf(items).expr()
                        : dice.percent(50) || keys.isEmpty() ? groups.item() : dice.oneOf(keys);
                if (expr.role() != Expr.Role.LITERAL) {
                    orders.add(term(expr, true));
                }
            }
            if (dice.percent(75)) {
                keys.stream()
                        .filter(key ->
                                orders.stream().noneMatch(term -> term.expr().same(key)))
                        .toList()
                        .forEach(key -> orders.add(term(key, true)));
            }
        }
        Limit limit = dice.percent(orders.isEmpty() ? 3 : 40) ? limit() : null;
        List<Term> terms = keys.stream().map(key -> term(key, false)).toList();
        return new Query(
                modifiers(),
                dice.percent(5),
                items,
                from.sources(),
                where(from),
                terms,
                false,
                having,
                "",
                orders,
                limit);
    }

    private Query distinct(From from) {
        List<Item> items = new ArrayList<>();
        int count = dice.between(1, 3);
        for (int i = 0; i < count; i++) {
            items.add(item(key(from.scope())));
        }
        List<Term> orders = new ArrayList<>();
        if (dice.percent(60)) {
            for (Item item : items) {
                if (dice.percent(85)) {
                    orders.add(term(item.expr(), true));
                }
            }
        }
        return new Query(
                modifiers(),
                true,
                items,
                from.sources(),
                where(from),
                List.of(),
                false,
                List.of(),
                "",
                orders,
                dice.percent(orders.isEmpty() ? 3 : 40) ? limit() : null);
    }

    private Query rows(From from, boolean ordered) {
        List<Item> items = new ArrayList<>();
        if (dice.percent(15)) {
            items.add(
                    new Item(new Expr(Expr.Role.FUNCTION, ValueType.of(Family.ODD), List.of("*"), List.of(), ""), ""));
        } else {
            int count = dice.between(1, 4);
            for (int i = 0; i < count; i++) {
                items.add(item(writer.write(writer.family(), dice.weighted(60, 25, 15), from.scope())));
            }
        }
        List<Term> orders = new ArrayList<>();
        if (ordered || dice.percent(50)) {
            int terms = dice.between(0, 2);
            for (int i = 0; i < terms; i++) {
                Expr item = dice.oneOf(items).expr();
                boolean fit = item.holds(Expr.Role.COLUMN);
                orders.add(term(fit && dice.percent(40) ? item : key(from.scope()), true));
            }
            if (dice.percent(92)) {
                from.scope().unique().forEach(expr -> orders.add(term(expr, true)));
            }
        }
        return new Query(
                modifiers(),
                false,
                items,
                from.sources(),
                where(from),
                List.of(),
                false,
                List.of(),
                "",
                orders,
                ordered ? limit() : null);
    }

    private Expr key(Scope scope) {
        for (int attempt = 0; attempt < 50; attempt++) {
            Expr key = dice.percent(2)
                    ? writer.fill(dice.oneOf(grammar.section("quotient")), Family.DEC, dice.weighted(80, 20), scope)
                    : writer.write(dice.oneOf(KEY_FAMILIES), dice.weighted(68, 26, 6), scope);
            if (key.holds(Expr.Role.COLUMN)) {
                return key;
            }
        }
        return scope.any();
    }

    private List<Expr> distinctArguments(Scope scope) {
        if (dice.percent(65)) {
            return List.of();
        }
        List<Expr> arguments = new ArrayList<>();
        arguments.add(key(scope));
        if (dice.percent(20)) {
            arguments.add(key(scope));
        }
        return arguments;
    }

    private List<Expr> where(From from) {
        Set<Expr> conditions = new LinkedHashSet<>(from.where());
        // a star join has conditions of its own, and too many conditions leave no row
        int count = starJoin ? dice.weighted(75, 20, 5) : dice.weighted(45, 35, 15, 5);
        for (int i = 0; i < count; i++) {
            conditions.add(writer.write(Family.BOOL, dice.weighted(50, 35, 15), from.scope()));
        }
        return List.copyOf(conditions);
    }

    private List<String> modifiers() {
        return switch (dice.weighted(93, 5, 1, 1)) {
            case 1 -> List.of("/*+ PARALLEL(" + dice.between(1, 9) + ") */");
            case 2 -> List.of("ALL");
            case 3 -> List.of(dice.oneOf("SQL_BIG_RESULT", "SQL_SMALL_RESULT", "STRAIGHT_JOIN", "SQL_BUFFER_RESULT"));
            default -> List.of();
        };
    }

    private Item item(Expr expr) {
        if (!dice.percent(45)) {
            return new Item(expr, "");
        }
        aliases++;
        return new Item(expr, dice.percent(85) ? "x" + aliases : odd("x" + aliases));
    }

    /** Returns an alias that must be quoted. Servers truncate the last three forms, with or without a warning. */
    private String odd(String name) {
        return switch (dice.weighted(50, 40, 4, 2, 2, 2)) {
            case 0 -> "`odd " + name + "`";
            case 1 -> "`\u00e9" + name + "`";
            case 2 -> "`" + "long".repeat(20) + name + "`";
            case 3 -> "`" + name + "y".repeat(LONGEST_ALIAS - name.length()) + "`";
            case 4 -> "`" + name + "z".repeat(LONGEST_ALIAS) + "`";
            default -> "`  " + name + "`";
        };
    }

    /** Returns a term; not for a literal, which would be a position. */
    private Term term(Expr expr, boolean ordered) {
        Form form = dice.oneOf(Form.EXPRESSION, Form.EXPRESSION, Form.ALIAS, Form.POSITION);
        return new Term(expr, form, ordered && dice.percent(35));
    }

    private Limit limit() {
        int rows = dice.percent(5) ? 0 : dice.percent(20) ? dice.between(50, 300) : dice.between(1, 20);
        return new Limit(rows, dice.percent(25) ? dice.between(0, 12) : -1, dice.percent(50));
    }
}
