package io.fanfold.plan.rule;

import io.fanfold.plan.FanOutPlan.ColumnEncoding;
import io.fanfold.plan.LogicalStatement;
import io.fanfold.plan.Template;
import io.fanfold.plan.TypedBlock;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.row.ColumnType;
import io.fanfold.sql.FunctionFacts.FunctionKind;
import java.util.List;
import java.util.Optional;

/**
 * Refuses the current time in the final query and around merged blocks: it would have another one than the workers.
 *
 * <pre>
 * SELECT a, COUNT(*) + HOUR(CURTIME()) FROM t GROUP BY a      refused
 * SELECT a, UNIX_TIMESTAMP(MAX(tm)) FROM t GROUP BY a         refused
 * SELECT k FROM d WHERE w > (SELECT MAX(day) FROM t) AND w < NOW()       refused
 * SELECT a, UNIX_TIMESTAMP(MAX(day)) FROM t GROUP BY a        split
 * </pre>
 *
 * <p>Test: {@code golden.txt}.
 */
final class StatementMoment implements RestRule, FinalQueryRule {
    @Override
    public Optional<Refusal> check(LogicalStatement statement) {
        return refusalIf(statement.wordsAround().readsCurrentTime());
    }

    @Override
    public Optional<Refusal> check(TypedBlock block, List<ColumnEncoding> encodings) {
        return refusalIf(block.templates().stream()
                .anyMatch(template -> block.words(template).readsCurrentTime() || completesTimes(block, template)));
    }

    private static Optional<Refusal> refusalIf(boolean reads) {
        return reads
                ? Optional.of(new Refusal(
                        Reason.SESSION_FUNCTION, "the final query would have another moment than the workers"))
                : Optional.empty();
    }

    /** UNIX_TIMESTAMP of a TIME takes the day of the statement. */
    private static boolean completesTimes(TypedBlock block, Template template) {
        return block.words(template).contains(known -> known.is(FunctionKind.MOMENT))
                && block.sources(template).anyMatch(input -> block.type(input).type() == ColumnType.TIME);
    }
}
