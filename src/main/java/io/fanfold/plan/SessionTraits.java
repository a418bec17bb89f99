package io.fanfold.plan;

/**
 * What a client's session has that decides on how values are compared and kept.
 *
 * @param momentsAreLocal whether every moment has a local time of its own in its time zone
 * @param zeroDates whether its sql_mode lets dates with zero parts be
 * @param dividedDigits the digits that a division adds to its dividend's, 0..30: div_precision_increment
 */
public record SessionTraits(boolean momentsAreLocal, boolean zeroDates, int dividedDigits) {
    /** What div_precision_increment is by default. */
    public static final int DEFAULT_DIVIDED_DIGITS = 4;
}
