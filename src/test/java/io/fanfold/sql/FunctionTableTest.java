package io.fanfold.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.sql.FunctionFacts.CallForm;
import io.fanfold.sql.FunctionFacts.ChoiceWidth;
import io.fanfold.sql.FunctionFacts.DivisionKind;
import io.fanfold.sql.FunctionFacts.FunctionKind;
import io.fanfold.wire.ServerFlavor;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The names of each property, which were measured one by one. A new name needs a test on both servers. */
class FunctionTableTest {
    private static final FunctionTable MYSQL = FunctionTable.of(ServerFlavor.MYSQL);
    private static final FunctionTable MARIADB = FunctionTable.of(ServerFlavor.MARIADB);

    private static void assertNamesOnBoth(Predicate<FunctionFacts> what, String... names) {
        assertThat(MYSQL.names(what)).containsExactlyInAnyOrder(names);
        assertThat(MARIADB.names(what)).containsExactlyInAnyOrder(names);
    }

    private static Predicate<FunctionFacts> form(CallForm form) {
        return known -> known.form() == form;
    }

    @Test
    void aNameThatIsNotThereIsUnknown() {
        assertThat(MYSQL.find("MY_FUNCTION")).isEmpty();
        assertThat(MYSQL.find("abs")).as("names are in upper case").isEmpty();
    }

    @Test
    void eachServerHasFunctionsThatTheOtherHasNot() {
        Set<String> onlyMariaDb = new TreeSet<>(MARIADB.names(known -> true));
        onlyMariaDb.removeAll(MYSQL.names(known -> true));
        assertThat(onlyMariaDb)
                .containsExactly(
                        "ADD_MONTHS",
                        "CHR",
                        "JSON_COMPACT",
                        "JSON_EXISTS",
                        "JSON_LOOSE",
                        "LENGTHB",
                        "MD5",
                        "NVL",
                        "NVL2",
                        "SHA",
                        "SHA1");
        Set<String> onlyMySql = new TreeSet<>(MYSQL.names(known -> true));
        onlyMySql.removeAll(MARIADB.names(known -> true));
        assertThat(onlyMySql)
                .containsExactly(
                        "BIN_TO_UUID",
                        "GROUPING",
                        "IS_UUID",
                        "JSON_OVERLAPS",
                        "JSON_PRETTY",
                        "REGEXP_LIKE",
                        "UUID_TO_BIN");
    }

    @Test
    void aSessionFunctionIsNothingElse() {
        assertThat(MYSQL.names(known -> known.is(FunctionKind.SESSION)))
                .hasSize(39)
                .isEqualTo(MARIADB.names(known -> known.kinds().equals(Set.of(FunctionKind.SESSION))));
    }

    @ParameterizedTest
    @EnumSource
    void everyAggregateFunctionHasItsName(AggregateFunction function) {
        assertThat(MYSQL.find(function.name()).flatMap(FunctionFacts::aggregate))
                .contains(function);
    }

    @Test
    void someAggregatesHaveSeveralNames() {
        assertNamesOnBoth(
                known -> known.isAggregate(AggregateFunction::variance),
                "STD",
                "STDDEV",
                "STDDEV_POP",
                "STDDEV_SAMP",
                "VARIANCE",
                "VAR_POP",
                "VAR_SAMP");
        assertNamesOnBoth(
                known -> known.is(FunctionKind.AGGREGATE) != known.aggregate().isPresent());
        assertNamesOnBoth(
                known -> known.isAggregate(AggregateFunction::joins),
                "GROUP_CONCAT",
                "JSON_ARRAYAGG",
                "JSON_OBJECTAGG");
        assertNamesOnBoth(known -> known.isAggregate(AggregateFunction::sums), "SUM", "AVG");
    }

    @Test
    void someFunctionsMayHaveAWindow() {
        assertNamesOnBoth(
                known -> known.is(FunctionKind.WINDOW),
                "ROW_NUMBER",
                "RANK",
                "DENSE_RANK",
                "PERCENT_RANK",
                "CUME_DIST",
                "NTILE",
                "LAG",
                "LEAD",
                "FIRST_VALUE",
                "LAST_VALUE",
                "NTH_VALUE",
                "COUNT",
                "SUM",
                "AVG",
                "MIN",
                "MAX");
    }

