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
}
