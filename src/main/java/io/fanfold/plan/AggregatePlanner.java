package io.fanfold.plan;

import io.fanfold.plan.MergeNode.MergeFunction;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import java.util.ArrayList;
import java.util.List;

/**
 * Completes the aggregate functions of {@link AggregateAnalyzer} with types, and refuses values that cannot be merged exactly. For
 * one plan, one thread.
 *
 * @param row the columns of the values; receives the hidden columns that some are compared by
 * @param grouped whether there are groups
 * @param approximate whether sums of floating-point numbers are allowed
 */
record AggregatePlanner(PartialRow row, TypeBinding types, boolean grouped, boolean approximate) {

    MergeFunction complete(LogicalAggregate logical) throws RefusedException {
        if (logical instanceof LogicalAggregate.LogicalSum sum) {
            if (!sum.count() && approximate && types.numbers().approximate(sum.input())) {
                return new MergeFunction.SumDouble(row.column(sum.input()));
            }
            if (!sum.count()) {
                types.numbers().requireExactNumber(sum.input(), Reason.APPROXIMATE);
                if (grouped) {
                    types.numbers().requireNoSumOverflow(sum.argument());
                }
            }
            return new MergeFunction.Sum(row.column(sum.input()), sum.count());
        }
        if (logical instanceof LogicalAggregate.LogicalMinMax minMax) {
            SortKey key = row.key(minMax.input(), types.comparedMinMax(minMax.input(), minMax.argument()), false);
            return minMax.largest()
                    ? new MergeFunction.Max(row.column(minMax.input()), key)
                    : new MergeFunction.Min(row.column(minMax.input()), key);
        }
        if (logical instanceof LogicalAggregate.LogicalBits bits) {
            types.numbers().requireBits(bits.argument());
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
            types.numbers().requireExactNumber(sum.sum(), Reason.APPROXIMATE);
            types.numbers().requireExactNumber(sum.argument(), Reason.ARGUMENT_TYPE);
            return new MergeFunction.SumDistinct(distinctKey(sum.argument()));
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
    MergeFunction addedUp(LogicalAggregate logical, int whole) throws RefusedException {
        if (logical instanceof LogicalAggregate.LogicalSumDistinct sum) {
            types.numbers().requireExactNumber(sum.sum(), Reason.APPROXIMATE);
            types.numbers().requireExactNumber(sum.argument(), Reason.ARGUMENT_TYPE);
            return new MergeFunction.Sum(row.column(whole), false);
        }
        return new MergeFunction.Sum(row.column(whole), true);
    }

    private SortKey distinctKey(int input) throws RefusedException {
        return row.key(input, types.comparedDistinct(input), false);
    }
}
