package io.fanfold.plan;

import io.fanfold.plan.FanOutPlan.ColumnEncoding;
import io.fanfold.plan.LogicalPlan.LogicalAggregation;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.sql.AggregateFunction;
import io.fanfold.sql.Expr;
import io.fanfold.sql.FunctionFacts;
import io.fanfold.sql.FunctionFacts.CallForm;
import io.fanfold.sql.FunctionFacts.ChoiceWidth;
import io.fanfold.sql.FunctionFacts.DivisionKind;
import io.fanfold.sql.FunctionFacts.FunctionKind;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SqlWords;
import io.fanfold.sql.StatementModel.BlockKind;
import io.fanfold.wire.ServerFlavor;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Refuses final queries in which merged columns would not behave like the original expressions. For one plan, one
 * thread.
 */
final class FinalQueryGuard {
    private static final Pattern APPROXIMATE = Pattern.compile("\\b(float|double)\\b", Pattern.CASE_INSENSITIVE);

    /** The name of a column, with or without its table. */
    private static final Pattern COLUMN = Pattern.compile("[\\w$.`]+");

    private final LogicalPlan logical;
    private final LogicalAggregation shape;
    private final FinalQueryUse use;
    private final TypeBinding types;
    private final ServerFlavor flavor;

    FinalQueryGuard(
            LogicalPlan logical, LogicalAggregation shape, FinalQueryUse use, TypeBinding types, ServerFlavor flavor) {
        this.logical = logical;
        this.shape = shape;
        this.use = use;
        this.types = types;
        this.flavor = flavor;
    }

    /**
     * @param encodings the encodings of the merged columns, in order
     */
    void check(List<ColumnEncoding> encodings) throws RefusedException {
        if (logical.frame().isPresent()) {
            if (!logical.model().approximate()) {
                requireExact(encodings);
            }
            requireNoAverage();
            if (flavor.isMySql() && logical.frame().get().kind() != BlockKind.TABLE) {
                refuseComputedYears();
            }
        }
        if (logical.loose()) {
            requireCertainCollations();
            requireNoBytes(encodings);
        }
        refuseComparedMoments();
        refuseHiddenWarnings();
        refuseChosenDecimals();
        refuseDistinct();
        if (flavor.isMariaDb()) {
            refuseRemainders();
            refuseFirstOfWindows();
        }
        if (shape.rollup()) {
            RollupRule.requireNoBytes(encodings);
        }
        if (shape.materialized().isPresent()) {
            requireComputable(encodings);
        }
        refuseMoments();
    }

    // ---- effects on the statement around a block

    /**
     * Refuses approximate numbers: the statement around a block may sum them, in an order that only the server knows.
     */
    private static void requireExact(List<ColumnEncoding> encodings) throws RefusedException {
        for (ColumnEncoding encoding : encodings) {
            if (encoding instanceof ColumnEncoding.TypedEncoding typed
                    && APPROXIMATE.matcher(typed.declaration()).find()) {
                throw new RefusedException(Reason.APPROXIMATE, "a " + typed.declaration() + " in a derived table");
            }
        }
    }

    /** Refuses AVG: the statement around a block would see more digits of it than its quotient has. */
    private void requireNoAverage() throws RefusedException {
        boolean average = shape.items().stream()
                .flatMap(item -> item.pieces().stream())
                .anyMatch(Template.QuotientRef.class::isInstance);
        if (average) {
            throw new RefusedException(Reason.AVG_IN_EXPRESSION, "in a derived table");
        }
    }

    /**
     * Refuses computed YEARs. MySQL compares a computed YEAR as a number, but a YEAR column as a year, in which 1 is
     * 2001. A derived table's YEAR is sent as a number; the other places were not measured.
     */
    private void refuseComputedYears() throws RefusedException {
        for (Template item : shape.items()) {
            for (Template.Piece piece : item.pieces()) {
                int source = piece instanceof Template.Ref ref ? shape.source(ref) : -1;
                if (source >= 0
                        && types.of(source).type() == ColumnType.YEAR
                        && types.of(source).computed()) {
                    throw new RefusedException(Reason.KEY_TYPE, "a computed YEAR in a set operation or expression");
                }
            }
        }
    }

