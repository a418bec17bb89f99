package io.fanfold.plan;

import io.fanfold.plan.LogicalPlan.LogicalAggregation;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.SelectModel.Derived;
import io.fanfold.sql.StatementModel.BlockKind;
import io.fanfold.wire.ServerFlavor;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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
    private static final Pattern DIVIDES = Pattern.compile("(?<!\\*)/(?!\\*)|\\bAVG\\s*\\(", Pattern.CASE_INSENSITIVE);

    /** Text that may yield a remainder. */
    static final Pattern REMAINS = Pattern.compile("%|\\bMOD\\b", Pattern.CASE_INSENSITIVE);

    /** Functions that choose one of several values. */
    static final Pattern CHOOSES =
            Pattern.compile("\\b(IF|IFNULL|NVL|NVL2|COALESCE|CASE|GREATEST|LEAST)\\b", Pattern.CASE_INSENSITIVE);

    private static final Pattern ROUNDS = Pattern.compile(
            "(?:ROUND|TRUNCATE|CAST|FLOOR|CEIL|CEILING)\\s*\\((.*)", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    /** Literals without escapes, quoted names and comments, which may contain parentheses that do not count. */
    private static final Pattern QUOTED = Pattern.compile(
            "'[^']*+(?:'|\\z)|\"[^\"]*+(?:\"|\\z)|`[^`]*+(?:`|\\z)|/\\*(?:[^*]++|\\*(?!/))*+(?:\\*/|\\z)|(?:#|--\\s)[^\n]*+");

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
            if (flavor.isMariaDb() && (made(key, DIVIDES) || made(key, REMAINS)) && !rounds(key)) {
                throw new RefusedException(Reason.KEY_TYPE, "a quotient or remainder is a grouping key");
            }
        }
        for (LogicalAggregate accumulator : shape.accumulators()) {
            // the text alone already refuses a sum whose own argument has a quotient
            boolean sum = accumulator instanceof LogicalAggregate.LogicalSum
                    || accumulator instanceof LogicalAggregate.LogicalSumDistinct;
            if (flavor.isMariaDb() && sum && made(accumulator.source(), DIVIDES)) {
                throw new RefusedException(Reason.AGGREGATE, "a sum of quotients of a derived table");
            }
            // the server then sorts to group, but partition queries use a temporary table, which drops the sign of zero
            boolean minMaxBesideDistinct = accumulator instanceof LogicalAggregate.LogicalMinMax
                    && !shape.distinctArguments().isEmpty();
            if (flavor.isMariaDb() && minMaxBesideDistinct && made(accumulator.source(), REMAINS)) {
                throw new RefusedException(Reason.ARGUMENT_TYPE, TextRules.SIGN_OF_ZERO);
            }
        }
        // the expression around a subquery computes with it; a derived table has the shown digits
        boolean operand = logical.frame()
                .filter(frame -> frame.kind() == BlockKind.EXPRESSION)
                .isPresent();
        for (Template template : shape.templates()) {
            boolean divides = operand
                    || template.pieces().stream()
                            .anyMatch(piece -> piece instanceof Template.Text text
                                    && DIVIDES.matcher(text.sql()).find());
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
        if (flavor.isMariaDb() && computes && made(source, DIVIDES)) {
            throw new RefusedException(Reason.ARGUMENT_TYPE, "a quotient is computed with after the fold");
        }
        if (divides && source >= 0 && types.numbers().mayBeShort(source) && made(source, CHOOSES)) {
            throw new RefusedException(
                    Reason.ARGUMENT_TYPE, "what may have fewer digits than its type is divided after the fold");
        }
    }

    /** Whether an input is a call that leaves only the shown digits. */
    private boolean rounds(int input) {
        Matcher call = ROUNDS.matcher(logical.inputs().get(input).sql());
        if (!call.lookingAt() || call.group(1).indexOf('\\') >= 0) {
            return false;
        }
        String rest = QUOTED.matcher(call.group(1)).replaceAll("");
        int depth = 1;
        for (int i = 0; i < rest.length(); i++) {
            depth += rest.charAt(i) == '(' ? 1 : rest.charAt(i) == ')' ? -1 : 0;
            if (depth == 0) {
                return i == rest.length() - 1;
            }
        }
        return false;
    }

    /**
     * Whether an input is a computed decimal, and the input or a derived table of the block contains such an operation.
     */
    private boolean made(int input, Pattern way) {
        if (input < 0 || !types.numbers().computedDecimal(input)) {
            return false;
        }
        return way.matcher(logical.inputs().get(input).sql()).find()
                || logical.model().derived().stream().anyMatch(derived -> inside(derived, way));
    }

    private static boolean inside(Derived derived, Pattern way) {
        return derived.block().filter(block -> way.matcher(block.sql()).find()).isPresent();
    }
}
