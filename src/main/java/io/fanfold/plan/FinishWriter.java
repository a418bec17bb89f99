package io.fanfold.plan;

import io.fanfold.catalog.TableName;
import io.fanfold.metrics.Reason;
import io.fanfold.plan.FanOutPlan.Carrier;
import io.fanfold.plan.FanOutPlan.Finish;
import io.fanfold.plan.SplitDraft.Aggregation;
import io.fanfold.plan.SplitDraft.SlotDraft;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.StatementModel.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Writes the finish query of an aggregation: what the server still does with the merged rows. Refuses what merged columns
 * would not do as the original's expressions did. For one draft, one thread.
 */
final class FinishWriter {
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
     * Keeps the server from merging the folded block into the statement around it: as a table of its own its values have
     * the digits that the original block's would have had.
     */
    private static final String NO_LIMIT = " LIMIT 18446744073709551615";

    private final SplitDraft draft;
    private final SelectModel model;
    private final Aggregation shape;
    private final FinishUse use;
    private final KeyTypes types;
    private final Carriers carriers;
    private final boolean mariaDb;

    FinishWriter(SplitDraft draft, Aggregation shape, FinishUse use, KeyTypes types, boolean mariaDb) {
        this.draft = draft;
        this.model = draft.model();
        this.shape = shape;
        this.use = use;
        this.types = types;
        this.carriers = new Carriers(types, mariaDb);
        this.mariaDb = mariaDb;
    }

