package io.fanfold.plan;

import io.fanfold.catalog.TableName;
import io.fanfold.metrics.Reason;
import io.fanfold.plan.FanOutPlan.Carrier;
import io.fanfold.plan.FanOutPlan.Finish;
import io.fanfold.plan.MergeNode.GroupKey;
import io.fanfold.plan.MergeNode.Slot;
import io.fanfold.plan.SplitDraft.Aggregation;
import io.fanfold.plan.SplitDraft.Frame;
import io.fanfold.plan.SplitDraft.Input;
import io.fanfold.plan.SplitDraft.OrderedRows;
import io.fanfold.plan.SplitDraft.SlotDraft;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.sql.SelectModel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Completes a draft with types: adds the hidden weight columns by which strings are compared, lays out the partial row,
 * and writes the partition query and the finish. For one draft, one thread.
 */
final class PlanCompleter {
    private static final Pattern MODULO = Pattern.compile("%|\\bMOD\\b", Pattern.CASE_INSENSITIVE);

    private static final Pattern APPROXIMATE = Pattern.compile("\\b(float|double)\\b", Pattern.CASE_INSENSITIVE);

    /** Functions of the statement's own moment. */
    private static final Pattern THE_MOMENT = Pattern.compile(
            "\\b(NOW|CURDATE|CURTIME|CURRENT_DATE|CURRENT_TIME|CURRENT_TIMESTAMP|LOCALTIME|LOCALTIMESTAMP"
                    + "|UTC_DATE|UTC_TIME|UTC_TIMESTAMP|UNIX_TIMESTAMP)\\b",
            Pattern.CASE_INSENSITIVE);

    /** What may compare a value with another. */
    private static final Pattern COMPARES = Pattern.compile(
            "[<>=!]|\\b(BETWEEN|IN|LIKE|CASE|GREATEST|LEAST|NULLIF|STRCMP|FIELD|IF|ELT)\\b", Pattern.CASE_INSENSITIVE);

    /** A column's name with or without its table. */
    private static final Pattern COLUMN = Pattern.compile("[\\w$.`]+");

    /**
     * Sorts rows instead of keeping a temporary table of groups, as the server does for DISTINCT aggregates by itself:
     * different arguments may be many, and a temporary table that outgrows its memory is several times slower. An index
     * that skips from group to group is used all the same.
     */
    private static final String MANY_GROUPS = "SQL_BIG_RESULT ";

    /**
     * Keeps the server from merging the folded block into the statement around it: as a table of its own its values have
     * the digits that the original block's would have had.
     */
    private static final String NO_LIMIT = " LIMIT 18446744073709551615";

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
    static boolean rowsAsClient(SplitDraft draft, boolean mariaDb) {
        return draft.frame().isEmpty()
                && (!(draft.shape() instanceof Aggregation shape) || direct(shape, draft.model(), mariaDb));
    }

    FanOutPlan complete(int visibleColumns) throws Refusal {
        if (draft.shape() instanceof Aggregation aggregation) {
            return aggregation(aggregation);
        }
        if (draft.shape() instanceof OrderedRows rows) {
            return orderedRows(rows, visibleColumns);
        }
        throw new IllegalStateException("unknown shape " + draft.shape());
    }

    // ---- aggregation

