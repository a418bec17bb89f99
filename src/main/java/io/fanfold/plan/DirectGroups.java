package io.fanfold.plan;

import io.fanfold.plan.FanOutPlan.Completion;
import io.fanfold.plan.MergeNode.Average;
import io.fanfold.plan.MergeNode.GroupOrder;
import io.fanfold.plan.MergeNode.MergeFunction;
import io.fanfold.plan.MergeNode.SortColumn;
import io.fanfold.plan.SortKey.KeyComparison;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.sql.SelectModel;
import io.fanfold.wire.ServerFlavor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Groups whose merged rows are the answer unchanged, in an order that the proxy knows. Their items and the elements of
 * ORDER BY are keys, merged aggregates and averages. For one plan, one thread.
 *
 * <p>If groups are sorted, servers may keep them in temporary tables, which change dates with zero parts; such dates
 * then stop the merge. The order of rows with equal sort keys is unspecified, as on the server.
 */
final class DirectGroups {
    /**
     * Servers store decimals in words of this many digits, at most nine words, and truncate a quotient to whole words.
     */
    private static final int WORD = 9;

    private static final int WORDS = 9;

    /** The maximum number of digits after the point on both servers. */
    private static final int MAX_SCALE = 30;

    private final LogicalAggregation shape;
    private final TypeBinding types;
    private final ServerFlavor flavor;
    private final List<Average> averages = new ArrayList<>();
    private final List<Integer> columns = new ArrayList<>();
    private final List<SortColumn> by = new ArrayList<>();
    private final SelectModel model;

    private DirectGroups(LogicalPlan logical, LogicalAggregation shape, TypeBinding types, ServerFlavor flavor) {
        this.model = logical.model();
        this.shape = shape;
        this.types = types;
        this.flavor = flavor;
    }

    /** Whether the merged rows of a block may be the answer unchanged, before types are known. */
    static boolean possible(LogicalPlan logical, LogicalAggregation shape) {
        FinalQueryUse use = new FinalQueryUse(shape, false, false);
        return logical.placement().isEmpty()
                && shape.materialized().isEmpty()
                && shape.having().isEmpty()
                && !shape.distinctRows()
                && !shape.rollup()
                && !mayBeApproximate(shape, logical.model())
                && shape.items().stream().allMatch(Template::bare)
                && shape.orderBy().stream()
                        .allMatch(order -> use.sortedBy(order).isPresent());
    }

    /** Whether the result may contain numbers that the proxy cannot format like the server. */
    private static boolean mayBeApproximate(LogicalAggregation shape, SelectModel model) {
        return model.approximate()
                && shape.aggregates().stream()
                        .anyMatch(aggregate -> aggregate instanceof LogicalAggregate.LogicalVariance
                                || aggregate instanceof LogicalAggregate.LogicalSum sum && !sum.count());
    }

    /**
     * Returns the groups of a block whose merged rows are the answer, else empty.
     *
     * @param sortedByKeys whether the server sorts the groups by their keys without ORDER BY
     */
    static Optional<DirectGroups> of(
            LogicalPlan logical,
            LogicalAggregation shape,
            TypeBinding types,
            ServerFlavor flavor,
            boolean sortedByKeys) {
        DirectGroups groups = new DirectGroups(logical, shape, types, flavor);
        return possible(logical, shape) && groups.proven(sortedByKeys) ? Optional.of(groups) : Optional.empty();
    }

    /**
     * Returns the groups of a block whose order the proxy knows, while the server computes each row separately. The
     * final query may then receive them in portions. Empty for all other blocks.
     */
    static Optional<DirectGroups> inPortions(
            LogicalPlan logical,
            LogicalAggregation shape,
            TypeBinding types,
            ServerFlavor flavor,
            boolean sortedByKeys) {
        DirectGroups groups = new DirectGroups(logical, shape, types, flavor);
        SelectModel model = logical.model();
        boolean rowByRow = shape.grouped()
                && logical.placement().isEmpty()
                && shape.materialized().isEmpty()
                && !shape.distinctRows()
                && !shape.rollup()
                && !model.windowed()
                && model.tables().stream().noneMatch(table -> table.place() == SelectModel.TablePlace.SUBQUERY);
        return rowByRow && groups.sorted(sortedByKeys) ? Optional.of(groups) : Optional.empty();
    }

    private boolean proven(boolean sortedByKeys) {
        if (!shape.orderBy().isEmpty() && !shape.aggregates().stream().allMatch(this::keptInSortedGroups)) {
            return false;
        }
        for (Template item : shape.items()) {
            int column = column((Template.Ref) item.pieces().get(0));
            if (column < 0) {
                return false;
            }
            columns.add(column);
        }
        return sorted(sortedByKeys);
    }

    /** Whether the order is known. */
    private boolean sorted(boolean sortedByKeys) {
        FinalQueryUse use = new FinalQueryUse(shape, false, false);
        for (Template order : shape.orderBy()) {
            Optional<Template.Ref> ref = use.sortedBy(order);
            int column = ref.map(this::column).orElse(-1);
            if (column < 0 || !sorts(ref.get())) {
                return false;
            }
            by.add(new SortColumn(column, FinalQueryUse.descending(order)));
        }
        for (int key = 0; sortedByKeys && key < shape.keys().size(); key++) {
            by.add(new SortColumn(key, false));
        }
        return true;
    }

