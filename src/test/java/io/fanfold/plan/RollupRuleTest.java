package io.fanfold.plan;

import static io.fanfold.plan.TypeSample.assertRefused;

import io.fanfold.reason.Reason;
import io.fanfold.row.ColumnType;
import java.util.List;
import org.junit.jupiter.api.Test;

class RollupRuleTest {
    private static TypeBinding ofLength(ColumnType type, long length) {
        return TypeSample.of(Sample.integer("a"), Sample.column("k", type, 45, length, 0, 0));
    }

    /** Servers sort by the first max_sort_length bytes; the default is 1024. */
    @Test
    void keysAreSortedByTheWholeOfTheirText() throws Exception {
        RollupRule.requireSortable(List.of(0, 1), ofLength(ColumnType.VAR_STRING, 1020));
        assertRefused(
                Reason.KEY_TYPE,
                () -> RollupRule.requireSortable(List.of(0, 1), ofLength(ColumnType.VAR_STRING, 1021)));
        RollupRule.requireSortable(List.of(0), ofLength(ColumnType.VAR_STRING, 1021));
        RollupRule.requireSortable(List.of(0, 1), ofLength(ColumnType.NEWDECIMAL, 1021));
    }
}
