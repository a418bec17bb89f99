package io.fanfold.plan.rule;

import io.fanfold.plan.TypedBlock;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.row.Column;
import java.util.Optional;

/**
 * Refuses averages in groups of decimals that are too long for the digits that an average adds. Both servers were seen
 * to give two answers, depending on their plans, and with warnings (MySQL 9.7, MariaDB 10.11).
 *
 * <pre>
 * SELECT a, AVG(dec65) FROM t GROUP BY a       refused
 * SELECT AVG(dec65) FROM t                     split
 * </pre>
 *
 * <p>Test: {@code NumberRulesTest}.
 */
final class WideAverage implements TypeRule {
    @Override
    public Optional<Refusal> check(TypedBlock block) {
        return block.averaged()
                .map(block::type)
                .filter(column -> block.shape().grouped() && column.decimal() && wide(column, block.dividedDigits()))
                .findFirst()
                .map(column -> new Refusal(Reason.ARGUMENT_TYPE, "an average of " + column.precision() + " digits"));
    }

    private static boolean wide(Column column, int added) {
        return column.precision() + added > Column.MAX_PRECISION || column.decimals() + added >= Column.NOT_FIXED;
    }
}