    /**
     * Writes it.
     *
     * @param keys how many merged columns are keys, those that only sort included
     * @param sortColumns for keys that do not sort by themselves the merged column to sort by instead
     * @param sortedByKeys whether the server sorts the groups by their keys though nobody asked
     */
    Finish.Query write(int keys, Map<Integer, Integer> sortColumns, boolean sortedByKeys) throws Refusal {
        List<Carrier> carriers = carriers(sortColumns);
        if (draft.frame().isPresent()) {
            if (!model.approximate()) {
                requireExact(carriers);
            }
            requireNoAverage();
        }
        if (loose()) {
            requireFirmCollations();
            requireNoBytes(carriers);
        }
        refuseConversions();
        if (shape.rollup()) {
            RollupRule.requireNoBytes(carriers);
        }
        if (shape.gathered().isPresent()) {
            requireComputable(carriers);
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
        if (shape.grouping() > 0) {
            after.append(" GROUP BY ")
                    .append(keys(refs, shape.grouping()))
                    .append(shape.rollup() ? " WITH ROLLUP" : "");
        }
        // where groups were folded each is one row by now, so the condition on groups is one on rows
        String condition = shape.rollup() || shape.gathered().isPresent() ? " HAVING " : " WHERE ";
        shape.having().ifPresent(having -> after.append(condition).append(having.render(refs::render)));
        if (!shape.orderBy().isEmpty()) {
            after.append(" ORDER BY ")
                    .append(shape.orderBy().stream()
                            .map(item -> refs.renderOrder(item, use))
                            .collect(Collectors.joining(", ")));
        } else if (sortedByKeys && !loose()) {
            after.append(" ORDER BY ")
                    .append(IntStream.range(0, shape.keys().size())
                            .mapToObj(refs::renderSort)
                            .collect(Collectors.joining(", ")));
        }
        model.limit().ifPresent(limit -> after.append(' ').append(limit.span().of(model.sql())));
        if (draft.frame().isPresent() && !loose() && model.limit().isEmpty()) {
            after.append(NO_LIMIT);
        }
        refuseMoments(before);
        refuseMoments(after);
        return new Finish.Query(carriers, before.toString(), after.toString());
    }

    /** Whether the block stands where its rows have no order, and LIMIT is no part of it. */
    private boolean loose() {
        return draft.frame().map(frame -> frame.kind() != Kind.TABLE).orElse(false);
    }

    private boolean branch() {
        return draft.frame().map(frame -> frame.kind() == Kind.BRANCH).orElse(false);
    }

    /**
     * A merged column has its collation as firmly as a table's column; what was computed may have had it less firmly, and
     * have taken that of another branch.
     */
    private void requireFirmCollations() throws Refusal {
        Set<Integer> alike = draft.frame().orElseThrow().alike();
        for (int i = 0; i < shape.items().size(); i++) {
            for (Template.Piece piece : shape.items().get(i).pieces()) {
                if (!alike.contains(i) && piece instanceof Template.Ref ref && computedText(ref)) {
                    throw new Refusal(Reason.COLLATION, "a computed text beside another in a set operation");
                }
            }
        }
    }

    /** Whether a reference is to a text that was no plain column, nor the smallest or largest value of one. */
    private boolean computedText(Template.Ref ref) {
        int input = -1;
        if (ref instanceof Template.KeyRef key) {
            input = shape.keys().get(key.key());
        } else if (ref instanceof Template.SlotRef slot
                && shape.slots().get(slot.slot()) instanceof SlotDraft.Extreme extreme) {
            input = extreme.argument();
        }
        return input >= 0
                && types.of(input).type().isString()
                && !types.of(input).binaryString()
                && !COLUMN.matcher(draft.inputs().get(input).sql()).matches();
    }

    /** Refuses functions of the statement's own moment in a part of the finish query. */
    static void refuseMoments(CharSequence sql) throws Refusal {
        if (THE_MOMENT.matcher(sql).find()) {
            throw new Refusal(Reason.SESSION_FUNCTION, "the finish query would have another moment than the workers");
        }
    }

    private String keys(FinishColumns refs, int count) {
        return IntStream.range(0, count)
                .mapToObj(key -> refs.render(new Template.KeyRef(key)))
                .collect(Collectors.joining(", "));
    }

    /**
     * The server converts a literal to the type of a column of dates, times or years before it compares them, but not to
     * that of MIN, MAX or an expression, which are columns by now. And MariaDB's DISTINCT over expressions of groups was
     * seen to drop rows that differ.
     */
    private void refuseConversions() throws Refusal {
        List<Template> templates = shape.templates();
        for (Template template : templates) {
            boolean compares = template.pieces().stream()
                    .anyMatch(piece -> piece instanceof Template.Text text
                            && COMPARES.matcher(text.sql()).find());
            for (Template.Piece piece : template.pieces()) {
                if (compares && piece instanceof Template.Ref ref && computedMoment(ref)) {
                    throw new Refusal(Reason.ARGUMENT_TYPE, "a date, time or year is compared after the fold");
                }
            }
        }
        if (mariaDb && shape.distinctRows() && !shape.items().stream().allMatch(FinishWriter::shownAsFolded)) {
            throw new Refusal(Reason.UNSUPPORTED_SYNTAX, "DISTINCT over expressions of groups");
        }
        if (!mariaDb
                && shape.grouped()
                && shape.distinctRows()
                && shape.items().stream().anyMatch(this::mixesDecimals)) {
            throw new Refusal(Reason.UNSUPPORTED_SYNTAX, "DISTINCT over expressions of decimals");
        }
        if (!mariaDb && shape.distinctRows() && shape.having().isPresent()) {
            // MySQL 9.7 applies HAVING to what is left after DISTINCT, and loses groups that it holds for
            throw new Refusal(Reason.UNSUPPORTED_SYNTAX, "DISTINCT beside HAVING");
        }
        if (shape.distinctRows() && holdsFloating()) {
            throw new Refusal(
                    Reason.ARGUMENT_TYPE, "DISTINCT over a floating-point number, of which zero has two signs");
        }
        if (mariaDb) {
            for (Template template : templates) {
                for (Template.Piece piece : template.pieces()) {
                    if (piece instanceof Template.Text text) {
                        refuseRemainders(text.sql());
                    }
                }
            }
        }
    }

    /** Refuses what may show a remainder in two ways, by the plan of MariaDB. */
    static void refuseRemainders(String sql) throws Refusal {
        if (MODULO.matcher(sql).find()) {
            throw new Refusal(Reason.ARGUMENT_TYPE, "MariaDB shows a remainder of zero with or without a sign");
        }
    }

    /**
     * Whether an item is an expression with decimals in it: MySQL shows it with as many digits as the value has, or, out of
     * the temporary table of DISTINCT, with as many as the expression may have.
     */
    private boolean mixesDecimals(Template item) {
        return !shownAsFolded(item) && item.pieces().stream().anyMatch(this::decimal);
    }

    private boolean decimal(Template.Piece piece) {
        if (piece instanceof Template.Text text) {
            return text.sql().indexOf('.') >= 0 || text.sql().indexOf('/') >= 0;
        }
        if (piece instanceof Template.KeyRef key) {
            return !types.of(shape.keys().get(key.key())).type().isInteger();
        }
        return !(piece instanceof Template.SlotRef slot
                && shape.slots().get(slot.slot()) instanceof SlotDraft.Sum sum
                && sum.count());
    }

    private boolean holdsFloating() {
        return shape.keys().stream().anyMatch(types.numbers()::approximate)
                || shape.slots().stream()
                        .anyMatch(slot -> slot instanceof SlotDraft.Extreme extreme
                                        && types.numbers().approximate(extreme.input())
                                || slot instanceof SlotDraft.AnyValue any
                                        && types.numbers().approximate(any.input()));
    }

    /** Whether an item is a merged column, and no quotient of two. */
    private static boolean shownAsFolded(Template item) {
        return item.bare() && !(item.pieces().get(0) instanceof Template.QuotientRef);
    }

    /** Whether a reference is to a date, time or year that was no plain column. */
    private boolean computedMoment(Template.Ref ref) {
        int input = -1;
        if (ref instanceof Template.KeyRef key) {
            int asked = shape.keys().get(key.key());
            input = COLUMN.matcher(draft.inputs().get(asked).sql()).matches() ? -1 : asked;
        } else if (ref instanceof Template.SlotRef slot) {
            if (shape.slots().get(slot.slot()) instanceof SlotDraft.Extreme extreme) {
                input = extreme.input();
            } else if (shape.slots().get(slot.slot()) instanceof SlotDraft.AnyValue any) {
                input = any.input();
            }
        }
        return input >= 0
                && switch (types.of(input).type()) {
                    case DATE, NEWDATE, TIME, DATETIME, TIMESTAMP, YEAR -> true;
                    // MIN of a YEAR is called a number where no temporary table is used
                    default -> (types.of(input).flags() & Column.Flags.ZEROFILL) != 0;
                };
    }

    // ---- how merged columns travel

    private List<Carrier> carriers(Map<Integer, Integer> sortColumns) throws Refusal {
        List<Carrier> carriers = new ArrayList<>();
        for (int key = 0; key < shape.keys().size(); key++) {
            carriers.add(keyCarrier(key));
        }
        for (int key = 0; key < shape.keys().size(); key++) {
            if (sortColumns.containsKey(key)) {
                carriers.add(
                        Carriers.exact(types.exactForm(shape.keys().get(key)).orElseThrow()));
            }
        }
        for (int slot = 0; slot < shape.slots().size(); slot++) {
            carriers.add(slotCarrier(slot));
        }
        if (shape.rollup() || model.windowed() || shape.gathered().isPresent()) {
            carriers.replaceAll(carrier -> carrier.equals(Carriers.YEAR) ? Carriers.YEAR_BUT_ZERO : carrier);
        }
        return carriers;
    }

    private Carrier keyCarrier(int key) throws Refusal {
        int input = shape.keys().get(key);
        Template.Ref ref = new Template.KeyRef(key);
        if (shape.gathered().isPresent() && !use.shownOnly(ref) || strictDate(input)) {
            types.numbers().requireRoom(input);
            return carrier(input);
        }
        // text may be the same for values that differ
        boolean repeats =
                shape.distinctRows() && use.used(ref) && types.exactForm(input).isPresent();
        if (draft.frame().isEmpty() && !use.shownOnly(ref)) {
            types.numbers().requireRoom(input);
        }
        return use.shownOnly(ref) && !repeats ? carriers.shown(input) : carrier(input);
    }

    /**
     * Whether a date must have no zero parts. MySQL keeps sorted groups with DISTINCT aggregates, and rows of window functions,
     * in temporary tables, where such dates change and raise warnings.
     */
    private boolean strictDate(int input) {
        boolean temporary = shape.gathered().isPresent()
                || !mariaDb
                        && !shape.distinctArguments().isEmpty()
                        && !shape.orderBy().isEmpty();
        return temporary && types.of(input).type().isTemporal();
    }

    private Carrier carrier(int input) throws Refusal {
        return branch() ? carriers.ofBranch(input) : carriers.of(input);
    }

    private Carrier slotCarrier(int number) throws Refusal {
        SlotDraft slot = shape.slots().get(number);
        if (slot instanceof SlotDraft.Sum sum) {
            return types.numbers().approximate(sum.input()) ? carriers.floating(sum.input()) : carrier(sum.input());
        }
        if (slot instanceof SlotDraft.Spread spread) {
            return carriers.floating(spread.shown());
        }
        if (slot instanceof SlotDraft.AnyValue any) {
            return valueCarrier(number, any.input(), any.argument());
        }
        if (slot instanceof SlotDraft.Extreme extreme) {
            return valueCarrier(number, extreme.input(), extreme.argument());
        }
        if (slot instanceof SlotDraft.SumDistinct sum) {
            return carriers.of(sum.sum());
        }
        return new Carrier.Typed(slot instanceof SlotDraft.Bits ? "bigint unsigned" : "bigint", false);
    }

    /** How a slot travels that holds a value of its argument. */
    private Carrier valueCarrier(int number, int input, int argument) throws Refusal {
        if (types.of(argument).type() == ColumnType.YEAR) {
            return Carriers.YEAR_BUT_ZERO;
        }
        Template.Ref ref = new Template.SlotRef(number);
        boolean exact = types.exactForm(argument).isPresent();
        boolean asText =
                !strictDate(input) && use.shownOnly(ref) && !(exact && (use.sorted(ref) || shape.distinctRows()));
        return asText ? carriers.shown(input) : carrier(input);
    }

    /** What the server computes with gathered values must be what it would have computed with the table's columns. */
    private void requireComputable(List<Carrier> carriers) throws Refusal {
        List<Integer> computed = new ArrayList<>();
        for (int key = 0; key < shape.keys().size(); key++) {
            if (!use.shownOnly(new Template.KeyRef(key))) {
                computed.add(shape.keys().get(key));
                if (carriers.get(key) instanceof Carrier.Bytes) {
                    throw new Refusal(Reason.KEY_TYPE, "byte strings in what is computed of gathered rows");
                }
            }
        }
        RollupRule.requireSortable(computed, types);
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

    /** Out of base64 a byte string is less firmly one than a column: beside a text MariaDB takes it for a text. */
    private static void requireNoBytes(List<Carrier> carriers) throws Refusal {
        if (carriers.stream().anyMatch(Carrier.Bytes.class::isInstance)) {
            throw new Refusal(Reason.KEY_TYPE, "byte strings in a set operation or expression");
        }
    }

    /** AVG has other digits for the statement around it than its quotient. */
    private void requireNoAverage() throws Refusal {
        boolean average = shape.items().stream()
                .flatMap(item -> item.pieces().stream())
                .anyMatch(Template.QuotientRef.class::isInstance);
        if (average) {
            throw new Refusal(Reason.AVG_IN_EXPRESSION, "in a derived table");
        }
    }
}