    @Test
    void someFunctionsAreTheTime() {
        assertNamesOnBoth(
                known -> known.is(FunctionKind.MOMENT),
                "NOW",
                "CURDATE",
                "CURTIME",
                "CURRENT_DATE",
                "CURRENT_TIME",
                "CURRENT_TIMESTAMP",
                "LOCALTIME",
                "LOCALTIMESTAMP",
                "UTC_DATE",
                "UTC_TIME",
                "UTC_TIMESTAMP",
                "UNIX_TIMESTAMP");
        assertNamesOnBoth(known -> known.is(FunctionKind.MOMENT) && known.is(FunctionKind.SCALAR), "UNIX_TIMESTAMP");
    }

    @Test
    void someCallsHaveAFormOfTheirOwn() {
        assertNamesOnBoth(form(CallForm.BARE), "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP");
        assertNamesOnBoth(
                form(CallForm.COLUMN), "LOCALTIME", "LOCALTIMESTAMP", "UTC_DATE", "UTC_TIME", "UTC_TIMESTAMP");
        assertNamesOnBoth(form(CallForm.UNIT), "TIMESTAMPDIFF", "TIMESTAMPADD");
        assertNamesOnBoth(form(CallForm.INTERVAL), "DATE_ADD", "DATE_SUB", "ADDDATE", "SUBDATE");
        assertNamesOnBoth(form(CallForm.FROM), "SUBSTRING", "SUBSTR", "MID", "TRIM", "EXTRACT");
        assertNamesOnBoth(form(CallForm.IN), "POSITION");
        assertThat(MYSQL.names(form(CallForm.ROLLUP))).containsExactly("GROUPING");
    }

    /** NULLIF returns its first argument or NULL. */
    @Test
    void someFunctionsChooseAnArgument() {
        Predicate<FunctionFacts> several = known -> known.chooses() == ChoiceWidth.SEVERAL;
        assertThat(MYSQL.names(several))
                .containsExactlyInAnyOrder("IF", "IFNULL", "COALESCE", "CASE", "GREATEST", "LEAST");
        assertThat(MARIADB.names(several))
                .containsExactlyInAnyOrder("IF", "IFNULL", "NVL", "NVL2", "COALESCE", "CASE", "GREATEST", "LEAST");
        assertNamesOnBoth(known -> known.chooses() == ChoiceWidth.ONE, "NULLIF");
    }

    @Test
    void someFunctionsDivideOrRound() {
        assertNamesOnBoth(known -> known.divides() == DivisionKind.QUOTIENT, "/", "AVG");
        assertNamesOnBoth(known -> known.divides() == DivisionKind.REMAINDER, "%", "MOD");
        assertNamesOnBoth(known -> known.divides() == DivisionKind.WHOLE, "DIV");
        assertNamesOnBoth(FunctionFacts::rounds, "ROUND", "TRUNCATE", "CAST", "FLOOR", "CEIL", "CEILING");
    }

    @Test
    void someFunctionsConvertTheirArguments() {
        assertNamesOnBoth(
                FunctionFacts::compares,
                "<",
                ">",
                "=",
                "<=",
                ">=",
                "<>",
                "!=",
                "<=>",
                "BETWEEN",
                "IN",
                "LIKE",
                "CASE",
                "GREATEST",
                "LEAST",
                "NULLIF",
                "STRCMP",
                "FIELD",
                "IF",
                "ELT");
        assertNamesOnBoth(FunctionFacts::converts, "CAST");
        assertThat(MYSQL.names(FunctionFacts::parses))
                .contains("+", "ROUND", "STR_TO_DATE", "YEAR")
                .doesNotContain("CONCAT", "UPPER", "LENGTH", "IF", "COALESCE", "=");
    }

    @Test
    void averagesStayExactInsideFewFunctions() {
        assertThat(MYSQL.names(FunctionFacts::keepsAverage)).containsExactlyInAnyOrder("CONCAT", "CAST AS CHAR");
        assertThat(MARIADB.names(FunctionFacts::keepsAverage))
                .containsExactlyInAnyOrder(
                        "CONCAT",
                        "CAST AS CHAR",
                        "NEG",
                        "ROUND",
                        "TRUNCATE",
                        "FORMAT",
                        "FLOOR",
                        "CEIL",
                        "CEILING",
                        "ABS",
                        "CAST AS DECIMAL");
    }

    @Test
    void mariaDbAnnouncesTooFewDigitsOfSomeFunctions() {
        assertThat(MYSQL.names(FunctionFacts::announcedShort)).isEmpty();
        assertThat(MARIADB.names(FunctionFacts::announcedShort))
                .containsExactlyInAnyOrder(
                        "HOUR", "DAYOFWEEK", "WEEKDAY", "YEARWEEK", "ASCII", "PERIOD_ADD", "DIV", "EXTRACT");
    }
}
