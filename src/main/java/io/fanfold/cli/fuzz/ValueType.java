package io.fanfold.cli.fuzz;

/**
 * What is known of an expression's values.
 *
 * @param family their kind
 * @param collation of strings: its name, "" for that of the connection, {@link #MIXED} when not known; else ""
 * @param clean whether values that are equal for the server always have the same bytes
 */
record ValueType(Family family, String collation, boolean clean) {
    /** A collation that was not worked out. */
    static final String MIXED = "?";

    static ValueType of(Family family) {
        return new ValueType(family, "", family != Family.TEXT && family != Family.DBL && family != Family.JSON);
    }
}