    /** Returns the number of a merged column, -1 for an average that the proxy cannot divide like the server. */
    private int column(Template.Ref ref) {
        if (ref instanceof Template.KeyRef key) {
            return key.key();
        }
        if (ref instanceof Template.AggregateRef aggregate) {
            return shape.keys().size() + aggregate.aggregate();
        }
        Optional<Average> average = average((Template.QuotientRef) ref);
        if (average.isEmpty()) {
            return -1;
        }
        if (!averages.contains(average.get())) {
            averages.add(average.get());
        }
        return shape.keys().size() + shape.aggregates().size() + averages.indexOf(average.get());
    }

    /**
     * Returns an average as servers divide: digits after the point fill whole words, and more words are computed only
     * if needed (GroupOrderIT).
     */
    private Optional<Average> average(Template.QuotientRef quotient) {
        if (!(shape.aggregates().get(quotient.sumIndex()) instanceof LogicalAggregate.LogicalSum sum)) {
            return Optional.empty();
        }
        Column column = types.of(sum.input());
        int scale = column.decimals();
        int more = types.dividedDigits();
        int filled = words(scale) * WORD;
        int inner = words(filled + Math.max(0, more - (filled - scale))) * WORD;
        long whole = words((int) Math.max(0, column.precision() - scale)) + 1L;
        if (!column.type().isExactNumber() || scale + more > MAX_SCALE || whole + inner / WORD > WORDS) {
            return Optional.empty();
        }
        return Optional.of(new Average(quotient.sumIndex(), quotient.countIndex(), inner, scale + more));
    }

    private static int words(int digits) {
        return (digits + WORD - 1) / WORD;
    }

    /** Whether an aggregate is shown in only one way, even if the server sorts the groups. */
    private boolean keptInSortedGroups(LogicalAggregate aggregate) {
        if (aggregate instanceof LogicalAggregate.LogicalAnyValue any) {
            return !year(any.argument())
                    && !(strictDates() && types.of(any.input()).type().isDate());
        }
        return !(aggregate instanceof LogicalAggregate.LogicalMinMax minMax && year(minMax.argument()));
    }

    private boolean year(int input) {
        return types.of(input).type() == ColumnType.YEAR;
    }

    /** Whether the order of a merged column is known. */
    private boolean sorts(Template.Ref ref) {
        if (!(ref instanceof Template.AggregateRef number)) {
            return true;
        }
        LogicalAggregate aggregate = shape.aggregates().get(number.aggregate());
        boolean approximate = aggregate instanceof LogicalAggregate.LogicalSum sum
                && !sum.count()
                && types.of(sum.input()).type().isFloatingPoint();
        return !approximate
                && !(aggregate instanceof LogicalAggregate.LogicalAnyValue)
                && !(aggregate instanceof LogicalAggregate.LogicalVariance)
                && !(aggregate instanceof LogicalAggregate.LogicalMinMax minMax
                        && types.exactForm(minMax.argument()).isPresent());
    }

    /** Whether MIN and MAX must be dates without zero parts, see {@link FinalQueryEncodings}. */
    private boolean strictDates() {
        return !shape.orderBy().isEmpty() && !types.zeroDates() || strictKeys();
    }

    /** Whether keys must be dates without zero parts, see {@link FinalQueryEncodings}. */
    private boolean strictKeys() {
        return flavor.isMySql()
                && !shape.distinctArguments().isEmpty()
                && !shape.orderBy().isEmpty();
    }

    /** Returns how a key is compared. */
    SortKey key(int input, SortKey compare) {
        return strictKeys() ? strict(input, compare) : compare;
    }

    /** Returns the function that merges an aggregate. */
    MergeFunction function(LogicalAggregate logical, MergeFunction function) {
        if (strictDates() && logical instanceof LogicalAggregate.LogicalMinMax minMax) {
            if (function instanceof MergeFunction.Min min) {
                return new MergeFunction.Min(min.column(), strict(minMax.input(), min.compare()));
            }
            MergeFunction.Max max = (MergeFunction.Max) function;
            return new MergeFunction.Max(max.column(), strict(minMax.input(), max.compare()));
        }
        return function;
    }

    private SortKey strict(int input, SortKey compare) {
        boolean date = types.of(input).type().isDate() && compare.comparison() == KeyComparison.BYTES;
        return date ? new SortKey(compare.column(), KeyComparison.DATE, compare.pad(), compare.descending()) : compare;
    }

    List<Average> averages() {
        return averages;
    }

    /**
     * Returns the order and range of the merged rows for the final query: all rows if it filters them.
     *
     * @param mergedKeys how many merged columns are keys, including those that are only sorted by
     */
    GroupOrder orderOfPortions(int mergedKeys) {
        GroupOrder order = order();
        int more = mergedKeys - shape.keys().size();
        List<SortColumn> merged = order.by().stream()
                .map(sorted -> sorted.column() < shape.keys().size()
                        ? sorted
                        : new SortColumn(sorted.column() + more, sorted.descending()))
                .toList();
        return shape.having().isEmpty()
                ? new GroupOrder(merged, order.offset(), order.count())
                : new GroupOrder(merged, 0, Long.MAX_VALUE);
    }

    /** Returns the rows of the final query that are the answer. */
    FanOutPlan.Portions portions() {
        GroupOrder order = order();
        return shape.having().isEmpty()
                ? FanOutPlan.Portions.ALL
                : new FanOutPlan.Portions(order.offset(), order.count());
    }

    GroupOrder order() {
        return new GroupOrder(
                shape.grouped() ? by : List.of(),
                model.limit().map(SelectModel.Limit::offset).orElse(0L),
                model.limit().map(SelectModel.Limit::count).orElse(Long.MAX_VALUE));
    }

    Completion completion() {
        return new Completion.Direct(columns);
    }
}
