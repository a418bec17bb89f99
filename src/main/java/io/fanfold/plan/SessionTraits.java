package io.fanfold.plan;

/**
 * Traits of a client's session that affect how values are compared and stored.
 *
 * @param momentsAreLocal whether no two timestamps have the same local time in its time zone
 * @param zeroDates whether its sql_mode allows dates with zero parts
 * @param dividedDigits div_precision_increment, 0..30: the digits that a division adds to those of its dividend
 */
public record SessionTraits(boolean momentsAreLocal, boolean zeroDates, int dividedDigits) {
    /** The default of div_precision_increment. */
    public static final int DEFAULT_DIVIDED_DIGITS = 4;
}
