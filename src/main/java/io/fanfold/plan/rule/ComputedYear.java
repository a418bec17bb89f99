package io.fanfold.plan.rule;

import io.fanfold.plan.FanOutPlan.ColumnEncoding;
import io.fanfold.plan.TypedBlock;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.row.ColumnType;
import io.fanfold.sql.StatementModel.BlockKind;
import java.util.List;
import java.util.Optional;

/**
 * Refuses on MySQL computed YEARs in set operations and expressions. MySQL 9.7 compares a computed YEAR as a number, but a
 * YEAR column as a year, in which 1 is 2001. A derived table's YEAR is sent as a number; the other places were not
 * measured.
 *
 * <pre>
 * SELECT IFNULL(y, 1999) FROM t GROUP BY 1 UNION ALL SELECT 1
 * </pre>
 *
 * <p>Test: {@code FinalQueryRulesTest}.
 */
final class ComputedYear implements FinalQueryRule {
    @Override
    public Optional<Refusal> check(TypedBlock block, List<ColumnEncoding> encodings) {
        boolean table = block.placement()
                .map(placement -> placement.kind() == BlockKind.TABLE)
                .orElse(true);
        if (block.flavor().isMariaDb() || table) {
            return Optional.empty();
        }
        return block.shape().items().stream()
                        .flatMap(block::sources)
                        .anyMatch(source -> block.type(source).type() == ColumnType.YEAR
                                && block.type(source).computed())
                ? Optional.of(new Refusal(Reason.KEY_TYPE, "a computed YEAR in a set operation or expression"))
                : Optional.empty();
    }
}
