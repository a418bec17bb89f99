package io.fanfold.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.reason.Reason;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StatementFilterTest {
    private static final StatementFilter FILTER =
            StatementFilter.of(List.of("sales", "Orders", "sales_2024", "my-table", "größe", "a"), List.of(), 200);

    private static Optional<Reason> check(StatementFilter filter, String sql, Charset charset) {
        byte[] bytes = ("##" + sql + "##").getBytes(charset);
        return filter.check(bytes, 2, bytes.length - 4);
    }

    private static Optional<Reason> check(String sql) {
        return check(FILTER, sql, StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select * from sales",
                "SELECT * FROM SALES",
                "select 1 from `sales`",
                "select x from d.sales where b",
                "select x from sales,u",
                "select x from(sales)",
                "select(x)from sales",
                "select x from orders",
                "select x from sales_2024 s",
                "select x from `my-table`",
                "select x from `größe`",
                "select x from a",
                "select'x'from a",
                "(select x from sales)",
                "with q as (select 1) select * from sales, q",
                "  \t\n select x from sales",
                "/* hello */ select x from sales",
                "-- hello\nselect x from sales",
                "--\nselect x from sales",
                "# hello\r\n/**/select x from sales",
                "select/**/x from sales",
                "select x from sales;"
            })
    void passes(String sql) {
        assertThat(check(sql)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select x from t",
                "select x from sale",
                "select x from saless",
                "select x from xsales",
                "select x from sales_",
                "select x from _sales",
                "select x from sales_2025",
                "select x from sales9",
                "select 1",
                "select"
            })
    void namesNoTable(String sql) {
        assertThat(check(sql)).contains(Reason.NO_PARTITIONED_TABLE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                ";",
                "sales",
                "selects from sales",
                "sel",
                "select_ from sales",
                "update sales set x = 1",
                "/* open select x from sales",
                "/*",
                "/",
                "-",
                "--",
                "--select x from sales",
                "/*!40001 select */ x from sales",
                "/*M! select */ x from sales",
                "# select x from sales",
                "-- select x from sales",
                "kill 5",
                "\u0000select x from sales"
            })
    void isNoSelect(String sql) {
        assertThat(check(sql)).contains(Reason.NOT_A_SELECT);
    }

    @Test
    void looksOnlyBetweenItsBounds() {
        byte[] bytes = "select x from sales".getBytes(StandardCharsets.UTF_8);
        assertThat(FILTER.check(bytes, 0, bytes.length)).isEmpty();
        assertThat(FILTER.check(bytes, 0, bytes.length - 1)).contains(Reason.NO_PARTITIONED_TABLE);
        assertThat(FILTER.check(bytes, 0, 6)).contains(Reason.NO_PARTITIONED_TABLE);
        assertThat(FILTER.check(bytes, 0, 5)).contains(Reason.NOT_A_SELECT);
        assertThat(FILTER.check(bytes, 14, 5)).contains(Reason.NOT_A_SELECT);
        assertThat(FILTER.check(bytes, bytes.length, 0)).contains(Reason.NOT_A_SELECT);
    }

    @Test
    void refusesLongStatementsOnlyWhenTheyAreSelects() {
        String filler = "x".repeat(200);
        assertThat(check("select '" + filler + "' from sales")).contains(Reason.TOO_LONG);
        assertThat(check("insert into sales values ('" + filler + "')")).contains(Reason.NOT_A_SELECT);
    }

    @Test
    void namesWithoutAsciiLettersLetEverySelectPass() {
        StatementFilter filter = StatementFilter.of(List.of("таблица"), List.of(), 100);
        assertThat(check(filter, "select 1", StandardCharsets.UTF_8)).isEmpty();
        assertThat(check(filter, "delete from t", StandardCharsets.UTF_8)).contains(Reason.NOT_A_SELECT);
    }

    @Test
    void namesBeyondAsciiAreFoundInEveryCharset() {
        StatementFilter filter = StatementFilter.of(List.of("maßnahmen"), List.of(), 100);
        for (Charset charset : List.of(StandardCharsets.UTF_8, Charset.forName("windows-1252"))) {
            assertThat(check(filter, "select 1 from maßnahmen", charset)).isEmpty();
            assertThat(check(filter, "select 1 from manahmen", charset)).contains(Reason.NO_PARTITIONED_TABLE);
        }
    }

    @Test
    void withoutTablesNothingPasses() {
        assertThat(check(StatementFilter.of(List.of(), List.of(), 100), "select x from sales", StandardCharsets.UTF_8))
                .contains(Reason.NO_PARTITIONED_TABLE);
    }

    @Test
    void findsEachOfManyNamesAndNoOther() {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            names.add("table_" + i);
        }
        StatementFilter filter = StatementFilter.of(names, List.of(), 100);
        for (int i = 0; i < 10_000; i++) {
            assertThat(check(filter, "select * from Table_" + i, StandardCharsets.UTF_8)
                            .isEmpty())
                    .isEqualTo(i < 5_000);
        }
    }

    /** A table without partitions is split only for statements that aggregate or sort. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "select sum(x) from big",
                "SELECT x FROM big ORDER BY x",
                "select distinct x from big",
                "select x from big group by 1",
                "select big.x, row_number() over (partition by x) from big where x > 1",
                "select max(`x`) from `Big`"
            })
    void largeTablesPassIfTheStatementFolds(String sql) {
        StatementFilter filter = StatementFilter.of(List.of("sales"), List.of("big"), 200);
        assertThat(check(filter, sql, StandardCharsets.UTF_8)).isEmpty();
    }

    @Test
    void lookupsInLargeTablesAreNotRead() {
        StatementFilter filter = StatementFilter.of(List.of("sales"), List.of("big", "count"), 200);
        assertThat(check(filter, "select x from big where id = 7", StandardCharsets.UTF_8))
                .contains(Reason.NO_SHAPE);
        assertThat(check(filter, "select sum(x) from small", StandardCharsets.UTF_8))
                .contains(Reason.NO_PARTITIONED_TABLE);
        assertThat(check(filter, "select x from big, sales", StandardCharsets.UTF_8))
                .isEmpty();
        assertThat(check(filter, "select x from count", StandardCharsets.UTF_8)).isEmpty();
    }
}
