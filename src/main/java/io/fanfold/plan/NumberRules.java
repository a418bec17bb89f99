package io.fanfold.plan;

import io.fanfold.metrics.Reason;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import java.util.List;

/**
 * What the kinds and digits of numbers allow: which are added exactly, averaged, computed with or kept in temporary
 * tables as the server itself would do. Inputs are those of a split. Immutable.
 */
final class NumberRules {
    /** The digits that the longest exact decimals and their sums may have: DECIMAL(65). */
    static final int MAX_PRECISION = 65;

    /** How many digits longer than its numbers a sum of a trillion numbers is. */
    private static final int ROW_COUNT_DIGITS = 12;

    /** As far as servers divide at least. */
    private static final int DIVIDED_DIGITS = 9;

    private final List<Column> types;
    private final int averageDigits;

    /** @param averageDigits the digits that AVG adds, see {@link SessionTraits} */
    NumberRules(List<Column> types, int averageDigits) {
        this.types = types;
        this.averageDigits = averageDigits;
    }

    /** Whether an input is a floating-point number. */
    boolean approximate(int input) {
        ColumnType type = types.get(input).type();
        return type == ColumnType.DOUBLE || type == ColumnType.FLOAT;
    }

    /** Whether an input is a decimal that is no column of a table. */
    boolean computedDecimal(int input) {
        Column column = types.get(input);
        return column.decimal() && column.computed();
    }

    /** Demands an exact number: of sums, that the server adds exactly; of values, that their sum has no order. */
    void requireExactNumber(int input, Reason reason) throws Refusal {
        Column column = types.get(input);
        if (!column.type().isExactNumber()) {
            throw new Refusal(reason, column.name() + " is " + column.type());
        }
    }

    /** Demands a number of at most 64 bits for bit aggregates. */
    void requireBits(int argument) throws Refusal {
        Column column = types.get(argument);
        if (!column.type().isInteger()) {
            throw new Refusal(Reason.ARGUMENT_TYPE, column.name() + " is " + column.type());
        }
    }

    /**
     * Demands a number of which there is room for the digits that an average adds. Of computed decimals with many
     * digits, such as those of an IF, the values may have fewer; then a server divides less far.
     *
     * @param grouped whether averages are kept while others are computed
     */
    void requireAveraged(int argument, boolean grouped) throws Refusal {
        Column column = types.get(argument);
        if (mayBeShort(argument)) {
            throw new Refusal(Reason.ARGUMENT_TYPE, "an average of values that may have fewer digits than their type");
        }
        if (column.decimal()
                && grouped
                && (column.precision() + averageDigits > MAX_PRECISION
                        || column.decimals() + averageDigits >= Column.NOT_FIXED)) {
            throw new Refusal(Reason.ARGUMENT_TYPE, "an average of " + column.precision() + " digits");
        }
    }

    /**
     * Demands a number whose sums have fewer digits than a decimal may have. Groups grow in temporary tables, where a sum
     * of more digits is cut to the largest number without a word, so that it depends on the order of the rows (MySQL 9.7.4, MariaDB
     * 10.11.18; InnerDigitsIT).
     */
    void requireNoSumOverflow(int argument) throws Refusal {
        Column column = types.get(argument);
        if (column.decimal() && column.precision() + ROW_COUNT_DIGITS > MAX_PRECISION) {
            throw new Refusal(Reason.ARGUMENT_TYPE, "a sum of numbers of " + column.precision() + " digits");
        }
    }

    /** Whether values may have so many digits fewer than their type that servers divide them less far. */
    boolean mayBeShort(int input) {
        return computedDecimal(input) && types.get(input).decimals() + averageDigits > DIVIDED_DIGITS;
    }

    /** Refuses a whole number that is no column of a table. */
    void requireNoComputedInteger(int input) throws Refusal {
        Column column = types.get(input);
        if (column.type().isInteger() && column.computed()) {
            throw new Refusal(Reason.ARGUMENT_TYPE, "an average of computed numbers in a temporary table");
        }
    }

    /**
     * Refuses a decimal with all the digits there are: what is computed of it may be cut, in ways that depend on its
     * type.
     */
    void requireRoom(int input) throws Refusal {
        Column column = types.get(input);
        if (column.decimal() && column.precision() >= MAX_PRECISION) {
            throw new Refusal(Reason.KEY_TYPE, column.name() + " has all the digits there are, and is computed with");
        }
    }

    /**
     * Refuses a decimal that was computed with more digits than it can have. MySQL 9.7 was seen to group by it before
     * or after it was rounded, by its plan.
     */
    void requireRounded(int input) throws Refusal {
        Column column = types.get(input);
        if (computedDecimal(input) && column.precision() >= MAX_PRECISION) {
            throw new Refusal(Reason.KEY_TYPE, column.name() + " is computed and has all the digits there are");
        }
    }
}
