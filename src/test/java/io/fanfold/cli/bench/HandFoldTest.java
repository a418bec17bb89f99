package io.fanfold.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.cli.demo.SqlAnswer;
import io.fanfold.cli.demo.SsbQueries;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.row.Row;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HandFoldTest {
    @Test
    void countsDistinctKeys() {
        HandFold fold = new HandFold(new HandQuery(SsbQueries.DISTINCT_DAYS, "", 1, 0));
        fold.add(answer(1, "19920101", "19920102"));
        fold.add(answer(1, "19920102", "19920103"));
        assertThat(fold.single()).isEqualTo(BigDecimal.valueOf(3));
    }

    @Test
    void addsNumbersAndSkipsTheNullOfAnEmptyPartition() {
        HandFold fold = new HandFold(new HandQuery(SsbQueries.Q1_1, "", 0, 0));
        fold.add(answer(1, "12345678901234567890"));
        fold.add(answer(1, "NULL"));
        fold.add(answer(1, "1"));
        assertThat(fold.single()).isEqualTo(new BigDecimal("12345678901234567891"));
    }

    @Test
    void addsByGroup() {
        HandFold fold = new HandFold(new HandQuery(SsbQueries.Q2_1, "", 2, 2));
        fold.add(answer(3, "1992|A|5", "1993|A|7"));
        fold.add(answer(3, "1992|A|6"));
        assertThat(fold.groups()).hasSize(2);
        assertThat(fold.groups().get(List.of("1992", "A"))).containsExactly(BigDecimal.valueOf(11));
    }

    @Test
    void countsDistinctKeysWithinGroups() {
        HandFold fold = new HandFold(new HandQuery(SsbQueries.SHIP_MODES, "", 2, 1));
        fold.add(answer(4, "AIR|1|2|20", "AIR|2|1|5"));
        fold.add(answer(4, "AIR|1|1|1", "RAIL|9|1|3"));
        assertThat(fold.groups().get(List.of("AIR")))
                .containsExactly(BigDecimal.valueOf(4), BigDecimal.valueOf(26), BigDecimal.valueOf(2));
        assertThat(fold.groups().get(List.of("RAIL")))
                .containsExactly(BigDecimal.ONE, BigDecimal.valueOf(3), BigDecimal.ONE);
    }

    @Test
    void everyStatementHasAPlaceForThePartition() {
        assertThat(HandQuery.ALL)
                .allSatisfy(query -> assertThat(query.forPartition("p3"))
                        .containsIgnoringCase("partition (p3)")
                        .doesNotContain("{"));
    }

    private static SqlAnswer answer(int columns, String... rows) {
        return new SqlAnswer(
                IntStream.range(0, columns)
                        .mapToObj(i -> new Column("", "", "", "c" + i, "", 63, 20, ColumnType.NEWDECIMAL, 0, 0))
                        .toList(),
                Arrays.stream(rows).map(HandFoldTest::row).toList());
    }

    private static Row row(String text) {
        List<byte[]> values = new ArrayList<>();
        for (String value : text.split("\\|", -1)) {
            values.add(value.equals("NULL") ? null : value.getBytes(StandardCharsets.UTF_8));
        }
        return Row.ofValues(values);
    }
}
