package io.fanfold.fuzz;

/**
 * The type of an expression's values.
 *
 * @param family their kind
 * @param collation of strings: its name, "" for the connection's, {@link #MIXED} if unknown; otherwise ""
 * @param clean whether values that are equal for the server always have the same bytes
 */
record ValueType(Family family, String collation, boolean clean) {
    /** A collation that was not determined. */
    static final String MIXED = "?";

    static ValueType of(Family family) {
        return new ValueType(family, "", family != Family.TEXT && family != Family.DBL && family != Family.JSON);
    }
}
