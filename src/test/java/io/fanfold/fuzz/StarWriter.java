package io.fanfold.fuzz;

import io.fanfold.fuzz.Expr.Role;
import io.fanfold.fuzz.FromWriter.From;
import io.fanfold.fuzz.StarTables.Pair;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes star joins: a partitioned table with one to three dimensions, some with a snowflake table, and conditions on
 * the dimensions. Most joins are inner equalities, so that the dimension's keys restrict the partitioned table. The
 * others look similar but must not restrict it. For one block; not thread-safe.
 */
final class StarWriter {
    private static final List<String> INNER =
            List.of("JOIN", "JOIN", "JOIN", "INNER JOIN", "INNER JOIN", "STRAIGHT_JOIN");
    private static final List<String> OUTER = List.of("LEFT JOIN", "LEFT OUTER JOIN");
    private static final List<String> OUTER_BEFORE = List.of("RIGHT JOIN", "RIGHT JOIN", "LEFT JOIN");
    private static final List<String> WORDS =
            List.of("alpha", "beta", "k1", "k2", "k3", "one", "early", "Alpha", "zzz");
    private static final List<String> DAYS =
            List.of("2000-06-01", "2001-01-15", "2002-09-12", "2003-03-03", "2005-05-05");
    private static final ValueType BOOL = ValueType.of(Family.BOOL);

    private final FuzzSchema schema;
    private final Dice dice;
    private final ExprWriter writer;
    private final Scope scope;
    private final List<Joined> joined = new ArrayList<>();
    private final List<Expr> where = new ArrayList<>();
    private boolean loose;

    /**
     * A table joined with the partitioned one, or with a dimension.
     *
     * @param place its index in the scope
     * @param outer the index of the table that it is joined with
     * @param pairs the columns that are equal; the first of each belongs to the outer table
     * @param left whether it is on the nullable side of an outer join
     */
    private record Joined(Source source, int place, int outer, List<Pair> pairs, boolean left) {}

    StarWriter(FuzzSchema schema, Dice dice, ExprWriter writer) {
        this.schema = schema;
        this.dice = dice;
        this.writer = writer;
        this.scope = new Scope(dice);
    }

    From write() {
        FuzzTable wide = schema.partitionedTables().get(dice.weighted(schema.weights()));
        Source fact = scope.add(wide, "a");
        int dimensions = 1 + dice.weighted(58, 32, 10);
        boolean many = false;
        for (int i = 0; i < dimensions; i++) {
            Pair pair = pair(wide, many);
            many |= pair.many();
            dimension(pair, "b" + (i + 1));
        }
        List<Source> sources = dice.percent(25) ? commas(fact) : joins(fact);
        if (dice.percent(8)) {
            where.add(semiJoin());
        }
        return new From(sources, scope, where);
    }

    /** @param one whether a row may match at most one row of the dimension, to avoid too many rows */
    private Pair pair(FuzzTable wide, boolean one) {
        for (int attempt = 0; attempt < 20; attempt++) {
            Pair pair = switch (dice.weighted(60, 20, 8, 5, 3, 4)) {
                case 0 -> dice.oneOf(StarTables.NUMBERS);
                case 1 -> dice.oneOf(StarTables.DATES);
                case 2 -> dice.oneOf(StarTables.STRINGS);
                case 3 -> dice.oneOf(StarTables.MIXED);
                case 4 -> {
                    // any two integer columns
                    Pair other = dice.oneOf(StarTables.NUMBERS);
                    yield new Pair(dice.oneOf(StarTables.NUMBERS).fact(), other.table(), other.key(), other.many());
                }
                default -> new Pair(dice.oneOf("g", "i4", "id"), wide.name(), "id", false);
            };
            boolean again = !joined.isEmpty()
                    && dice.percent(15)
                    && !joined.get(0).source().name().equals(pair.table());
            if (!again && !(one && pair.many())) {
                return pair;
            }
        }
        return new Pair("g", "dim", "k", false);
    }