    /**
     * Refuses computed texts of which a set operation may choose the collation. A merged column has the coercibility of
     * a table column. The original may have had a weaker one and have taken the collation of another branch.
     */
    private void requireCertainCollations() throws RefusedException {
        Set<Integer> alike = logical.frame().orElseThrow().alike();
        for (int i = 0; i < shape.items().size(); i++) {
            for (Template.Piece piece : shape.items().get(i).pieces()) {
                if (!alike.contains(i) && piece instanceof Template.Ref ref && computedText(ref)) {
                    throw new RefusedException(Reason.COLLATION, "a computed text beside another in a set operation");
                }
            }
        }
    }

    /** Whether a reference is to a text that is neither a plain column nor the MIN, MAX or ANY_VALUE of one. */
    private boolean computedText(Template.Ref ref) {
        int input = shape.source(ref);
        return input >= 0
                && types.of(input).type().isString()
                && !types.of(input).binaryString()
                && !COLUMN.matcher(logical.inputs().get(input).sql()).matches();
    }

    /**
     * Refuses byte strings. Decoded from base64, they have a weaker coercibility than a column, and MariaDB treats them
     * as text next to a text.
     */
    private static void requireNoBytes(List<ColumnEncoding> encodings) throws RefusedException {
        if (encodings.stream().anyMatch(ColumnEncoding.BinaryEncoding.class::isInstance)) {
            throw new RefusedException(Reason.KEY_TYPE, "byte strings in a set operation or expression");
        }
    }

    // ---- computations of the final query itself

    /**
     * Refuses comparisons of computed dates, times and years. Before a comparison, the server converts a literal to the
     * type of such a column, but not to that of MIN, MAX or an expression. In the final query, these are columns.
     */
    private void refuseComparedMoments() throws RefusedException {
        for (Template template : shape.templates()) {
            boolean compares = words(template).hold(FunctionFacts::compares);
            for (Template.Piece piece : template.pieces()) {
                if (compares && piece instanceof Template.Ref ref && computedMoment(ref)) {
                    throw new RefusedException(Reason.ARGUMENT_TYPE, "a date, time or year is compared after the fold");
                }
            }
        }
    }

    /** Whether a reference is to a date, time or year that is no plain column. */
    private boolean computedMoment(Template.Ref ref) {
        int input = -1;
        if (ref instanceof Template.KeyRef key) {
            int asked = shape.keys().get(key.key());
            input = COLUMN.matcher(logical.inputs().get(asked).sql()).matches() ? -1 : asked;
        } else if (ref instanceof Template.AggregateRef accumulator) {
            if (shape.accumulators().get(accumulator.accumulator()) instanceof LogicalAggregate.LogicalMinMax minMax) {
                input = minMax.input();
            } else if (shape.accumulators().get(accumulator.accumulator())
                    instanceof LogicalAggregate.LogicalAnyValue any) {
                input = any.input();
            }
        }
        return input >= 0
                && switch (types.of(input).type()) {
                    case DATE, NEWDATE, TIME, DATETIME, TIMESTAMP, YEAR -> true;
                    // MIN of a YEAR has a numeric type if no temporary table is used
                    default -> (types.of(input).flags() & Column.Flags.ZEROFILL) != 0;
                };
    }

    private boolean holdsDecimals(Template item) {
        return mayYieldDecimals(words(item))
                || item.pieces().stream()
                        .anyMatch(piece -> piece instanceof Template.KeyRef key
                                && keyType(key).decimal());
    }

    /** Whether a text has a decimal literal, a quotient or a subquery. */
    private static boolean mayYieldDecimals(SqlWords words) {
        return words.holdDecimal()
                || words.holdSubquery()
                || words.hold(known -> known.is(FunctionKind.OPERATOR) && known.divides() == DivisionKind.QUOTIENT);
    }

    /**
     * Refuses expressions that choose between decimals of keys. MySQL computes them before it groups and shows as many
     * digits as the type has; the final query shows the digits of the chosen value. Aggregates of materialized rows are
     * computed at the same place in both.
     */
    private void refuseChosenDecimals() throws RefusedException {
        if (flavor.isMariaDb() || !shape.grouped()) {
            return;
        }
        for (int i = 0; i < shape.items().size(); i++) {
            Template item = shape.items().get(i);
            SqlWords words = words(item);
            boolean chooses = words.hold(known -> known.chooses() == ChoiceWidth.SEVERAL)
                    && !words.hold(known -> known.isAggregate(AggregateFunction::joins));
            if (item.ofKeys() && chooses && (holdsDecimals(item) || computesDecimals(item, i))) {
                throw new RefusedException(
                        Reason.ARGUMENT_TYPE, "a choice of decimals over keys, which has other digits there");
            }
        }
    }

