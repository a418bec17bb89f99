package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.catalog.Partitioning;
import io.fanfold.plan.SplitDraft.DisjointValues;
import io.fanfold.plan.SplitDraft.SlotDraft;
import io.fanfold.sql.SelectModel;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DisjointRuleTest {
    private static final SlotDraft COUNT = new SlotDraft.Sum(0, -1, true);

    private final Inputs inputs = new Inputs();

    /** Of a table that is partitioned by these columns. */
    private Optional<DisjointValues> disjoint(
            String from, String partitionedBy, List<Integer> keys, List<SlotDraft> slots) {
        SelectModel model = Sample.read("SELECT COUNT(*) FROM " + from);
        return new DisjointRule(model, model.tables().get(0), new Partitioning("KEY", partitionedBy), inputs)
                .of(keys, slots);
    }

    /** What is added for a slot. */
    private SplitDraft.Input added(DisjointValues values, int slot) {
        return inputs.list().get(values.whole().getOrDefault(slot, -1));
    }

    @Test
    void differentValuesOfThePartitioningColumnAddUp() {
        int id = inputs.value("id");
        DisjointValues values = disjoint(
                        "t",
                        "id",
                        List.of(),
                        List.of(COUNT, new SlotDraft.CountDistinct(List.of(id)), new SlotDraft.SumDistinct(7, id)))
                .orElseThrow();
        assertThat(values.columns())
                .containsExactly(new PartitioningColumn(id, "id"), new PartitioningColumn(id, "id"));
        assertThat(values.whole()).containsOnlyKeys(1, 2);
        assertThat(added(values, 1)).isEqualTo(new SplitDraft.Input("COUNT(DISTINCT id)", true));
        assertThat(added(values, 2)).isEqualTo(new SplitDraft.Input("SUM(DISTINCT id)", true));
    }

    @Test
    void keysAndArgumentsTogetherAreApart() {
        int a = inputs.value("a");
        int id = inputs.value("id");
        int b = inputs.value("b");
        List<SlotDraft> counted = List.of(new SlotDraft.CountDistinct(List.of(b, id)));
        DisjointValues values = disjoint("t", "id,a", List.of(a), counted).orElseThrow();
        assertThat(values.columns()).containsExactly(new PartitioningColumn(id, "id"), new PartitioningColumn(a, "a"));
        assertThat(added(values, 0).sql()).isEqualTo("COUNT(DISTINCT b, id)");
        assertThat(disjoint("t", "id,a,k", List.of(a), counted)).isEmpty();
        assertThat(disjoint("t", "id,a", List.of(), counted)).isEmpty();
    }

    @Test
    void allOfThemMustAddUp() {
        int id = inputs.value("id");
        int b = inputs.value("b");
        assertThat(disjoint(
                        "t",
                        "id",
                        List.of(),
                        List.of(new SlotDraft.CountDistinct(List.of(id)), new SlotDraft.SumDistinct(7, b))))
                .isEmpty();
    }

    @Test
    void withoutDistinctAggregatesThereIsNothingToAddUp() {
        inputs.value("id");
        assertThat(disjoint("t", "id", List.of(0), List.of(COUNT))).isEmpty();
    }

    @Test
    void ofAnUnknownPartitioningNothingIsKnown() {
        int id = inputs.value("id");
        assertThat(disjoint("t", "id + 1", List.of(), List.of(new SlotDraft.CountDistinct(List.of(id)))))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"id", "ID", "`id`", "x.id", "X.`Id`"})
    void theColumnIsWrittenWithOrWithoutItsTable(String written) {
        List<SlotDraft> counted = List.of(new SlotDraft.CountDistinct(List.of(inputs.value(written))));
        assertThat(disjoint("t x", "Id", List.of(), counted)).isPresent();
    }

    @ParameterizedTest
    @ValueSource(strings = {"t.id", "u.id", "x.a", "id + 1", "xid"})
    void whatIsWrittenOtherwiseIsAnother(String written) {
        List<SlotDraft> counted = List.of(new SlotDraft.CountDistinct(List.of(inputs.value(written))));
        assertThat(disjoint("t x", "id", List.of(), counted)).isEmpty();
    }

    @Test
    void withoutAnAliasTheTableHasItsName() {
        List<SlotDraft> counted = List.of(new SlotDraft.CountDistinct(List.of(inputs.value("t.id"))));
        assertThat(disjoint("t", "id", List.of(), counted)).isPresent();
    }
}
