package io.fanfold.merge;

import io.fanfold.plan.MergeNode.Slot;
import io.fanfold.row.Row;
import io.fanfold.row.RowBuilder;

/**
 * How one slot is folded. Each thread has its own, because of what is reused from row to row; the states that several of
 * them started for the same slot can be merged.
 */
interface SlotFold {
    /** The running value of a group without rows. */
    State start();

    /** The running value of one slot, or of several that share it, in one group. For one thread at a time. */
    interface State {
        /**
         * Takes in one partial row.
         *
         * @param rank its place in the order of partitions and of rows in them
         * @return how many bytes of heap more are held now; fewer when negative
         */
        long add(Row row, long rank) throws FoldException;

        /** Takes in all that {@code other}, a state of the same slot, took in. The other is not to be used again. */
        void merge(State other) throws FoldException;

        /** Looks whether {@link #write} will give what the server would. */
        default void check() throws FoldException {}

        /**
         * Writes by what the result is compared, as {@link KeyEncoder#forEquality} encodes it.
         *
         * @return false where nothing is written, since the result is compared as the number that {@link #write} adds
         */
        default boolean compared(KeyBuffer to) throws FoldException {
            return false;
        }

        /** Adds the result as the value of {@code slot}. */
        void write(Slot slot, RowBuilder to);

        /** About how many bytes of heap the state holds, itself included. */
        long heapBytes();
    }
}
