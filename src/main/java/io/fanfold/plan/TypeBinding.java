package io.fanfold.plan;

import io.fanfold.catalog.CatalogSnapshot;
import io.fanfold.catalog.CatalogSnapshot.CollationInfo;
import io.fanfold.catalog.Partitioning;
import io.fanfold.plan.SortKey.KeyComparison;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.sql.SelectModel.TableRef;
import io.fanfold.wire.ServerFlavor;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * The types of a block's inputs as far as values are compared or sorted: how the proxy compares them, and whether the
 * server compares them in one way only. Types not listed here are refused. Immutable.
 */
final class TypeBinding {
    /**
     * If a server sorts to group, it compares only the first max_sort_length bytes of a string, 1024 by default. MySQL
     * then repeats groups, and MariaDB drops some. Shorter strings are safe.
     */
    private static final int SORTED_BYTES = 1000;

    /**
     * Collations whose weights do not order strings like their comparisons. In the last three, another character has
     * the weight of a blank but does not equal it at the end of a string.
     */
    private static final Set<String> OTHER_WEIGHTS = Set.of(
            "latin2_czech_cs",
            "cp1250_czech_cs",
            "gb18030_chinese_ci",
            "cp1250_general_ci",
            "cp1251_ukrainian_ci",
            "koi8u_general_ci");

    /** Character sets with mostly such collations. */
    private static final Set<String> OTHER_CHARSETS = Set.of("big5", "tis620", "latin7");

    private final List<Column> types;
    private final CatalogSnapshot catalog;
    private final PadWeights pads;
    private final ServerTraits server;

    TypeBinding(List<Column> types, CatalogSnapshot catalog, PadWeights pads, ServerTraits server) {
        this.types = types;
        this.catalog = catalog;
        this.pads = pads;
        this.server = server;
    }

    /**
     * Traits of the server and the session that affect values.
     *
     * @param flavor which server this is
     * @param session the traits of the client's session that matter
     */
    record ServerTraits(ServerFlavor flavor, SessionTraits session) {}

    /**
     * How values compare, independent of their place in the partial row.
     *
     * @param exact the hidden column to compare by, if the text does not identify the value
     */
    record BoundComparison(KeyComparison comparison, byte[] pad, Optional<ExactForm> exact) {
        private static final byte[] NO_PAD = {};

        BoundComparison(KeyComparison comparison, byte[] pad) {
            this(comparison, pad, Optional.empty());
        }

        private static BoundComparison by(ExactForm form) {
            return new BoundComparison(form.comparison(), NO_PAD, Optional.of(form));
        }

        /** Whether texts are compared by their weights. */
        boolean byWeight() {
            return comparison == KeyComparison.WEIGHT || comparison == KeyComparison.WEIGHT_PAD;
        }

        /** Returns the expression to fetch in addition to the value, if values are compared by it. */
        Optional<String> hidden(String sql) {
            return byWeight() ? Optional.of("WEIGHT_STRING(" + sql + ")") : exact.map(form -> form.of(sql));
        }
    }

    Column of(int input) {
        return types.get(input);
    }

    /** Whether the session's sql_mode allows dates with zero parts. */
    boolean zeroDates() {
        return server.session().zeroDates();
    }

    /** Returns the number of digits that a division adds to those of its dividend. */
    int dividedDigits() {
        return server.session().dividedDigits();
    }

    /** Returns how values of an input compare as a key. */
    BoundComparison compared(int input) throws RefusedException {
        Column column = of(input);
        Optional<ExactForm> exact = exactForm(input);
        if (exact.isPresent()) {
            ExactForm.requireColumn(column, Reason.KEY_TYPE);
            return BoundComparison.by(exact.get());
        }
        refuseOdd(column, Reason.KEY_TYPE);
        if (column.type().isExactNumber()) {
            // YEAR is an integer here: its four digits compare as a number
            return new BoundComparison(KeyComparison.NUMBER, BoundComparison.NO_PAD);
        }
        switch (column.type()) {
            case DOUBLE:
                return new BoundComparison(KeyComparison.DOUBLE, BoundComparison.NO_PAD);
            case TIME:
                return new BoundComparison(KeyComparison.TIME, BoundComparison.NO_PAD);
            case DATE, NEWDATE, DATETIME, TIMESTAMP:
                return new BoundComparison(KeyComparison.BYTES, BoundComparison.NO_PAD);
            default:
                break;
        }
        if (!column.type().isString()) {
            throw new RefusedException(Reason.KEY_TYPE, column.name() + " is " + column.type());
        }
        return column.binaryString()
                ? new BoundComparison(KeyComparison.BYTES, BoundComparison.NO_PAD)
                : comparedByWeight(column);
    }

