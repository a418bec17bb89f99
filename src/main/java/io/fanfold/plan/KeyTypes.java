package io.fanfold.plan;

import io.fanfold.catalog.CatalogSnapshot;
import io.fanfold.catalog.CatalogSnapshot.CollationInfo;
import io.fanfold.metrics.Reason;
import io.fanfold.plan.FanOutPlan.Carrier;
import io.fanfold.plan.SortKey.Comparison;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import java.util.List;
import java.util.Locale;

/**
 * What the types of a split's inputs allow: how values compare outside the server, and how they travel into a finish
 * query. Types that are not named here are refused.
 */
final class KeyTypes {
    /** Bytes that longest exact decimals and their sums may have: DECIMAL(65). */
    private static final int MAX_PRECISION = 65;

    /** From here on the decimals of a DOUBLE mean that all its digits are shown; below, its text is rounded. */
    private static final int NOT_FIXED = 31;

    /** How a YEAR travels. */
    static final Carrier YEAR = new Carrier.Typed("year", false);

    private final List<Column> types;
    private final CatalogSnapshot catalog;
    private final PadWeights pads;

    KeyTypes(List<Column> types, CatalogSnapshot catalog, PadWeights pads) {
        this.types = types;
        this.catalog = catalog;
        this.pads = pads;
    }

    /** How a value compares; without its place in the partial row. */
    record Compared(Comparison comparison, byte[] pad) {
        private static final byte[] NO_PAD = {};

        /** Whether the server's weight bytes have to be fetched beside the value. */
        boolean byWeight() {
            return comparison == Comparison.WEIGHT || comparison == Comparison.WEIGHT_PAD;
        }
    }

    Column of(int input) {
        return types.get(input);
    }

    /** How values of an input compare as a key. */
    Compared compared(int input) throws Refusal {
        Column column = of(input);
        refuseOdd(column, Reason.KEY_TYPE);
        if (column.type().isExactNumber()) {
            // YEAR is among the integers: four digits compare as a number
            return new Compared(Comparison.NUMBER, Compared.NO_PAD);
        }
        switch (column.type()) {
            case DOUBLE:
                return new Compared(Comparison.DOUBLE, Compared.NO_PAD);
            case TIME:
                return new Compared(Comparison.TIME, Compared.NO_PAD);
            case DATE, NEWDATE, DATETIME, TIMESTAMP:
                return new Compared(Comparison.BYTES, Compared.NO_PAD);
            default:
                break;
        }
        if (!column.type().isString()) {
            throw new Refusal(Reason.KEY_TYPE, column.name() + " is " + column.type());
        }
        return column.binaryString() ? new Compared(Comparison.BYTES, Compared.NO_PAD) : comparedByWeight(column);
    }

    private Compared comparedByWeight(Column column) throws Refusal {
        CollationInfo collation = collationOf(column);
        if (!weightsCompare(collation)) {
            throw new Refusal(Reason.COLLATION, column.name() + " has " + collation.name());
        }
        if (!collation.padSpace()) {
            return new Compared(Comparison.WEIGHT, Compared.NO_PAD);
        }
        byte[] pad = pads.of(collation.charset(), collation.name())
                .orElseThrow(() -> new Refusal(Reason.COLLATION, "no weight of a blank in " + collation.name()));
        return new Compared(Comparison.WEIGHT_PAD, pad);
    }

    /**
     * Whether equality and order of weight bytes are those of the collation. Measured for NO PAD collations and for
     * PAD SPACE ones of a single level; the multi-level PAD SPACE ones and some old scripts are not.
     */
    private static boolean weightsCompare(CollationInfo collation) {
        String name = collation.name().toLowerCase(Locale.ROOT);
        String charset = collation.charset().toLowerCase(Locale.ROOT);
        if (name.endsWith("_czech_cs") || charset.equals("big5") || charset.equals("tis620")) {
            return false;
        }
        return !(collation.padSpace() && (name.contains("_as_c") || name.contains("_ai_cs")));
    }

    private CollationInfo collationOf(Column column) throws Refusal {
        return catalog.collation(column.collationId())
                .orElseThrow(() ->
                        new Refusal(Reason.COLLATION, column.name() + " has collation id " + column.collationId()));
    }

    /** Demands that the server sums an input exactly: its SUM is a DECIMAL. */
    void requireExactSum(int sumInput) throws Refusal {
        Column sum = of(sumInput);
        if (!sum.type().isExactNumber()) {
            throw new Refusal(Reason.APPROXIMATE, sum.name() + " is " + sum.type());
        }
    }

    /** Demands that sums of an input do not depend on their order. */
    void requireExactNumber(int input) throws Refusal {
        Column column = of(input);
        if (!column.type().isExactNumber()) {
            throw new Refusal(Reason.APPROXIMATE, column.name() + " is " + column.type());
        }
    }

    /** Demands that MIN and MAX of an input have one answer whatever the plan. */
    void requireOrderedExtreme(int argument) throws Refusal {
        refuseOdd(of(argument), Reason.ARGUMENT_TYPE);
    }

    /** Demands a number of at most 64 bits for bit aggregates. */
    void requireBits(int argument) throws Refusal {
        Column column = of(argument);
        if (!column.type().isInteger()) {
            throw new Refusal(Reason.ARGUMENT_TYPE, column.name() + " is " + column.type());
        }
    }

    private static void refuseOdd(Column column, Reason reason) throws Refusal {
        // a YEAR always carries the flag; its four digits are the same in any context
        boolean filled = (column.flags() & Column.Flags.ZEROFILL) != 0 && column.type() != ColumnType.YEAR;
        if (column.enumOrSet() || filled) {
            throw new Refusal(reason, column.name() + " is an ENUM, a SET or filled with zeros");
        }
        if (column.type() == ColumnType.DOUBLE && column.decimals() < NOT_FIXED) {
            throw new Refusal(reason, column.name() + " is shown with " + column.decimals() + " digits only");
        }
        switch (column.type()) {
            case FLOAT, BIT, JSON, GEOMETRY, VECTOR, NULL, UNKNOWN, ENUM, SET ->
                throw new Refusal(reason, column.name() + " is " + column.type());
            default -> {}
        }
    }

    /** How values of an input travel into a finish query. */
    Carrier carrier(int input) throws Refusal {
        Column column = of(input);
        refuseOdd(column, Reason.KEY_TYPE);
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
        CollationInfo collation = collationOf(column);
        return new Carrier.Characters(collation.charset(), collation.name());
    }

    /** The declaration of an exact decimal from its display length, which counts sign and point. */
    private static String decimal(Column column) {
        int scale = column.decimals();
        long precision = column.length() - (scale > 0 ? 1 : 0) - (column.unsigned() ? 0 : 1);
        return "decimal(" + Math.max(Math.max(1, scale), Math.min(MAX_PRECISION, precision)) + "," + scale + ")";
    }

    private static int fraction(Column column) {
        return Math.min(6, column.decimals());
    }
}
