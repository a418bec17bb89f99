package io.fanfold.plan;

/**
 * What a client's session has that decides on how values are compared and kept.
 *
 * @param momentsAreLocal whether every moment has a local time of its own in its time zone
 * @param zeroDates whether its sql_mode lets dates with zero parts be
 */
public record SessionTraits(boolean momentsAreLocal, boolean zeroDates) {}
