package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RowsPlannerTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "LIMIT 20000 | rows 0..20000 by [number(2)], columns 0..1",
                "LIMIT 5, 19995 | rows 5..20000 by [number(2)], columns 0..1",
                "LIMIT 20001 | rows 0..20001 of groups of partitions by [number(2)], columns 0..1, streamed",
                "LIMIT 20000 OFFSET 1 | rows 1..20001 of groups of partitions by [number(2)], columns 0..1, streamed"
            })
    void theFirstRowsAreKeptInMemoryUpToALimit(String limit, String merge) {
        assertThat(GoldenPlanTest.plan("SELECT a, b FROM t ORDER BY a " + limit).get(1))
                .isEqualTo("merge: " + merge);
    }

    @Test
    void rowsOfAJoinSortedByADateMayRaiseWarnings() {
        String sorted = " ORDER BY day";
        assertThat(GoldenPlanTest.plan("SELECT t.a, b FROM t WHERE b > 1" + sorted)
                        .get(1))
                .endsWith("streamed");
        assertThat(GoldenPlanTest.plan("SELECT t.a, b FROM t JOIN d ON t.a = d.k" + sorted)
                        .get(1))
                .endsWith("buffered");
        assertThat(GoldenPlanTest.plan("SELECT t.a, b FROM t JOIN d ON t.a = d.k ORDER BY b")
                        .get(1))
                .endsWith("streamed");
    }

    @ParameterizedTest
    @CsvSource({"45,503,streamed", "45,504,buffered", "63,125,streamed", "63,126,buffered"})
    void rowsThatServersSortByAWholeTextAreStreamed(int collation, long length, String how) {
        Column column = new Column("db", "t", "t", "w", "w", collation, length, ColumnType.VAR_STRING, 0, 0);
        assertThat(GoldenPlanTest.plan("SELECT a, b FROM t WHERE b > 1 ORDER BY w", Map.of("w", column))
                        .get(1))
                .endsWith(how);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '%',
            value = {
                "a = 999999999999999999 | streamed",
                "a = 1234567890123456789 | buffered",
                "a = -123456789012345678.123456789012345678 | streamed",
                "a = 1.1234567890123456789 | buffered",
                "a = 1. | buffered",
                "a = .5 | buffered",
                "a = 1e0 | buffered",
                "a = '1' | buffered",
                "a LIKE '1' | buffered",
                "str LIKE 'x%' | streamed",
                "str IN ('it''s', \"\") | streamed",
                "str > 1 | buffered",
                "day = '2024-02-29' | streamed",
                "day = '2023-02-29' | buffered",
                "day = '1000-01-01' | streamed",
                "day = '0999-01-01' | buffered",
                "day = '2024-2-29' | buffered",
                "day = '2024-02-29 00:00:00' | buffered",
                "day = 20240229 | buffered",
                "day > -5 | buffered",
                "day IN (-1, '2024-02-29') | buffered",
                "moment > -5 | buffered",
                "day = DATE'1900-01-01' | streamed",
                "day = DATE \"2199-12-31\" | streamed",
                "day = DATE'1899-12-31' | buffered",
                "day = DATE'2200-01-01' | buffered",
                "day = DATE'2023-02-29' | buffered",
                "day < DATE'2024-02-29' + INTERVAL 999 YEAR | streamed",
                "day < DATE'2024-02-29' - INTERVAL '12' MONTH | streamed",
                "day < DATE'2024-02-29' - INTERVAL 1000 DAY | buffered",
                "day < DATE'2024-02-29' + INTERVAL '1x' DAY | buffered",
                "day < DATE'2024-02-29' + INTERVAL '' DAY | buffered",
                "day < DATE'2023-02-29' + INTERVAL 1 DAY | buffered",
                "moment < '2024-02-29' | streamed",
                "moment < '2024-02-29 23:59:59' | streamed",
                "moment < '2024-02-29T23:59:59' | buffered",
                "moment < '2024-02-29 24:00:00' | buffered",
                "moment < '2024-02-29 23:59:59.5' | buffered",
                "moment < '2023-02-29 23:59:59' | buffered",
                "moment < '0999-02-28 23:59:59' | buffered",
                "moment < DATE'2024-02-29' | buffered"
            })
    void comparisonsWithLiteralsThatNeedNoCorrectionAreStreamed(String condition, String how) {
        assertThat(GoldenPlanTest.plan("SELECT a, b FROM t WHERE " + condition).get(1))
                .endsWith(how);
    }
}
