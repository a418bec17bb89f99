package io.fanfold.plan;

import io.fanfold.catalog.CatalogSnapshot.CollationInfo;
import io.fanfold.plan.FanOutPlan.ColumnEncoding;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.wire.ServerFlavor;

/**
 * Chooses the column encoding of a block's inputs by their types, so that values are in the final query what they were
 * in the table. Types not listed here are refused. Immutable.
 */
final class ColumnEncodings {
    /** The encoding of a YEAR. */
    static final ColumnEncoding YEAR = new ColumnEncoding.TypedEncoding("year", false);

    /** The encoding of a YEAR that refuses the year 0, which servers show as 0 or 0000, depending on the plan. */
    static final ColumnEncoding YEAR_BUT_ZERO = new ColumnEncoding.TypedEncoding("year", true);

    private static final ColumnEncoding ASCII = new ColumnEncoding.TextEncoding("latin1", "latin1_bin");

    /** More characters than servers use to show any number. */
    private static final int LONGEST_NUMBER = 255;

    /** The longest display width of a DOUBLE that can be declared. */
    private static final int MAX_DOUBLE_LENGTH = 255;

    /** The maximum number of fractional digits of a second. */
    private static final int MAX_FRACTION = 6;

    private final TypeBinding types;
    private final ServerFlavor flavor;

    ColumnEncodings(TypeBinding types, ServerFlavor flavor) {
        this.types = types;
        this.flavor = flavor;
    }

    /** Returns the encoding of an input. */
    ColumnEncoding of(int input) throws RefusedException {
        Column column = types.of(input);
        if (types.exactForm(input).isPresent()) {
            throw new RefusedException(Reason.KEY_TYPE, column.name() + " in an expression is " + column.type());
        }
        TypeBinding.refuseOdd(column, Reason.KEY_TYPE);
        if (column.type() == ColumnType.YEAR) {
            return YEAR;
        }
        if (column.type().isInteger()) {
            return new ColumnEncoding.TypedEncoding(column.unsigned() ? "bigint unsigned" : "bigint", false);
        }
        switch (column.type()) {
            case DECIMAL, NEWDECIMAL:
                return new ColumnEncoding.TypedEncoding(decimal(column), false);
            case DOUBLE:
                return new ColumnEncoding.TypedEncoding("double", false);
            case DATE, NEWDATE:
                return new ColumnEncoding.TypedEncoding("date", true);
            case TIME:
                return new ColumnEncoding.TypedEncoding("time(" + fraction(column) + ")", false);
            case DATETIME, TIMESTAMP:
                return new ColumnEncoding.TypedEncoding("datetime(" + fraction(column) + ")", true);
            default:
                break;
        }
        if (!column.type().isString()) {
            throw new RefusedException(Reason.KEY_TYPE, column.name() + " is " + column.type());
        }
        if (column.binaryString()) {
            return new ColumnEncoding.BinaryEncoding();
        }
        CollationInfo collation = types.collationOf(column);
        return new ColumnEncoding.TextEncoding(collation.charset(), collation.name());
    }

    /**
     * Returns the encoding of an input in a branch of a set operation. Integers keep their size, because next to a
     * FLOAT it decides the common type. Texts keep their length, because MariaDB shows as many digits of a quotient
     * next to them as the longest branch has room for.
     */
    ColumnEncoding ofBranch(int input) throws RefusedException {
        Column column = types.of(input);
        ColumnEncoding encoding = of(input);
        if (encoding instanceof ColumnEncoding.TextEncoding) {
            CollationInfo collation = types.collationOf(column);
            long length = column.length() / collation.bytesPerCharacter();
            return new ColumnEncoding.TextEncoding(
                    collation.charset(), collation.name(), (int) Math.min(length, LONGEST_NUMBER));
        }
        String size = column.unsigned() ? " unsigned" : "";
        return switch (column.type()) {
            case TINY -> new ColumnEncoding.TypedEncoding("tinyint" + size, false);
            case SHORT -> new ColumnEncoding.TypedEncoding("smallint" + size, false);
            case INT24 -> new ColumnEncoding.TypedEncoding("mediumint" + size, false);
            case LONG -> new ColumnEncoding.TypedEncoding("int" + size, false);
            default -> encoding;
        };
    }

