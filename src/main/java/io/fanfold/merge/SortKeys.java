package io.fanfold.merge;

/** The strings of bytes by which numbered items sort, and their ranks, by which those sort whose strings are the same. */
interface SortKeys {
    /** The array in which the string of an item lies. */
    byte[] array(int item);

    /** Where the string begins in it. */
    int start(int item);

    /** Where the string ends in it. */
    int end(int item);

    long rank(int item);
}