    /**
     * Returns how values of an argument of a DISTINCT aggregate compare. Servers put them into a temporary table.
     * There, the modes against zero dates make all zero dates equal, and also dates such as February 30 unless
     * ALLOW_INVALID_DATES is set. Such dates are therefore not compared at all.
     */
    BoundComparison comparedDistinct(int input) throws RefusedException {
        if (of(input).type() == ColumnType.UUID) {
            // equal UUIDs have the same text (MariaDB 10.11), but UUIDs are ordered neither by text nor by bytes
            ExactForm.requireColumn(of(input), Reason.KEY_TYPE);
            return new BoundComparison(KeyComparison.BYTES, BoundComparison.NO_PAD);
        }
        BoundComparison compared = compared(input);
        requireRounded(input);
        refuseNarrow(input);
        if (exactForm(input).filter(form -> form == ExactForm.MOMENT).isPresent()) {
            throw new RefusedException(Reason.KEY_TYPE, of(input).name() + " where clocks are set back");
        }
        boolean date = of(input).type().isDate() && compared.comparison() == KeyComparison.BYTES;
        return date ? new BoundComparison(KeyComparison.DATE, BoundComparison.NO_PAD) : compared;
    }

    private BoundComparison comparedByWeight(Column column) throws RefusedException {
        CollationInfo collation = collationOf(column);
        if (!weightsCompare(collation)) {
            throw new RefusedException(Reason.COLLATION, column.name() + " has " + collation.name());
        }
        if (!collation.padSpace()) {
            return new BoundComparison(KeyComparison.WEIGHT, BoundComparison.NO_PAD);
        }
        byte[] pad = pads.of(collation.charset(), collation.name())
                .orElseThrow(
                        () -> new RefusedException(Reason.COLLATION, "no weight of a blank in " + collation.name()));
        return new BoundComparison(KeyComparison.WEIGHT_PAD, pad);
    }

    /**
     * Whether weight bytes have the equality and order of the collation. CollationSweepIT and CollationWeightsIT show
     * it for every collation of MySQL 9.7 and MariaDB 10.11 that is not excluded here:
     *
     * <ul>
     *   <li>PAD SPACE collations of several levels, including {@code thai_520_w2}
     *   <li>MariaDB's {@code ai_cs} collations, in which equal strings have different weights
     *   <li>MariaDB's Vietnamese collations with accents: only their weights combine an accent with the character
     *       before it
     *   <li>the collations of {@link #OTHER_WEIGHTS}
     *   <li>{@code euckr_korean_ci} on MySQL, which has weights for 17,500 syllables but confuses 1,800 of them with
     *       others
     *   <li>{@code latin7}, in which {@code a} sorts before {@code a-b} but compares as greater
     * </ul>
     */
    private boolean weightsCompare(CollationInfo collation) {
        String name = collation.name().toLowerCase(Locale.ROOT);
        if (OTHER_WEIGHTS.contains(name) || OTHER_CHARSETS.contains(collation.charset())) {
            return false;
        }
        if (name.equals("euckr_korean_ci") && server.flavor().isMySql()) {
            return false;
        }
        if (name.contains("_ai_cs")
                || name.contains("_vietnamese_")
                        && name.contains("_as_c")
                        && server.flavor().isMariaDb()) {
            return false;
        }
        return !(collation.padSpace() && (name.contains("_as_c") || name.endsWith("_thai_520_w2")));
    }

    CollationInfo collationOf(Column column) throws RefusedException {
        return catalog.collation(column.collationId())
                .orElseThrow(() -> new RefusedException(
                        Reason.COLLATION, column.name() + " has collation id " + column.collationId()));
    }

    /**
     * Whether rows with equal values of a partitioning column are in one partition. This holds for integers, for dates
     * without a time zone, and for byte strings if partitions are not chosen by a hash.
     */
    boolean decidesPartition(int input, Partitioning partitioning) {
        Column column = of(input);
        boolean date = column.type() == ColumnType.DATE || column.type() == ColumnType.DATETIME;
        return date || column.type().isInteger() || partitioning.comparesValues() && column.binaryString();
    }

    /** Whether the server resolved an input to the column that it is meant to be. */
    boolean is(PartitioningColumn named, TableRef table) {
        Column column = of(named.input());
        return column.orgName().equalsIgnoreCase(named.name()) && column.table().equalsIgnoreCase(table.shownName());
    }

