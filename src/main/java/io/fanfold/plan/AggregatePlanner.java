package io.fanfold.plan;

import io.fanfold.plan.MergeNode.MergeFunction;
import io.fanfold.reason.RefusedException;
import java.util.ArrayList;
import java.util.List;

/**
 * Completes the aggregate functions of {@link AggregateAnalyzer} with types, whose rules have been asked. For one plan,
 * one thread.
 *
 * @param row the columns of the values; receives the hidden columns that some are compared by
 * @param grouped whether there are groups
 */
record AggregatePlanner(PartialRow row, TypeBinding types, boolean grouped) {

    MergeFunction complete(LogicalAggregate logical) throws RefusedException {
        if (logical instanceof LogicalAggregate.LogicalSum sum) {
            boolean doubles = !sum.count() && types.of(sum.input()).type().isFloatingPoint();
            return doubles
                    ? new MergeFunction.SumDouble(row.column(sum.input()))
                    : new MergeFunction.Sum(row.column(sum.input()), sum.count());
        }
        if (logical instanceof LogicalAggregate.LogicalMinMax minMax) {
            SortKey key = row.key(minMax.input(), types.comparedMinMax(minMax.input(), minMax.argument()), false);
            return minMax.largest()
                    ? new MergeFunction.Max(row.column(minMax.input()), key)
                    : new MergeFunction.Min(row.column(minMax.input()), key);
        }
        if (logical instanceof LogicalAggregate.LogicalBits bits) {
            return new MergeFunction.Bits(row.column(bits.input()), bits.operation());
        }
        if (logical instanceof LogicalAggregate.LogicalAnyValue any) {
            types.requireOneForm(any.argument());
            return new MergeFunction.AnyValue(row.column(any.input()), !grouped);
        }
        if (logical instanceof LogicalAggregate.LogicalVariance variance) {
            return new MergeFunction.Variance(
                    row.column(variance.count()),
                    row.column(variance.mean()),
                    row.column(variance.variance()),
                    variance.function());
        }
        if (logical instanceof LogicalAggregate.LogicalSumDistinct sum) {
            // the argument is an exact number, so the sum is a decimal
            return new MergeFunction.SumDistinct(
                    distinctKey(sum.argument()), types.of(sum.sum()).decimals());
        }
        List<SortKey> keys = new ArrayList<>();
        for (int input : ((LogicalAggregate.LogicalCountDistinct) logical).arguments()) {
            keys.add(distinctKey(input));
        }
        return new MergeFunction.CountDistinct(keys);
    }

    /**
     * Completes a DISTINCT aggregate that is summed, because the partitions have no value in common.
     *
     * @param whole the input with the aggregate itself
     */
    MergeFunction addedUp(LogicalAggregate logical, int whole) {
        return new MergeFunction.Sum(row.column(whole), !(logical instanceof LogicalAggregate.LogicalSumDistinct));
    }

    private SortKey distinctKey(int input) throws RefusedException {
        return row.key(input, types.comparedDistinct(input), false);
    }
}
