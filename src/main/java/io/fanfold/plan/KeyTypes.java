package io.fanfold.plan;

import io.fanfold.catalog.CatalogSnapshot;
import io.fanfold.catalog.CatalogSnapshot.CollationInfo;
import io.fanfold.catalog.Partitioning;
import io.fanfold.metrics.Reason;
import io.fanfold.plan.SortKey.Comparison;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.sql.SelectModel.TableRef;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * What the types of a split's inputs allow where values are told apart or sorted: how they compare outside the server,
 * and whether the server itself compares them in one way only. Types that are not named here are refused. Immutable.
 */
final class KeyTypes {
    /**
     * Where a server sorts to group, it tells strings apart by their first max_sort_length bytes only, 1024 by default:
     * MySQL repeats groups then, MariaDB drops some. Shorter strings are safe.
     */
    private static final int SORTED_BYTES = 1000;

    /**
     * Collations whose weights are not those of their comparisons. In the last three another character has the weight of a
     * blank, and yet does not equal it at the end of a string.
     */
    private static final Set<String> OTHER_WEIGHTS = Set.of(
            "latin2_czech_cs",
            "cp1250_czech_cs",
            "gb18030_chinese_ci",
            "cp1250_general_ci",
            "cp1251_ukrainian_ci",
            "koi8u_general_ci");

    /** Character sets of which most collations are such. */
    private static final Set<String> OTHER_CHARSETS = Set.of("big5", "tis620", "latin7");

    private final List<Column> types;
    private final CatalogSnapshot catalog;
    private final PadWeights pads;
    private final ServerTraits server;
    private final NumberRules numbers;

    KeyTypes(List<Column> types, CatalogSnapshot catalog, PadWeights pads, ServerTraits server) {
        this.types = types;
        this.catalog = catalog;
        this.pads = pads;
        this.server = server;
        this.numbers = new NumberRules(types, server.session().dividedDigits());
    }

    /**
     * What the server and the session do to values.
     *
     * @param mariaDb the kind of server
     * @param session what of the client's session matters
     */
    record ServerTraits(boolean mariaDb, SessionTraits session) {}

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

    /** What the digits of the same inputs allow. */
    NumberRules numbers() {
        return numbers;
    }

    /** Whether the session's sql_mode lets dates with zero parts be. */
    boolean zeroDates() {
        return server.session().zeroDates();
    }