    /**
     * Whether rows with equal values in two columns are in partitions with the same number, if the tables are
     * co-partitioned. This holds for columns of the same type in which equal values are identical.
     */
    boolean partitionedAlike(int one, int other) {
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

    /** Whether equal values of a key have the same text. If not, the server's plan decides which of them is shown. */
    boolean hasOneText(int input) throws RefusedException {
        return switch (compared(input).comparison()) {
            case NUMBER, BYTES, DATE, TIME -> exactForm(input).isEmpty();
            case WEIGHT, WEIGHT_PAD, DOUBLE -> false;
        };
    }

    /** Returns the hidden column that distinguishes an input's values, empty if their text does. */
    Optional<ExactForm> exactForm(int input) {
        return ExactForm.needed(of(input), server.session().momentsAreLocal());
    }

    /**
     * Returns how MIN or MAX of a column or expression compares. ENUM and SET are refused: servers compare them as
     * strings, or by number if an index helps. BIT is refused on MariaDB, which shows it in two ways. TIMESTAMP is
     * refused if clocks are set back, because without an index it is compared by local time.
     *
     * @param input the input with the MIN or MAX
     * @param argument the input with the expression itself
     */
    BoundComparison comparedMinMax(int input, int argument) throws RefusedException {
        Column column = of(argument);
        requireRounded(argument);
        Optional<ExactForm> exact = exactForm(argument);
        if (exact.isEmpty()) {
            refuseOdd(column, Reason.ARGUMENT_TYPE);
            return compared(input);
        }
        boolean bit = column.type() == ColumnType.BIT && server.flavor().isMySql();
        boolean simple = switch (exact.get()) {
            case ALL_DIGITS, INET4, INET6 -> true;
            case BITS, MOMENT -> bit;
        };
        if (!simple) {
            throw new RefusedException(Reason.ARGUMENT_TYPE, column.name() + " is " + column.type());
        }
        ExactForm.requireColumn(column, Reason.ARGUMENT_TYPE);
        return BoundComparison.by(exact.get());
    }

    /**
     * Whether a server that sorts to group distinguishes all values of an input. It compares a timestamp by its local
     * time, and an ENUM or SET by its text. That text is empty for the invalid value and may be empty for a valid one.
     */
    boolean sortedWhole(int input) {
        Column column = of(input);
        boolean moment =
                exactForm(input).filter(form -> form == ExactForm.MOMENT).isPresent();
        return !moment && !column.enumOrSet() && (!column.type().isString() || column.length() <= SORTED_BYTES);
    }

    /**
     * Refuses grouping keys whose form or groups depend on the server's plan. A BIT is shown as bytes or as a number,
     * e.g. by MariaDB if it sorts.
     */
    void requireOneForm(int input) throws RefusedException {
        requireRounded(input);
        Column column = of(input);
        if (column.type() == ColumnType.BIT) {
            throw new RefusedException(Reason.KEY_TYPE, column.name() + " is " + column.type());
        }
        refuseNarrow(input);
    }

    /**
     * Refuses a decimal computed with more digits than it can have. MySQL 9.7 was seen to group by it before or after
     * rounding, depending on the plan.
     */
    private void requireRounded(int input) throws RefusedException {
        Column column = of(input);
        if (column.computedDecimal() && column.fullDecimal()) {
            throw new RefusedException(
                    Reason.KEY_TYPE, column.name() + " is computed and has all the digits there are");
        }
    }

    /**
     * Refuses computed values that MariaDB stores in too small a type. If a YEAR and a TINYINT meet in one expression,
     * temporary tables cannot hold years. A computed YEAR of zero is shown as 0 or 0000, depending on the plan.
     */
    private void refuseNarrow(int input) throws RefusedException {
        Column column = of(input);
        boolean narrow = column.type() == ColumnType.YEAR || column.type() == ColumnType.TINY;
        if (server.flavor().isMariaDb() && narrow && column.computed()) {
            throw new RefusedException(Reason.KEY_TYPE, column.name() + " is a computed " + column.type());
        }
    }

    /** Refuses a grouping key that is not {@link #sortedWhole}, for a statement for which the server sorts. */
    void requireSortedWhole(int input) throws RefusedException {
        if (!sortedWhole(input)) {
            throw new RefusedException(Reason.KEY_TYPE, of(input).name() + " is not sorted by its whole value");
        }
    }

    /** Refuses types whose values servers show, compare or convert in more than one way. */
    static void refuseOdd(Column column, Reason reason) throws RefusedException {
        // YEAR always has the flag; its four digits are the same in any context
        boolean filled = (column.flags() & Column.Flags.ZEROFILL) != 0 && column.type() != ColumnType.YEAR;
        if (column.enumOrSet() || filled) {
            throw new RefusedException(reason, column.name() + " is an ENUM, a SET or filled with zeros");
        }
        boolean known = column.type().isExactNumber()
                || column.type() == ColumnType.DOUBLE
                || column.type().isTemporal()
                || column.type().isString();
        if (!known) {
            throw new RefusedException(reason, column.name() + " is " + column.type());
        }
    }
}
