package io.fanfold.plan;

import io.fanfold.metrics.Reason;
import io.fanfold.plan.FanOutPlan.Finish;
import io.fanfold.plan.MergeNode.GroupKey;
import io.fanfold.plan.MergeNode.Slot;
import io.fanfold.plan.SplitDraft.Aggregation;
import io.fanfold.plan.SplitDraft.Input;
import io.fanfold.plan.SplitDraft.PlainRows;
import io.fanfold.plan.SplitDraft.SlotDraft;
import io.fanfold.plan.SplitDraft.WholeGroups;
import io.fanfold.sql.SelectModel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Completes a draft with types: adds the hidden weight columns by which strings are compared, lays out the partial row,
 * and writes the partition query and the finish. For one draft, one thread.
 */
final class PlanCompleter {
    /**
     * Sorts rows instead of keeping a temporary table of groups, as the server does for DISTINCT aggregates by itself:
     * different arguments may be many, and a temporary table that outgrows its memory is several times slower. An index
     * that skips from group to group is used all the same.
     */
    private static final String MANY_GROUPS = "SQL_BIG_RESULT ";

    /** More of the first rows are not kept in memory by each worker, but merged from sorted streams. */
    private static final long MOST_TOP_ROWS = 20_000;

    private final SplitDraft draft;
    private final SelectModel model;
    private final KeyTypes types;
    private final boolean mariaDb;

    /** The partition query's select list: value inputs in order, hidden weights behind. */
    private final List<String> columns = new ArrayList<>();

    /** For each input its column in the partial row; -1 for type-only inputs. */
    private final List<Integer> columnOfInput = new ArrayList<>();

    PlanCompleter(SplitDraft draft, KeyTypes types, boolean mariaDb) {
        this.draft = draft;
        this.model = draft.model();
        this.types = types;
        this.mariaDb = mariaDb;
    }

    /** Whether merged rows of a draft are the answer as they are. */
    static boolean rowsAsClient(SplitDraft draft) {
        return draft.mayBeWhole() || direct(draft);
    }

    private static boolean direct(SplitDraft draft) {
        return draft.frame().isEmpty()
                && (!(draft.shape() instanceof Aggregation shape) || direct(shape, draft.model()));
    }

    FanOutPlan complete(int visibleColumns) throws Refusal {
        if (draft.shape() instanceof Aggregation aggregation) {
            // what makes parts of groups doubtful makes whole ones so: the server may show them in two ways
            FanOutPlan inParts = aggregation(aggregation);
            return new PlanCompleter(draft, types, mariaDb).wholeGroups(aggregation, visibleColumns, inParts);
        }
        if (draft.shape() instanceof PlainRows rows) {
            return plainRows(rows, visibleColumns);
        }
        throw new IllegalStateException("unknown shape " + draft.shape());
    }

    // ---- aggregation

    private FanOutPlan aggregation(Aggregation shape) throws Refusal {
        layOut(0);
        for (int summed : shape.exactSums()) {
            if (!model.approximate()) {
                types.numbers().requireExactNumber(summed, Reason.APPROXIMATE);
            }
        }
        if (shape.gathered().isPresent()) {
            return gathered(shape, shape.gathered().get());
        }
        if (!shape.distinctArguments().isEmpty()) {
            refuseLostNulls(shape.keys());
        }
        refusePlanDependent(shape);
        if (shape.rollup()) {
            RollupRule.requireSortable(shape.keys(), types);
        }
        boolean direct = direct(draft);
        FinishUse use = new FinishUse(shape, sortedByKeys(shape), draft.frame().isPresent());
        List<GroupKey> keys = new ArrayList<>();
        for (int input : shape.keys()) {
            if (!shape.distinctArguments().isEmpty()) {
                types.requireSortedWhole(input);
            }
            types.requireOneForm(input);
            keys.add(new GroupKey(column(input), keyOn(input, false)));
        }
        Map<Integer, Integer> sortColumns = direct ? Map.of() : addSortColumns(shape, use, keys);
        List<Slot> slots = new ArrayList<>();
        for (SlotDraft slot : shape.slots()) {
            slots.add(slot(shape, slot));
        }
        StringBuilder tail = new StringBuilder(whereClause());
        List<Integer> grouping = new ArrayList<>(shape.keys());
        shape.distinctArguments().stream()
                .filter(input -> !grouping.contains(input))
                .forEach(grouping::add);
        if (!grouping.isEmpty()) {
            tail.append(" GROUP BY ")
                    .append(grouping.stream()
                            .map(input -> Integer.toString(column(input) + 1))
                            .collect(Collectors.joining(", ")))
                    // MariaDB would sort the groups of every partition for nothing
                    .append(" ORDER BY NULL");
        }
        Finish finish = direct
                ? new Finish.Direct(directColumns(shape))
                : new FinishWriter(draft, shape, use, types, mariaDb)
                        .write(keys.size(), sortColumns, sortedByKeys(shape));
        boolean sorts =
                !shape.distinctArguments().isEmpty() && grouping.stream().allMatch(types::sortedWhole);
        String modifier = sorts ? MANY_GROUPS : "";
        return plan(
                modifier,
                tail.toString(),
                new MergeNode.Aggregate(keys, slots, !shape.grouped(), direct && sortedByKeys(shape)),
                finish);
    }

