package io.fanfold.plan;

import io.fanfold.sql.Expr;
import io.fanfold.sql.FunctionFacts;
import io.fanfold.sql.FunctionTable;
import io.fanfold.wire.ServerFlavor;
import java.util.List;

/**
 * Decides where SUM/COUNT may replace AVG. As a value of its own, the quotient is exact on both servers: like AVG, it
 * has the scale of the argument plus div_precision_increment, rounded half up. Inside an expression, AVG passes on a
 * more precise value than the quotient has.
 *
 * <p>On MySQL, every numeric operation on AVG shows the difference, e.g. {@code ROUND(AVG(x), 2)} of 2011/2001 is 1.00,
 * while the quotient 1.0050 rounds to 1.01; only its text is the same. On MariaDB, the quotient has the same hidden
 * digits, unless a floating-point operand makes AVG one too; so only operations without another operand are allowed.
 * Measured on MySQL 9.7.4 and MariaDB 10.11.
 */
final class AverageQuotient {
    private AverageQuotient() {}

    /**
     * Whether the quotient is exact.
     *
     * @param enclosing the operators and functions around the AVG, see {@link Expr#enclosing}
     */
    static boolean isExact(List<String> enclosing, ServerFlavor flavor) {
        FunctionTable functions = FunctionTable.of(flavor);
        return enclosing.stream()
                .allMatch(name ->
                        functions.find(name).filter(FunctionFacts::keepsAverage).isPresent());
    }
}