    /**
     * Returns the encoding of an input that the final query only shows and sorts by. Dates are sent as text, which
     * sorts the same, so zero dates work in any sql_mode. So is a YEAR: a MIN of it may be 0, which would be read as
     * 2000.
     */
    ColumnEncoding shown(int input) throws RefusedException {
        Column column = types.of(input);
        if (column.enumOrSet()) {
            CollationInfo collation = types.collationOf(column);
            return new ColumnEncoding.TextEncoding(collation.charset(), collation.name());
        }
        if (column.type() == ColumnType.BIT) {
            return new ColumnEncoding.BinaryEncoding();
        }
        boolean asText =
                types.exactForm(input).isPresent() || column.type().isDate() || column.type() == ColumnType.YEAR;
        return asText ? ASCII : of(input);
    }

    /** Returns the encoding of a floating-point number with which the server shows the original number of digits. */
    ColumnEncoding floating(int input) throws RefusedException {
        Column column = types.of(input);
        if (!column.digitsFixed()) {
            return new ColumnEncoding.TypedEncoding("double", false);
        }
        if (flavor.isMySql()) {
            // MySQL warns about the declaration
            throw new RefusedException(Reason.APPROXIMATE, column.name() + " has a fixed number of digits");
        }
        return new ColumnEncoding.TypedEncoding("double(" + MAX_DOUBLE_LENGTH + "," + column.decimals() + ")", false);
    }

    /** Returns the encoding of the hidden column of an exact form. */
    static ColumnEncoding exact(ExactForm form) {
        return switch (form) {
            case BITS -> new ColumnEncoding.TypedEncoding("bigint unsigned", false);
            case ALL_DIGITS -> new ColumnEncoding.TypedEncoding("double", false);
            case MOMENT -> new ColumnEncoding.TypedEncoding("decimal(20,6)", false);
            case INET4, INET6 -> new ColumnEncoding.BinaryEncoding();
        };
    }

    /** Refuses a value that may become another JSON value in a final query than from a table. */
    static void requireJsonValue(Column column) throws RefusedException {
        boolean text = column.type() == ColumnType.VAR_STRING || column.type() == ColumnType.STRING;
        boolean plainText = text && !column.binaryString() && !column.enumOrSet();
        if (!plainText && !column.type().isExactNumber() && !column.type().isTemporal()) {
            throw new RefusedException(Reason.ARGUMENT_TYPE, column.name() + " as a value of JSON");
        }
    }

    /**
     * Refuses a computed column of a derived table that may lose something JSON shows when it is sent to a final query.
     * MariaDB shows conditions as true and false, MySQL a decimal with the digits it was computed with.
     */
    static void requireJsonColumn(Column column, ServerFlavor flavor) throws RefusedException {
        boolean condition = column.type().isInteger() && column.length() == 1;
        boolean decimal = column.decimal();
        // servers name no schema for computed columns
        if (column.schema().isEmpty() && (flavor.isMariaDb() ? condition : decimal)) {
            throw new RefusedException(
                    Reason.ARGUMENT_TYPE, column.name() + " is computed, and becomes a value of JSON");
        }
    }

    /** Returns the declaration of an exact decimal. */
    private static String decimal(Column column) {
        int scale = column.decimals();
        long precision = Math.min(Column.MAX_PRECISION, column.precision());
        return "decimal(" + Math.max(Math.max(1, scale), precision) + "," + scale + ")";
    }

    private static int fraction(Column column) {
        return Math.min(MAX_FRACTION, column.decimals());
    }
}