    /** Rows as they are, of which the finish query makes the answer. */
    private FanOutPlan gathered(Aggregation shape, SplitDraft.Gathered gathered) throws Refusal {
        for (int input : gathered.alike()) {
            if (!types.looksAlike(input)) {
                throw new Refusal(Reason.AGGREGATE, types.of(input).name() + " has equal values that look different");
            }
        }
        for (int input : gathered.json()) {
            Carriers.requireJsonValue(types.of(input));
        }
        List<Integer> grouping = shape.keys().subList(0, gathered.grouping());
        for (int input : grouping) {
            types.requireOneForm(input);
        }
        refuseLostNulls(grouping);
        FinishUse use = new FinishUse(shape, false, draft.frame().isPresent());
        Finish finish = new FinishWriter(draft, shape, use, types, mariaDb)
                .write(shape.keys().size(), Map.of(), false);
        return plan("", whereClause(), new MergeNode.Gathered(shape.keys().size()), finish);
    }

    /**
     * Where MariaDB sorts to group, as it does for DISTINCT aggregates, and downwards, it takes NULL for the same as the
     * value before it, if the key is a decimal that was computed: seen with MariaDB 10.11 for CAST, arithmetic and ROUND.
     */
    private void refuseLostNulls(List<Integer> keys) throws Refusal {
        boolean downwards = model.orderBy().stream().anyMatch(SelectModel.OrderItem::descending);
        for (int input : keys) {
            if (mariaDb && downwards && types.numbers().computedDecimal(input)) {
                throw new Refusal(Reason.KEY_TYPE, types.of(input).name() + " is a computed decimal, sorted downwards");
            }
        }
    }

    /**
     * An average of decimals that are so long that the digits that it adds do not fit: with groups both servers were seen to
     * answer in two ways, by their plans, and with warnings. So was MySQL for sorted groups with DISTINCT aggregates, where the
     * temporary table has too few digits for the average of an IFNULL.
     */
    private void refusePlanDependent(Aggregation shape) throws Refusal {
        for (Template template : shape.templates()) {
            for (Template.Piece piece : template.pieces()) {
                if (piece instanceof Template.QuotientRef quotient) {
                    int averaged = argument(shape.slots().get(quotient.sumSlot()));
                    types.numbers().requireAveraged(averaged, shape.grouped());
                    if (!mariaDb
                            && !shape.distinctArguments().isEmpty()
                            && !shape.orderBy().isEmpty()) {
                        types.numbers().requireNoComputedInteger(averaged);
                    }
                }
            }
        }
    }

    private static int argument(SlotDraft sum) {
        return sum instanceof SlotDraft.SumDistinct distinct ? distinct.argument() : ((SlotDraft.Sum) sum).argument();
    }

    /** Whether the server itself sorts the groups by their keys. */
    private boolean sortedByKeys(Aggregation shape) {
        return mariaDb
                && shape.orderBy().isEmpty()
                && !model.groupBy().isEmpty()
                && !shape.distinctRows()
                && !shape.rollup();
    }

    /**
     * Adds further keys that only sort: the exact forms of keys whose text sorts in another way.
     *
     * @return for each such key the number of the one to sort by
     */
    private Map<Integer, Integer> addSortColumns(Aggregation shape, FinishUse use, List<GroupKey> keys) {
        Map<Integer, Integer> sortColumns = new HashMap<>();
        for (int key = 0; key < shape.keys().size(); key++) {
            boolean exact = types.exactForm(shape.keys().get(key)).isPresent();
            if (exact && use.sorted(new Template.KeyRef(key))) {
                SortKey compare = keys.get(key).compare();
                sortColumns.put(key, keys.size());
                keys.add(new GroupKey(compare.column(), compare));
            }
        }
        return sortColumns;
    }