    /** Whether an item of the select list may choose decimals, so that its type must be known. */
    static boolean choosesDecimals(Expr expr, SelectModel model, ServerFlavor flavor) {
        return flavor.isMySql()
                && expr.aggregates().isEmpty()
                && expr.windows().isEmpty()
                && model.words(expr.outer()).hold(known -> known.chooses() == ChoiceWidth.SEVERAL)
                && !model.words(expr.outer()).holdSubquery()
                // the typing query has no ROLLUP
                && !model.words(expr.outer()).hold(known -> known.form() == CallForm.ROLLUP);
    }

    /** Whether an item is a decimal, or a text that may be made of one. */
    private boolean computesDecimals(Template item, int number) {
        String text = logical.model()
                .items()
                .get(number)
                .expr()
                .outer()
                .of(logical.model().sql());
        boolean fractions = item.pieces().stream()
                .anyMatch(piece -> piece instanceof Template.KeyRef key
                        && keyType(key).type().isTemporal()
                        && keyType(key).decimals() > 0);
        boolean made = words(item).hold(FunctionFacts::converts)
                || fractions && words(item).hold(FunctionFacts::parses);
        return IntStream.range(0, logical.inputs().size())
                .filter(input -> logical.inputs().get(input).sql().equals(text))
                .mapToObj(types::of)
                .findFirst()
                .map(column -> column.decimal() || made && column.type().isString())
                .orElse(made);
    }

    private Column keyType(Template.KeyRef key) {
        return types.of(shape.keys().get(key.key()));
    }

    /** Refuses DISTINCT over merged rows if it may keep or show other rows than in the original. */
    private void refuseDistinct() throws RefusedException {
        if (!shape.distinctRows()) {
            return;
        }
        if (flavor.isMariaDb() && !shape.items().stream().allMatch(Template::mergedColumn)) {
            // MariaDB was seen to drop rows that differ
            throw new RefusedException(Reason.UNSUPPORTED_SYNTAX, "DISTINCT over expressions of groups");
        }
        if (flavor.isMySql() && shape.grouped() && shape.items().stream().anyMatch(this::mixesDecimals)) {
            throw new RefusedException(Reason.UNSUPPORTED_SYNTAX, "DISTINCT over expressions of decimals");
        }
        if (flavor.isMySql() && shape.having().isPresent()) {
            // MySQL 9.7 applies HAVING after DISTINCT, and loses groups for which HAVING is true
            throw new RefusedException(Reason.UNSUPPORTED_SYNTAX, "DISTINCT beside HAVING");
        }
        if (holdsFloating()) {
            throw new RefusedException(
                    Reason.ARGUMENT_TYPE, "DISTINCT over a floating-point number, of which zero has two signs");
        }
    }

    /**
     * Whether an item is an expression with decimals. MySQL shows it with the digits of the value or, from the
     * temporary table of DISTINCT, with all digits that the expression may have.
     */
    private boolean mixesDecimals(Template item) {
        return !item.mergedColumn()
                && (mayYieldDecimals(words(item)) || item.pieces().stream().anyMatch(this::decimal));
    }

    private boolean decimal(Template.Piece piece) {
        if (piece instanceof Template.Text) {
            return false;
        }
        if (piece instanceof Template.KeyRef key) {
            return !types.of(shape.keys().get(key.key())).type().isInteger();
        }
        return !(piece instanceof Template.AggregateRef accumulator
                && shape.accumulators().get(accumulator.accumulator()) instanceof LogicalAggregate.LogicalSum sum
                && sum.count());
    }

    private boolean holdsFloating() {
        NumberRules numbers = types.numbers();
        return shape.keys().stream().anyMatch(numbers::approximate)
                || shape.accumulators().stream()
                        .anyMatch(accumulator -> accumulator instanceof LogicalAggregate.LogicalMinMax minMax
                                        && numbers.approximate(minMax.input())
                                || accumulator instanceof LogicalAggregate.LogicalAnyValue any
                                        && numbers.approximate(any.input()));
    }

