package io.fanfold.plan.rule;

import io.fanfold.plan.LogicalAggregate;
import io.fanfold.plan.TypedBlock;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.row.Column;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Refuses sums in groups that may have more digits than a decimal. Groups are built in temporary tables. There, a
 * larger sum is silently cut to the largest number, so that it depends on the row order (MySQL 9.7.4, MariaDB
 * 10.11.18).
 *
 * <pre>
 * SELECT a, SUM(dec65) FROM t GROUP BY a       refused
 * SELECT SUM(dec65) FROM t                     split
 * </pre>
 *
 * <p>Tests: {@code NumberRulesTest}, {@code HiddenPrecisionIT}.
 */
final class SumOverflow implements TypeRule {
    /** The digits that a sum of a trillion numbers has in addition to those of the numbers. */
    private static final int ROW_COUNT_DIGITS = 12;

    @Override
    public Optional<Refusal> check(TypedBlock block) {
        Stream<Integer> windows = block.shape().grouping() > 0 ? block.shape().exactSums().stream() : Stream.of();
        Stream<Integer> sums = block.shape().grouped()
                ? block.shape().aggregates().stream().flatMap(SumOverflow::summed)
                : Stream.of();
        return Stream.concat(windows, sums)
                .map(block::type)
                .filter(Column::decimal)
                .filter(column -> column.precision() + ROW_COUNT_DIGITS > Column.MAX_PRECISION)
                .findFirst()
                .map(column ->
                        new Refusal(Reason.ARGUMENT_TYPE, "a sum of numbers of " + column.precision() + " digits"));
    }

    private static Stream<Integer> summed(LogicalAggregate aggregate) {
        return aggregate instanceof LogicalAggregate.LogicalSum sum && !sum.count()
                ? Stream.of(sum.argument())
                : Stream.of();
    }
}
