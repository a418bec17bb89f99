package io.fanfold.execute;

import java.util.List;

/**
 * The dynamic filters of a split. Immutable.
 *
 * @param keys the number of keys of each
 * @param left the fraction of the split tables' rows that they keep, by the server's estimate; 1 without filters
 * @param avoided whether filters were left out only because a split without them is faster, or has to be tried
 */
record FilterUse(List<Integer> keys, double left, boolean avoided) {
    static final FilterUse NONE = new FilterUse(List.of(), 1, false);
    static final FilterUse AVOIDED = new FilterUse(List.of(), 1, true);

    FilterUse {
        keys = List.copyOf(keys);
    }
}
