package io.fanfold.plan;

import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal.Remedy;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.AggregateFunction;
import io.fanfold.sql.Expr;
import io.fanfold.sql.Expr.AggregateCall;
import io.fanfold.sql.FunctionFacts.DivisionKind;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.TextRange;
import io.fanfold.wire.ServerFlavor;
import java.util.ArrayList;
import java.util.List;

/**
 * Converts aggregate calls to expressions of the partition queries and to the aggregate functions that merge them. For
 * one statement, one thread.
 *
 * <pre>
 * COUNT(x)            COUNT(x)               summed
 * SUM(x)              SUM(x)                 summed
 * AVG(x)              SUM(x), COUNT(x)       both summed, divided in the final query
 * MIN(x), MAX(x)      MIN(x), MAX(x)         smallest, largest
 * ANY_VALUE(x)        ANY_VALUE(x)           the first
 * STDDEV_POP(x)       COUNT(x), AVG(x + 0e0), VAR_POP(x + 0e0)   combined if approximate aggregates are allowed
 * COUNT(DISTINCT x)   x as a further key     counted; several such aggregates each have their own keys
 * </pre>
 */
final class AggregateAnalyzer {
    private final SelectModel model;
    private final Inputs inputs;
    private final ServerFlavor flavor;
    private final boolean localGroups;
    private final List<LogicalAggregate> aggregates = new ArrayList<>();
    private final List<Integer> distinctInputs = new ArrayList<>();

    /**
     * @param localGroups whether the server computes aggregates of whole groups, and the expressions around them
     */
    AggregateAnalyzer(SelectModel model, Inputs inputs, ServerFlavor flavor, boolean localGroups) {
        this.localGroups = localGroups;
        this.model = model;
        this.inputs = inputs;
        this.flavor = flavor;
    }

    List<LogicalAggregate> list() {
        return aggregates;
    }

    List<Integer> distinctInputs() {
        return distinctInputs;
    }

    /**
     * Returns the reference that replaces an aggregate call in the final query.
     *
     * @param enclosing the operators and functions around the call, see {@link Expr#enclosing}
     */
    Template.Ref of(AggregateCall call, List<String> enclosing) throws RefusedException {
        AggregateFunction function = call.function();
        boolean distinct = call.distinct() && !function.minOrMax();
        if (distinct && !function.joins()) {
            return ofDistinct(call, enclosing);
        }
        return switch (function) {
            case COUNT -> new Template.AggregateRef(add(countOf(call)));
            case SUM -> new Template.AggregateRef(add(sumOf(call)));
            case AVG -> {
                requireExactQuotient(call, enclosing);
                int sum = add(sumOf(call));
                yield new Template.QuotientRef(sum, add(countOf(call)));
            }
            case MIN, MAX ->
                new Template.AggregateRef(add(new LogicalAggregate.LogicalMinMax(
                        inputs.value(function + "(" + argument(call) + ")"),
                        inputs.type(argument(call)),
                        function == AggregateFunction.MAX)));
            case BIT_AND -> new Template.AggregateRef(add(bitsOf(call, enclosing, MergeNode.BitOperation.AND)));
            case BIT_OR -> new Template.AggregateRef(add(bitsOf(call, enclosing, MergeNode.BitOperation.OR)));
            case BIT_XOR -> new Template.AggregateRef(add(bitsOf(call, enclosing, MergeNode.BitOperation.XOR)));
            case ANY_VALUE ->
                new Template.AggregateRef(add(new LogicalAggregate.LogicalAnyValue(
                        inputs.value("ANY_VALUE(" + argument(call) + ")"), inputs.type(argument(call)))));
            case VAR_POP, VAR_SAMP, STDDEV_POP, STDDEV_SAMP -> new Template.AggregateRef(add(varianceOf(call)));
            case GROUP_CONCAT, JSON_ARRAYAGG, JSON_OBJECTAGG -> ofLocalGroup(call);
        };
    }

    /** Returns the reference to an aggregate that only the server can compute, of a whole group. */
    private Template.Ref ofLocalGroup(AggregateCall call) throws RefusedException {
        if (!localGroups) {
            throw new RefusedException(Reason.AGGREGATE, text(call.span()), Remedy.GATHER);
        }
        int input = inputs.type(text(call.span()));
        return new Template.AggregateRef(add(new LogicalAggregate.LogicalAnyValue(input, input)));
    }

