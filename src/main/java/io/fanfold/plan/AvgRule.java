package io.fanfold.plan;

import java.util.List;
import java.util.Set;

/**
 * Where SUM/COUNT may stand for AVG. As a value of its own it is exact on both servers: the quotient has the scale of the
 * argument plus div_precision_increment, rounded half up, as AVG has. Inside an expression MySQL's AVG hands on a more
 * precise inner value than its quotient does; only where the outer operation takes the rounded value is the quotient the
 * same. MariaDB's AVG hands on the rounded value, except into floating-point functions.
 */
final class AvgRule {
    private static final Set<String> ROUNDED_FIRST = Set.of(
            "+",
            "-",
            "NEG",
            "ROUND",
            "TRUNCATE",
            "FORMAT",
            "FLOOR",
            "CEIL",
            "CEILING",
            "ABS",
            "IFNULL",
            "COALESCE",
            "CONCAT",
            "CAST AS CHAR",
            "CAST AS DECIMAL",
            "GREATEST",
            "DIV",
            "%",
            "MOD");

    private static final Set<String> ALSO_ON_MARIADB = Set.of("*", "/", "COMPARISON", "CASE", "LOGIC", "LEAST", "IF");

    private AvgRule() {}

    /**
     * Whether the quotient is exact.
     *
     * @param enclosing the operators and functions around the AVG, see {@code SelectModel.AggregateCall#enclosing()}
     */
    static boolean quotientIsExact(List<String> enclosing, boolean mariaDb) {
        return enclosing.stream()
                .allMatch(operation ->
                        ROUNDED_FIRST.contains(operation) || (mariaDb && ALSO_ON_MARIADB.contains(operation)));
    }
}
