package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.plan.MergeNode.Aggregate;
import io.fanfold.plan.MergeNode.Average;
import io.fanfold.plan.MergeNode.GroupKey;
import io.fanfold.plan.MergeNode.GroupOrder;
import io.fanfold.plan.MergeNode.MergeFunction;
import io.fanfold.plan.SortKey.KeyComparison;
import java.util.List;
import org.junit.jupiter.api.Test;

class MergeNodeTest {
    private static final List<GroupKey> KEYS =
            List.of(new GroupKey(0, new SortKey(0, KeyComparison.NUMBER, new byte[0], false)));
    private static final List<MergeFunction> SUMS =
            List.of(new MergeFunction.Sum(1, false), new MergeFunction.Sum(2, true));
    private static final List<Average> AVERAGES = List.of(new Average(0, 1, 9, 4));

    @Test
    void mergedRowsHaveKeysAccumulatorsAndAverages() {
        assertThat(new Aggregate(KEYS, SUMS, AVERAGES, false, GroupOrder.NONE).columns())
                .isEqualTo(4);
        assertThat(new Aggregate(List.of(), SUMS, AVERAGES, true, GroupOrder.NONE).columns())
                .isEqualTo(3);
    }

    @Test
    void oneGroupHasNoKeys() {
        assertThatThrownBy(() -> new Aggregate(KEYS, SUMS, true, false)).isInstanceOf(IllegalArgumentException.class);
    }
}
