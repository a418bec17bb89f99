package io.fanfold.plan.rule;

import io.fanfold.plan.FanOutPlan.ColumnEncoding;
import io.fanfold.plan.LogicalAggregate;
import io.fanfold.plan.Template;
import io.fanfold.plan.TypedBlock;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import java.util.List;
import java.util.Optional;

/**
 * Refuses on MySQL DISTINCT over expressions of decimals. MySQL 9.7 shows them with the digits of the value or, from the
 * temporary table of DISTINCT, with all digits that the expression may have.
 *
 * <pre>
 * SELECT DISTINCT COUNT(*) / 2 FROM t GROUP BY a       refused
 * SELECT DISTINCT COUNT(*) + 1 FROM t GROUP BY a       split
 * </pre>
 *
 * <p>Test: {@code FinalQueryRulesTest}.
 */
final class DistinctDecimals implements FinalQueryRule {
    @Override
    public Optional<Refusal> check(TypedBlock block, List<ColumnEncoding> encodings) {
        return block.flavor().isMySql()
                        && block.shape().distinctRows()
                        && block.shape().grouped()
                        && block.shape().items().stream().anyMatch(item -> mixesDecimals(block, item))
                ? Optional.of(new Refusal(Reason.UNSUPPORTED_SYNTAX, "DISTINCT over expressions of decimals"))
                : Optional.empty();
    }

    private static boolean mixesDecimals(TypedBlock block, Template item) {
        return !item.mergedColumn()
                && (block.words(item).mayYieldDecimals()
                        || item.pieces().stream()
                                .anyMatch(piece -> piece instanceof Template.Ref ref && !integer(block, ref)));
    }

    private static boolean integer(TypedBlock block, Template.Ref ref) {
        if (ref instanceof Template.KeyRef key) {
            return block.keyType(key).type().isInteger();
        }
        return ref instanceof Template.AggregateRef aggregate
                && block.shape().aggregates().get(aggregate.aggregate()) instanceof LogicalAggregate.LogicalSum sum
                && sum.count();
    }
}
