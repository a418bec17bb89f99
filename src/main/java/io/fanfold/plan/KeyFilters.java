package io.fanfold.plan;

import java.util.List;

/**
 * The dynamic filters that a block's joins imply. Immutable.
 *
 * @param found the filters, each of which is optional; of several for one column, an earlier one leaves fewer keys
 * @param refused why other joins imply no filter, for logs and tests
 */
public record KeyFilters(List<KeyFilter> found, List<String> refused) {
    public static final KeyFilters NONE = new KeyFilters(List.of(), List.of());

    public KeyFilters {
        found = List.copyOf(found);
        refused = List.copyOf(refused);
    }
}