    private void refuseRemainders() throws RefusedException {
        for (Template template : shape.templates()) {
            TextRules.refuseRemainders(words(template));
        }
        if (shape.rollup()) {
            // MIN and MAX of merged values are computed once more
            for (LogicalAggregate accumulator : shape.accumulators()) {
                if (accumulator instanceof LogicalAggregate.LogicalMinMax minMax) {
                    TextRules.refuseRemainders(logical.words(minMax.argument()));
                }
            }
        }
    }

    /**
     * Refuses LIMIT with window functions: which groups are first depends on MariaDB's plan, see {@code WindowOrder}.
     */
    private void refuseFirstOfWindows() throws RefusedException {
        boolean limited = logical.frame().isPresent() && logical.model().limit().isPresent();
        if (limited && shape.grouped() && logical.model().windowed()) {
            throw new RefusedException(Reason.WINDOW, "the first groups beside window functions in a statement");
        }
    }

    /** Refuses materialized values that the server may compute with differently than with the table's columns. */
    private void requireComputable(List<ColumnEncoding> encodings) throws RefusedException {
        List<Integer> computed = new ArrayList<>();
        for (int key = 0; key < shape.keys().size(); key++) {
            if (!use.shownOnly(new Template.KeyRef(key))) {
                computed.add(shape.keys().get(key));
                if (encodings.get(key) instanceof ColumnEncoding.BinaryEncoding) {
                    throw new RefusedException(
                            Reason.KEY_TYPE, "byte strings in what is computed from materialized rows");
                }
            }
        }
        RollupRule.requireSortable(computed, types);
    }

    /**
     * Refuses conversions and divisions whose warnings may be lost. The server converts values before HAVING drops
     * their groups, and warns if a value does not fit; the final query drops the groups first. MariaDB does the same
     * for groups that LIMIT drops. Divisions of keys are computed as early, those of aggregates only for the groups
     * that are returned (PreparedWarningsIT).
     */
    private void refuseHiddenWarnings() throws RefusedException {
        List<Template> shown = new ArrayList<>(shape.items());
        shown.addAll(shape.orderBy());
        boolean converts = shown.stream()
                .anyMatch(template -> words(template).hold(FunctionFacts::converts) || parsesKeys(template));
        if (shape.having().isPresent() && shown.stream().anyMatch(this::dividesKeys)) {
            throw new RefusedException(
                    Reason.ARGUMENT_TYPE, "a division of keys may warn of groups that HAVING leaves out");
        }
        boolean limited = flavor.isMariaDb() && logical.model().limit().isPresent();
        boolean compared =
                shape.having().isPresent() && shape.templates().stream().anyMatch(this::comparesTextWithNumber);
        if (compared || converts && (shape.having().isPresent() || limited)) {
            throw new RefusedException(
                    Reason.ARGUMENT_TYPE, "a conversion may warn of groups that HAVING or LIMIT leaves out");
        }
    }

    /** Whether an expression has no aggregate and may divide by zero. */
    private boolean dividesKeys(Template template) {
        return template.ofKeys() && words(template).mayDivideByZero();
    }

    /**
     * Whether an expression without aggregates reads a text as a number or a time. Those of aggregates are computed only
     * for the groups that are returned.
     */
    private boolean parsesKeys(Template template) {
        boolean texts = template.pieces().stream()
                .anyMatch(piece -> piece instanceof Template.KeyRef key
                        && keyType(key).type().isString());
        return texts && template.ofKeys() && words(template).hold(FunctionFacts::parses);
    }

    private boolean comparesTextWithNumber(Template template) {
        String marked = template.render(reference ->
                reference instanceof Template.KeyRef key && keyType(key).type().isString() ? "`text`" : "`ff`");
        return logical.model().words(marked).compareWithNumber("text");
    }

    /** Refuses the current time: the final query would have another one than the workers. */
    private void refuseMoments() throws RefusedException {
        for (Template template : shape.templates()) {
            TextRules.refuseMoments(words(template));
        }
    }

    private SqlWords words(Template template) {
        return template.words(logical.model());
    }
}
