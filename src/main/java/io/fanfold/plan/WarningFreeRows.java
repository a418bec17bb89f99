package io.fanfold.plan;

import io.fanfold.plan.LogicalPlan.ComparedInputs;
import io.fanfold.plan.LogicalPlan.PlainRows;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.sql.SelectModel;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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

    private static final Pattern NUMBER = Pattern.compile("-?[0-9]{1,18}(\\.[0-9]{1,18})?");
    private static final Pattern STRING = Pattern.compile("(?s)['\"].*");
    private static final Pattern DATE = Pattern.compile("['\"][1-9][0-9]{3}-[0-9]{2}-[0-9]{2}['\"]");
    private static final Pattern MOMENT =
            Pattern.compile("['\"][1-9][0-9]{3}-[0-9]{2}-[0-9]{2}( [0-9]{2}:[0-9]{2}:[0-9]{2})?['\"]");
    private static final int DATE_LENGTH = 10;

    /** A date of a century from which no such interval leads outside the range of valid dates. */
    private static final Pattern DATE_LITERAL = Pattern.compile("DATE(['\"](?:19|20|21)[0-9]{2}-[0-9]{2}-[0-9]{2}['\"])"
            + "(?: [+-] INTERVAL ['\"]?[0-9]{1,3}['\"]? (?:DAY|WEEK|MONTH|YEAR))?");

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
        List<String> literals = compared.literals();
        if (columns.stream().allMatch(WarningFreeRows::text)) {
            return all(literals, STRING);
        }
        if (compared.pattern()) {
            return false;
        }
        if (columns.stream().allMatch(WarningFreeRows::number)) {
            return all(literals, NUMBER);
        }
        if (columns.stream().allMatch(column -> column.type() == ColumnType.DATE)) {
            return literals.stream().allMatch(WarningFreeRows::date);
        }
        return columns.stream().allMatch(column -> column.type() == ColumnType.DATETIME)
                && all(literals, MOMENT)
                && literals.stream().allMatch(WarningFreeRows::exists);
    }

    private static boolean all(List<String> literals, Pattern pattern) {
        return literals.stream().allMatch(literal -> pattern.matcher(literal).matches());
    }

    private static boolean text(Column column) {
        return column.type().isString() && !column.enumOrSet();
    }

    private static boolean number(Column column) {
        return column.type() == ColumnType.DOUBLE
                || column.type() == ColumnType.FLOAT
                || column.type().isExactNumber() && column.type() != ColumnType.YEAR;
    }

    private static boolean date(String literal) {
        Matcher written = DATE_LITERAL.matcher(literal);
        String date = written.matches() ? written.group(1) : literal;
        return DATE.matcher(date).matches() && exists(date);
    }

    /** Whether the day and the time of day exist. */
    private static boolean exists(String literal) {
        String text = literal.substring(1, literal.length() - 1);
        try {
            LocalDate.parse(text.substring(0, DATE_LENGTH));
            if (text.length() > DATE_LENGTH) {
                LocalTime.parse(text.substring(DATE_LENGTH + 1));
            }
            return true;
        } catch (DateTimeException e) {
            return false;
        }
    }
}
