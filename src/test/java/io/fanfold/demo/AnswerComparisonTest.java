package io.fanfold.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.row.Row;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class AnswerComparisonTest {
    @Test
    void equalAnswersAreTheSame() {
        assertThat(difference(answer("a|1", "b|2"), answer("a|1", "b|2"), 0)).isEmpty();
        assertThat(difference(answer(), answer(), 0)).isEmpty();
    }

    @Test
    void withoutSortColumnsTheOrderIsFree() {
        assertThat(difference(answer("a|1", "b|2", "a|1"), answer("b|2", "a|1", "a|1")))
                .isEmpty();
    }

    @Test
    void rowsWithEqualSortColumnsMayBeInAnyOrder() {
        assertThat(difference(answer("a|1", "a|2", "b|3"), answer("a|2", "a|1", "b|3"), 0))
                .isEmpty();
        assertThat(difference(answer("a|1", "a|2", "b|3"), answer("a|2", "a|1", "b|3"), 0, 1))
                .isEqualTo("order differs at row 1: direct a|1, through the proxy a|2");
    }

    @Test
    void countsEqualRows() {
        assertThat(difference(answer("a|1", "a|1", "b|2"), answer("a|1", "b|2", "b|2")))
                .isEqualTo("row only through the proxy: b|2");
    }

    @Test
    void seesMissingRows() {
        assertThat(difference(answer("a|1"), answer())).isEqualTo("1 rows direct, 0 through the proxy");
    }

    @Test
    void distinguishesNullFromTheStringNull() {
        assertThat(difference(answer("NULL|1"), answer("'NULL'|1"))).startsWith("row only through the proxy");
    }

    @Test
    void comparesColumnDefinitions() {
        SqlAnswer longer = new SqlAnswer(List.of(column("x", 10), column("y", 11)), List.of());
        assertThat(difference(answer(), longer))
                .isEqualTo(
                        "column 2: direct y VAR_STRING length 10 collation 45, through the proxy y VAR_STRING length 11"
                                + " collation 45");
        assertThat(difference(answer(), new SqlAnswer(List.of(column("x", 10)), List.of())))
                .isEqualTo("2 columns direct, 1 through the proxy");
    }

    @Test
    void flagsThatDependOnThePlanAreNoDifference() {
        assertThat(difference(sum(0), sum(Column.Flags.BINARY))).isEmpty();
        assertThat(difference(sum(0), sum(Column.Flags.UNSIGNED))).startsWith("column 1: direct s NEWDECIMAL");
    }

    private static SqlAnswer sum(int flags) {
        return new SqlAnswer(
                List.of(new Column("", "", "", "s", "", 63, 33, ColumnType.NEWDECIMAL, flags, 0)), List.of());
    }

    private static String difference(SqlAnswer expected, SqlAnswer actual, Integer... sortColumns) {
        return AnswerComparison.difference(expected, actual, List.of(sortColumns));
    }

    /** Returns rows written as {@code a|1}. The word NULL means NULL unless it is quoted. */
    static SqlAnswer answer(String... rows) {
        return new SqlAnswer(
                List.of(column("x", 10), column("y", 10)),
                Arrays.stream(rows).map(AnswerComparisonTest::row).toList());
    }

    private static Row row(String text) {
        List<byte[]> values = new ArrayList<>();
        for (String value : text.split("\\|", -1)) {
            values.add(value.equals("NULL") ? null : value.replace("'", "").getBytes(StandardCharsets.UTF_8));
        }
        return Row.ofValues(values);
    }

    private static Column column(String name, long length) {
        return new Column("ssb", "t", "t", name, name, 45, length, ColumnType.VAR_STRING, 0, 0);
    }
}
