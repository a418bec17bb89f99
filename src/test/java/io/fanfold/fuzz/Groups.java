package io.fanfold.fuzz;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The operands of expressions over groups: grouping expressions, and aggregates of columns. */
final class Groups implements Leaves {
    private final Grammar grammar;
    private final Dice dice;
    private final ExprWriter writer;
    private final Leaves rows;
    private final List<Expr> keys;
    private final List<Expr> distinct;

    /**
     * Creates one for a block.
     *
     * @param rows the columns that aggregates use
     * @param keys the grouping expressions; none for one group of all rows
     * @param distinct the arguments of DISTINCT aggregates
     */
    Groups(Grammar grammar, Dice dice, ExprWriter writer, Leaves rows, List<Expr> keys, List<Expr> distinct) {
        this.grammar = grammar;
        this.dice = dice;
        this.writer = writer;
        this.rows = rows;
        this.keys = keys;
        this.distinct = distinct;
    }

    @Override
    public Optional<Expr> leaf(Family family) {
        List<Expr> fitting =
                keys.stream().filter(key -> key.type().family() == family).toList();
        if (!fitting.isEmpty() && dice.percent(35)) {
            return Optional.of(dice.oneOf(fitting));
        }
        List<Grammar.Production> lines = grammar.section("agg-" + family.name().toLowerCase(Locale.ROOT));
        if (lines.isEmpty()) {
            return fitting.isEmpty() ? Optional.empty() : Optional.of(fitting.get(0));
        }
        return Optional.of(aggregate(Grammar.oneOf(dice, lines), family));
    }

    /** Returns an element of a select list or of ORDER BY, mostly an aggregate alone. */
    Expr item() {
        return switch (dice.weighted(39, 25, 14, 12, 4, 2, 4)) {
            case 0 -> {
                Family family = dice.oneOf(
                        Family.INT,
                        Family.INT,
                        Family.INT,
                        Family.DEC,
                        Family.DEC,
                        Family.TEXT,
                        Family.DATE,
                        Family.DATETIME,
                        Family.TIME,
                        Family.BYTES,
                        Family.DBL);
                yield aggregate(
                        dice.oneOf(grammar.section("agg-" + family.name().toLowerCase(Locale.ROOT))), family);
            }
            case 1 -> alone();
            case 2 -> distinct.isEmpty() ? alone() : distinctAggregate();
            case 3 -> writer.write(dice.oneOf(Family.INT, Family.DEC, Family.DEC, Family.TEXT, Family.BOOL), 2, this);
            case 4 -> writer.write(writer.family(), 1, this);
            case 5 -> aggregate(dice.oneOf(grammar.section("agg-quotient")), Family.DEC);
            default -> dice.percent(50) ? rare() : writer.write(Family.DEC, 3, this);
        };
    }

    private Expr alone() {
        return aggregate(Grammar.oneOf(dice, grammar.section("agg-alone")), Family.DEC);
    }

    private Expr rare() {
        if (dice.percent(30)) {
            return joined();
        }
        return aggregate(dice.oneOf(grammar.section("agg-rare")), Family.DEC);
    }

    /** Returns a GROUP_CONCAT that is ordered by its own argument. */
    private Expr joined() {
        Expr value =
                writer.write(dice.oneOf(Family.INT, Family.INT, Family.DEC, Family.DATE), dice.weighted(70, 30), rows);
        return new Expr(
                Expr.Role.AGGREGATE,
                ValueType.of(Family.ODD),
                List.of(
                        dice.oneOf("GROUP_CONCAT(", "GROUP_CONCAT(DISTINCT "),
                        " ORDER BY ",
                        dice.oneOf(")", " DESC)", " SEPARATOR ' / ')")),
                List.of(value, value),
                "");
    }

    private Expr distinctAggregate() {
        Family family = distinct.get(0).type().family();
        boolean number = distinct.size() == 1 && (family == Family.INT || family == Family.DEC);
        List<Grammar.Production> lines = grammar.section(number ? "agg-distinct-num" : "agg-distinct").stream()
                .filter(line -> line.holes().size() == distinct.size())
                .toList();
        return ExprWriter.make(Grammar.oneOf(dice, lines), Expr.Role.AGGREGATE, Family.DEC, List.copyOf(distinct));
    }

    private Expr aggregate(Grammar.Production line, Family family) {
        int depth = dice.weighted(70, 22, 8);
        Expr filled = writer.fill(line, family, depth, rows);
        return ExprWriter.make(line, Expr.Role.AGGREGATE, family, filled.children());
    }
}