    private Template.Ref ofDistinct(AggregateCall call, List<String> enclosing) throws RefusedException {
        List<Integer> arguments = new ArrayList<>();
        for (Expr argument : call.arguments()) {
            int input = inputs.value(text(argument.outer()));
            arguments.add(input);
            if (!distinctInputs.contains(input)) {
                distinctInputs.add(input);
            }
        }
        return switch (call.function()) {
            case COUNT -> new Template.AggregateRef(add(new LogicalAggregate.LogicalCountDistinct(arguments)));
            case SUM -> new Template.AggregateRef(add(sumDistinctOf(call, arguments)));
            case AVG -> {
                requireExactQuotient(call, enclosing);
                int sum = add(sumDistinctOf(call, arguments));
                yield new Template.QuotientRef(sum, add(new LogicalAggregate.LogicalCountDistinct(arguments)));
            }
            default -> throw new RefusedException(Reason.AGGREGATE, text(call.span()), Remedy.GATHER);
        };
    }

    private LogicalAggregate sumDistinctOf(AggregateCall call, List<Integer> arguments) throws RefusedException {
        refuseQuotients(call);
        return new LogicalAggregate.LogicalSumDistinct(inputs.type("SUM(" + argument(call) + ")"), arguments.get(0));
    }

    private LogicalAggregate countOf(AggregateCall call) throws RefusedException {
        String counted = call.arguments().isEmpty() ? "*" : argument(call);
        return new LogicalAggregate.LogicalSum(inputs.value("COUNT(" + counted + ")"), -1, true);
    }

    /** Refuses sums of quotients: MariaDB adds quotients with more digits than a partial sum shows. */
    private void refuseQuotients(AggregateCall call) throws RefusedException {
        if (flavor.isMariaDb()
                && call.arguments().stream()
                        .anyMatch(argument -> model.words(argument.outer())
                                .contains(known -> known.divides() == DivisionKind.QUOTIENT))) {
            throw new RefusedException(Reason.AGGREGATE, "a sum of quotients: " + text(call.span()), Remedy.GATHER);
        }
    }

    private LogicalAggregate sumOf(AggregateCall call) throws RefusedException {
        refuseQuotients(call);
        String argument = argument(call);
        return new LogicalAggregate.LogicalSum(inputs.value("SUM(" + argument + ")"), inputs.type(argument), false);
    }

    /** Plans a variance of floating-point numbers: MariaDB would round the parts of exact numbers to a few digits. */
    private LogicalAggregate varianceOf(AggregateCall call) throws RefusedException {
        if (!model.approximate()) {
            throw new RefusedException(Reason.APPROXIMATE, text(call.span()));
        }
        String argument = argument(call);
        return new LogicalAggregate.LogicalVariance(
                inputs.value("COUNT(" + argument + ")"),
                inputs.value("AVG((" + argument + ") + 0e0)"),
                inputs.value("VAR_POP((" + argument + ") + 0e0)"),
                inputs.type(call.function() + "(" + argument + ")"),
                MergeNode.VarianceFunction.valueOf(call.function().name()));
    }

    private LogicalAggregate bitsOf(AggregateCall call, List<String> enclosing, MergeNode.BitOperation operation)
            throws RefusedException {
        String argument = argument(call);
        if (flavor.isMariaDb() && !enclosing.isEmpty()) {
            throw new RefusedException(
                    Reason.AGGREGATE,
                    text(call.span()) + " inside " + enclosing + ", where it may be signed",
                    Remedy.GATHER);
        }
        return new LogicalAggregate.LogicalBits(
                inputs.value(call.function() + "(" + argument + ")"), inputs.type(argument), operation);
    }

    private void requireExactQuotient(AggregateCall call, List<String> enclosing) throws RefusedException {
        if (!localGroups && !AverageQuotient.isExact(enclosing, flavor)) {
            throw new RefusedException(
                    Reason.AVG_IN_EXPRESSION, text(call.span()) + " inside " + enclosing, Remedy.WHOLE_GROUPS);
        }
    }

    private String argument(AggregateCall call) throws RefusedException {
        if (call.arguments().size() != 1) {
            throw new RefusedException(
                    Reason.AGGREGATE,
                    text(call.span()) + " has " + call.arguments().size() + " arguments",
                    Remedy.GATHER);
        }
        return text(call.arguments().get(0).outer());
    }

    private int add(LogicalAggregate aggregate) {
        int known = aggregates.indexOf(aggregate);
        if (known >= 0) {
            return known;
        }
        aggregates.add(aggregate);
        return aggregates.size() - 1;
    }

    private String text(TextRange span) {
        return span.of(model.sql());
    }
}
