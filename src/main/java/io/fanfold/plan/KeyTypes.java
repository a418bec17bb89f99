package io.fanfold.plan;

import io.fanfold.catalog.CatalogSnapshot;
import io.fanfold.catalog.CatalogSnapshot.CollationInfo;
import io.fanfold.catalog.Partitioning;
import io.fanfold.metrics.Reason;
import io.fanfold.plan.FanOutPlan.Carrier;
import io.fanfold.plan.SortKey.Comparison;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What the types of a split's inputs allow: how values compare outside the server, and how they travel into a finish
 * query. Types that are not named here are refused.
 */
final class KeyTypes {
    /** Bytes that longest exact decimals and their sums may have: DECIMAL(65). */
    private static final int MAX_PRECISION = 65;

    /** Digits that AVG adds by default. */
    private static final int AVERAGE_DIGITS = 4;

    /** As far as servers divide at least. */
    private static final int DIVIDED_DIGITS = 9;

    /**
     * Where a server sorts to group, it tells strings apart by their first max_sort_length bytes only, 1024 by default:
     * MySQL repeats groups then, MariaDB drops some. Shorter strings are safe.
     */
    private static final int SORTED_BYTES = 1000;

    /** From this number on decimals say that digits are not fixed. */
    private static final int NOT_FIXED = 31;

    /** More characters than servers show of any number. */
    private static final int LONGEST_NUMBER = 255;

    /** The longest display of a DOUBLE that can be declared. */
    private static final int MAX_DOUBLE_LENGTH = 255;

    private static final Carrier ASCII = new Carrier.Characters("latin1", "latin1_bin");

    /** How a YEAR travels. */
    static final Carrier YEAR = new Carrier.Typed("year", false);

    /** The same where the year 0 is refused when it occurs: servers show it as 0 or 0000, by their plan. */
    static final Carrier YEAR_BUT_ZERO = new Carrier.Typed("year", true);

    private final List<Column> types;
    private final CatalogSnapshot catalog;
    private final PadWeights pads;
    private final ServerTraits server;

    KeyTypes(List<Column> types, CatalogSnapshot catalog, PadWeights pads, ServerTraits server) {
        this.types = types;
        this.catalog = catalog;
        this.pads = pads;
        this.server = server;
    }

    /**
     * What the server and the session do to values.
     *
     * @param mariaDb the kind of server
     * @param momentsAreLocal whether every moment has a local time of its own in the session's time zone
     */
    record ServerTraits(boolean mariaDb, boolean momentsAreLocal) {}

    /**
     * How a value compares; without its place in the partial row.
     *
     * @param exact the hidden column by which it is compared, where its text does not tell the value
     */
    record Compared(Comparison comparison, byte[] pad, Optional<ExactForm> exact) {
        private static final byte[] NO_PAD = {};

        Compared(Comparison comparison, byte[] pad) {
            this(comparison, pad, Optional.empty());
        }

        private static Compared by(ExactForm form) {
            return new Compared(form.comparison(), NO_PAD, Optional.of(form));
        }

        /** The expression that has to be fetched beside the value, by which it is compared. */
        Optional<String> hidden(String sql) {
            boolean byWeight = comparison == Comparison.WEIGHT || comparison == Comparison.WEIGHT_PAD;
            return byWeight ? Optional.of("WEIGHT_STRING(" + sql + ")") : exact.map(form -> form.of(sql));
        }
    }

    Column of(int input) {
        return types.get(input);
    }