    private void dimension(Pair pair, String alias) {
        List<Pair> pairs = new ArrayList<>(List.of(pair));
        if (dice.percent(6)) {
            StarTables.NUMBERS.stream()
                    .filter(other -> other.table().equals(pair.table()) && !other.equals(pair))
                    .limit(dice.between(1, 3))
                    .reduce((first, second) -> second)
                    .ifPresent(pairs::add);
        }
        int place = join(alias, 0, pairs);
        boolean flakes = pair.table().startsWith("star") && !pair.table().equals("star_day");
        if (flakes && dice.percent(30)) {
            join(alias + "f", place, List.of(new Pair("flake", "flake", "fid", false)));
        }
    }

    private int join(String alias, int outer, List<Pair> pairs) {
        Source source = scope.add(schema.table(pairs.get(0).table()), alias);
        // the partitioned table has index 0
        int place = joined.size() + 1;
        joined.add(new Joined(source, place, outer, pairs, dice.percent(15)));
        return place;
    }

    /** Lists all tables with commas, in any order, and puts all conditions into WHERE. */
    private List<Source> commas(Source fact) {
        List<Source> sources = new ArrayList<>(List.of(fact));
        for (Joined table : joined) {
            sources.add(dice.between(0, sources.size()), table.source());
            conditions(table, where, where);
        }
        for (int i = 1; i < sources.size(); i++) {
            sources.set(i, sources.get(i).joined(",", List.of()));
        }
        return sources;
    }

    private List<Source> joins(Source fact) {
        List<Source> sources = new ArrayList<>(List.of(fact));
        for (Joined table : joined) {
            List<Expr> on = new ArrayList<>();
            // in WHERE they would remove the rows that an outer join adds
            conditions(table, on, dice.percent(table.left() ? 75 : 35) ? on : where);
            // a dimension may precede the partitioned table
            boolean before = sources.size() == 1 && dice.percent(30);
            List<String> outer = before ? OUTER_BEFORE : OUTER;
            String words = dice.oneOf(table.left() ? outer : INNER);
            if (before) {
                sources.set(0, table.source());
            }
            sources.add((before ? fact : table.source()).joined(words, on));
        }
        return sources;
    }

    /** Adds the join condition, and the conditions on the table alone. */
    private void conditions(Joined table, List<Expr> ofJoin, List<Expr> ofTable) {
        List<Expr> own = new ArrayList<>();
        int count = dice.weighted(18, 70, 12);
        for (int i = 0; i < count; i++) {
            own.add(own(table.place()));
        }
        List<Expr> equalities = new ArrayList<>();
        for (Pair pair : table.pairs()) {
            equalities.add(equality(scope.of(table.outer(), pair.fact()), scope.of(table.place(), pair.key())));
        }
        if (!own.isEmpty() && dice.percent(10)) {
            Expr first = own.remove(0);
            switch (dice.weighted(45, 35, 20)) {
                case 0 -> own.add(or(first, own(dice.percent(50) ? 0 : table.place())));
                case 1 -> own.add(or(first, writer.write(Family.BOOL, 0, scope.only(0))));
                // no equality is left that every row must satisfy
                default -> {
                    // only once, and in a small table: otherwise there are too many rows
                    boolean small = !loose && !table.source().unique().equals("id");
                    equalities.set(0, small ? or(equalities.get(0), first) : equalities.get(0));
                    loose |= small;
                }
            }
        }
        ofJoin.addAll(equalities);
        ofTable.addAll(own);
    }

    private Expr equality(Expr outer, Expr key) {
        return switch (dice.weighted(58, 28, 8, 2, 2, 2)) {
            case 0 -> FromWriter.equal(outer, key);
            case 1 -> FromWriter.equal(key, outer);
            case 2 -> compare(List.of("", " <=> ", ""), outer, key);
            case 3 -> compare(List.of("", " IN (", ")"), outer, key);
            case 4 -> compare(List.of("(", " = ", ")"), outer, key);
            default -> compare(List.of("(", " <=> ", ") IS TRUE"), outer, key);
        };
    }

