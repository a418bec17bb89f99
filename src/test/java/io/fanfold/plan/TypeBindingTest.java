package io.fanfold.plan;

import static io.fanfold.plan.TypeSample.BLANK;
import static io.fanfold.plan.TypeSample.assertRefused;
import static io.fanfold.plan.TypeSample.computed;
import static io.fanfold.plan.TypeSample.ofTable;
import static io.fanfold.plan.TypeSample.on;
import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.catalog.Partitioning;
import io.fanfold.plan.SortKey.KeyComparison;
import io.fanfold.reason.Reason;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.wire.ServerFlavor;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class TypeBindingTest {
    private static TypeBinding of(Column... columns) {
        return TypeSample.of(columns);
    }

    @ParameterizedTest
    @CsvSource({
        "TINY,NUMBER", "SHORT,NUMBER", "INT24,NUMBER", "LONG,NUMBER", "LONGLONG,NUMBER", "YEAR,NUMBER",
        "DECIMAL,NUMBER", "NEWDECIMAL,NUMBER", "DOUBLE,DOUBLE", "TIME,TIME", "DATE,BYTES", "NEWDATE,BYTES",
        "DATETIME,BYTES", "TIMESTAMP,BYTES", "STRING,BYTES", "VAR_STRING,BYTES", "VARCHAR,BYTES", "BLOB,BYTES",
        "TINY_BLOB,BYTES", "MEDIUM_BLOB,BYTES", "LONG_BLOB,BYTES"
    })
    void keysCompareByTheirType(ColumnType type, KeyComparison comparison) throws Exception {
        TypeBinding.BoundComparison compared = of(computed(type)).compared(0);
        assertThat(compared.comparison()).isEqualTo(comparison);
        assertThat(compared.pad()).isEmpty();
        assertThat(compared.hidden("x")).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = ColumnType.class,
            names = {
                "FLOAT",
                "BIT",
                "JSON",
                "GEOMETRY",
                "VECTOR",
                "NULL",
                "UNKNOWN",
                "ENUM",
                "SET",
                "UUID",
                "UNKNOWN_NAMED"
            })
    void oddTypesAreNoKeysAndNoExtremes(ColumnType type) {
        assertRefused(Reason.KEY_TYPE, () -> of(computed(type)).compared(0));
        assertRefused(Reason.ARGUMENT_TYPE, () -> of(computed(type)).comparedMinMax(0, 0));
    }

    @ParameterizedTest
    @EnumSource(
            value = ColumnType.class,
            names = {"INET4", "INET6"})
    void computedAddressesAreNoKeysAndNoExtremes(ColumnType type) {
        assertRefused(Reason.KEY_TYPE, () -> of(computed(type)).compared(0));
        assertRefused(Reason.ARGUMENT_TYPE, () -> of(computed(type)).comparedMinMax(0, 0));
    }

    @ParameterizedTest
    @ValueSource(ints = {Column.Flags.ENUM, Column.Flags.SET, Column.Flags.ZEROFILL})
    void flagsIdentifyEnumsSetsAndZerofill(int flag) {
        ColumnType type = flag == Column.Flags.ZEROFILL ? ColumnType.LONG : ColumnType.STRING;
        TypeBinding types = of(Sample.column("x", type, 45, 20, flag, 0));
        assertRefused(Reason.KEY_TYPE, () -> types.compared(0));
        assertRefused(Reason.ARGUMENT_TYPE, () -> types.comparedMinMax(0, 0));
    }

    @Test
    void aYearIsFilledWithZerosAndAKeyAllTheSame() throws Exception {
        TypeBinding types =
                of(Sample.column("y", ColumnType.YEAR, 63, 4, Column.Flags.ZEROFILL | Column.Flags.UNSIGNED, 0));
        assertThat(types.compared(0).comparison()).isEqualTo(KeyComparison.NUMBER);
    }

    @Test
    void stringsCompareByWeight() throws Exception {
        TypeBinding types = of(Sample.text("pad", 45), Sample.text("nopad", 255));
        assertThat(types.compared(0).comparison()).isEqualTo(KeyComparison.WEIGHT_PAD);
        assertThat(types.compared(0).pad()).isEqualTo(BLANK);
        assertThat(types.compared(0).hidden("x")).contains("WEIGHT_STRING(x)");
        assertThat(types.compared(1).comparison()).isEqualTo(KeyComparison.WEIGHT);
        assertThat(types.compared(1).pad()).isEmpty();
        assertThat(types.compared(1).hidden("x")).contains("WEIGHT_STRING(x)");
    }

    @ParameterizedTest
    @CsvSource({
        "278,true",
        "906,true",
        "910,true",
        "900,false",
        "901,false",
        "902,false",
        "903,false",
        "904,false",
        "905,false",
        "907,false",
        "908,false",
        "909,false",
        "912,false"
    })
    void collationsWhoseWeightsDoNotCompareAreRefused(int collation, boolean allowed) throws Exception {
        TypeBinding types = of(Sample.text("s", collation));
        if (allowed) {
            assertThat(types.compared(0).hidden("x")).contains("WEIGHT_STRING(x)");
        } else {
            assertRefused(Reason.COLLATION, () -> types.compared(0));
        }
    }

    @Test
    void weightsThatOnlyOneServerSupportsAreRefusedOnTheOther() throws Exception {
        assertRefused(
                Reason.COLLATION,
                () -> on(ServerFlavor.MARIADB, false, Sample.text("s", 911)).compared(0));
        assertRefused(
                Reason.COLLATION,
                () -> on(ServerFlavor.MYSQL, false, Sample.text("s", 913)).compared(0));
        assertThat(on(ServerFlavor.MARIADB, false, Sample.text("s", 913))
                        .compared(0)
                        .comparison())
                .isEqualTo(KeyComparison.WEIGHT_PAD);
    }

    @Test
    void anUnknownCollationIsRefused() {
        assertRefused(Reason.COLLATION, () -> of(Sample.text("s", 4711)).compared(0));
    }

    @Test
    void withoutTheWeightOfABlankPaddedStringsAreRefused() {
        TypeBinding types = new TypeBinding(
                List.of(Sample.text("s", 45)),
                Sample.catalog(),
                (charset, collation) -> Optional.empty(),
                new TypeBinding.ServerTraits(
                        ServerFlavor.MYSQL, new SessionTraits(true, false, SessionTraits.DEFAULT_DIVIDED_DIGITS)));
        assertRefused(Reason.COLLATION, () -> types.compared(0));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "STRING|256|0|NUMBER|CAST(x AS UNSIGNED)",
                "STRING|2048|0|NUMBER|CAST(x AS UNSIGNED)",
                "BIT|32|0|NUMBER|CAST(x AS UNSIGNED)",
                "FLOAT|0|31|DOUBLE|(x)+0e0",
                "FLOAT|0|2|DOUBLE|(x)+0e0",
                "DOUBLE|0|2|DOUBLE|(x)+0e0",
                "TIMESTAMP|128|0|NUMBER|UNIX_TIMESTAMP(x)"
            })
    void columnsWhoseTextDoesNotTellTheValueAreComparedByAnother(
            ColumnType type, int flags, int decimals, KeyComparison comparison, String hidden) throws Exception {
        TypeBinding types = on(ServerFlavor.MYSQL, false, ofTable(type, flags, decimals));
        assertThat(types.compared(0).comparison()).isEqualTo(comparison);
        assertThat(types.compared(0).hidden("x")).contains(hidden);
        assertRefused(
                Reason.KEY_TYPE,
                () -> on(ServerFlavor.MYSQL, false, Sample.column("f(x)", type, 45, 20, flags, decimals))
                        .compared(0));
    }

    @Test
    void aComputedColumnOfADerivedTableIsNoTableColumn() {
        TypeBinding types = of(
                new Column("", "x", "x", "r", "r", 63, 10, ColumnType.DOUBLE, 0, 2),
                new Column("db", "x", "", "r", "r", 63, 10, ColumnType.DOUBLE, 0, 2));
        assertRefused(Reason.KEY_TYPE, () -> types.compared(0));
        assertRefused(Reason.KEY_TYPE, () -> types.compared(1));
    }

    @Test
    void timestampsCompareByTextIfClocksAreNeverSetBack() throws Exception {
        TypeBinding types = of(ofTable(ColumnType.TIMESTAMP, 128, 0));
        assertThat(types.compared(0).hidden("x")).isEmpty();
        assertThat(types.compared(0).comparison()).isEqualTo(KeyComparison.BYTES);
    }

    @ParameterizedTest
    @CsvSource({"FLOAT,0,31,true,true", "DOUBLE,0,2,true,true", "BIT,32,0,true,false", "STRING,256,0,false,false"})
    void extremesAreFoldedWhereServersCompareInOneWay(
            ColumnType type, int flags, int decimals, boolean onMySql, boolean onMariaDb) throws Exception {
        for (ServerFlavor flavor : ServerFlavor.values()) {
            TypeBinding types = on(flavor, true, ofTable(type, flags, decimals));
            if (flavor.isMariaDb() ? onMariaDb : onMySql) {
                assertThat(types.comparedMinMax(0, 0).hidden("MIN(x)")).isPresent();
            } else {
                assertRefused(Reason.ARGUMENT_TYPE, () -> types.comparedMinMax(0, 0));
            }
        }
    }

    @Test
    void minAndMaxAreOrderedByTheirType() throws Exception {
        assertThat(of(computed(ColumnType.DOUBLE)).comparedMinMax(0, 0).comparison())
                .isEqualTo(KeyComparison.DOUBLE);
        assertThat(of(computed(ColumnType.TIME)).comparedMinMax(0, 0).comparison())
                .isEqualTo(KeyComparison.TIME);
    }

    @Test
    void theLatestTimestampIsNotMergedIfClocksAreSetBack() {
        assertRefused(
                Reason.ARGUMENT_TYPE,
                () -> on(ServerFlavor.MYSQL, false, ofTable(ColumnType.TIMESTAMP, 128, 0))
                        .comparedMinMax(0, 0));
    }

    @Test
    void longStringsAreNotSortedWhole() throws Exception {
        TypeBinding types = of(
                Sample.text("short", 45),
                Sample.column("long", ColumnType.VAR_STRING, 45, 1001, 0, 0),
                Sample.column("number", ColumnType.NEWDECIMAL, 63, 2000, 0, 0));
        assertThat(types.sortedWhole(0)).isTrue();
        assertThat(types.sortedWhole(1)).isFalse();
        assertThat(types.sortedWhole(2)).isTrue();
        assertThat(of(ofTable(ColumnType.STRING, Column.Flags.ENUM, 0)).sortedWhole(0))
                .isFalse();
        assertThat(on(ServerFlavor.MYSQL, false, ofTable(ColumnType.TIMESTAMP, 0, 0))
                        .sortedWhole(0))
                .isFalse();
        assertThat(of(ofTable(ColumnType.TIMESTAMP, 0, 0)).sortedWhole(0)).isTrue();
        types.requireSortedWhole(0);
        assertRefused(Reason.KEY_TYPE, () -> types.requireSortedWhole(1));
    }

    /** Servers sort by the first bytes of a string. A string of exactly this length is compared as a whole. */
    @ParameterizedTest
    @CsvSource({"1000,true", "1001,false"})
    void stringsAreSortedWholeUpToAThousandBytes(long length, boolean whole) {
        TypeBinding types = of(Sample.column("s", ColumnType.VAR_STRING, 45, length, 0, 0));
        assertThat(types.sortedWhole(0)).isEqualTo(whole);
    }

    /**
     * MySQL groups by a decimal before or after rounding if it was computed with more digits than the maximum
     * precision.
     */
    @Test
    void computedDecimalsWithAllDigitsAreNoKeysNoExtremesAndNotDistinct() throws Exception {
        Column full = Sample.column("a * b", ColumnType.NEWDECIMAL, 63, 67, 0, 30);
        TypeBinding computed = of(full);
        assertRefused(Reason.KEY_TYPE, () -> computed.comparedDistinct(0));
        assertRefused(Reason.KEY_TYPE, () -> computed.comparedMinMax(0, 0));
        assertRefused(Reason.KEY_TYPE, () -> computed.requireOneForm(0));
        TypeBinding rounded = of(
                Sample.column("a * b", ColumnType.NEWDECIMAL, 63, 66, 0, 30),
                ofTable(ColumnType.NEWDECIMAL, 67, 0, 30));
        for (int input : new int[] {0, 1}) {
            assertThat(rounded.comparedDistinct(input).comparison()).isEqualTo(KeyComparison.NUMBER);
            assertThat(rounded.comparedMinMax(input, input).comparison()).isEqualTo(KeyComparison.NUMBER);
            rounded.requireOneForm(input);
        }
        // in MIN(a * b) the argument may have too many digits
        TypeBinding minMax = of(Sample.integer("MIN(x)"), full);
        assertRefused(Reason.KEY_TYPE, () -> minMax.comparedMinMax(0, 1));
        minMax.comparedMinMax(0, 0);
    }

    /** Temporary tables of MariaDB may not keep years if a YEAR and a TINYINT are in one expression. */
    @ParameterizedTest
    @CsvSource({"YEAR,true", "TINY,true", "SHORT,false", "LONG,false"})
    void computedYearsAndSmallNumbersAreNoKeysOnMariaDb(ColumnType type, boolean narrow) throws Exception {
        TypeBinding onMariaDb = on(ServerFlavor.MARIADB, true, computed(type));
        if (narrow) {
            assertRefused(Reason.KEY_TYPE, () -> onMariaDb.requireOneForm(0));
            assertRefused(Reason.KEY_TYPE, () -> onMariaDb.comparedDistinct(0));
        } else {
            onMariaDb.requireOneForm(0);
            assertThat(onMariaDb.comparedDistinct(0).comparison()).isEqualTo(KeyComparison.NUMBER);
        }
        for (TypeBinding others : List.of(of(computed(type)), on(ServerFlavor.MARIADB, true, ofTable(type, 0, 0)))) {
            others.requireOneForm(0);
            assertThat(others.comparedDistinct(0).comparison()).isEqualTo(KeyComparison.NUMBER);
        }
    }

    /** In the temporary table of distinct values, dates with zero parts may become equal, so they are not compared. */
    @ParameterizedTest
    @CsvSource({"DATE,DATE", "NEWDATE,DATE", "DATETIME,DATE", "TIMESTAMP,DATE", "VAR_STRING,BYTES", "TIME,TIME"})
    void differentDatesHaveNoZeroParts(ColumnType type, KeyComparison comparison) throws Exception {
        TypeBinding.BoundComparison compared = of(ofTable(type, 0, 0)).comparedDistinct(0);
        assertThat(compared.comparison()).isEqualTo(comparison);
        assertThat(compared.pad()).isEmpty();
        assertThat(compared.hidden("x")).isEmpty();
    }

    @Test
    void timestampsAreNotDistinguishedByTextIfClocksAreSetBack() {
        Column moment = ofTable(ColumnType.TIMESTAMP, 128, 0);
        assertRefused(
                Reason.KEY_TYPE, () -> on(ServerFlavor.MYSQL, false, moment).comparedDistinct(0));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theSessionsModeLetsZeroDatesBe(boolean zeroDates) {
        assertThat(on(ServerFlavor.MYSQL, new SessionTraits(true, zeroDates, 4)).zeroDates())
                .isEqualTo(zeroDates);
    }

    @ParameterizedTest
    @CsvSource({"LONG,HASH,true", "DATE,KEY,true", "DATETIME,HASH,true", "TIMESTAMP,KEY,false", "DOUBLE,KEY,false"})
    void numbersAndDatesDecideOnAPartition(ColumnType type, String method, boolean decides) {
        TypeBinding types = of(ofTable(type, 0, 0));
        assertThat(types.decidesPartition(0, new Partitioning(method, "x"))).isEqualTo(decides);
    }

    /** A hash may use other bytes for the same string, but range limits are compared with the value. */
    @ParameterizedTest
    @CsvSource({"RANGE COLUMNS,63,true", "LIST COLUMNS,63,true", "KEY,63,false", "RANGE COLUMNS,45,false"})
    void byteStringsDecideIfPartitionsAreComparedByValue(String method, int collation, boolean decides) {
        TypeBinding types = of(new Column("db", "t", "t", "x", "x", collation, 20, ColumnType.VAR_STRING, 0, 0));
        assertThat(types.decidesPartition(0, new Partitioning(method, "x"))).isEqualTo(decides);
    }

    @Test
    void columnsOfOneTypeAreCoPartitioned() {
        int unsigned = Column.Flags.UNSIGNED;
        TypeBinding types = of(
                ofTable(ColumnType.LONG, 0, 0),
                ofTable(ColumnType.LONG, 0, 0),
                ofTable(ColumnType.LONG, unsigned, 0),
                ofTable(ColumnType.LONGLONG, 0, 0),
                ofTable(ColumnType.DATETIME, 0, 3),
                ofTable(ColumnType.DATETIME, 0, 3),
                ofTable(ColumnType.DATETIME, 0, 6),
                ofTable(ColumnType.DATE, 0, 0),
                ofTable(ColumnType.DATE, 0, 0),
                ofTable(ColumnType.NEWDECIMAL, 0, 0),
                ofTable(ColumnType.NEWDECIMAL, 0, 0));
        assertThat(types.partitionedAlike(0, 1)).isTrue();
        assertThat(types.partitionedAlike(0, 2)).isFalse();
        assertThat(types.partitionedAlike(0, 3)).isFalse();
        assertThat(types.partitionedAlike(4, 5)).isTrue();
        assertThat(types.partitionedAlike(4, 6)).isFalse();
        assertThat(types.partitionedAlike(7, 8)).isTrue();
        assertThat(types.partitionedAlike(9, 10)).isFalse();
    }

    /** UUIDs are ordered neither by text nor by bytes, but equal ones have the same text. */
    @Test
    void storedUuidsAreDistinctByTheirText() throws Exception {
        assertThat(of(ofTable(ColumnType.UUID, 0, 0)).comparedDistinct(0).comparison())
                .isEqualTo(KeyComparison.BYTES);
        assertRefused(Reason.KEY_TYPE, () -> of(computed(ColumnType.UUID)).comparedDistinct(0));
    }
}