    private FanOutPlan aggregation(Aggregation shape) throws Refusal {
        layOut(0);
        for (int summed : shape.exactWindows()) {
            types.requireOrderlessSum(summed);
        }
        if (shape.rollup()) {
            RollupRule.requireSortable(shape.keys(), types);
        }
        boolean direct = rowsAsClient(draft, mariaDb);
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
            slots.add(slot(slot));
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
        Finish finish =
                direct ? new Finish.Direct(directColumns(shape)) : finishQuery(shape, use, keys.size(), sortColumns);
        boolean sorts =
                !shape.distinctArguments().isEmpty() && grouping.stream().allMatch(types::sortedWhole);
        String modifier = sorts ? MANY_GROUPS : "";
        return plan(modifier, tail.toString(), new MergeNode.Aggregate(keys, slots, !shape.grouped()), finish);
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

    private Slot slot(SlotDraft draftSlot) throws Refusal {
        if (draftSlot instanceof SlotDraft.Sum sum) {
            if (!sum.count()) {
                types.requireExactSum(sum.input());
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
            types.requireBits(bits.argument());
            return new Slot.Bits(column(bits.input()), bits.operation());
        }
        if (draftSlot instanceof SlotDraft.SumDistinct sum) {
            types.requireExactSum(sum.sum());
            types.requireExactNumber(sum.argument());
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

    private Carrier keyCarrier(int key, Aggregation shape, FinishUse use) throws Refusal {
        int input = shape.keys().get(key);
        Template.Ref ref = new Template.KeyRef(key);
        // text may be the same for values that differ
        boolean repeats =
                shape.distinctRows() && use.used(ref) && types.exactForm(input).isPresent();
        return use.shownOnly(ref) && !repeats ? types.shownCarrier(input) : types.carrier(input);
    }

    private Carrier slotCarrier(int number, Aggregation shape, FinishUse use) throws Refusal {
        SlotDraft slot = shape.slots().get(number);
        if (slot instanceof SlotDraft.Sum sum) {
            return types.carrier(sum.input());
        }
        if (slot instanceof SlotDraft.Extreme extreme) {
            if (types.of(extreme.argument()).type() == ColumnType.YEAR) {
                // the year 0 is shown as 0 or 0000, by the server's plan: it is refused when it occurs
                return new Carrier.Typed("year", true);
            }
            Template.Ref ref = new Template.SlotRef(number);
            boolean exact = types.exactForm(extreme.argument()).isPresent();
            boolean asText = use.shownOnly(ref) && !(exact && (use.sorted(ref) || shape.distinctRows()));
            return asText ? types.shownCarrier(extreme.input()) : types.carrier(extreme.input());
        }
        if (slot instanceof SlotDraft.SumDistinct sum) {
            return types.carrier(sum.sum());
        }
        return new Carrier.Typed(slot instanceof SlotDraft.Bits ? "bigint unsigned" : "bigint", false);
    }

    /** Whether merged rows are the answer as they are. MariaDB gives groups in the order of their keys. */
    private static boolean direct(Aggregation shape, SelectModel model, boolean mariaDb) {
        boolean sorted = mariaDb && !model.groupBy().isEmpty();
        return shape.having().isEmpty()
                && shape.orderBy().isEmpty()
                && model.limit().isEmpty()
                && !shape.distinctRows()
                && !shape.rollup()
                && !sorted
                && shape.items().stream()
                        .allMatch(item -> item.bare() && !(item.pieces().get(0) instanceof Template.QuotientRef));
    }

    private List<Integer> directColumns(Aggregation shape) {
        return shape.items().stream()
                .map(item -> item.pieces().get(0) instanceof Template.KeyRef key
                        ? key.key()
                        : shape.keys().size()
                                + ((Template.SlotRef) item.pieces().get(0)).slot())
                .toList();
    }

    /** The statement around a block may add its values up, in an order that only the server knows. */
    private static void requireExact(List<Carrier> carriers) throws Refusal {
        for (Carrier carrier : carriers) {
            if (carrier instanceof Carrier.Typed typed
                    && APPROXIMATE.matcher(typed.declaration()).find()) {
                throw new Refusal(Reason.APPROXIMATE, "a " + typed.declaration() + " in a derived table");
            }
        }
    }

    /** AVG has other digits for the statement around it than its quotient. */
    private static void requireNoAverage(Aggregation shape) throws Refusal {
        boolean average = shape.items().stream()
                .flatMap(item -> item.pieces().stream())
                .anyMatch(Template.QuotientRef.class::isInstance);
        if (average) {
            throw new Refusal(Reason.AVG_IN_EXPRESSION, "in a derived table");
        }
    }

    private Finish finishQuery(Aggregation shape, FinishUse use, int keys, Map<Integer, Integer> sortColumns)
            throws Refusal {
        List<Carrier> carriers = new ArrayList<>();
        for (int key = 0; key < shape.keys().size(); key++) {
            carriers.add(keyCarrier(key, shape, use));
        }
        for (int key = 0; key < shape.keys().size(); key++) {
            if (sortColumns.containsKey(key)) {
                carriers.add(KeyTypes.exactCarrier(
                        types.exactForm(shape.keys().get(key)).orElseThrow()));
            }
        }
        for (int slot = 0; slot < shape.slots().size(); slot++) {
            carriers.add(slotCarrier(slot, shape, use));
        }
        if (draft.frame().isPresent()) {
            requireExact(carriers);
            requireNoAverage(shape);
        }
        refuseConversions(shape);
        if (shape.rollup() || model.windowed()) {
            // the year 0 is written as 0 or 0000, which depends on the server's temporary tables
            carriers.replaceAll(carrier -> carrier.equals(KeyTypes.YEAR) ? new Carrier.Typed("year", true) : carrier);
        }
        if (shape.rollup()) {
            RollupRule.requireNoBytes(carriers);
        }
        FinishColumns refs = new FinishColumns(carriers, keys, sortColumns, shape.rollup() ? shape.slots() : List.of());
        // one row is distinct: without a temporary table its values are shown as the server shows them
        boolean distinct = shape.distinctRows() && shape.grouped();
        StringBuilder before = new StringBuilder(distinct ? "SELECT DISTINCT " : "SELECT ");
        for (int i = 0; i < shape.items().size(); i++) {
            before.append(i == 0 ? "" : ", ").append(shape.items().get(i).render(refs::render));
            if (draft.frame().isPresent()) {
                before.append(" AS ")
                        .append(TableName.quote(draft.frame().get().names().get(i)));
            }
        }
        before.append(" FROM ");
        StringBuilder after = new StringBuilder();
        if (shape.rollup()) {
            after.append(" GROUP BY ").append(keys(shape, refs)).append(" WITH ROLLUP");
        }
        // without ROLLUP every group is one row by now, so the condition on groups is one on rows
        String condition = shape.rollup() ? " HAVING " : " WHERE ";
        shape.having().ifPresent(having -> after.append(condition).append(having.render(refs::render)));
        if (!shape.orderBy().isEmpty()) {
            after.append(" ORDER BY ")
                    .append(shape.orderBy().stream()
                            .map(item -> refs.renderOrder(item, use))
                            .collect(Collectors.joining(", ")));
        } else if (sortedByKeys(shape)) {
            after.append(" ORDER BY ")
                    .append(IntStream.range(0, shape.keys().size())
                            .mapToObj(refs::renderSort)
                            .collect(Collectors.joining(", ")));
        }
        model.limit().ifPresent(limit -> after.append(' ').append(limit.span().of(model.sql())));
        draft.frame().ifPresent(frame -> {
            before.insert(0, frame.before());
            after.append(model.limit().isPresent() ? "" : NO_LIMIT).append(frame.after());
        });
        if (THE_MOMENT.matcher(before).find() || THE_MOMENT.matcher(after).find()) {
            throw new Refusal(Reason.SESSION_FUNCTION, "the finish query would have another moment than the workers");
        }
        boolean onWorker = draft.frame().map(Frame::readsTables).orElse(false);
        return new Finish.Query(carriers, before.toString(), after.toString(), onWorker);
    }

    private static String keys(Aggregation shape, FinishColumns refs) {
        return IntStream.range(0, shape.keys().size())
                .mapToObj(key -> refs.render(new Template.KeyRef(key)))
                .collect(Collectors.joining(", "));
    }

    /**
     * The server converts a literal to the type of a column of dates, times or years before it compares them, but not to
     * that of MIN, MAX or an expression, which are columns by now. And MariaDB's DISTINCT over expressions of groups was
     * seen to drop rows that differ.
     */
    private void refuseConversions(Aggregation shape) throws Refusal {
        List<Template> templates = new ArrayList<>(shape.items());
        shape.having().ifPresent(templates::add);
        templates.addAll(shape.orderBy());
        for (Template template : templates) {
            boolean compares = template.pieces().stream()
                    .anyMatch(piece -> piece instanceof Template.Text text
                            && COMPARES.matcher(text.sql()).find());
            for (Template.Piece piece : template.pieces()) {
                if (compares && piece instanceof Template.Ref ref && computedMoment(shape, ref)) {
                    throw new Refusal(Reason.ARGUMENT_TYPE, "a date, time or year is compared after the fold");
                }
            }
        }
        if (mariaDb && shape.distinctRows() && !shape.items().stream().allMatch(PlanCompleter::shownAsFolded)) {
            throw new Refusal(Reason.UNSUPPORTED_SYNTAX, "DISTINCT over expressions of groups");
        }
        boolean modulo = templates.stream()
                .flatMap(template -> template.pieces().stream())
                .anyMatch(piece -> piece instanceof Template.Text text
                        && MODULO.matcher(text.sql()).find());
        if (mariaDb && modulo) {
            throw new Refusal(Reason.ARGUMENT_TYPE, "MariaDB shows a remainder of zero with or without a sign");
        }
    }

    /** Whether an item is a merged column, and no quotient of two. */
    private static boolean shownAsFolded(Template item) {
        return item.bare() && !(item.pieces().get(0) instanceof Template.QuotientRef);
    }

    /** Whether a reference is to a date, time or year that was no plain column. */
    private boolean computedMoment(Aggregation shape, Template.Ref ref) {
        int input = -1;
        if (ref instanceof Template.KeyRef key) {
            int asked = shape.keys().get(key.key());
            input = COLUMN.matcher(draft.inputs().get(asked).sql()).matches() ? -1 : asked;
        } else if (ref instanceof Template.SlotRef slot
                && shape.slots().get(slot.slot()) instanceof SlotDraft.Extreme extreme) {
            input = extreme.input();
        }
        return input >= 0
                && switch (types.of(input).type()) {
                    case DATE, NEWDATE, TIME, DATETIME, TIMESTAMP, YEAR -> true;
                    // MIN of a YEAR is called a number where no temporary table is used
                    default -> (types.of(input).flags() & Column.Flags.ZEROFILL) != 0;
                };
    }

    // ---- plain rows

    private FanOutPlan orderedRows(OrderedRows shape, int visibleColumns) throws Refusal {
        columns.add(model.selectList().of(model.sql()));
        layOut(visibleColumns);
        List<SortKey> keys = new ArrayList<>();
        for (int i = 0; i < shape.sortInputs().size(); i++) {
            keys.add(keyOn(shape.sortInputs().get(i), model.orderBy().get(i).descending(), visibleColumns));
        }
        SelectModel.Limit limit = model.limit().orElseThrow();
        long wanted = limit.offset() + limit.count();
        if (wanted < 0) {
            throw new Refusal(Reason.NO_SHAPE, "offset and limit are over 2^63");
        }
        String order = model.orderBy().stream()
                .map(item -> item.span().of(model.sql()))
                .collect(Collectors.joining(", "));
        return plan(
                "",
                whereClause() + " ORDER BY " + order + " LIMIT " + wanted,
                new MergeNode.TopRows(keys, limit.offset(), limit.count(), visibleColumns),
                new Finish.AsIs());
    }

    // ---- common

    private FanOutPlan plan(String modifier, String tail, MergeNode merge, Finish finish) {
        String sql = model.sql();
        int nameEnd = draft.split().nameSpan().end();
        String hints = model.serverHints().isEmpty() ? "" : model.serverHints() + " ";
        String before = "SELECT " + hints + modifier + String.join(", ", columns) + " "
                + sql.substring(model.from().start(), nameEnd);
        String after = sql.substring(nameEnd, model.from().end()) + tail;
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
