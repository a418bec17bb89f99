package io.fanfold.merge;

import io.fanfold.plan.MergeNode.Slot;
import io.fanfold.plan.SortKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The storage of each accumulator's running value. Sums are parts of a group's record, see {@link GroupSums}. All
 * others are states. Accumulators that count or sum distinct tuples of the same keys share one state. Immutable.
 */
final class SlotLayout {
    private final List<Slot> slots;
    private final List<Slot.Sum> sums = new ArrayList<>();

    /** For each accumulator the index of its sum; -1 for others. */
    private final int[] sumOf;

    /** For each accumulator the index of its state; -1 for sums. */
    private final int[] stateOf;

    /** For each state the accumulators that read it. */
    private final List<List<Slot>> sharers = new ArrayList<>();

    SlotLayout(List<Slot> slots) {
        this.slots = List.copyOf(slots);
        this.sumOf = new int[slots.size()];
        this.stateOf = new int[slots.size()];
        for (int i = 0; i < stateOf.length; i++) {
            Slot slot = slots.get(i);
            if (slot instanceof Slot.Sum sum) {
                sumOf[i] = sums.size();
                stateOf[i] = -1;
                sums.add(sum);
                continue;
            }
            int state = 0;
            while (state < sharers.size() && !share(sharers.get(state).get(0), slot)) {
                state++;
            }
            if (state == sharers.size()) {
                sharers.add(new ArrayList<>());
            }
            sharers.get(state).add(slot);
            sumOf[i] = -1;
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

    /** Creates one object for each state, for one thread. */
    SlotFold[] newFolds(long seed) {
        return sharers.stream().map(readers -> newFold(readers, seed)).toArray(SlotFold[]::new);
    }

    private static SlotFold newFold(List<Slot> readers, long seed) {
        Slot slot = readers.get(0);
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

    /** Whether merged rows can be sorted by the result of an accumulator. */
    static boolean compares(Slot slot) {
        return !(slot instanceof Slot.AnyValue || slot instanceof Slot.SumDouble || slot instanceof Slot.Spread);
    }

    Slot slot(int number) {
        return slots.get(number);
    }

    /** The index of an accumulator's sum; -1 if it is not a sum. */
    int sumOf(int slot) {
        return sumOf[slot];
    }

    /** The index of an accumulator's state; -1 if it is a sum. */
    int stateOf(int slot) {
        return stateOf[slot];
    }

    /** The sums in order. */
    List<Slot.Sum> sums() {
        return sums;
    }

    /** The number of states of a group. */
    int states() {
        return sharers.size();
    }

    /** The minimum number of columns of a partial row. */
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
