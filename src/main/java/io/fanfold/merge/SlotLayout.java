package io.fanfold.merge;

import io.fanfold.plan.MergeNode.Slot;
import io.fanfold.plan.SortKey;
import io.fanfold.row.RowBuilder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Which slots share a running value: those that count or sum the different tuples of the same keys. Immutable. */
final class SlotLayout {
    private final List<Slot> slots;

    /** For each slot the number of its state. */
    private final int[] stateOf;

    /** For each state the slots that read it. */
    private final List<List<Slot>> sharers = new ArrayList<>();

    SlotLayout(List<Slot> slots) {
        this.slots = List.copyOf(slots);
        this.stateOf = new int[slots.size()];
        for (int i = 0; i < stateOf.length; i++) {
            Slot slot = slots.get(i);
            int state = 0;
            while (state < sharers.size() && !share(sharers.get(state).get(0), slot)) {
                state++;
            }
            if (state == sharers.size()) {
                sharers.add(new ArrayList<>());
            }
            sharers.get(state).add(slot);
            stateOf[i] = state;
        }
    }

    private static boolean share(Slot a, Slot b) {
        List<SortKey> keys = distinctKeys(a);
        List<SortKey> others = distinctKeys(b);
        if (keys.isEmpty() || keys.size() != others.size()) {
            return false;
        }
        for (int i = 0; i < keys.size(); i++) {
            if (!sameKey(keys.get(i), others.get(i))) {
                return false;
            }
        }
        return true;
    }

    private static List<SortKey> distinctKeys(Slot slot) {
        if (slot instanceof Slot.CountDistinct count) {
            return count.keys();
        }
        return slot instanceof Slot.SumDistinct sum ? List.of(sum.key()) : List.of();
    }

    private static boolean sameKey(SortKey a, SortKey b) {
        return a.column() == b.column() && a.comparison() == b.comparison() && Arrays.equals(a.pad(), b.pad());
    }

    /** New folds for one thread, one for each state. */
    SlotFold[] newFolds(long seed) {
        return sharers.stream().map(readers -> newFold(readers, seed)).toArray(SlotFold[]::new);
    }

    private static SlotFold newFold(List<Slot> readers, long seed) {
        Slot slot = readers.get(0);
        if (slot instanceof Slot.Sum sum) {
            return new SumSlot(sum);
        }
        if (slot instanceof Slot.Min min) {
            return new ExtremeSlot(min.column(), min.compare(), false);
        }
        if (slot instanceof Slot.Max max) {
            return new ExtremeSlot(max.column(), max.compare(), true);
        }
        if (slot instanceof Slot.Bits bits) {
            return new BitsSlot(bits);
        }
        if (slot instanceof Slot.SumDouble sum) {
            return new SumDoubleSlot(sum);
        }
        if (slot instanceof Slot.AnyValue any) {
            return new AnyValueSlot(any);
        }
        if (slot instanceof Slot.Spread spread) {
            return new SpreadSlot(spread);
        }
        boolean sums = readers.stream().anyMatch(Slot.SumDistinct.class::isInstance);
        return new DistinctSlot(distinctKeys(slot), sums, seed);
    }

    /** Adds the values of all slots in their order. */
    void write(SlotFold.State[] states, RowBuilder to) {
        for (int i = 0; i < stateOf.length; i++) {
            states[stateOf[i]].write(slots.get(i), to);
        }
    }

    /** How many columns a partial row must have at least. */
    int columnsNeeded() {
        int last = -1;
        for (Slot slot : slots) {
            last = Math.max(last, lastColumn(slot));
        }
        return last + 1;
    }

    private static int lastColumn(Slot slot) {
        if (slot instanceof Slot.Sum sum) {
            return sum.column();
        }
        if (slot instanceof Slot.Min min) {
            return Math.max(min.column(), min.compare().column());
        }
        if (slot instanceof Slot.Max max) {
            return Math.max(max.column(), max.compare().column());
        }
        if (slot instanceof Slot.Bits bits) {
            return bits.column();
        }
        if (slot instanceof Slot.SumDouble sum) {
            return sum.column();
        }
        if (slot instanceof Slot.AnyValue any) {
            return any.column();
        }
        if (slot instanceof Slot.Spread spread) {
            return Math.max(spread.count(), Math.max(spread.mean(), spread.variance()));
        }
        return distinctKeys(slot).stream().mapToInt(SortKey::column).max().orElse(-1);
    }
}
