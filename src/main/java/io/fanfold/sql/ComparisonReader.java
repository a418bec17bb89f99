package io.fanfold.sql;

import io.fanfold.sql.Expr.Call;
import io.fanfold.sql.Expr.ColumnRef;
import io.fanfold.sql.Expr.Interval;
import io.fanfold.sql.Expr.Literal;
import io.fanfold.sql.Expr.LiteralType;
import io.fanfold.sql.Expr.Operation;
import io.fanfold.sql.Expr.Row;
import io.fanfold.sql.SelectModel.Comparison;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Reads conditions that only compare columns with literals and with each other. Only the comparisons matter, not how
 * AND, OR and NOT combine them. Anything else makes the result empty. NULL, TRUE, FALSE and CURRENT_DATE without
 * parentheses are taken for columns; their type distinguishes them later. For one reading.
 *
 * <pre>
 * comparison  column = value | value = column | column IS [NOT] NULL | column [NOT] IN (literal, ...)
 *             | column [NOT] BETWEEN value AND value | column [NOT] LIKE string
 * value       column | literal
 * literal     number | string | DATE string [(+ | -) INTERVAL (number | string) (DAY | WEEK | MONTH | YEAR)]
 * </pre>
 */
final class ComparisonReader {
    private static final Set<String> UNITS = Set.of("DAY", "WEEK", "MONTH", "YEAR");

    private final List<Comparison> comparisons = new ArrayList<>();

    /** The operands of one comparison so far. */
    private static final class Sides {
        final List<TextRange> columns = new ArrayList<>();
        final List<Expr> literals = new ArrayList<>();
    }

    private ComparisonReader() {}

    /** Returns all comparisons of some conditions, empty if these contain anything else. */
    static Optional<List<Comparison>> read(List<Expr> conditions) {
        ComparisonReader reader = new ComparisonReader();
        return reader.conditions(conditions) ? Optional.of(reader.comparisons) : Optional.empty();
    }

    /** Reads conditions without a stream, whose calls would make a long chain of operators overflow the stack. */
    private boolean conditions(List<Expr> conditions) {
        for (Expr condition : conditions) {
            if (!condition(condition)) {
                return false;
            }
        }
        return true;
    }

    private boolean condition(Expr expr) {
        return expr instanceof Operation operation
                && switch (operation.operator()) {
                    case AND, OR, NOT -> conditions(operation.operands());
                    // computes no value
                    case IS_NULL -> column(operation.operands().get(0), new Sides());
                    default -> comparison(operation);
                };
    }

    private boolean comparison(Operation operation) {
        List<Expr> operands = operation.operands();
        Sides sides = new Sides();
        boolean read = switch (operation.operator()) {
            case EQUAL, EQUAL_OR_BOTH_NULL, NOT_EQUAL, LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL ->
                operands.stream().allMatch(operand -> value(operand, sides)) && !sides.columns.isEmpty();
            case BETWEEN ->
                column(operands.get(0), sides) && operands.stream().skip(1).allMatch(operand -> value(operand, sides));
            case IN -> column(operands.get(0), sides) && list(operands.get(1), sides);
            case LIKE ->
                column(operands.get(0), sides)
                        && operands.size() == 2
                        && is(operands.get(1), LiteralType.STRING)
                        && value(operands.get(1), sides);
            default -> false;
        };
        if (read) {
            comparisons.add(new Comparison(sides.columns, sides.literals, operation.operator() == Operator.LIKE));
        }
        return read;
    }

    /** Reads the elements of an IN list. The parentheses around a single one are those of the list. */
    private static boolean list(Expr expr, Sides sides) {
        return expr instanceof Row row
                ? bare(row) && row.elements().stream().allMatch(element -> bare(element) && literal(element, sides))
                : literal(expr, sides);
    }

    private static boolean value(Expr expr, Sides sides) {
        return bare(expr) && literal(expr, sides) || column(expr, sides);
    }

    /** Whether an expression stands without parentheses around it. */
    private static boolean bare(Expr expr) {
        return expr.span().equals(expr.outer());
    }

    private static boolean column(Expr expr, Sides sides) {
        boolean moment =
                expr instanceof Call call && call.key().equals(call.function().toLowerCase(Locale.ROOT));
        boolean word = is(expr, LiteralType.NULL) || is(expr, LiteralType.BOOLEAN);
        boolean column = bare(expr) && (expr instanceof ColumnRef || moment || word);
        if (column) {
            sides.columns.add(expr.span());
        }
        return column;
    }

    private static boolean is(Expr expr, LiteralType type) {
        return expr instanceof Literal literal && literal.type() == type;
    }

    private static boolean literal(Expr expr, Sides sides) {
        boolean literal = number(expr) || is(expr, LiteralType.STRING) || date(expr) || moved(expr);
        if (literal) {
            sides.literals.add(expr);
        }
        return literal;
    }

    /** Whether an expression is a number, also with a minus before it. */
    private static boolean number(Expr expr) {
        if (expr instanceof Operation sign && sign.operator() == Operator.NEGATE) {
            Expr operand = sign.operands().get(0);
            return bare(operand) && unsigned(operand);
        }
        return unsigned(expr);
    }

    private static boolean unsigned(Expr expr) {
        return is(expr, LiteralType.INTEGER) || is(expr, LiteralType.DECIMAL) || is(expr, LiteralType.DOUBLE);
    }

    private static boolean date(Expr expr) {
        return is(expr, LiteralType.TEMPORAL) && expr.key().startsWith("date ");
    }

    /** Whether an expression is a date literal plus or minus an interval. */
    private static boolean moved(Expr expr) {
        return expr instanceof Operation sum
                && (sum.operator() == Operator.ADD || sum.operator() == Operator.SUBTRACT)
                && bare(sum.operands().get(0))
                && date(sum.operands().get(0))
                && sum.operands().get(1) instanceof Interval interval
                && UNITS.contains(interval.unit())
                && interval.number() instanceof Literal;
    }
}
