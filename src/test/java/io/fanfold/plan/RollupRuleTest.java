package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.reason.Reason;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RollupRuleTest {
    private static String finish(ColumnType type, long length) {
        return GoldenPlanTest.plan(
                        "SELECT str, COUNT(*) FROM t GROUP BY str WITH ROLLUP",
                        Map.of("str", new Column("db", "t", "t", "str", "str", 45, length, type, 0, 0)))
                .toString();
    }

    /** Servers sort by the first max_sort_length bytes; the default is 1024. */
    @Test
    void keysAreSortedByTheWholeOfTheirText() {
        assertThat(finish(ColumnType.VAR_STRING, 1020)).contains("answer: ");
        assertThat(finish(ColumnType.VAR_STRING, 1021)).contains("refused: " + Reason.KEY_TYPE);
    }
}
