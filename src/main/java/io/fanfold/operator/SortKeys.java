package io.fanfold.operator;

/** The byte strings by which numbered items are sorted, and the ranks that order items with equal strings. */
interface SortKeys {
    /** The array that contains an item's string. */
    byte[] array(int item);

    /** The start of the string in it. */
    int start(int item);

    /** The end of the string in it. */
    int end(int item);

    long rank(int item);
}