    /** How values of an input compare as a key. */
    Compared compared(int input) throws Refusal {
        Column column = of(input);
        Optional<ExactForm> exact = exactForm(input);
        if (exact.isPresent()) {
            ExactForm.requireColumn(column, Reason.KEY_TYPE);
            return Compared.by(exact.get());
        }
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

    /**
     * How values of an argument of a DISTINCT aggregate compare. Servers put them into a temporary table, where the modes
     * against zero dates make them equal; so such dates are not compared at all.
     */
    Compared comparedDistinct(int input) throws Refusal {
        Compared compared = compared(input);
        requireRounded(input);
        if (exactForm(input).filter(form -> form == ExactForm.MOMENT).isPresent()) {
            throw new Refusal(Reason.KEY_TYPE, of(input).name() + " where clocks are set back");
        }
        boolean date = temporal(of(input)) && compared.comparison() == Comparison.BYTES;
        return date ? new Compared(Comparison.DATE, Compared.NO_PAD) : compared;
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

    /** Demands an exact number: of sums, that the server adds exactly; of values, that their sum has no order. */
    void requireExactNumber(int input, Reason reason) throws Refusal {
        Column column = of(input);
        if (!column.type().isExactNumber()) {
            throw new Refusal(reason, column.name() + " is " + column.type());
        }
    }

    /**
     * Demands a number of which there is room for the digits that an average adds. Of computed decimals with many digits, such
     * as those of an IF, the values may have fewer; then a server divides less far.
     *
     * @param grouped whether averages are kept while others are computed
     */
    void requireAveraged(int argument, boolean grouped) throws Refusal {
        Column column = of(argument);
        boolean decimal = column.type() == ColumnType.NEWDECIMAL || column.type() == ColumnType.DECIMAL;
        if (decimal && computed(column) && column.decimals() + AVERAGE_DIGITS > DIVIDED_DIGITS) {
            throw new Refusal(Reason.ARGUMENT_TYPE, "an average of values that may have fewer digits than their type");
        }
        if (decimal
                && grouped
                && (precision(column) + AVERAGE_DIGITS > MAX_PRECISION
                        || column.decimals() + AVERAGE_DIGITS >= NOT_FIXED)) {
            throw new Refusal(Reason.ARGUMENT_TYPE, "an average of " + precision(column) + " digits");
        }
    }

    /** Refuses a whole number that is no column of a table. */
    void requireNoComputedInteger(int input) throws Refusal {
        if (of(input).type().isInteger() && computed(of(input))) {
            throw new Refusal(Reason.ARGUMENT_TYPE, "an average of computed numbers in a temporary table");
        }
    }

    /** Refuses a decimal with all the digits there are: what is computed of it may be cut, in ways that depend on its type. */
    void requireRoom(int input) throws Refusal {
        Column column = of(input);
        boolean decimal = column.type() == ColumnType.NEWDECIMAL || column.type() == ColumnType.DECIMAL;
        if (decimal && precision(column) >= MAX_PRECISION) {
            throw new Refusal(Reason.KEY_TYPE, column.name() + " has all the digits there are, and is computed with");
        }
    }

    /** Whether an input is a decimal that is no column of a table. */
    boolean computedDecimal(int input) {
        Column column = of(input);
        boolean decimal = column.type() == ColumnType.NEWDECIMAL || column.type() == ColumnType.DECIMAL;
        return decimal && computed(column);
    }

    private static boolean computed(Column column) {
        return column.orgName().isEmpty();
    }

    /** Demands a value that becomes the same value of JSON out of a finish query as out of a table. */
    void requireJsonValue(int argument) throws Refusal {
        Column column = of(argument);
        boolean text = column.type() == ColumnType.VAR_STRING || column.type() == ColumnType.STRING;
        boolean plainText = text && !column.binaryString() && !column.enumOrSet();
        if (!plainText && !column.type().isExactNumber() && !column.type().isTemporal()) {
            throw new Refusal(Reason.ARGUMENT_TYPE, column.name() + " as a value of JSON");
        }
    }

    /** Whether an input is a floating-point number. */
    boolean approximate(int input) {
        return of(input).type() == ColumnType.DOUBLE || of(input).type() == ColumnType.FLOAT;
    }

    /** How a floating-point number travels so that the server shows as many digits of it as it would have. */
    Carrier floatingCarrier(int input) throws Refusal {
        return new Carrier.Typed(floating(of(input)), false);
    }

    private String floating(Column column) throws Refusal {
        if (column.decimals() >= NOT_FIXED) {
            return "double";
        }
        if (!server.mariaDb()) {
            // MySQL warns of the declaration
            throw new Refusal(Reason.APPROXIMATE, column.name() + " has a fixed number of digits");
        }
        return "double(" + MAX_DOUBLE_LENGTH + "," + column.decimals() + ")";
    }

    /**
     * Whether rows with equal values of a partitioning column are in one partition: numbers without sign of zero, dates
     * without a time zone; and byte strings where partitions are not chosen by a hash.
     */
    boolean decidesPartition(int input, Partitioning partitioning) {
        Column column = of(input);
        boolean date = column.type() == ColumnType.DATE || column.type() == ColumnType.DATETIME;
        return date || column.type().isInteger() || partitioning.comparesValues() && column.binaryString();
    }

    /** Whether equal values of a key look alike: else which of them is shown depends on the server's plan. */
    boolean looksAlike(int input) throws Refusal {
        return switch (compared(input).comparison()) {
            case NUMBER, BYTES, DATE, TIME -> exactForm(input).isEmpty();
            case WEIGHT, WEIGHT_PAD, DOUBLE -> false;
        };
    }

    /** The hidden column that an input's values need to be told apart; empty when their text does. */
    Optional<ExactForm> exactForm(int input) {
        return ExactForm.needed(of(input), server.momentsAreLocal());
    }

    /**
     * How MIN or MAX of a column or expression compares. ENUM and SET are refused: servers compare them as strings, or by
     * number where an index helps. So are BIT on MariaDB, which shows them in two ways, and a TIMESTAMP where clocks are
     * set back, since local times are compared there without an index.
     *
     * @param input the input with the extreme
     * @param argument the input with the expression itself
     */
    Compared comparedExtreme(int input, int argument) throws Refusal {
        Column column = of(argument);
        requireRounded(argument);
        Optional<ExactForm> exact = exactForm(argument);
        if (exact.isEmpty()) {
            refuseOdd(column, Reason.ARGUMENT_TYPE);
            return compared(input);
        }
        boolean bit = column.type() == ColumnType.BIT && !server.mariaDb();
        if (exact.get() != ExactForm.ALL_DIGITS && !bit) {
            throw new Refusal(Reason.ARGUMENT_TYPE, column.name() + " is " + column.type());
        }
        ExactForm.requireColumn(column, Reason.ARGUMENT_TYPE);
        return Compared.by(exact.get());
    }

    /**
     * Whether a server that sorts to group tells all values of an input apart. Of neighbours it compares the text of an
     * ENUM or SET, which is empty for the invalid value and may be for a valid one, and the local time of a moment.
     */
    boolean sortedWhole(int input) {
        Column column = of(input);
        boolean moment =
                exactForm(input).filter(form -> form == ExactForm.MOMENT).isPresent();
        return !moment && !column.enumOrSet() && (!column.type().isString() || column.length() <= SORTED_BYTES);
    }

    /**
     * Refuses a decimal that was computed with more digits than it can have. MySQL 9.7 was seen to group by it before or after
     * it was rounded, by its plan.
     */
    private void requireRounded(int input) throws Refusal {
        if (computedDecimal(input) && precision(of(input)) >= MAX_PRECISION) {
            throw new Refusal(Reason.KEY_TYPE, of(input).name() + " is computed and has all the digits there are");
        }
    }

    /**
     * Refuses a BIT as a grouping key: by the plan, servers show its bytes or its number, e.g. MariaDB where it sorts; and
     * what may be of several groups by one plan and of one by another.
     */
    void requireOneForm(int input) throws Refusal {
        requireRounded(input);
        if (of(input).type() == ColumnType.BIT) {
            throw new Refusal(
                    Reason.KEY_TYPE, of(input).name() + " is " + of(input).type());
        }
    }

    /** Demands that of a grouping key, in a statement for which the server sorts. */
    void requireSortedWhole(int input) throws Refusal {
        if (!sortedWhole(input)) {
            throw new Refusal(Reason.KEY_TYPE, of(input).name() + " is not told apart where servers sort");
        }
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
        switch (column.type()) {
            case FLOAT, BIT, JSON, GEOMETRY, VECTOR, NULL, UNKNOWN, ENUM, SET ->
                throw new Refusal(reason, column.name() + " is " + column.type());
            default -> {}
        }
    }

    /**
     * How values of an input travel into a finish query that only shows them and sorts by them. Dates travel as text,
     * which sorts as they do: so zero dates travel whatever the sql_mode.
     */
    Carrier shownCarrier(int input) throws Refusal {
        Column column = of(input);
        if (column.enumOrSet()) {
            CollationInfo collation = collationOf(column);
            return new Carrier.Characters(collation.charset(), collation.name());
        }
        if (column.type() == ColumnType.BIT) {
            return new Carrier.Bytes();
        }
        return exactForm(input).isPresent() || temporal(column) ? ASCII : carrier(input);
    }

    /** Whether values look alike in the order of time; a YEAR out of MIN may be 0, and be read as 2000 again. */
    private static boolean temporal(Column column) {
        return switch (column.type()) {
            case DATE, NEWDATE, DATETIME, TIMESTAMP, YEAR -> true;
            default -> false;
        };
    }

    /** How the hidden column of an exact form travels. */
    static Carrier exactCarrier(ExactForm form) {
        return new Carrier.Typed(
                switch (form) {
                    case BITS -> "bigint unsigned";
                    case ALL_DIGITS -> "double";
                    case MOMENT -> "decimal(20,6)";
                },
                false);
    }

    /**
     * How values of an input travel into a branch of set operations, where integers have to keep their size: beside a FLOAT
     * it decides on the type of both. Texts keep their length: beside them MariaDB shows as many digits of a quotient as the
     * longest branch has room for.
     */
    Carrier carrierOfBranch(int input) throws Refusal {
        Column column = of(input);
        Carrier carrier = carrier(input);
        if (carrier instanceof Carrier.Characters) {
            CollationInfo collation = collationOf(column);
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

    /** How values of an input travel into a finish query. */
    Carrier carrier(int input) throws Refusal {
        Column column = of(input);
        if (exactForm(input).isPresent()) {
            throw new Refusal(Reason.KEY_TYPE, column.name() + " in an expression is " + column.type());
        }
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
        long precision = precision(column);
        return "decimal(" + Math.max(Math.max(1, scale), Math.min(MAX_PRECISION, precision)) + "," + scale + ")";
    }

    private static long precision(Column column) {
        return column.length() - (column.decimals() > 0 ? 1 : 0) - (column.unsigned() ? 0 : 1);
    }

    private static int fraction(Column column) {
        return Math.min(6, column.decimals());
    }
}
