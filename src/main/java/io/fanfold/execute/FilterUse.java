package io.fanfold.execute;

import java.util.List;

/**
 * The dynamic filters of a split. Immutable.
 *
 * @param keys the number of keys of each
 * @param left the part of the split tables' rows that they leave, by the server's estimate; 1 without filters
 * @param avoided whether there are none only because the split is known, or has to be tried, without
 */
record FilterUse(List<Integer> keys, double left, boolean avoided) {
    static final FilterUse NONE = new FilterUse(List.of(), 1, false);
    static final FilterUse AVOIDED = new FilterUse(List.of(), 1, true);

    FilterUse {
        keys = List.copyOf(keys);
    }
}
