package io.fanfold.plan.rule;

import io.fanfold.plan.ExplainedTable;
import io.fanfold.plan.FanOutPlan.ColumnEncoding;
import io.fanfold.plan.LogicalAggregation;
import io.fanfold.plan.LogicalPlan;
import io.fanfold.plan.LogicalStatement;
import io.fanfold.plan.PlanRules;
import io.fanfold.plan.PreparedAnswer;
import io.fanfold.plan.TypedBlock;
import io.fanfold.reason.Refusal;
import io.fanfold.row.Column;
import io.fanfold.sql.Expr;
import io.fanfold.sql.SelectModel;
import io.fanfold.wire.ServerFlavor;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The rules in the order in which they are asked. If several refuse a statement, the first of them gives the reason.
 * Stateless.
 */
public final class Rules implements PlanRules {
    private static final List<TextRule> OF_TEXT = List.of(
            new HavingWithoutGroups(),
            new AnyValueAlone(),
            new SingleRowWindow(),
            new WholeTableWindow(),
            new ShownSubquery(),
            new SetComparisonOverGroups(),
            new AverageCut(),
            new SignOfZero());

    private static final List<KeyRule> OF_KEYS =
            List.of(new RepeatedRollupKey(), new ExpressionRollupKey(), new RollupKeyOfKey());

    private static final List<GroupRule> OF_GROUPS = List.of(
            new RollupKeyInHaving(),
            new RollupDistinctHaving(),
            new RollupKeyShownTwice(),
            new RollupKeyWithAggregate(),
            new RollupDistinctAggregate(),
            new RollupMerge());

    private static final List<TypeRule> OF_TYPES = List.of(
            new InexactSum(),
            new SumOverflow(),
            new InexactBits(),
            new LostNulls(),
            new ShortAverage(),
            new WideAverage(),
            new ComputedIntegerAverage(),
            new RollupSortLength(),
            new QuotientKey(),
            new SumOfQuotients(),
            new DistinctSignOfZero(),
            new QuotientOperand(),
            new ShortDividend());

    private static final List<FinalQueryRule> OF_FINAL_QUERY = List.of(
            new FullPrecisionOperand(),
            new EmbeddedApproximate(),
            new EmbeddedAverage(),
            new ComputedYear(),
            new Coercibility(),
            new ByteStrings(),
            new ComparedMoment(),
            new HiddenWarnings(),
            new ChosenDecimals(),
            new DistinctGroupExpression(),
            new DistinctDecimals(),
            new DistinctBesideHaving(),
            new DistinctFloat(),
            new SignOfZero(),
            new FirstOfWindows(),
            new SortLength(),
            new StatementMoment());

    private static final List<RestRule> OF_REST =
            List.of(new StatementMoment(), new JoinedOutside(), new VarianceOutside());

    private static final List<ExplainRule> OF_EXPLAIN = List.of(new SortedDates());

    private static final List<AnswerRule> OF_ANSWER = List.of(
            new ApproximateBesideSum(),
            new PaddedBinary(),
            new UnsignedText(),
            new WindowOrder(),
            new EmbeddedBit(),
            new ComputedBit(),
            new FullDecimal(),
            new ChosenDecimalBesideWindows(),
            new SortedFloat(),
            new ComputedChar(),
            new FloatBesideDistinct(),
            new UnmergedDerivedTable(),
            new DerivedYear(),
            new RollupKeyMinMax(),
            new NestedDerivedTable());

    @Override
    public Optional<Refusal> ofText(SelectModel model, ServerFlavor flavor) {
        return first(OF_TEXT.stream().map(rule -> rule.check(model, flavor)));
    }

    @Override
    public Optional<Refusal> ofKeys(SelectModel model, List<Expr> keys, ServerFlavor flavor) {
        return first(OF_KEYS.stream().map(rule -> rule.check(model, keys, flavor)));
    }

    @Override
    public Optional<Refusal> ofGroups(SelectModel model, LogicalAggregation shape, ServerFlavor flavor) {
        return first(OF_GROUPS.stream().map(rule -> rule.check(model, shape, flavor)));
    }

    @Override
    public boolean needsType(SelectModel model, Expr item, ServerFlavor flavor) {
        return OF_FINAL_QUERY.stream().anyMatch(rule -> rule.needsType(model, item, flavor));
    }

    @Override
    public Optional<Refusal> ofTypes(TypedBlock block) {
        return first(OF_TYPES.stream().map(rule -> rule.check(block)));
    }

    @Override
    public Optional<Refusal> ofFinalQuery(TypedBlock block, List<ColumnEncoding> encodings) {
        return first(OF_FINAL_QUERY.stream().map(rule -> rule.check(block, encodings)));
    }

    @Override
    public Optional<Refusal> ofRest(LogicalStatement statement) {
        return first(OF_REST.stream().map(rule -> rule.check(statement)));
    }

    /**
     * Returns why a block is not split, as far as its EXPLAIN shows.
     *
     * @param columns the columns that the block shows, or those that it sorts by
     */
    public static Optional<Refusal> ofExplain(
            LogicalPlan block, List<Column> columns, List<ExplainedTable> explained, ServerFlavor flavor) {
        return first(OF_EXPLAIN.stream().map(rule -> rule.check(block, columns, explained, flavor)));
    }

    /** Returns why a statement is not split, as far as its PREPARE and EXPLAIN show. */
    public static Optional<Refusal> ofAnswer(PreparedAnswer answer) {
        return first(OF_ANSWER.stream().map(rule -> rule.check(answer)));
    }

    private static Optional<Refusal> first(Stream<Optional<Refusal>> refusals) {
        return refusals.flatMap(Optional::stream).findFirst();
    }
}
