package io.fanfold.operator;

import io.fanfold.plan.MergeNode.MergeFunction;
import io.fanfold.row.Row;
import io.fanfold.row.RowBuilder;

/**
 * Merges the values of one accumulator. Each thread has its own, because it reuses buffers from row to row. States that
 * different threads started for the same accumulator can be merged.
 */
interface Accumulator {
    /** Returns the state of a group without rows. */
    AccumulatorState start();

    /**
     * The running value of one group, for one accumulator or for several that share it. Used by one thread at a time.
     */
    interface AccumulatorState {
        /**
         * Adds one partial row.
         *
         * @param rank its place in the order of partitions and of rows in them
         * @return the change of the held heap in bytes, may be negative
         */
        long add(Row row, long rank) throws MergeException;

        /** Merges another state of the same accumulator into this one. The other must not be used again. */
        void merge(AccumulatorState other) throws MergeException;

        /** Checks that {@link #write} will return the server's result. */
        default void check() throws MergeException {}

        /**
         * Writes the comparison key of the result, as encoded by {@link KeyEncoder#forEquality}.
         *
         * @return false if nothing is written, because the result is compared as the number that {@link #write} adds
         */
        default boolean compared(KeyBuffer to) throws MergeException {
            return false;
        }

        /** Adds the result as the value of {@code accumulator}. */
        void write(MergeFunction accumulator, RowBuilder to);

        /** The approximate heap bytes of the state, itself included. */
        long heapBytes();
    }
}
