package io.fanfold.plan;

import java.util.List;
import java.util.Set;

/**
 * Where SUM/COUNT may stand for AVG. As a value of its own it is exact on both servers: the quotient has the scale of the
 * argument plus div_precision_increment, rounded half up, as AVG has. Inside an expression AVG hands on a more precise
 * inner value than the quotient has. On MySQL every number around it sees the difference, e.g. {@code ROUND(AVG(x), 2)}
 * of 2011/2001 is 1.00, while the quotient 1.0050 rounds to 1.01; only a text of it is the same. On MariaDB the quotient
 * has the same inner digits, except where a floating-point operand makes AVG one too; so only what has no other operand
 * is allowed. Measured on MySQL 9.7.4 and MariaDB 10.11.
 */
final class AvgRule {
    private static final Set<String> TEXTS = Set.of("CONCAT", "CAST AS CHAR");

    private static final Set<String> ALSO_ON_MARIADB =
            Set.of("NEG", "ROUND", "TRUNCATE", "FORMAT", "FLOOR", "CEIL", "CEILING", "ABS", "CAST AS DECIMAL");

    private AvgRule() {}

    /**
     * Whether the quotient is exact.
     *
     * @param enclosing the operators and functions around the AVG, see {@code SelectModel.AggregateCall#enclosing()}
     */
    static boolean quotientIsExact(List<String> enclosing, boolean mariaDb) {
        return enclosing.stream()
                .allMatch(operation -> TEXTS.contains(operation) || (mariaDb && ALSO_ON_MARIADB.contains(operation)));
    }
}
