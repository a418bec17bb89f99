package io.fanfold.demo;

import java.util.SplittableRandom;

/** The rows of one generated table. Immutable; any thread may generate any range, always with the same rows. */
interface SsbTable {
    /** The table's name. */
    String name();

    /** The number of units that {@link #append} can generate; a unit is one or a few rows. */
    long units();

    /** The number of rows of the table. */
    long rows();

    /**
     * Appends a unit's rows in INSERT syntax, separated by commas.
     *
     * @param unit 0 to units-1
     * @return the number of rows appended, 1 or more
     */
    int append(StringBuilder to, long unit);

    /** Returns a generator that depends only on the seed, the table and the unit. */
    static SplittableRandom random(long seed, String table, long unit) {
        long mixed = (seed * 31 + table.hashCode()) * 0x9E3779B97F4A7C15L + unit * 0xD1B54A32D192ED03L;
        return new SplittableRandom(mixed ^ mixed >>> 32);
    }
}
