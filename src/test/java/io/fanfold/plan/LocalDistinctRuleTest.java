package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.catalog.Partitioning;
import io.fanfold.plan.LogicalAggregation.LocalDistinctValues;
import io.fanfold.sql.SelectModel;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LocalDistinctRuleTest {
    private static final LogicalAggregate COUNT = new LogicalAggregate.LogicalSum(0, -1, true);

    private final Inputs inputs = new Inputs();

    /** Applies the rule to a table that is partitioned by these columns. */
    private Optional<LocalDistinctValues> localDistinct(
            String from, String partitionedBy, List<Integer> keys, List<LogicalAggregate> accumulators) {
        SelectModel model = Sample.read("SELECT COUNT(*) FROM " + from);
        return new LocalDistinctRule(model, model.tables().get(0), new Partitioning("KEY", partitionedBy), inputs)
                .of(keys, accumulators);
    }

    /** Returns the input that is added for an accumulator. */
    private LogicalPlan.Input added(LocalDistinctValues values, int accumulator) {
        return inputs.list().get(values.whole().getOrDefault(accumulator, -1));
    }

    @Test
    void differentValuesOfThePartitioningColumnAddUp() {
        int id = inputs.value("id");
        LocalDistinctValues values = localDistinct(
                        "t",
                        "id",
                        List.of(),
                        List.of(
                                COUNT,
                                new LogicalAggregate.LogicalCountDistinct(List.of(id)),
                                new LogicalAggregate.LogicalSumDistinct(7, id)))
                .orElseThrow();
        assertThat(values.columns())
                .containsExactly(new PartitioningColumn(id, "id"), new PartitioningColumn(id, "id"));
        assertThat(values.whole()).containsOnlyKeys(1, 2);
        assertThat(added(values, 1)).isEqualTo(new LogicalPlan.Input("COUNT(DISTINCT id)", true));
        assertThat(added(values, 2)).isEqualTo(new LogicalPlan.Input("SUM(DISTINCT id)", true));
    }

    @Test
    void keysAndArgumentsTogetherAreApart() {
        int a = inputs.value("a");
        int id = inputs.value("id");
        int b = inputs.value("b");
        List<LogicalAggregate> counted = List.of(new LogicalAggregate.LogicalCountDistinct(List.of(b, id)));
        LocalDistinctValues values =
                localDistinct("t", "id,a", List.of(a), counted).orElseThrow();
        assertThat(values.columns()).containsExactly(new PartitioningColumn(id, "id"), new PartitioningColumn(a, "a"));
        assertThat(added(values, 0).sql()).isEqualTo("COUNT(DISTINCT b, id)");
        assertThat(localDistinct("t", "id,a,k", List.of(a), counted)).isEmpty();
        assertThat(localDistinct("t", "id,a", List.of(), counted)).isEmpty();
    }

    @Test
    void allOfThemMustAddUp() {
        int id = inputs.value("id");
        int b = inputs.value("b");
        assertThat(localDistinct(
                        "t",
                        "id",
                        List.of(),
                        List.of(
                                new LogicalAggregate.LogicalCountDistinct(List.of(id)),
                                new LogicalAggregate.LogicalSumDistinct(7, b))))
                .isEmpty();
    }

    @Test
    void withoutDistinctAggregatesThereIsNothingToAddUp() {
        inputs.value("id");
        assertThat(localDistinct("t", "id", List.of(0), List.of(COUNT))).isEmpty();
    }

    @Test
    void anUnknownPartitioningProvesNothing() {
        int id = inputs.value("id");
        assertThat(localDistinct(
                        "t", "id + 1", List.of(), List.of(new LogicalAggregate.LogicalCountDistinct(List.of(id)))))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"id", "ID", "`id`", "x.id", "X.`Id`"})
    void theColumnIsWrittenWithOrWithoutItsTable(String written) {
        List<LogicalAggregate> counted =
                List.of(new LogicalAggregate.LogicalCountDistinct(List.of(inputs.value(written))));
        assertThat(localDistinct("t x", "Id", List.of(), counted)).isPresent();
    }

    @ParameterizedTest
    @ValueSource(strings = {"t.id", "u.id", "x.a", "id + 1", "xid"})
    void otherSpellingsAreOtherColumns(String written) {
        List<LogicalAggregate> counted =
                List.of(new LogicalAggregate.LogicalCountDistinct(List.of(inputs.value(written))));
        assertThat(localDistinct("t x", "id", List.of(), counted)).isEmpty();
    }

    @Test
    void withoutAnAliasTheTableHasItsName() {
        List<LogicalAggregate> counted =
                List.of(new LogicalAggregate.LogicalCountDistinct(List.of(inputs.value("t.id"))));
        assertThat(localDistinct("t", "id", List.of(), counted)).isPresent();
    }
}
