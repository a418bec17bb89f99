package io.fanfold.plan;

import io.fanfold.plan.LogicalPlan.Placement;
import io.fanfold.row.Column;
import io.fanfold.sql.FunctionFacts;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SqlWords;
import io.fanfold.sql.StatementModel.BlockKind;
import io.fanfold.wire.ServerFlavor;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What rules ask about an aggregation whose types are known. Inputs and keys count from 0. Immutable. */
public final class TypedBlock {
    /** The name of a column, with or without its table. */
    private static final Pattern COLUMN = Pattern.compile("[\\w$.`]+");

    /** The number of digits that servers compute at least when they divide. */
    private static final int LEAST_DIVIDED_DIGITS = 9;

    private final LogicalPlan logical;
    private final LogicalAggregation shape;
    private final FinalQueryUse use;
    private final TypeBinding types;
    private final ServerFlavor flavor;

    TypedBlock(
            LogicalPlan logical, LogicalAggregation shape, FinalQueryUse use, TypeBinding types, ServerFlavor flavor) {
        this.logical = logical;
        this.shape = shape;
        this.use = use;
        this.types = types;
        this.flavor = flavor;
    }

    public ServerFlavor flavor() {
        return flavor;
    }

    public SelectModel model() {
        return logical.model();
    }

    public LogicalAggregation shape() {
        return shape;
    }

    /** Returns the block's place in its statement, empty if it is the statement. */
    public Optional<Placement> placement() {
        return logical.placement();
    }

    /** Whether the block is inside a statement at a place that has no row order. */
    public boolean unordered() {
        return logical.unordered();
    }

    /** Whether the statement around the block computes with its value. */
    public boolean operand() {
        return placement()
                .filter(placement -> placement.kind() == BlockKind.EXPRESSION)
                .isPresent();
    }

    /** Returns all expressions over merged columns. */
    public List<Template> templates() {
        return shape.templates();
    }

    /** Returns the merged column that an element of ORDER BY is, directly or by its position in the select list. */
    public Optional<Template.Ref> sortedBy(Template order) {
        return use.sortedBy(order);
    }

    /** Returns the words of an expression, without those of its merged columns. */
    public SqlWords words(Template template) {
        return template.words(logical.model());
    }

    public SqlWords words(int input) {
        return logical.words(input);
    }

    public Column type(int input) {
        return types.of(input);
    }

    public Column keyType(Template.KeyRef key) {
        return types.of(shape.keys().get(key.key()));
    }

    /** Returns the types of the keys in an expression. */
    public Stream<Column> keysOf(Template template) {
        return template.pieces().stream()
                .filter(Template.KeyRef.class::isInstance)
                .map(Template.KeyRef.class::cast)
                .map(this::keyType);
    }

    /** Returns the type of an item of the select list, empty if it was not asked for. */
    public Optional<Column> typeOfItem(int item) {
        String text = model().items().get(item).expr().outer().of(model().sql());
        return IntStream.range(0, logical.inputs().size())
                .filter(input -> logical.inputs().get(input).sql().equals(text))
                .mapToObj(types::of)
                .findFirst();
    }

    /** Returns the inputs that the merged columns of an expression are computed from, without sums of several. */
    public Stream<Integer> sources(Template template) {
        return template.pieces().stream()
                .flatMap(piece -> piece instanceof Template.Ref ref ? Stream.of(shape.source(ref)) : Stream.empty())
                .filter(source -> source >= 0);
    }

    /** Returns the inputs that the block groups by. */
    public List<Integer> groupingKeys() {
        return shape.keys()
                .subList(
                        0,
                        shape.materialized().isPresent()
                                ? shape.grouping()
                                : shape.keys().size());
    }

    /** Returns the keys of materialized rows that the final query computes with; none if groups are merged. */
    public List<Integer> computedKeys() {
        return IntStream.range(
                        0, shape.materialized().isPresent() ? shape.keys().size() : 0)
                .filter(key -> !shownOnly(key))
                .boxed()
                .toList();
    }

    /** Whether the final query shows a key of that number and does not compute with it. */
    public boolean shownOnly(int key) {
        return use.shownOnly(new Template.KeyRef(key));
    }

    /** Returns the arguments of the averages that are merged as quotients. */
    public Stream<Integer> averaged() {
        return templates().stream()
                .flatMap(template -> template.pieces().stream())
                .flatMap(piece -> piece instanceof Template.QuotientRef average
                        ? Stream.of(argument(shape.aggregates().get(average.sumIndex())))
                        : Stream.empty());
    }

    private static int argument(LogicalAggregate sum) {
        return sum instanceof LogicalAggregate.LogicalSumDistinct distinct
                ? distinct.argument()
                : ((LogicalAggregate.LogicalSum) sum).argument();
    }

    /** Returns the number of digits that a division adds to those of its dividend. */
    public int dividedDigits() {
        return types.dividedDigits();
    }

    /** Whether an input is the name of a column. */
    public boolean plainColumn(int input) {
        return COLUMN.matcher(logical.inputs().get(input).sql()).matches();
    }

    /** Whether an input is a floating-point number. */
    public boolean approximate(int input) {
        return type(input).type().isFloatingPoint();
    }

    /** Whether values of an input may have so few digits that the server computes fewer digits of a quotient. */
    public boolean mayBeShort(int input) {
        return type(input).computedDecimal() && type(input).decimals() + dividedDigits() > LEAST_DIVIDED_DIGITS;
    }

    /**
     * Whether an input is a computed decimal, and the input or a derived table of the block contains such an operation.
     */
    public boolean made(int input, Predicate<FunctionFacts> operation) {
        return input >= 0
                && type(input).computedDecimal()
                && (words(input).contains(operation)
                        || model().derived().stream()
                                .flatMap(derived -> derived.block().stream())
                                .anyMatch(inner -> inner.words(inner.sql()).contains(operation)));
    }
}
