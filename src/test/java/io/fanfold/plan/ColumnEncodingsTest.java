package io.fanfold.plan;

import static io.fanfold.plan.TypeSample.assertRefused;
import static io.fanfold.plan.TypeSample.computed;
import static io.fanfold.plan.TypeSample.ofTable;
import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.plan.FanOutPlan.ColumnEncoding;
import io.fanfold.reason.Reason;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.wire.ServerFlavor;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ColumnEncodingsTest {
    private static ColumnEncodings of(Column... columns) {
        return new ColumnEncodings(TypeSample.of(columns), ServerFlavor.MYSQL);
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
                "TIMESTAMP|19|128|0|datetime(0)|true",
                "YEAR|4|96|0|year|false"
            })
    void valuesTravelAsTheirType(
            ColumnType type, long length, int flags, int decimals, String declaration, boolean temporal)
            throws Exception {
        assertThat(of(Sample.column("x", type, 63, length, flags, decimals)).of(0))
                .isEqualTo(new ColumnEncoding.TypedEncoding(declaration, temporal));
    }

    @Test
    void jsonShowsMoreOfComputedColumnsOfADerivedTable() throws Exception {
        Column condition = new Column("", "x", "x", "c", "c", 63, 1, ColumnType.LONG, 0, 0);
        Column number = new Column("", "x", "x", "n", "n", 63, 12, ColumnType.LONGLONG, 0, 0);
        Column decimal = new Column("", "x", "", "d", "d", 63, 15, ColumnType.NEWDECIMAL, 0, 4);
        for (Column allowed : List.of(condition, number, ofTable(ColumnType.NEWDECIMAL, 0, 2))) {
            ColumnEncodings.requireJsonColumn(allowed, ServerFlavor.MYSQL);
        }
        for (Column allowed : List.of(decimal, number, ofTable(ColumnType.TINY, 1, 0, 0))) {
            ColumnEncodings.requireJsonColumn(allowed, ServerFlavor.MARIADB);
        }
        assertRefused(Reason.ARGUMENT_TYPE, () -> ColumnEncodings.requireJsonColumn(decimal, ServerFlavor.MYSQL));
        assertRefused(Reason.ARGUMENT_TYPE, () -> ColumnEncodings.requireJsonColumn(condition, ServerFlavor.MARIADB));
    }

    @Test
    void stringsTravelWithTheirCollationAndBytesWithoutOne() throws Exception {
        assertThat(of(Sample.text("s", 255)).of(0))
                .isEqualTo(new ColumnEncoding.TextEncoding("utf8mb4", "utf8mb4_0900_ai_ci"));
        assertThat(of(Sample.text("b", 63)).of(0)).isEqualTo(new ColumnEncoding.BinaryEncoding());
    }

    @ParameterizedTest
    @EnumSource(
            value = ColumnType.class,
            names = {"FLOAT", "BIT", "JSON", "GEOMETRY", "VECTOR", "NULL", "UNKNOWN", "ENUM", "SET"})
    void oddTypesDoNotTravel(ColumnType type) {
        assertRefused(Reason.KEY_TYPE, () -> of(computed(type)).of(0));
    }

    @ParameterizedTest
    @ValueSource(ints = {Column.Flags.ENUM, Column.Flags.SET, Column.Flags.ZEROFILL})
    void enumsSetsAndZerofillDoNotTravel(int flag) {
        ColumnType type = flag == Column.Flags.ZEROFILL ? ColumnType.LONG : ColumnType.STRING;
        assertRefused(
                Reason.KEY_TYPE,
                () -> of(Sample.column("x", type, 45, 20, flag, 0)).of(0));
    }

    @Test
    void anUnknownCollationDoesNotTravel() {
        assertRefused(Reason.COLLATION, () -> of(Sample.text("s", 4711)).of(0));
    }

    @Test
    void timestampsAreNotSentIfClocksAreSetBack() {
        TypeBinding types = TypeSample.on(ServerFlavor.MYSQL, false, ofTable(ColumnType.TIMESTAMP, 128, 0));
        assertRefused(Reason.KEY_TYPE, () -> new ColumnEncodings(types, ServerFlavor.MYSQL).of(0));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "TINY|0|tinyint",
                "SHORT|32|smallint unsigned",
                "INT24|0|mediumint",
                "LONG|32|int unsigned",
                "LONGLONG|0|bigint",
                "DOUBLE|0|double"
            })
    void integersKeepTheirSizeInABranch(ColumnType type, int flags, String declaration) throws Exception {
        int decimals = type == ColumnType.DOUBLE ? 31 : 0;
        assertThat(of(Sample.column("x", type, 63, 20, flags, decimals)).ofBranch(0))
                .isEqualTo(new ColumnEncoding.TypedEncoding(declaration, false));
    }

    @ParameterizedTest
    @CsvSource({"80,20", "1020,255", "4000,255"})
    void textsKeepTheirLengthInABranchUpToTheLargestNumber(long bytes, int characters) throws Exception {
        assertThat(of(Sample.column("s", ColumnType.VAR_STRING, 45, bytes, 0, 0))
                        .ofBranch(0))
                .isEqualTo(new ColumnEncoding.TextEncoding("utf8mb4", "utf8mb4_general_ci", characters));
    }

    @Test
    void columnsThatAreOnlyShownAreSentAsTheirText() throws Exception {
        ColumnEncoding ascii = new ColumnEncoding.TextEncoding("latin1", "latin1_bin");
        assertThat(of(ofTable(ColumnType.STRING, Column.Flags.ENUM, 0)).shown(0))
                .isEqualTo(new ColumnEncoding.TextEncoding("utf8mb4", "utf8mb4_general_ci"));
        assertThat(of(ofTable(ColumnType.BIT, 32, 0)).shown(0)).isEqualTo(new ColumnEncoding.BinaryEncoding());
        assertThat(of(ofTable(ColumnType.FLOAT, 0, 31)).shown(0)).isEqualTo(ascii);
        assertThat(of(computed(ColumnType.DATE)).shown(0)).isEqualTo(ascii);
        assertThat(of(computed(ColumnType.YEAR)).shown(0)).isEqualTo(ascii);
        assertThat(of(computed(ColumnType.TIME)).shown(0))
                .isEqualTo(new ColumnEncoding.TypedEncoding("time(0)", false));
        assertThat(of(computed(ColumnType.LONG)).shown(0)).isEqualTo(new ColumnEncoding.TypedEncoding("bigint", false));
    }

    @Test
    void floatingPointNumbersAreShownWithTheirDigits() throws Exception {
        Column allDigits = ofTable(ColumnType.FLOAT, 0, 31);
        Column twoDigits = ofTable(ColumnType.DOUBLE, 0, 2);
        assertThat(of(allDigits).floating(0)).isEqualTo(new ColumnEncoding.TypedEncoding("double", false));
        assertThat(new ColumnEncodings(TypeSample.on(ServerFlavor.MARIADB, true, twoDigits), ServerFlavor.MARIADB)
                        .floating(0))
                .isEqualTo(new ColumnEncoding.TypedEncoding("double(255,2)", false));
        assertRefused(Reason.APPROXIMATE, () -> of(twoDigits).floating(0));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"BITS|bigint unsigned", "ALL_DIGITS|double", "MOMENT|decimal(20,6)"})
    void exactFormsAreNumbers(ExactForm form, String declaration) {
        assertThat(ColumnEncodings.exact(form)).isEqualTo(new ColumnEncoding.TypedEncoding(declaration, false));
    }

    @Test
    void textsExactNumbersAndTimesAreTheSameValuesOfJson() throws Exception {
        for (ColumnType type : List.of(ColumnType.LONG, ColumnType.NEWDECIMAL, ColumnType.DATE, ColumnType.TIME)) {
            ColumnEncodings.requireJsonValue(computed(type));
        }
        ColumnEncodings.requireJsonValue(Sample.text("s", 45));
        for (Column other : List.of(
                computed(ColumnType.DOUBLE),
                computed(ColumnType.JSON),
                Sample.text("b", 63),
                ofTable(ColumnType.STRING, Column.Flags.ENUM, 0))) {
            assertRefused(Reason.ARGUMENT_TYPE, () -> ColumnEncodings.requireJsonValue(other));
        }
    }
}
