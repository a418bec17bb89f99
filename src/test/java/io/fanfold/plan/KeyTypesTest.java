package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.metrics.Reason;
import io.fanfold.plan.FanOutPlan.Carrier;
import io.fanfold.plan.SortKey.Comparison;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeyTypesTest {
    private static final byte[] BLANK = {2, 9};

    private static KeyTypes of(Column... columns) {
        return on(false, true, columns);
    }

    private static KeyTypes on(boolean mariaDb, boolean momentsAreLocal, Column... columns) {
        return new KeyTypes(
                List.of(columns),
                Sample.catalog(),
                (charset, collation) -> Optional.of(BLANK),
                new KeyTypes.ServerTraits(mariaDb, momentsAreLocal));
    }

    private static KeyTypes of(ColumnType type) {
        // a DOUBLE without a fixed number of digits has 31 decimals
        return of(Sample.column("x", type, 63, 20, 0, type == ColumnType.DOUBLE ? 31 : 0));
    }

    private static void refuses(Reason reason, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        Refusal.class, e -> assertThat(e.toDecision().reason()).isEqualTo(reason));
    }

    @ParameterizedTest
    @CsvSource({
        "TINY,NUMBER", "SHORT,NUMBER", "INT24,NUMBER", "LONG,NUMBER", "LONGLONG,NUMBER", "YEAR,NUMBER",
        "DECIMAL,NUMBER", "NEWDECIMAL,NUMBER", "DOUBLE,DOUBLE", "TIME,TIME", "DATE,BYTES", "NEWDATE,BYTES",
        "DATETIME,BYTES", "TIMESTAMP,BYTES", "STRING,BYTES", "VAR_STRING,BYTES", "VARCHAR,BYTES", "BLOB,BYTES",
        "TINY_BLOB,BYTES", "MEDIUM_BLOB,BYTES", "LONG_BLOB,BYTES"
    })
    void keysCompareByTheirType(ColumnType type, Comparison comparison) throws Exception {
        KeyTypes.Compared compared = of(type).compared(0);
        assertThat(compared.comparison()).isEqualTo(comparison);
        assertThat(compared.pad()).isEmpty();
        assertThat(compared.hidden("x")).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = ColumnType.class,
            names = {"FLOAT", "BIT", "JSON", "GEOMETRY", "VECTOR", "NULL", "UNKNOWN", "ENUM", "SET"})
    void oddTypesAreNoKeysNoExtremesAndDoNotTravel(ColumnType type) {
        refuses(Reason.KEY_TYPE, () -> of(type).compared(0));
        refuses(Reason.KEY_TYPE, () -> of(type).carrier(0));
        refuses(Reason.ARGUMENT_TYPE, () -> of(type).comparedExtreme(0, 0));
    }

    @ParameterizedTest
    @ValueSource(ints = {Column.Flags.ENUM, Column.Flags.SET, Column.Flags.ZEROFILL})
    void flagsTellEnumsSetsAndZerofill(int flag) {
        ColumnType type = flag == Column.Flags.ZEROFILL ? ColumnType.LONG : ColumnType.STRING;
        KeyTypes types = of(Sample.column("x", type, 45, 20, flag, 0));
        refuses(Reason.KEY_TYPE, () -> types.compared(0));
        refuses(Reason.KEY_TYPE, () -> types.carrier(0));
        refuses(Reason.ARGUMENT_TYPE, () -> types.comparedExtreme(0, 0));
    }

    @Test
    void aYearIsFilledWithZerosAndAKeyAllTheSame() throws Exception {
        KeyTypes types =
                of(Sample.column("y", ColumnType.YEAR, 63, 4, Column.Flags.ZEROFILL | Column.Flags.UNSIGNED, 0));
        assertThat(types.compared(0).comparison()).isEqualTo(Comparison.NUMBER);
        assertThat(types.carrier(0)).isEqualTo(new Carrier.Typed("year", false));
    }

    @Test
    void stringsCompareByWeight() throws Exception {
        KeyTypes types = of(Sample.text("pad", 45), Sample.text("nopad", 255));
        assertThat(types.compared(0).comparison()).isEqualTo(Comparison.WEIGHT_PAD);
        assertThat(types.compared(0).pad()).isEqualTo(BLANK);
        assertThat(types.compared(0).hidden("x")).contains("WEIGHT_STRING(x)");
        assertThat(types.compared(1).comparison()).isEqualTo(Comparison.WEIGHT);
        assertThat(types.compared(1).pad()).isEmpty();
        assertThat(types.compared(1).hidden("x")).contains("WEIGHT_STRING(x)");
    }

    @ParameterizedTest
    @CsvSource({"278,true", "906,true", "900,false", "901,false", "902,false", "903,false", "904,false", "905,false"})
    void collationsWhoseWeightsDoNotCompareAreRefused(int collation, boolean allowed) throws Exception {
        KeyTypes types = of(Sample.text("s", collation));
        if (allowed) {
            assertThat(types.compared(0).hidden("x")).contains("WEIGHT_STRING(x)");
        } else {
            refuses(Reason.COLLATION, () -> types.compared(0));
        }
    }

    @Test
    void anUnknownCollationIsRefused() {
        refuses(Reason.COLLATION, () -> of(Sample.text("s", 4711)).compared(0));
        refuses(Reason.COLLATION, () -> of(Sample.text("s", 4711)).carrier(0));
    }

    @Test
    void withoutTheWeightOfABlankPaddedStringsAreRefused() {
        KeyTypes types = new KeyTypes(
                List.of(Sample.text("s", 45)),
                Sample.catalog(),
                (charset, collation) -> Optional.empty(),
                new KeyTypes.ServerTraits(false, true));
        refuses(Reason.COLLATION, () -> types.compared(0));
    }

    @ParameterizedTest
    @EnumSource(
            value = ColumnType.class,
            names = {"DOUBLE", "FLOAT", "VAR_STRING"})
    void onlyExactSumsAreFolded(ColumnType type) {
        refuses(Reason.APPROXIMATE, () -> of(type).requireExactNumber(0, Reason.APPROXIMATE));
    }

    @ParameterizedTest
    @EnumSource(
            value = ColumnType.class,
            names = {"NEWDECIMAL", "DOUBLE", "VAR_STRING", "BIT", "DATE"})
    void onlyIntegersHaveBits(ColumnType type) {
        refuses(Reason.ARGUMENT_TYPE, () -> of(type).requireBits(0));
    }

    @Test
    void whatIsExactIsFolded() throws Exception {
        of(ColumnType.NEWDECIMAL).requireExactNumber(0, Reason.APPROXIMATE);
        of(ColumnType.LONGLONG).requireBits(0);
        of(ColumnType.DOUBLE).comparedExtreme(0, 0);
        of(ColumnType.TIME).comparedExtreme(0, 0);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "TINY|4|0|0|bigint|false",
                "LONGLONG|20|32|0|bigint unsigned|false",
                "NEWDECIMAL|34|0|2|decimal(32,2)|false",
                "NEWDECIMAL|33|32|2|decimal(32,2)|false",
                "NEWDECIMAL|11|0|0|decimal(10,0)|false",
                "NEWDECIMAL|67|0|30|decimal(65,30)|false",
                "NEWDECIMAL|90|0|4|decimal(65,4)|false",
                "NEWDECIMAL|1|0|0|decimal(1,0)|false",
                "NEWDECIMAL|2|0|5|decimal(5,5)|false",
                "DOUBLE|22|0|31|double|false",
                "DATE|10|128|0|date|true",
                "TIME|10|128|0|time(0)|false",
                "TIME|17|128|6|time(6)|false",
                "DATETIME|26|128|6|datetime(6)|true",
                "DATETIME|19|128|31|datetime(6)|true",
                "TIMESTAMP|19|128|0|datetime(0)|true"
            })
    void valuesTravelAsTheirType(
            ColumnType type, long length, int flags, int decimals, String declaration, boolean temporal)
            throws Exception {
        assertThat(of(Sample.column("x", type, 63, length, flags, decimals)).carrier(0))
                .isEqualTo(new Carrier.Typed(declaration, temporal));
    }

    @Test
    void stringsTravelWithTheirCollationAndBytesWithoutOne() throws Exception {
        assertThat(of(Sample.text("s", 255)).carrier(0))
                .isEqualTo(new Carrier.Characters("utf8mb4", "utf8mb4_0900_ai_ci"));
        assertThat(of(Sample.text("b", 63)).carrier(0)).isEqualTo(new Carrier.Bytes());
    }

    private static Column ofTable(ColumnType type, int flags, int decimals) {
        return new Column("db", "t", "t", "x", "x", type == ColumnType.STRING ? 45 : 63, 20, type, flags, decimals);
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
            ColumnType type, int flags, int decimals, Comparison comparison, String hidden) throws Exception {
        KeyTypes types = on(false, false, ofTable(type, flags, decimals));
        assertThat(types.compared(0).comparison()).isEqualTo(comparison);
        assertThat(types.compared(0).hidden("x")).contains(hidden);
        refuses(Reason.KEY_TYPE, () -> types.carrier(0));
        refuses(
                Reason.KEY_TYPE,
                () -> on(false, false, Sample.column("f(x)", type, 45, 20, flags, decimals))
                        .compared(0));
    }

    @Test
    void whatADerivedTableComputesIsNoColumn() {
        KeyTypes types = of(
                new Column("", "x", "x", "r", "r", 63, 10, ColumnType.DOUBLE, 0, 2),
                new Column("db", "x", "", "r", "r", 63, 10, ColumnType.DOUBLE, 0, 2));
        refuses(Reason.KEY_TYPE, () -> types.compared(0));
        refuses(Reason.KEY_TYPE, () -> types.compared(1));
    }

    @Test
    void momentsCompareByTheirTextWhereClocksGoStraightOn() throws Exception {
        KeyTypes types = of(ofTable(ColumnType.TIMESTAMP, 128, 0));
        assertThat(types.compared(0).hidden("x")).isEmpty();
        assertThat(types.compared(0).comparison()).isEqualTo(Comparison.BYTES);
    }

    @Test
    void whatIsOnlyShownTravelsAsItLooks() throws Exception {
        Carrier ascii = new Carrier.Characters("latin1", "latin1_bin");
        assertThat(of(ofTable(ColumnType.STRING, Column.Flags.ENUM, 0)).shownCarrier(0))
                .isEqualTo(new Carrier.Characters("utf8mb4", "utf8mb4_general_ci"));
        assertThat(of(ofTable(ColumnType.BIT, 32, 0)).shownCarrier(0)).isEqualTo(new Carrier.Bytes());
        assertThat(of(ofTable(ColumnType.FLOAT, 0, 31)).shownCarrier(0)).isEqualTo(ascii);
        assertThat(of(ColumnType.DATE).shownCarrier(0)).isEqualTo(ascii);
        assertThat(of(ColumnType.LONG).shownCarrier(0)).isEqualTo(new Carrier.Typed("bigint", false));
    }

    @ParameterizedTest
    @CsvSource({"FLOAT,0,31,true,true", "DOUBLE,0,2,true,true", "BIT,32,0,true,false", "STRING,256,0,false,false"})
    void extremesAreFoldedWhereServersCompareInOneWay(
            ColumnType type, int flags, int decimals, boolean onMySql, boolean onMariaDb) throws Exception {
        for (boolean mariaDb : new boolean[] {false, true}) {
            KeyTypes types = on(mariaDb, true, ofTable(type, flags, decimals));
            if (mariaDb ? onMariaDb : onMySql) {
                assertThat(types.comparedExtreme(0, 0).hidden("MIN(x)")).isPresent();
            } else {
                refuses(Reason.ARGUMENT_TYPE, () -> types.comparedExtreme(0, 0));
            }
        }
    }

    @Test
    void theLatestMomentIsNotFoldedWhereClocksAreSetBack() {
        refuses(
                Reason.ARGUMENT_TYPE,
                () -> on(false, false, ofTable(ColumnType.TIMESTAMP, 128, 0)).comparedExtreme(0, 0));
    }

    @Test
    void longStringsAreNotSortedWhole() throws Exception {
        KeyTypes types = of(
                Sample.text("short", 45),
                Sample.column("long", ColumnType.VAR_STRING, 45, 1001, 0, 0),
                Sample.column("number", ColumnType.NEWDECIMAL, 63, 2000, 0, 0));
        assertThat(types.sortedWhole(0)).isTrue();
        assertThat(types.sortedWhole(1)).isFalse();
        assertThat(types.sortedWhole(2)).isTrue();
        assertThat(of(ofTable(ColumnType.STRING, Column.Flags.ENUM, 0)).sortedWhole(0))
                .isFalse();
        assertThat(on(false, false, ofTable(ColumnType.TIMESTAMP, 0, 0)).sortedWhole(0))
                .isFalse();
        assertThat(of(ofTable(ColumnType.TIMESTAMP, 0, 0)).sortedWhole(0)).isTrue();
        types.requireSortedWhole(0);
        refuses(Reason.KEY_TYPE, () -> types.requireSortedWhole(1));
    }
}
