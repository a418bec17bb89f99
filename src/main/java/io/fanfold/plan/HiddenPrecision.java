package io.fanfold.plan;

import io.fanfold.plan.LogicalPlan.LogicalAggregation;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.FunctionFacts;
import io.fanfold.sql.FunctionFacts.ChoiceWidth;
import io.fanfold.sql.FunctionFacts.DivisionKind;
import io.fanfold.sql.SelectModel.Derived;
import io.fanfold.sql.SqlWords;
import io.fanfold.sql.StatementModel.BlockKind;
import io.fanfold.wire.ServerFlavor;

/**
 * Refuses to compute with decimals that have more digits inside the server than they show, because only the shown
 * digits are sent to the final query. Measured on MariaDB 10.11 and MySQL 9.7.
 *
 * <ul>
 *   <li>MariaDB passes a quotient on with at least nine digits, even if it shows fewer: for n = 1,
 *       {@code MIN(n / 7) * 7} is 1.0000, but 0.1429 * 7 is 1.0003.
 *   <li>Both servers compute more digits of a quotient if the dividend has more. A value chosen by IF or the like may
 *       have fewer digits than its type: for an integer 11, {@code IFNULL(b, 11) / 7} has nine digits, but
 *       11.0000000000 / 7 has eighteen.
 *   <li>If MariaDB sorts to group, it makes a group for each quotient, and separate groups for remainders of zero with
 *       and without a sign. In a temporary table it makes one group for values with the same text.
 * </ul>
 *
 * <p>For one plan, one thread.
 */
final class HiddenPrecision {
    /** An operation of which a computed decimal may be the result. */
    private enum Way {
        QUOTIENT,
        REMAINDER,
        CHOICE;

        boolean in(SqlWords words) {
            return switch (this) {
                case QUOTIENT -> words.hold(known -> known.divides() == DivisionKind.QUOTIENT);
                case REMAINDER -> words.hold(known -> known.divides() == DivisionKind.REMAINDER);
                case CHOICE -> words.hold(known -> known.chooses() == ChoiceWidth.SEVERAL);
            };
        }
    }

    private final LogicalPlan logical;
    private final LogicalAggregation shape;
    private final FinalQueryUse use;
    private final TypeBinding types;
    private final ServerFlavor flavor;

    HiddenPrecision(
            LogicalPlan logical, LogicalAggregation shape, FinalQueryUse use, TypeBinding types, ServerFlavor flavor) {
        this.logical = logical;
        this.shape = shape;
        this.use = use;
        this.types = types;
        this.flavor = flavor;
    }

    void check() throws RefusedException {
        int grouping = shape.materialized().isPresent()
                ? shape.grouping()
                : shape.keys().size();
        for (int key : shape.keys().subList(0, grouping)) {
            if (flavor.isMariaDb() && (made(key, Way.QUOTIENT) || made(key, Way.REMAINDER)) && !rounds(key)) {
                throw new RefusedException(Reason.KEY_TYPE, "a quotient or remainder is a grouping key");
            }
        }
        for (LogicalAggregate accumulator : shape.accumulators()) {
            // the text alone already refuses a sum whose own argument has a quotient
            boolean sum = accumulator instanceof LogicalAggregate.LogicalSum
                    || accumulator instanceof LogicalAggregate.LogicalSumDistinct;
            if (flavor.isMariaDb() && sum && made(accumulator.source(), Way.QUOTIENT)) {
                throw new RefusedException(Reason.AGGREGATE, "a sum of quotients of a derived table");
            }
            // the server then sorts to group, but partition queries use a temporary table, which drops the sign of zero
            boolean minMaxBesideDistinct = accumulator instanceof LogicalAggregate.LogicalMinMax
                    && !shape.distinctArguments().isEmpty();
            if (flavor.isMariaDb() && minMaxBesideDistinct && made(accumulator.source(), Way.REMAINDER)) {
                throw new RefusedException(Reason.ARGUMENT_TYPE, TextRules.SIGN_OF_ZERO);
            }
        }
        // the expression around a subquery computes with it; a derived table has the shown digits
        boolean operand = logical.frame()
                .filter(frame -> frame.kind() == BlockKind.EXPRESSION)
                .isPresent();
        for (Template template : shape.templates()) {
            boolean divides = operand || Way.QUOTIENT.in(template.words(logical.model()));
            boolean computes =
                    operand || !template.bare() && use.sortedBy(template).isEmpty();
            for (Template.Piece piece : template.pieces()) {
                if (piece instanceof Template.Ref ref) {
                    check(shape.source(ref), computes, divides);
                }
            }
        }
    }

    private void check(int source, boolean computes, boolean divides) throws RefusedException {
        if (flavor.isMariaDb() && computes && made(source, Way.QUOTIENT)) {
            throw new RefusedException(Reason.ARGUMENT_TYPE, "a quotient is computed with after the fold");
        }
        if (divides && source >= 0 && types.numbers().mayBeShort(source) && made(source, Way.CHOICE)) {
            throw new RefusedException(
                    Reason.ARGUMENT_TYPE, "what may have fewer digits than its type is divided after the fold");
        }
    }

    /** Whether an input is a call that leaves only the shown digits. */
    private boolean rounds(int input) {
        return logical.words(input).areCallOf(FunctionFacts::rounds);
    }

    /**
     * Whether an input is a computed decimal, and the input or a derived table of the block contains such an operation.
     */
    private boolean made(int input, Way way) {
        return input >= 0
                && types.numbers().computedDecimal(input)
                && (way.in(logical.words(input))
                        || logical.model().derived().stream().anyMatch(derived -> inside(derived, way)));
    }

    private static boolean inside(Derived derived, Way way) {
        return derived.block().filter(block -> way.in(block.words(block.sql()))).isPresent();
    }
}