    private Slot slot(Aggregation shape, SlotDraft draftSlot) throws Refusal {
        if (draftSlot instanceof SlotDraft.Sum sum) {
            if (!sum.count() && model.approximate() && types.numbers().approximate(sum.input())) {
                return new Slot.SumDouble(column(sum.input()));
            }
            if (!sum.count()) {
                types.numbers().requireExactNumber(sum.input(), Reason.APPROXIMATE);
            }
            return new Slot.Sum(column(sum.input()), sum.count());
        }
        if (draftSlot instanceof SlotDraft.Extreme extreme) {
            SortKey key = keyOn(extreme.input(), types.comparedExtreme(extreme.input(), extreme.argument()), false, 0);
            return extreme.largest()
                    ? new Slot.Max(column(extreme.input()), key)
                    : new Slot.Min(column(extreme.input()), key);
        }
        if (draftSlot instanceof SlotDraft.Bits bits) {
            types.numbers().requireBits(bits.argument());
            return new Slot.Bits(column(bits.input()), bits.operation());
        }
        if (draftSlot instanceof SlotDraft.AnyValue any) {
            types.requireOneForm(any.argument());
            return new Slot.AnyValue(column(any.input()), !shape.grouped());
        }
        if (draftSlot instanceof SlotDraft.Spread spread) {
            return new Slot.Spread(
                    column(spread.count()), column(spread.mean()), column(spread.variance()), spread.function());
        }
        if (draftSlot instanceof SlotDraft.SumDistinct sum) {
            types.numbers().requireExactNumber(sum.sum(), Reason.APPROXIMATE);
            types.numbers().requireExactNumber(sum.argument(), Reason.ARGUMENT_TYPE);
            return new Slot.SumDistinct(distinctKey(sum.argument()));
        }
        List<SortKey> keys = new ArrayList<>();
        for (int input : ((SlotDraft.CountDistinct) draftSlot).arguments()) {
            keys.add(distinctKey(input));
        }
        return new Slot.CountDistinct(keys);
    }

    private SortKey distinctKey(int input) throws Refusal {
        return keyOn(input, types.comparedDistinct(input), false, 0);
    }

    /** Whether merged rows are the answer as they are. */
    private static boolean direct(Aggregation shape, SelectModel model) {
        return shape.gathered().isEmpty()
                && shape.having().isEmpty()
                && shape.orderBy().isEmpty()
                && model.limit().isEmpty()
                && !shape.distinctRows()
                && !shape.rollup()
                && !mayBeApproximate(shape, model)
                && shape.items().stream()
                        .allMatch(item -> item.bare() && !(item.pieces().get(0) instanceof Template.QuotientRef));
    }

    /** Whether numbers may come out that only the server can write as it does. */
    private static boolean mayBeApproximate(Aggregation shape, SelectModel model) {
        return model.approximate()
                && shape.slots().stream()
                        .anyMatch(slot ->
                                slot instanceof SlotDraft.Spread || slot instanceof SlotDraft.Sum sum && !sum.count());
    }

    private List<Integer> directColumns(Aggregation shape) {
        return shape.items().stream()
                .map(item -> item.pieces().get(0) instanceof Template.KeyRef key
                        ? key.key()
                        : shape.keys().size()
                                + ((Template.SlotRef) item.pieces().get(0)).slot())
                .toList();
    }

    // ---- whole groups

    /** Reads groups whole where that is proven right, else in parts as given. */
    private FanOutPlan wholeGroups(Aggregation shape, int visibleColumns, FanOutPlan inParts) throws Refusal {
        if (shape.whole().isEmpty()) {
            return inParts;
        }
        WholeGroups whole = shape.whole().get();
        boolean apart = !whole.columns().isEmpty()
                && whole.columns().stream().allMatch(column -> types.decidesPartition(column, whole.partitioning()));
        boolean alike = true;
        for (int key : shape.keys()) {
            alike &= types.looksAlike(key);
        }
        if (!apart || !alike || draft.frame().isPresent()) {
            if (whole.onlyWhole().isPresent()) {
                throw new Refusal(
                        whole.onlyWhole().get().reason(),
                        whole.onlyWhole().get().detail());
            }
            return inParts;
        }
        columns.add(model.selectList().of(model.sql()));
        for (int i = 0; i < draft.inputs().size(); i++) {
            boolean sorts = whole.sortInputs().contains(i);
            columnOfInput.add(sorts ? columns.size() - 1 + visibleColumns : -1);
            if (sorts) {
                columns.add(draft.inputs().get(i).sql());
            }
        }
        List<SortKey> keys = new ArrayList<>();
        for (int i = 0; i < whole.sortInputs().size(); i++) {
            keys.add(keyOn(whole.sortInputs().get(i), whole.descending().get(i), visibleColumns));
        }
        StringBuilder tail = new StringBuilder(whereClause())
                .append(model.groupBy().stream()
                        .map(key -> key.span().of(model.sql()))
                        .collect(Collectors.joining(", ", " GROUP BY ", "")));
        model.having()
                .ifPresent(
                        having -> tail.append(" HAVING ").append(having.span().of(model.sql())));
        if (model.orderBy().isEmpty() && !whole.sortInputs().isEmpty()) {
            // by their positions: a name might be taken for an alias
            tail.append(whole.sortInputs().stream()
                    .map(input -> Integer.toString(column(input) + 1))
                    .collect(Collectors.joining(", ", " ORDER BY ", "")));
        }
        return sortedRuns(tail.toString(), keys, visibleColumns, false);
    }

