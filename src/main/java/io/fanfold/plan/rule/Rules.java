package io.fanfold.plan.rule;

import io.fanfold.plan.FanOutPlan.ColumnEncoding;
import io.fanfold.plan.PreparedAnswer;
import io.fanfold.plan.TypedBlock;
import io.fanfold.reason.Refusal;
import io.fanfold.sql.SelectModel;
import io.fanfold.wire.ServerFlavor;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The rules in the order in which they are asked. If several refuse a statement, the first of them gives the reason.
 * Stateless.
 */
public final class Rules {
    private static final List<TextRule> OF_TEXT = List.of(
            new HavingWithoutGroups(),
            new AnyValueAlone(),
            new SingleRowWindow(),
            new WholeTableWindow(),
            new ShownSubquery(),
            new SetComparisonOverGroups());

    private static final List<TypeRule> OF_TYPES = List.of(
            new RollupSortLength(),
            new QuotientKey(),
            new SumOfQuotients(),
            new DistinctSignOfZero(),
            new QuotientOperand(),
            new ShortDividend());

    private static final List<FinalQueryRule> OF_FINAL_QUERY = List.of(
            new ApproximateInFrame(),
            new AverageInFrame(),
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

    private static final List<AnswerRule> OF_ANSWER = List.of(
            new ApproximateBesideSum(),
            new PaddedBinary(),
            new UnsignedText(),
            new WindowOrder(),
            new FramedBit(),
            new ComputedBit(),
            new FullDecimal(),
            new ChosenDecimalBesideWindows(),
            new SortedFloat(),
            new ComputedChar(),
            new FloatBesideDistinct());

    private Rules() {}

    /** Returns why a block is not split, as far as its text shows. */
    public static Optional<Refusal> ofText(SelectModel model, ServerFlavor flavor) {
        return first(OF_TEXT.stream().map(rule -> rule.check(model, flavor)));
    }

    /** Returns why an aggregation is not split, as far as its types show. */
    public static Optional<Refusal> ofTypes(TypedBlock block) {
        return first(OF_TYPES.stream().map(rule -> rule.check(block)));
    }

    /**
     * Returns why the final query of an aggregation is not run.
     *
     * @param encodings the encodings of the merged columns, in order
     */
    public static Optional<Refusal> ofFinalQuery(TypedBlock block, List<ColumnEncoding> encodings) {
        return first(OF_FINAL_QUERY.stream().map(rule -> rule.check(block, encodings)));
    }

    /** Returns why a statement is not split, as far as its PREPARE and EXPLAIN show. */
    public static Optional<Refusal> ofAnswer(PreparedAnswer answer) {
        return first(OF_ANSWER.stream().map(rule -> rule.check(answer)));
    }

    private static Optional<Refusal> first(Stream<Optional<Refusal>> refusals) {
        return refusals.flatMap(Optional::stream).findFirst();
    }
}
