package io.fanfold.plan;

import io.fanfold.plan.SortKey.KeyComparison;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import java.util.Optional;

/**
 * A hidden column that identifies a stored value whose text does not: two FLOATs may have the same text, an ENUM is
 * compared and sorted by its number, and if clocks are set back two timestamps have the same local time. Servers group,
 * count and sort such columns by the stored value, which the hidden column shows.
 *
 * <pre>
 * ENUM, SET, BIT                  CAST(x AS UNSIGNED)
 * FLOAT, DOUBLE(10,2)             (x)+0e0
 * TIMESTAMP, clocks set back      UNIX_TIMESTAMP(x)
 * INET4, INET6                    CAST(x AS BINARY(4)), CAST(x AS BINARY(16))
 * </pre>
 *
 * <p>Measured for columns, and for MIN and MAX of columns. An expression of such a type is refused, because a temporary
 * table may round it.
 */
enum ExactForm {
    /** The number of an ENUM, or the bits of a SET or BIT; at most 64 bits. */
    BITS("CAST(", " AS UNSIGNED)", KeyComparison.NUMBER),
    /** All digits of a number that is shown with fewer. */
    ALL_DIGITS("(", ")+0e0", KeyComparison.DOUBLE),
    /** Seconds since 1970. */
    MOMENT("UNIX_TIMESTAMP(", ")", KeyComparison.NUMBER),
    /** The bytes of an address, which sort like addresses (MariaDB 10.11, TypeSweepIT). */
    INET4("CAST(", " AS BINARY(4))", KeyComparison.BYTES),
    /** The sixteen bytes of an address, which sort like addresses. */
    INET6("CAST(", " AS BINARY(16))", KeyComparison.BYTES);

    private final String before;
    private final String after;
    private final KeyComparison comparison;

    ExactForm(String before, String after, KeyComparison comparison) {
        this.before = before;
        this.after = after;
        this.comparison = comparison;
    }

    /** Returns the hidden column for an expression. */
    String of(String sql) {
        return before + sql + after;
    }

    KeyComparison comparison() {
        return comparison;
    }

    /**
     * Returns the form that values of a type need, empty if their text identifies them.
     *
     * @param momentsAreLocal whether no two timestamps have the same local time in the session's time zone
     */
    static Optional<ExactForm> needed(Column column, boolean momentsAreLocal) {
        if (column.enumOrSet() || column.type() == ColumnType.BIT) {
            return Optional.of(BITS);
        }
        if (column.type() == ColumnType.FLOAT || column.type() == ColumnType.DOUBLE && column.digitsFixed()) {
            return Optional.of(ALL_DIGITS);
        }
        if (column.type() == ColumnType.INET4 || column.type() == ColumnType.INET6) {
            return Optional.of(column.type() == ColumnType.INET4 ? INET4 : INET6);
        }
        return column.type() == ColumnType.TIMESTAMP && !momentsAreLocal ? Optional.of(MOMENT) : Optional.empty();
    }

    /**
     * Refuses a value that is not a stored column. For computed columns of derived tables, servers name no table or
     * schema.
     */
    static void requireColumn(Column column, Reason reason) throws RefusedException {
        if (column.orgName().isEmpty()
                || column.orgTable().isEmpty()
                || column.schema().isEmpty()) {
            throw new RefusedException(reason, column.name() + " is computed, and " + column.type());
        }
    }
}
