package io.fanfold.plan;

import io.fanfold.catalog.CatalogSnapshot.CollationInfo;
import io.fanfold.plan.FanOutPlan.Carrier;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;

/**
 * Chooses the column encoding of a block's inputs by their types, so that values are in the final query what they were
 * in the table. Types not listed here are refused. Immutable.
 */
final class Carriers {
    /** The encoding of a YEAR. */
    static final Carrier YEAR = new Carrier.Typed("year", false);

    /** The encoding of a YEAR that refuses the year 0, which servers show as 0 or 0000, depending on the plan. */
    static final Carrier YEAR_BUT_ZERO = new Carrier.Typed("year", true);

    private static final Carrier ASCII = new Carrier.Characters("latin1", "latin1_bin");

    /** More characters than servers use to show any number. */
    private static final int LONGEST_NUMBER = 255;

    /** The longest display width of a DOUBLE that can be declared. */
    private static final int MAX_DOUBLE_LENGTH = 255;

    /** The maximum number of fractional digits of a second. */
    private static final int MAX_FRACTION = 6;

    private final KeyTypes types;
    private final boolean mariaDb;

    Carriers(KeyTypes types, boolean mariaDb) {
        this.types = types;
        this.mariaDb = mariaDb;
    }

    /** Returns the encoding of an input. */
    Carrier of(int input) throws RefusedException {
        Column column = types.of(input);
        if (types.exactForm(input).isPresent()) {
            throw new RefusedException(Reason.KEY_TYPE, column.name() + " in an expression is " + column.type());
        }
        KeyTypes.refuseOdd(column, Reason.KEY_TYPE);
        if (column.type() == ColumnType.YEAR) {
            return YEAR;
        }
        if (column.type().isInteger()) {
            return new Carrier.Typed(column.unsigned() ? "bigint unsigned" : "bigint", false);
        }
        switch (column.type()) {
            case DECIMAL, NEWDECIMAL:
                return new Carrier.Typed(decimal(column), false);
            case DOUBLE:
                return new Carrier.Typed("double", false);
            case DATE, NEWDATE:
                return new Carrier.Typed("date", true);
            case TIME:
                return new Carrier.Typed("time(" + fraction(column) + ")", false);
            case DATETIME, TIMESTAMP:
                return new Carrier.Typed("datetime(" + fraction(column) + ")", true);
            default:
                break;
        }
        if (!column.type().isString()) {
            throw new RefusedException(Reason.KEY_TYPE, column.name() + " is " + column.type());
        }
        if (column.binaryString()) {
            return new Carrier.Bytes();
        }
        CollationInfo collation = types.collationOf(column);
        return new Carrier.Characters(collation.charset(), collation.name());
    }

    /**
     * Returns the encoding of an input in a branch of a set operation. Integers keep their size, because next to a
     * FLOAT it decides the common type. Texts keep their length, because MariaDB shows as many digits of a quotient
     * next to them as the longest branch has room for.
     */
    Carrier ofBranch(int input) throws RefusedException {
        Column column = types.of(input);
        Carrier carrier = of(input);
        if (carrier instanceof Carrier.Characters) {
            CollationInfo collation = types.collationOf(column);
            long length = column.length() / collation.bytesPerCharacter();
            return new Carrier.Characters(
                    collation.charset(), collation.name(), (int) Math.min(length, LONGEST_NUMBER));
        }
        String size = column.unsigned() ? " unsigned" : "";
        return switch (column.type()) {
            case TINY -> new Carrier.Typed("tinyint" + size, false);
            case SHORT -> new Carrier.Typed("smallint" + size, false);
            case INT24 -> new Carrier.Typed("mediumint" + size, false);
            case LONG -> new Carrier.Typed("int" + size, false);
            default -> carrier;
        };
    }

    /**
     * Returns the encoding of an input that the final query only shows and sorts by. Dates are sent as text, which
     * sorts the same, so zero dates work in any sql_mode. So is a YEAR: a MIN of it may be 0, which would be read as
     * 2000.
     */
    Carrier shown(int input) throws RefusedException {
        Column column = types.of(input);
        if (column.enumOrSet()) {
            CollationInfo collation = types.collationOf(column);
            return new Carrier.Characters(collation.charset(), collation.name());
        }
        if (column.type() == ColumnType.BIT) {
            return new Carrier.Bytes();
        }
        boolean asText =
                types.exactForm(input).isPresent() || column.type().isDate() || column.type() == ColumnType.YEAR;
        return asText ? ASCII : of(input);
    }

    /** Returns the encoding of a floating-point number with which the server shows the original number of digits. */
    Carrier floating(int input) throws RefusedException {
        Column column = types.of(input);
        if (!column.digitsFixed()) {
            return new Carrier.Typed("double", false);
        }
        if (!mariaDb) {
            // MySQL warns about the declaration
            throw new RefusedException(Reason.APPROXIMATE, column.name() + " has a fixed number of digits");
        }
        return new Carrier.Typed("double(" + MAX_DOUBLE_LENGTH + "," + column.decimals() + ")", false);
    }

    /** Returns the encoding of the hidden column of an exact form. */
    static Carrier exact(ExactForm form) {
        return switch (form) {
            case BITS -> new Carrier.Typed("bigint unsigned", false);
            case ALL_DIGITS -> new Carrier.Typed("double", false);
            case MOMENT -> new Carrier.Typed("decimal(20,6)", false);
            case INET4, INET6 -> new Carrier.Bytes();
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
    static void requireJsonColumn(Column column, boolean mariaDb) throws RefusedException {
        boolean condition = column.type().isInteger() && column.length() == 1;
        boolean decimal = column.decimal();
        // servers name no schema for computed columns
        if (column.schema().isEmpty() && (mariaDb ? condition : decimal)) {
            throw new RefusedException(
                    Reason.ARGUMENT_TYPE, column.name() + " is computed, and becomes a value of JSON");
        }
    }

    /** Returns the declaration of an exact decimal. */
    private static String decimal(Column column) {
        int scale = column.decimals();
        long precision = Math.min(NumberRules.MAX_PRECISION, column.precision());
        return "decimal(" + Math.max(Math.max(1, scale), precision) + "," + scale + ")";
    }

    private static int fraction(Column column) {
        return Math.min(MAX_FRACTION, column.decimals());
    }
}