    /** The digits that a division adds to its dividend's. */
    int dividedDigits() {
        return server.session().dividedDigits();
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
     * How values of an argument of a DISTINCT aggregate compare. Servers put them into a temporary table, where the
     * modes against zero dates make these equal, and dates such as February 30 as well unless ALLOW_INVALID_DATES is
     * set; so such dates are not compared at all.
     */
    Compared comparedDistinct(int input) throws Refusal {
        if (of(input).type() == ColumnType.UUID) {
            // two equal UUIDs have one text (MariaDB 10.11), but the order of UUIDs is that of neither text nor bytes
            ExactForm.requireColumn(of(input), Reason.KEY_TYPE);
            return new Compared(Comparison.BYTES, Compared.NO_PAD);
        }
        Compared compared = compared(input);
        numbers.requireRounded(input);
        refuseNarrow(input);
        if (exactForm(input).filter(form -> form == ExactForm.MOMENT).isPresent()) {
            throw new Refusal(Reason.KEY_TYPE, of(input).name() + " where clocks are set back");
        }
        boolean date = of(input).type().isDate() && compared.comparison() == Comparison.BYTES;
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
     * Whether equality and order of weight bytes are those of the collation. CollationSweepIT and CollationWeightsIT show it
     * for every collation of MySQL 9.7 and MariaDB 10.11 that is not excluded here:
     *
     * <ul>
     *   <li>PAD SPACE collations of several levels, {@code thai_520_w2} among them; MariaDB's {@code ai_cs}, in which equal
     *       strings have different weights; and its Vietnamese ones with accents, of which only the weights put an accent
     *       together with what stands before it
     *   <li>the scripts of {@link #OTHER_WEIGHTS}
     *   <li>{@code euckr_korean_ci} on MySQL, which has one weight for each of 17,500 syllables and takes 1,800 of them for
     *       others
     *   <li>{@code latin7}, in which {@code a} sorts before {@code a-b} and compares as the larger one
     * </ul>
     */
    private boolean weightsCompare(CollationInfo collation) {
        String name = collation.name().toLowerCase(Locale.ROOT);
        if (OTHER_WEIGHTS.contains(name) || OTHER_CHARSETS.contains(collation.charset())) {
            return false;
        }
        if (name.equals("euckr_korean_ci") && !server.mariaDb()) {
            return false;
        }
        if (name.contains("_ai_cs") || name.contains("_vietnamese_") && name.contains("_as_c") && server.mariaDb()) {
            return false;
        }
        return !(collation.padSpace() && (name.contains("_as_c") || name.endsWith("_thai_520_w2")));
    }

    CollationInfo collationOf(Column column) throws Refusal {
        return catalog.collation(column.collationId())
                .orElseThrow(() ->
                        new Refusal(Reason.COLLATION, column.name() + " has collation id " + column.collationId()));
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

    /** Whether the server took an input for the column that it is meant to be. */
    boolean is(PartitioningColumn named, TableRef table) {
        Column column = of(named.input());
        String shown = table.alias() == null ? table.name() : table.alias();
        return column.orgName().equalsIgnoreCase(named.name()) && column.table().equalsIgnoreCase(shown);
    }

    /**
     * Whether rows with equal values in two columns are in partitions of the same number of two tables that are partitioned
     * alike: values of the same type, of which there are no two that are equal and differ.
     */
    boolean dealtAlike(int one, int other) {
        Column left = of(one);
        Column right = of(other);
        boolean simple = left.type() == ColumnType.DATE
                || left.type() == ColumnType.DATETIME
                || left.type().isInteger();
        return simple
                && left.type() == right.type()
                && left.unsigned() == right.unsigned()
                && left.decimals() == right.decimals();
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
        return ExactForm.needed(of(input), server.session().momentsAreLocal());
    }

    /**
     * How MIN or MAX of a column or expression compares. ENUM and SET are refused: servers compare them as strings, or
     * by number where an index helps. So are BIT on MariaDB, which shows them in two ways, and a TIMESTAMP where clocks
     * are set back, since local times are compared there without an index.
     *
     * @param input the input with the extreme
     * @param argument the input with the expression itself
     */
    Compared comparedExtreme(int input, int argument) throws Refusal {
        Column column = of(argument);
        numbers.requireRounded(argument);
        Optional<ExactForm> exact = exactForm(argument);
        if (exact.isEmpty()) {
            refuseOdd(column, Reason.ARGUMENT_TYPE);
            return compared(input);
        }
        boolean bit = column.type() == ColumnType.BIT && !server.mariaDb();
        boolean simple = switch (exact.get()) {
            case ALL_DIGITS, INET4, INET6 -> true;
            case BITS, MOMENT -> bit;
        };
        if (!simple) {
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
     * Refuses a BIT as a grouping key: by the plan, servers show its bytes or its number, e.g. MariaDB where it sorts;
     * and what may be of several groups by one plan and of one by another.
     */
    void requireOneForm(int input) throws Refusal {
        numbers.requireRounded(input);
        Column column = of(input);
        if (column.type() == ColumnType.BIT) {
            throw new Refusal(Reason.KEY_TYPE, column.name() + " is " + column.type());
        }
        refuseNarrow(input);
    }

    /**
     * Refuses what MariaDB keeps with a type that is too small for it: where a YEAR and a TINYINT meet in one expression,
     * temporary tables hold no years; and a computed YEAR of zero is shown as 0 or 0000, by the plan.
     */
    private void refuseNarrow(int input) throws Refusal {
        Column column = of(input);
        boolean narrow = column.type() == ColumnType.YEAR || column.type() == ColumnType.TINY;
        if (server.mariaDb() && narrow && column.computed()) {
            throw new Refusal(Reason.KEY_TYPE, column.name() + " is a computed " + column.type());
        }
    }

    /** Demands that of a grouping key, in a statement for which the server sorts. */
    void requireSortedWhole(int input) throws Refusal {
        if (!sortedWhole(input)) {
            throw new Refusal(Reason.KEY_TYPE, of(input).name() + " is not told apart where servers sort");
        }
    }

    /** Refuses types whose values servers do not show, compare or convert in one way. */
    static void refuseOdd(Column column, Reason reason) throws Refusal {
        // a YEAR always carries the flag; its four digits are the same in any context
        boolean filled = (column.flags() & Column.Flags.ZEROFILL) != 0 && column.type() != ColumnType.YEAR;
        if (column.enumOrSet() || filled) {
            throw new Refusal(reason, column.name() + " is an ENUM, a SET or filled with zeros");
        }
        boolean known = column.type().isExactNumber()
                || column.type() == ColumnType.DOUBLE
                || column.type().isTemporal()
                || column.type().isString();
        if (!known) {
            throw new Refusal(reason, column.name() + " is " + column.type());
        }
    }
}