    // ---- plain rows

    private FanOutPlan plainRows(PlainRows shape, int visibleColumns) throws Refusal {
        columns.add(model.selectList().of(model.sql()));
        layOut(visibleColumns);
        List<SortKey> keys = new ArrayList<>();
        for (int i = 0; i < shape.sortInputs().size(); i++) {
            keys.add(keyOn(shape.sortInputs().get(i), model.orderBy().get(i).descending(), visibleColumns));
        }
        return sortedRuns(
                whereClause(),
                keys,
                visibleColumns,
                new CertainRows(types).certain(shape, model.tables().size() > 1));
    }

    /**
     * Partition queries whose rows are merged in an order, or concatenated.
     *
     * @param tail what stands behind their FROM clause, but for ORDER BY and LIMIT
     */
    private FanOutPlan sortedRuns(String tail, List<SortKey> keys, int visibleColumns, boolean certain) throws Refusal {
        long offset = model.limit().map(SelectModel.Limit::offset).orElse(0L);
        long count = model.limit().map(SelectModel.Limit::count).orElse(Long.MAX_VALUE);
        long wanted = model.limit().isEmpty() ? Long.MAX_VALUE : offset + count;
        if (wanted < 0) {
            throw new Refusal(Reason.NO_SHAPE, "offset and limit are over 2^63");
        }
        MergeNode merge = wanted <= MOST_TOP_ROWS
                ? new MergeNode.TopRows(keys, offset, count, visibleColumns)
                : new MergeNode.Streamed(keys, offset, count, visibleColumns, certain);
        return plan("", tail + order() + (model.limit().isEmpty() ? "" : " LIMIT " + wanted), merge, new Finish.AsIs());
    }

    private String order() {
        return model.orderBy().isEmpty()
                ? ""
                : model.orderBy().stream()
                        .map(item -> item.span().of(model.sql()))
                        .collect(Collectors.joining(", ", " ORDER BY ", ""));
    }

    // ---- common

    private FanOutPlan plan(String modifier, String tail, MergeNode merge, Finish finish) {
        String sql = model.sql();
        int nameEnd = draft.split().nameSpan().end();
        String hints = model.serverHints().isEmpty() ? "" : model.serverHints() + " ";
        String order = model.straightJoin() ? "STRAIGHT_JOIN " : "";
        String select = "SELECT " + hints + order + modifier + String.join(", ", columns) + " ";
        int clauseEnd =
                draft.split().partitions().map(clause -> clause.span().end()).orElse(nameEnd);
        if (draft.split().place() == SelectModel.Place.WITH) {
            String with = model.with();
            String behind = with.substring(clauseEnd) + select + model.from().of(sql) + tail;
            return new FanOutPlan(with.substring(0, nameEnd), behind, merge, finish);
        }
        String before = model.with() + select + sql.substring(model.from().start(), nameEnd);
        String after = sql.substring(clauseEnd, model.from().end()) + tail;
        return new FanOutPlan(before, after, merge, finish);
    }

    private String whereClause() {
        return model.where()
                .map(where -> " WHERE " + where.span().of(model.sql()))
                .orElse("");
    }

    private void layOut(int firstColumn) {
        int next = firstColumn;
        for (Input input : draft.inputs()) {
            if (input.typeOnly()) {
                columnOfInput.add(-1);
            } else {
                columns.add(input.sql());
                columnOfInput.add(next++);
            }
        }
    }

    private int column(int input) {
        return columnOfInput.get(input);
    }

    private SortKey keyOn(int input, boolean descending) throws Refusal {
        return keyOn(input, descending, 0);
    }

    /**
     * The key that compares an input; adds a hidden column where it does not compare by itself.
     *
     * @param visible how many columns the first element of {@link #columns} stands for, 0 when it is an input itself
     */
    private SortKey keyOn(int input, boolean descending, int visible) throws Refusal {
        return keyOn(input, types.compared(input), descending, visible);
    }

    private SortKey keyOn(int input, KeyTypes.Compared compared, boolean descending, int visible) {
        int column = column(input);
        Optional<String> hidden = compared.hidden(draft.inputs().get(input).sql());
        if (hidden.isPresent()) {
            int known = columns.indexOf(hidden.get());
            if (known < 0) {
                columns.add(hidden.get());
                known = columns.size() - 1;
            }
            column = visible == 0 ? known : known - 1 + visible;
        }
        return new SortKey(column, compared.comparison(), compared.pad(), descending);
    }
}
