package io.fanfold.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.sql.FunctionFacts.ChoiceWidth;
import io.fanfold.sql.FunctionFacts.DivisionKind;
import io.fanfold.wire.ServerFlavor;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SqlWordsTest {
    private static SqlWords words(String sql) {
        return SqlWords.of(sql, new SqlDialect(ServerFlavor.MYSQL, false, false, StandardCharsets.UTF_8));
    }

    private static boolean hasRemainder(String sql) {
        return words(sql).contains(known -> known.divides() == DivisionKind.REMAINDER);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'%'",
                "\"% MOD\"",
                "'it''s %'",
                "'\\' %'",
                "a /* % */ + 1",
                "`%`",
                "t.mod",
                "a -- %\n",
                "a # %\n"
            })
    void literalsCommentsAndNamesAreNoWords(String sql) {
        assertThat(hasRemainder(sql)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a mod 2", "a%2", "MOD(a, 2)", "'a' % `b`"})
    void keywordsAndSymbolsAreWords(String sql) {
        assertThat(hasRemainder(sql)).isTrue();
    }

    @Test
    void aDoubleQuoteIsAStringOnlyWithoutAnsiQuotes() {
        String sql = "CONCAT(\"a\", ' \\')";
        SqlDialect ansi = new SqlDialect(ServerFlavor.MYSQL, true, true, StandardCharsets.UTF_8);
        assertThat(SqlWords.of(sql, ansi).isCallOf(FunctionFacts::keepsAverage)).isTrue();
        assertThatThrownBy(() -> words(sql)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aFunctionIsCalledBeforeAParenthesis() {
        assertThat(words("round (a) + 1").contains(FunctionFacts::rounds)).isTrue();
        assertThat(words("floor + `round`(a)").contains(FunctionFacts::rounds)).isFalse();
    }

    @Test
    void aFunctionOfTheOtherServerIsUnknown() {
        SqlDialect mariaDb = new SqlDialect(ServerFlavor.MARIADB, false, false, StandardCharsets.UTF_8);
        assertThat(SqlWords.of("nvl(a, b)", mariaDb).contains(known -> known.chooses() == ChoiceWidth.SEVERAL))
                .isTrue();
        assertThat(words("nvl(a, b)").contains(known -> true)).isFalse();
    }

    @Test
    void aCallIsTheWholeText() {
        assertThat(words("ROUND(a, (1))").isCallOf(FunctionFacts::rounds)).isTrue();
        assertThat(words("ROUND(a) + ROUND(b)").isCallOf(FunctionFacts::rounds)).isFalse();
        assertThat(words("ROUND(')') /* ) */").isCallOf(FunctionFacts::rounds)).isTrue();
        assertThat(words("round").isCallOf(FunctionFacts::rounds)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-de",
                "((-de))",
                "-(de + 1)",
                "-ROUND(de, 1)",
                "-IF(s = ' ( ', de, 1)",
                "- /* ( */ `de`",
                "-t.de",
                "-d.`t`.de",
                "-1"
            })
    void aMinusBeforeOneOperandNegatesIt(String sql) {
        assertThat(words(sql).isNegation()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"-de / 2", "-(de) * (de)", "de", "(-de) + (de)", "1 - de", "'-' + de", "-t.de + 1", "-"})
    void otherTextIsNoNegation(String sql) {
        assertThat(words(sql).isNegation()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"`k` > 5", "5 <> `k`", "`k` not in (-1, 2)", "`k` between 1 and 2", "`k` in (.5)"})
    void someTextsCompareANameWithANumber(String sql) {
        assertThat(words(sql).comparesWithNumber("k")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"`k` = '5'", "`k` + 5 > `n`", "`n` > 5", "k > 5", "IF(`n` > 5, `k`, 1)", "`k` IN ('1', 2)"})
    void othersDoNot(String sql) {
        assertThat(words(sql).comparesWithNumber("k")).isFalse();
    }

    @Test
    void aSubqueryHasASelect() {
        assertThat(words("1 + (select 2)").containsSubquery()).isTrue();
        assertThat(words("`select` + 'select'").containsSubquery()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.5", ".5 + a", "5.", "1.5e3"})
    void numbersWithAPointAreDecimals(String sql) {
        assertThat(words(sql).containsDecimal()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"'1.5'", "t.a", "5", "1e3"})
    void otherTextHasNoDecimal(String sql) {
        assertThat(words(sql).containsDecimal()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a / b",
                "a / 0",
                "a % 0.0",
                "a div (5)",
                "a mod -5",
                "a / 0e5",
                "a / 5e-400",
                "MOD(a, b)",
                "MOD(a, 5 - 5)",
                "MOD(5, (SELECT 1, 5))",
                "a / 0.000000000000000000000000000000005",
                "a / 5 / b",
                "a / '5'",
                "a mod (b) / 5"
            })
    void aDivisorMayBeZero(String sql) {
        assertThat(words(sql).mayDivideByZero()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a / 5",
                "a / 0.5",
                "a / 5e3",
                "a DIV 10",
                "MOD(a, 5)",
                "MOD(IF(a, b, c), 5)",
                "a % .25",
                "'a / b'",
                "a /* / b */"
            })
    void aLiteralOtherThanZeroIsNotZero(String sql) {
        assertThat(words(sql).mayDivideByZero()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"now()", "CURDATE()", "current_date", "utc_time", "LOCALTIME + 1", "unix_timestamp()", "NOW(6)"})
    void momentsAreTheTime(String sql) {
        assertThat(words(sql).readsCurrentTime()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"now", "'now()'", "unix_timestamp(d)", "`current_date`", "t.current_date", "a /* now() */"})
    void otherTextAsksForNoTime(String sql) {
        assertThat(words(sql).readsCurrentTime()).isFalse();
    }
}
