package io.fanfold.plan;

import io.fanfold.plan.LogicalPlan.ComparedInputs;
import io.fanfold.plan.LogicalPlan.PlainRows;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.sql.Expr;
import io.fanfold.sql.Expr.Interval;
import io.fanfold.sql.Expr.Literal;
import io.fanfold.sql.Expr.LiteralType;
import io.fanfold.sql.Expr.Operation;
import io.fanfold.sql.Operator;
import io.fanfold.sql.SelectModel;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.List;
import java.util.Optional;

/**
 * Whether a statement of plain rows cannot raise a warning or an error of its own, for any data. Its answer may then
 * begin before it is known how it ends. All of the following must be true:
 *
 * <ul>
 *   <li>it selects only columns and literals, and computes nothing
 *   <li>its conditions compare values of one family: numbers, strings, or dates or timestamps of one type
 *   <li>literals in these comparisons need no correction: an existing date does not, even plus or minus days, months or
 *       years
 *   <li>its sort keys are columns that are short enough for servers to sort by the whole value
 * </ul>
 */
final class WarningFreeRows {
    /** Servers sort strings by 1024 bytes of weight; most collations have up to eight for a character. */
    private static final int SORTED_CHARACTERS = 125;

    private static final int MOST_BYTES_A_CHARACTER = 4;

    private static final int MOST_DIGITS = 18;
    private static final int DATE_LENGTH = 10;
    private static final int MOMENT_LENGTH = 19;

    /** The first year that needs no correction. */
    private static final int FIRST_YEAR = 1000;

    /** The years from which no interval of {@link #MOST_UNITS_DIGITS} digits leads outside the range of valid dates. */
    private static final int FIRST_MOVED_YEAR = 1900;

    private static final int LAST_MOVED_YEAR = 2199;
    private static final int MOST_UNITS_DIGITS = 3;

    private final TypeBinding types;

    WarningFreeRows(TypeBinding types) {
        this.types = types;
    }

    /**
     * @param join whether several tables are read; a date in ORDER BY may then be corrected, with a warning
     */
    boolean certain(PlainRows shape, boolean join) {
        if (join
                && shape.sortInputs().stream()
                        .anyMatch(input -> types.of(input).type().isDate())) {
            return false;
        }
        if (shape.compared().isEmpty() || !shape.compared().get().stream().allMatch(this::certain)) {
            return false;
        }
        return shape.sortInputs().stream().allMatch(this::sortedWhole);
    }

    private boolean sortedWhole(int input) {
        Column column = types.of(input);
        if (types.exactForm(input).isPresent()) {
            return false;
        }
        int characterBytes = column.binaryString() ? 1 : MOST_BYTES_A_CHARACTER;
        return !column.type().isString() || column.length() / characterBytes <= SORTED_CHARACTERS;
    }

    private boolean certain(ComparedInputs compared) {
        return certain(
                compared.with(), compared.columns().stream().map(types::of).toList());
    }

    /**
     * Whether a comparison cannot raise a warning or an error.
     *
     * @param columns the definitions of its columns
     */
    static boolean certain(SelectModel.Comparison compared, List<Column> columns) {
        List<Expr> literals = compared.literals();
        if (columns.stream().allMatch(WarningFreeRows::text)) {
            return literals.stream().allMatch(literal -> string(literal).isPresent());
        }
        if (compared.pattern()) {
            return false;
        }
        if (columns.stream().allMatch(WarningFreeRows::number)) {
            return literals.stream().allMatch(WarningFreeRows::shortNumber);
        }
        if (columns.stream().allMatch(column -> column.type() == ColumnType.DATE)) {
            return literals.stream().allMatch(WarningFreeRows::date);
        }
        return columns.stream().allMatch(column -> column.type() == ColumnType.DATETIME)
                && literals.stream()
                        .allMatch(literal ->
                                string(literal).filter(WarningFreeRows::moment).isPresent());
    }

    private static boolean text(Column column) {
        return column.type().isString() && !column.enumOrSet();
    }

    private static boolean number(Column column) {
        return column.type() == ColumnType.DOUBLE
                || column.type() == ColumnType.FLOAT
                || column.type().isExactNumber() && column.type() != ColumnType.YEAR;
    }

    /** Returns what is between the quotes of a string literal as written, empty if it is another literal. */
    private static Optional<String> string(Expr expr) {
        return expr instanceof Literal literal && literal.type() == LiteralType.STRING
                ? Optional.of(unquoted(literal.key()))
                : Optional.empty();
    }

    private static String unquoted(String literal) {
        return literal.substring(1, literal.length() - 1);
    }

    /** Whether an expression is an exact number, also with a minus, with few digits before and after the point. */
    private static boolean shortNumber(Expr expr) {
        if (expr instanceof Operation sign && sign.operator() == Operator.NEGATE) {
            return shortNumber(sign.operands().get(0));
        }
        if (!(expr instanceof Literal literal)) {
            return false;
        }
        String number = literal.key();
        int point = number.indexOf('.');
        return switch (literal.type()) {
            case INTEGER -> digits(number, MOST_DIGITS);
            case DECIMAL ->
                digits(number.substring(0, point), MOST_DIGITS) && digits(number.substring(point + 1), MOST_DIGITS);
            default -> false;
        };
    }

    /** Whether a text is a number of digits from one to a limit. */
    private static boolean digits(String text, int most) {
        return !text.isEmpty() && text.length() <= most && text.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private static boolean date(Expr expr) {
        if (expr instanceof Operation moved
                && moved.operands().size() == 2
                && moved.operands().get(1) instanceof Interval interval) {
            String number = string(interval.number()).orElse(interval.number().key());
            return digits(number, MOST_UNITS_DIGITS)
                    && dateLiteral(moved.operands().get(0));
        }
        return dateLiteral(expr) || string(expr).flatMap(WarningFreeRows::day).isPresent();
    }

    /** Whether an expression is {@code DATE '…'}, of a century that intervals may be added to. */
    private static boolean dateLiteral(Expr expr) {
        if (!(expr instanceof Literal literal) || literal.type() != LiteralType.TEMPORAL) {
            return false;
        }
        String key = literal.key();
        return day(unquoted(key.substring(key.indexOf(' ') + 1)))
                .filter(day -> day.getYear() >= FIRST_MOVED_YEAR && day.getYear() <= LAST_MOVED_YEAR)
                .isPresent();
    }

    /** Whether a text is a day, alone or with a time of day, that exists. */
    private static boolean moment(String text) {
        if (text.length() != MOMENT_LENGTH || text.charAt(DATE_LENGTH) != ' ') {
            return day(text).isPresent();
        }
        try {
            LocalTime.parse(text.substring(DATE_LENGTH + 1));
            return day(text.substring(0, DATE_LENGTH)).isPresent();
        } catch (DateTimeException e) {
            return false;
        }
    }

    /** Returns the day that a text is, empty if it does not exist or is before {@link #FIRST_YEAR}. */
    private static Optional<LocalDate> day(String text) {
        try {
            return text.length() == DATE_LENGTH
                    ? Optional.of(LocalDate.parse(text)).filter(day -> day.getYear() >= FIRST_YEAR)
                    : Optional.empty();
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }
}
