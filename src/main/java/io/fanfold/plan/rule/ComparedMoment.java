package io.fanfold.plan.rule;

import io.fanfold.plan.FanOutPlan.ColumnEncoding;
import io.fanfold.plan.LogicalAggregate;
import io.fanfold.plan.Template;
import io.fanfold.plan.TypedBlock;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.row.Column;
import io.fanfold.sql.FunctionFacts;
import java.util.List;
import java.util.Optional;

/**
 * Refuses comparisons of computed dates, times and years. Before a comparison, servers convert a literal to the type of
 * such a column, but not to that of MIN, MAX or an expression (MySQL 9.7, MariaDB 10.11). In the final query, these are
 * columns.
 *
 * <pre>
 * SELECT a, MAX(tm) FROM t GROUP BY a HAVING MAX(tm) > '100:00:00'      refused
 * SELECT a, CONCAT(MIN(day), ' -> ', MAX(day)) FROM t GROUP BY a        split
 * </pre>
 *
 * <p>Test: {@code split-passes.sql}.
 */
final class ComparedMoment implements FinalQueryRule {
    @Override
    public Optional<Refusal> check(TypedBlock block, List<ColumnEncoding> encodings) {
        return block.templates().stream()
                        .filter(template -> block.words(template).contains(FunctionFacts::compares))
                        .flatMap(template -> template.pieces().stream())
                        .anyMatch(piece -> piece instanceof Template.Ref ref && computedMoment(block, ref))
                ? Optional.of(new Refusal(Reason.ARGUMENT_TYPE, "a date, time or year is compared after the merge"))
                : Optional.empty();
    }

    /** Whether a reference is to a date, time or year that is no plain column. */
    private static boolean computedMoment(TypedBlock block, Template.Ref ref) {
        int input = computed(block, ref);
        return input >= 0
                && switch (block.type(input).type()) {
                    case DATE, NEWDATE, TIME, DATETIME, TIMESTAMP, YEAR -> true;
                    // MIN of a YEAR has a numeric type if no temporary table is used
                    default -> (block.type(input).flags() & Column.Flags.ZEROFILL) != 0;
                };
    }

    /** Returns the input that a reference shows, -1 if it is a plain column or a sum. */
    private static int computed(TypedBlock block, Template.Ref ref) {
        if (ref instanceof Template.KeyRef key) {
            int asked = block.shape().keys().get(key.key());
            return block.plainColumn(asked) ? -1 : asked;
        }
        if (!(ref instanceof Template.AggregateRef reference)) {
            return -1;
        }
        LogicalAggregate aggregate = block.shape().aggregates().get(reference.aggregate());
        if (aggregate instanceof LogicalAggregate.LogicalMinMax minMax) {
            return minMax.input();
        }
        return aggregate instanceof LogicalAggregate.LogicalAnyValue any ? any.input() : -1;
    }
}
