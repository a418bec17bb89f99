package io.fanfold.plan;

import io.fanfold.catalog.CatalogSnapshot.CollationInfo;
import io.fanfold.metrics.Reason;
import io.fanfold.plan.FanOutPlan.Carrier;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;

/**
 * How values of a split's inputs travel into a finish query, by their types, so that they are there what they were in
 * the table. Types that are not named here are refused. Immutable.
 */
final class Carriers {
    /** How a YEAR travels. */
    static final Carrier YEAR = new Carrier.Typed("year", false);

    /** The same where the year 0 is refused when it occurs: servers show it as 0 or 0000, by their plan. */
    static final Carrier YEAR_BUT_ZERO = new Carrier.Typed("year", true);

    private static final Carrier ASCII = new Carrier.Characters("latin1", "latin1_bin");

    /** More characters than servers show of any number. */
    private static final int LONGEST_NUMBER = 255;

    /** The longest display of a DOUBLE that can be declared. */
    private static final int MAX_DOUBLE_LENGTH = 255;

    /** The most digits of a second. */
    private static final int MAX_FRACTION = 6;

    private final KeyTypes types;
    private final boolean mariaDb;

    Carriers(KeyTypes types, boolean mariaDb) {
        this.types = types;
        this.mariaDb = mariaDb;
    }

    /** How values of an input travel. */
    Carrier of(int input) throws Refusal {
        Column column = types.of(input);
        if (types.exactForm(input).isPresent()) {
            throw new Refusal(Reason.KEY_TYPE, column.name() + " in an expression is " + column.type());
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
            throw new Refusal(Reason.KEY_TYPE, column.name() + " is " + column.type());
        }
        if (column.binaryString()) {
            return new Carrier.Bytes();
        }
        CollationInfo collation = types.collationOf(column);
        return new Carrier.Characters(collation.charset(), collation.name());
    }

    /**
     * How values of an input travel into a branch of set operations, where integers have to keep their size: beside a
     * FLOAT it decides on the type of both. Texts keep their length: beside them MariaDB shows as many digits of a
     * quotient as the longest branch has room for.
     */
    Carrier ofBranch(int input) throws Refusal {
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
     * How values of an input travel into a finish query that only shows them and sorts by them. Dates travel as text,
     * which sorts as they do: so zero dates travel whatever the sql_mode. So does a YEAR: out of MIN it may be 0, and
     * be read as 2000 again.
     */
    Carrier shown(int input) throws Refusal {
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

    /** How a floating-point number travels so that the server shows as many digits of it as it would have. */
    Carrier floating(int input) throws Refusal {
        Column column = types.of(input);
        if (!column.digitsFixed()) {
            return new Carrier.Typed("double", false);
        }
        if (!mariaDb) {
            // MySQL warns of the declaration
            throw new Refusal(Reason.APPROXIMATE, column.name() + " has a fixed number of digits");
        }
        return new Carrier.Typed("double(" + MAX_DOUBLE_LENGTH + "," + column.decimals() + ")", false);
    }

    /** How the hidden column of an exact form travels. */
    static Carrier exact(ExactForm form) {
        return switch (form) {
            case BITS -> new Carrier.Typed("bigint unsigned", false);
            case ALL_DIGITS -> new Carrier.Typed("double", false);
            case MOMENT -> new Carrier.Typed("decimal(20,6)", false);
            case INET4, INET6 -> new Carrier.Bytes();
        };
    }

    /** Demands a value that becomes the same value of JSON out of a finish query as out of a table. */
    static void requireJsonValue(Column column) throws Refusal {
        boolean text = column.type() == ColumnType.VAR_STRING || column.type() == ColumnType.STRING;
        boolean plainText = text && !column.binaryString() && !column.enumOrSet();
        if (!plainText && !column.type().isExactNumber() && !column.type().isTemporal()) {
            throw new Refusal(Reason.ARGUMENT_TYPE, column.name() + " as a value of JSON");
        }
    }

    /**
     * Demands a column that keeps all that JSON would show of it when it is carried into a finish query. What a derived
     * table computes need not: MariaDB shows conditions as true and false, MySQL a decimal with the digits that it was
     * computed with.
     */
    static void requireJsonColumn(Column column, boolean mariaDb) throws Refusal {
        boolean condition = column.type().isInteger() && column.length() == 1;
        boolean decimal = column.decimal();
        // of what is computed servers name no schema
        if (column.schema().isEmpty() && (mariaDb ? condition : decimal)) {
            throw new Refusal(Reason.ARGUMENT_TYPE, column.name() + " is computed, and becomes a value of JSON");
        }
    }

    /** The declaration of an exact decimal. */
    private static String decimal(Column column) {
        int scale = column.decimals();
        long precision = Math.min(NumberRules.MAX_PRECISION, column.precision());
        return "decimal(" + Math.max(Math.max(1, scale), precision) + "," + scale + ")";
    }

    private static int fraction(Column column) {
        return Math.min(MAX_FRACTION, column.decimals());
    }
}
