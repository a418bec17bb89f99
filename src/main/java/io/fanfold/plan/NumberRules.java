package io.fanfold.plan;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import java.util.List;

/**
 * Rules for kinds and digits of numbers: which of them are summed exactly, averaged, computed with or kept in temporary
 * tables as the server would do it. Inputs are those of a block. Immutable.
 */
final class NumberRules {
    /** The maximum precision of exact decimals and their sums: DECIMAL(65). */
    static final int MAX_PRECISION = 65;

    /** The digits that a sum of a trillion numbers has in addition to those of the numbers. */
    private static final int ROW_COUNT_DIGITS = 12;

    /** The number of digits that servers compute at least when they divide. */
    private static final int DIVIDED_DIGITS = 9;

    private final List<Column> types;
    private final int averageDigits;

    /**
     * @param averageDigits the digits that AVG adds, see {@link SessionTraits}
     */
    NumberRules(List<Column> types, int averageDigits) {
        this.types = types;
        this.averageDigits = averageDigits;
    }

    /** Whether an input is a floating-point number. */
    boolean approximate(int input) {
        ColumnType type = types.get(input).type();
        return type == ColumnType.DOUBLE || type == ColumnType.FLOAT;
    }

    /** Whether an input is a decimal that is not a column of a table. */
    boolean computedDecimal(int input) {
        Column column = types.get(input);
        return column.decimal() && column.computed();
    }

    /** Requires an exact number, so that sums are exact and do not depend on the order. */
    void requireExactNumber(int input, Reason reason) throws RefusedException {
        Column column = types.get(input);
        if (!column.type().isExactNumber()) {
            throw new RefusedException(reason, column.name() + " is " + column.type());
        }
    }

    /** Requires a number of at most 64 bits, for bit aggregates. */
    void requireBits(int argument) throws RefusedException {
        Column column = types.get(argument);
        if (!column.type().isInteger()) {
            throw new RefusedException(Reason.ARGUMENT_TYPE, column.name() + " is " + column.type());
        }
    }

    /**
     * Requires a number with room for the digits that an average adds. Values of computed decimals with many digits,
     * such as those of an IF, may have fewer digits; the server then computes fewer digits of a quotient.
     *
     * @param grouped whether there are groups, so that averages are stored while others are computed
     */
    void requireAveraged(int argument, boolean grouped) throws RefusedException {
        Column column = types.get(argument);
        if (mayBeShort(argument)) {
            throw new RefusedException(
                    Reason.ARGUMENT_TYPE, "an average of values that may have fewer digits than their type");
        }
        if (column.decimal()
                && grouped
                && (column.precision() + averageDigits > MAX_PRECISION
                        || column.decimals() + averageDigits >= Column.NOT_FIXED)) {
            throw new RefusedException(Reason.ARGUMENT_TYPE, "an average of " + column.precision() + " digits");
        }
    }

    /**
     * Requires a number whose sums have no more digits than a decimal may have. Groups are built in temporary tables.
     * There, a larger sum is silently truncated to the largest number, so that it depends on the order of the rows
     * (MySQL 9.7.4, MariaDB 10.11.18; HiddenPrecisionIT).
     */
    void requireNoSumOverflow(int argument) throws RefusedException {
        Column column = types.get(argument);
        if (column.decimal() && column.precision() + ROW_COUNT_DIGITS > MAX_PRECISION) {
            throw new RefusedException(Reason.ARGUMENT_TYPE, "a sum of numbers of " + column.precision() + " digits");
        }
    }

    /**
     * Whether values may have so few digits, compared to their type, that the server computes fewer digits of a
     * quotient.
     */
    boolean mayBeShort(int input) {
        return computedDecimal(input) && types.get(input).decimals() + averageDigits > DIVIDED_DIGITS;
    }

    /** Refuses an integer that is not a column of a table. */
    void requireNoComputedInteger(int input) throws RefusedException {
        Column column = types.get(input);
        if (column.type().isInteger() && column.computed()) {
            throw new RefusedException(Reason.ARGUMENT_TYPE, "an average of computed numbers in a temporary table");
        }
    }

    /**
     * Refuses a decimal of the maximum precision. Results computed from it may be truncated, in ways that depend on its
     * type.
     */
    void requireRoom(int input) throws RefusedException {
        Column column = types.get(input);
        if (column.decimal() && column.precision() >= MAX_PRECISION) {
            throw new RefusedException(
                    Reason.KEY_TYPE, column.name() + " has all the digits there are, and is computed with");
        }
    }

    /**
     * Refuses a decimal computed with more digits than it can have. MySQL 9.7 was seen to group by it before or after
     * rounding, depending on the plan.
     */
    void requireRounded(int input) throws RefusedException {
        Column column = types.get(input);
        if (computedDecimal(input) && column.precision() >= MAX_PRECISION) {
            throw new RefusedException(
                    Reason.KEY_TYPE, column.name() + " is computed and has all the digits there are");
        }
    }
}
