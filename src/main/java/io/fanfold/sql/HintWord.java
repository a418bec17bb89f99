package io.fanfold.sql;

/** The hints for Fanfold without arguments that change how a statement is split. The names are those in the text. */
public enum HintWord {
    /** Aggregates whose last digits depend on the order of the rows may be split. */
    APPROXIMATE,
    /** Joins are not filtered by keys. */
    NO_DYNAMIC_FILTERS,
    /** Only partitions are split, not ranges of a key. */
    NO_RANGES,
    /** All partitions are read, whatever is known of them. */
    NO_REUSE
}
