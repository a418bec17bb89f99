package io.fanfold.plan;

import io.fanfold.plan.MergeNode.Slot;
import io.fanfold.plan.SplitDraft.SlotDraft;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import java.util.ArrayList;
import java.util.List;

/**
 * Completes the aggregate functions of {@link Slots} with types, and refuses values that cannot be merged exactly. For
 * one plan, one thread.
 *
 * @param row the columns of the values; receives the hidden columns that some are compared by
 * @param grouped whether there are groups
 * @param approximate whether sums of floating-point numbers are allowed
 */
record SlotCompleter(PartialRow row, KeyTypes types, boolean grouped, boolean approximate) {

    Slot complete(SlotDraft draft) throws RefusedException {
        if (draft instanceof SlotDraft.Sum sum) {
            if (!sum.count() && approximate && types.numbers().approximate(sum.input())) {
                return new Slot.SumDouble(row.column(sum.input()));
            }
            if (!sum.count()) {
                types.numbers().requireExactNumber(sum.input(), Reason.APPROXIMATE);
                if (grouped) {
                    types.numbers().requireNoSumOverflow(sum.argument());
                }
            }
            return new Slot.Sum(row.column(sum.input()), sum.count());
        }
        if (draft instanceof SlotDraft.Extreme extreme) {
            SortKey key = row.key(extreme.input(), types.comparedExtreme(extreme.input(), extreme.argument()), false);
            return extreme.largest()
                    ? new Slot.Max(row.column(extreme.input()), key)
                    : new Slot.Min(row.column(extreme.input()), key);
        }
        if (draft instanceof SlotDraft.Bits bits) {
            types.numbers().requireBits(bits.argument());
            return new Slot.Bits(row.column(bits.input()), bits.operation());
        }
        if (draft instanceof SlotDraft.AnyValue any) {
            types.requireOneForm(any.argument());
            return new Slot.AnyValue(row.column(any.input()), !grouped);
        }
        if (draft instanceof SlotDraft.Spread spread) {
            return new Slot.Spread(
                    row.column(spread.count()),
                    row.column(spread.mean()),
                    row.column(spread.variance()),
                    spread.function());
        }
        if (draft instanceof SlotDraft.SumDistinct sum) {
            types.numbers().requireExactNumber(sum.sum(), Reason.APPROXIMATE);
            types.numbers().requireExactNumber(sum.argument(), Reason.ARGUMENT_TYPE);
            return new Slot.SumDistinct(distinctKey(sum.argument()));
        }
        List<SortKey> keys = new ArrayList<>();
        for (int input : ((SlotDraft.CountDistinct) draft).arguments()) {
            keys.add(distinctKey(input));
        }
        return new Slot.CountDistinct(keys);
    }

    /**
     * Completes a DISTINCT aggregate that is summed, because the partitions have no value in common.
     *
     * @param whole the input with the aggregate itself
     */
    Slot addedUp(SlotDraft draft, int whole) throws RefusedException {
        if (draft instanceof SlotDraft.SumDistinct sum) {
            types.numbers().requireExactNumber(sum.sum(), Reason.APPROXIMATE);
            types.numbers().requireExactNumber(sum.argument(), Reason.ARGUMENT_TYPE);
            return new Slot.Sum(row.column(whole), false);
        }
        return new Slot.Sum(row.column(whole), true);
    }

    private SortKey distinctKey(int input) throws RefusedException {
        return row.key(input, types.comparedDistinct(input), false);
    }
}
