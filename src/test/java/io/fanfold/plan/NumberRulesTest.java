package io.fanfold.plan;

import static io.fanfold.plan.TypeSample.assertRefused;
import static io.fanfold.plan.TypeSample.computed;
import static io.fanfold.plan.TypeSample.ofTable;
import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.reason.Reason;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class NumberRulesTest {
    private static NumberRules of(Column... columns) {
        return new NumberRules(List.of(columns), SessionTraits.DEFAULT_DIVIDED_DIGITS);
    }

    /** Returns a signed decimal; its display length includes a sign and a point. */
    private static Column decimal(boolean ofTable, int precision, int scale) {
        int length = precision + (scale > 0 ? 2 : 1);
        return ofTable
                ? ofTable(ColumnType.NEWDECIMAL, length, 0, scale)
                : Sample.column("f(x)", ColumnType.NEWDECIMAL, 63, length, 0, scale);
    }

    private static void assertDecided(boolean allowed, Reason reason, ThrowingCallable call) throws Throwable {
        if (allowed) {
            call.call();
        } else {
            assertRefused(reason, call);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = ColumnType.class,
            names = {"DOUBLE", "FLOAT", "VAR_STRING"})
    void onlyExactSumsAreMerged(ColumnType type) {
        assertRefused(Reason.APPROXIMATE, () -> of(computed(type)).requireExactNumber(0, Reason.APPROXIMATE));
    }

    @ParameterizedTest
    @CsvSource({"53,2,true", "54,2,false", "65,30,false", "9,0,true"})
    void sumsOfGroupsNeedRoom(int precision, int scale, boolean allowed) throws Throwable {
        for (boolean ofTable : List.of(true, false)) {
            NumberRules numbers = of(decimal(ofTable, precision, scale));
            assertDecided(allowed, Reason.ARGUMENT_TYPE, () -> numbers.requireNoSumOverflow(0));
        }
        of(computed(ColumnType.LONGLONG)).requireNoSumOverflow(0);
    }

    @ParameterizedTest
    @EnumSource(
            value = ColumnType.class,
            names = {"NEWDECIMAL", "DOUBLE", "VAR_STRING", "BIT", "DATE"})
    void onlyIntegersHaveBits(ColumnType type) {
        assertRefused(Reason.ARGUMENT_TYPE, () -> of(computed(type)).requireBits(0));
    }

    @Test
    void aComputedColumnOfADerivedTableIsComputed() {
        NumberRules numbers = of(
                new Column("", "x", "x", "c", "c", 63, 22, ColumnType.NEWDECIMAL, 0, 6),
                ofTable(ColumnType.NEWDECIMAL, 22, 0, 6),
                new Column("", "x", "x", "c", "c", 63, 22, ColumnType.NEWDECIMAL, 0, 5));
        assertThat(numbers.computedDecimal(0)).isTrue();
        assertThat(numbers.computedDecimal(1)).isFalse();
        assertThat(numbers.mayBeShort(0)).isTrue();
        assertThat(numbers.mayBeShort(1)).isFalse();
        assertThat(numbers.mayBeShort(2)).isFalse();
    }

    @Test
    void exactValuesAreMerged() throws Exception {
        of(computed(ColumnType.NEWDECIMAL)).requireExactNumber(0, Reason.APPROXIMATE);
        of(computed(ColumnType.LONGLONG)).requireBits(0);
    }

    @ParameterizedTest
    @CsvSource({"DOUBLE,true", "FLOAT,true", "NEWDECIMAL,false", "LONG,false", "VAR_STRING,false"})
    void floatingPointNumbersAreApproximate(ColumnType type, boolean approximate) {
        assertThat(of(computed(type)).approximate(0)).isEqualTo(approximate);
    }

    @ParameterizedTest
    @CsvSource({
        "true,61,2,true,true",
        "true,62,2,true,false",
        "true,62,2,false,true",
        "true,40,26,true,true",
        "true,40,27,true,false",
        "true,40,27,false,true",
        "false,20,5,true,true",
        "false,20,6,true,false",
        "false,20,6,false,false"
    })
    void anAverageNeedsRoomForTheDigitsItAdds(
            boolean ofTable, int precision, int scale, boolean grouped, boolean allowed) throws Throwable {
        NumberRules numbers = of(decimal(ofTable, precision, scale));
        assertDecided(allowed, Reason.ARGUMENT_TYPE, () -> numbers.requireAveraged(0, grouped));
    }

    /** The session sets the number of added digits. */
    @ParameterizedTest
    @CsvSource({"2,7,false", "3,7,true", "0,9,false", "0,10,true", "9,0,false", "10,0,true"})
    void valuesOfManyDigitsMayBeShort(int scale, int added, boolean mayBeShort) {
        NumberRules numbers = new NumberRules(List.of(decimal(false, 20, scale)), added);
        assertThat(numbers.mayBeShort(0)).isEqualTo(mayBeShort);
    }

    @Test
    void averagesOfOtherNumbersHaveRoom() throws Exception {
        of(computed(ColumnType.LONGLONG)).requireAveraged(0, true);
        of(computed(ColumnType.DOUBLE)).requireAveraged(0, true);
    }

    @ParameterizedTest
    @CsvSource({"true,64,true,true", "true,65,false,true", "false,64,true,true", "false,65,false,false"})
    void aDecimalWithAllDigitsIsNotComputedWithNorGroupedByWhenComputed(
            boolean ofTable, int precision, boolean hasRoom, boolean isRounded) throws Throwable {
        NumberRules numbers = of(decimal(ofTable, precision, 10));
        assertDecided(hasRoom, Reason.KEY_TYPE, () -> numbers.requireRoom(0));
        assertDecided(isRounded, Reason.KEY_TYPE, () -> numbers.requireRounded(0));
        assertThat(numbers.computedDecimal(0)).isEqualTo(!ofTable);
    }

    @Test
    void onlyWholeNumbersOfTablesAreAveragedInTemporaryTables() throws Exception {
        assertRefused(Reason.ARGUMENT_TYPE, () -> of(computed(ColumnType.LONG)).requireNoComputedInteger(0));
        of(ofTable(ColumnType.LONG, 0, 0)).requireNoComputedInteger(0);
        of(computed(ColumnType.NEWDECIMAL)).requireNoComputedInteger(0);
    }

    @ParameterizedTest
    @CsvSource({"34,0,2,32", "33,32,2,32", "11,0,0,10", "10,32,0,10"})
    void theDisplayLengthCountsSignAndPoint(long length, int flags, int decimals, long precision) {
        Column column = ofTable(ColumnType.NEWDECIMAL, length, flags, decimals);
        assertThat(column.precision()).isEqualTo(precision);
    }
}
