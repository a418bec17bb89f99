package io.fanfold.fuzz;

import java.util.ArrayList;
import java.util.List;

/** Writes FROM clauses with a partitioned table, alone or joined. For one block; not thread-safe. */
final class FromWriter {
    private static final List<String> INNER = List.of("JOIN", "INNER JOIN", "CROSS JOIN");

    private final FuzzSchema schema;
    private final Dice dice;

    /**
     * A FROM clause.
     *
     * @param sources its elements
     * @param scope their columns
     * @param where conditions that belong to the joins, or none
     */
    record From(List<Source> sources, Scope scope, List<Expr> where) {}

    FromWriter(FuzzSchema schema, Dice dice) {
        this.schema = schema;
        this.dice = dice;
    }

    From write() {
        return switch (dice.weighted(66, 22, 5, 1, 2, 4)) {
            case 0 -> alone(partitioned());
            case 1 -> withDimension();
            case 2 -> withWide(partitioned(), partitioned(), dice.percent(30));
            case 3 -> alone(schema.unpartitioned());
            case 4 -> withWide(partitioned(), schema.unpartitioned(), false);
            default -> withItself();
        };
    }

    /** Returns one partitioned table alone. */
    From single() {
        return alone(partitioned());
    }

    private FuzzTable partitioned() {
        return schema.partitionedTables().get(dice.weighted(schema.weights()));
    }

    private From alone(FuzzTable table) {
        Scope scope = new Scope(dice);
        Source source = scope.add(table, dice.percent(70) ? table.name() : "a");
        return new From(List.of(source), scope, List.of());
    }

    private From withDimension() {
        FuzzTable wide = partitioned();
        boolean numbers = dice.percent(60);
        FuzzTable small = schema.dimensionTables().get(numbers ? 0 : 1);
        Scope scope = new Scope(dice);
        Source left = scope.add(wide, "a");
        Source right = scope.add(small, "b");
        Expr one = scope.of(0, numbers ? dice.oneOf("g", "g", "p", "i1") : dice.oneOf("ps", "v_few", "v_clean"));
        Expr other = scope.of(1, numbers ? "k" : "code");
        Expr condition = equal(one, other);
        List<Source> sources = new ArrayList<>();
        List<Expr> where = new ArrayList<>();
        switch (dice.weighted(40, 25, 8, 12, 5, 5, 5)) {
            case 0 -> join(sources, left, right, dice.oneOf(INNER), condition);
            case 1 -> join(sources, left, right, dice.oneOf("LEFT JOIN", "LEFT OUTER JOIN"), condition);
            case 2 -> join(sources, right, left, dice.oneOf("RIGHT JOIN", "RIGHT OUTER JOIN"), condition);
            case 3 -> {
                sources.add(left);
                sources.add(right.joined(",", List.of()));
                where.add(condition);
            }
            case 4 -> join(sources, right, left, "LEFT JOIN", condition);
            case 5 -> join(sources, right, left, "JOIN", condition);
            default -> join(sources, left, right, "STRAIGHT_JOIN", condition);
        }
        return new From(sources, scope, where);
    }

    /** Joins a table with itself on its partitioning columns, so that both are partitioned in the same way. */
    private From withItself() {
        FuzzTable table = partitioned();
        return withWide(table, table, true);
    }

    /** @param closely whether the columns that most tables are partitioned by are equal too */
    private From withWide(FuzzTable first, FuzzTable second, boolean closely) {
        Scope scope = new Scope(dice);
        Source left = scope.add(first, "a");
        Source right = scope.add(second, "b");
        List<Source> sources = new ArrayList<>();
        join(
                sources,
                left,
                right,
                dice.oneOf("JOIN", "JOIN", "LEFT JOIN"),
                equal(scope.of(0, dice.oneOf("id", "id", "i4")), scope.of(1, "id")));
        List<Expr> where = new ArrayList<>();
        for (String column : closely ? List.of("p", "pd") : List.<String>of()) {
            if (dice.percent(80)) {
                where.add(equal(scope.of(0, column), scope.of(1, column)));
            }
        }
        return new From(sources, scope, where);
    }

    private static void join(List<Source> sources, Source first, Source second, String words, Expr condition) {
        sources.add(first);
        sources.add(second.joined(words, List.of(condition)));
    }

    static Expr equal(Expr left, Expr right) {
        return new Expr(
                Expr.Role.COMPARISON, ValueType.of(Family.BOOL), List.of("", " = ", ""), List.of(left, right), "");
    }
}