    /** Returns a condition on one table. */
    private Expr own(int place) {
        Leaves columns = scope.only(place);
        Expr column =
                column(columns, dice.oneOf(Family.INT, Family.INT, Family.INT, Family.TEXT, Family.TEXT, Family.DATE));
        return switch (dice.weighted(72, 16, 3, 4, 5)) {
            case 0 -> simple(column);
            case 1 -> writer.write(Family.BOOL, dice.weighted(60, 40), columns);
            case 2 -> ofNoRow(column);
            case 3 -> condition(column, dice.oneOf(" IS NULL", " IS NOT NULL"));
            default -> compare(List.of("NOT (", ")"), simple(column));
        };
    }

    private static Expr column(Leaves columns, Family family) {
        return columns.leaf(family)
                .or(() -> columns.leaf(Family.INT))
                .or(() -> columns.leaf(Family.TEXT))
                .orElseThrow(() -> new IllegalStateException("a table without numbers and strings"));
    }

    private Expr simple(Expr column) {
        return condition(
                column,
                switch (column.type().family()) {
                    case TEXT -> text();
                    case DATE -> day();
                    default -> number();
                });
    }

    /**
     * Returns a condition that no row satisfies. It has more than one key, since servers look up a single key before
     * they plan.
     */
    private static Expr ofNoRow(Expr column) {
        return condition(
                column,
                switch (column.type().family()) {
                    case TEXT -> " IN ('nothing', 'none')";
                    case DATE -> " IN ('1999-12-30', '1999-12-31')";
                    default -> " IN (777, 778)";
                });
    }

    private String number() {
        String first = Integer.toString(dice.oneOf(0, 1, 2, 3, 5, 15));
        String second = Integer.toString(dice.oneOf(5, 20, 35, 250, 2003));
        return dice.oneOf(
                " = " + first,
                " <> " + first,
                " <> " + second,
                " IN (" + first + ", 4, " + second + ")",
                " < " + second,
                " >= " + first,
                " BETWEEN " + first + " AND " + second);
    }

    private String text() {
        String word = "'" + dice.oneOf(WORDS) + "'";
        return dice.oneOf(
                " = " + word,
                " <> " + word,
                " < " + word,
                " IN (" + word + ", 'two', '" + dice.oneOf(WORDS) + "')",
                " LIKE 'k%'",
                " >= " + word);
    }

    private String day() {
        String day = "'" + dice.oneOf(DAYS) + "'";
        return dice.oneOf(" >= " + day, " < " + day, " BETWEEN '2001-02-01' AND '2003-06-30'", " <> " + day);
    }

    /** Returns a condition with a dimension in a subquery instead of a join. */
    private Expr semiJoin() {
        Pair pair = dice.oneOf(dice.percent(75) ? StarTables.NUMBERS : StarTables.DATES);
        Scope inner = new Scope(dice);
        Source source = inner.add(schema.table(pair.table()), "sub");
        String key = "sub." + pair.key();
        Expr restricted = column(inner, Family.INT);
        Query query = Query.of(
                Expr.column(ValueType.of(Family.INT), key, key),
                source,
                List.of(simple(Expr.column(restricted.type(), restricted.name(), restricted.name()))));
        return new Expr(
                Role.SUBQUERY,
                BOOL,
                List.of("", dice.oneOf(" IN (", " IN (", " NOT IN ("), ")"),
                List.of(scope.of(0, pair.fact()), query),
                "");
    }

    private static Expr or(Expr one, Expr other) {
        return compare(List.of("(", " OR ", ")"), one, other);
    }

    private static Expr condition(Expr column, String text) {
        return compare(List.of("", text), column);
    }

    private static Expr compare(List<String> texts, Expr... operands) {
        return new Expr(Role.COMPARISON, BOOL, texts, List.of(operands), "");
    }
}
