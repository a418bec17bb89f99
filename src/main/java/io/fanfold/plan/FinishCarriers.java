package io.fanfold.plan;

import io.fanfold.plan.FanOutPlan.Carrier;
import io.fanfold.plan.SplitDraft.Aggregation;
import io.fanfold.plan.SplitDraft.SlotDraft;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.row.ColumnType;
import io.fanfold.sql.StatementModel.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Chooses the column encodings of an aggregation's merged columns by their use in the final query. For one plan, one
 * thread.
 */
final class FinishCarriers {
    private static final Carrier YEAR_AS_NUMBER = new Carrier.Typed("int unsigned", false);

    private final SplitDraft draft;
    private final Aggregation shape;
    private final FinishUse use;
    private final KeyTypes types;
    private final Carriers carriers;
    private final boolean mariaDb;

    FinishCarriers(SplitDraft draft, Aggregation shape, FinishUse use, KeyTypes types, boolean mariaDb) {
        this.draft = draft;
        this.shape = shape;
        this.use = use;
        this.types = types;
        this.carriers = new Carriers(types, mariaDb);
        this.mariaDb = mariaDb;
    }

    /**
     * Returns the encodings of all merged columns in order: keys, keys that are only sorted by, aggregates.
     *
     * @param sortColumns maps keys that do not sort themselves to the merged column to sort by instead
     */
    List<Carrier> of(Map<Integer, Integer> sortColumns) throws RefusedException {
        List<Carrier> all = new ArrayList<>();
        for (int key = 0; key < shape.keys().size(); key++) {
            all.add(key(key));
        }
        for (int key = 0; key < shape.keys().size(); key++) {
            if (sortColumns.containsKey(key)) {
                all.add(Carriers.exact(types.exactForm(shape.keys().get(key)).orElseThrow()));
            }
        }
        for (int slot = 0; slot < shape.slots().size(); slot++) {
            all.add(slot(slot));
        }
        if (shape.rollup() || draft.model().windowed() || shape.gathered().isPresent()) {
            all.replaceAll(carrier -> carrier.equals(Carriers.YEAR) ? Carriers.YEAR_BUT_ZERO : carrier);
        }
        return all;
    }

    private Carrier key(int key) throws RefusedException {
        int input = shape.keys().get(key);
        Template.Ref ref = new Template.KeyRef(key);
        if (shape.gathered().isPresent() && !use.shownOnly(ref) || strictDate(input)) {
            types.numbers().requireRoom(input);
            return value(input);
        }
        // different values may have the same text
        boolean repeats =
                shape.distinctRows() && use.used(ref) && types.exactForm(input).isPresent();
        if (draft.frame().isEmpty() && !use.shownOnly(ref)) {
            types.numbers().requireRoom(input);
        }
        return use.shownOnly(ref) && !repeats ? carriers.shown(input) : value(input);
    }

    /**
     * Whether a YEAR is sent as a number. MySQL compares a derived table's computed YEAR as a number, but a YEAR column
     * as a year, in which 1 is 2001.
     */
    private boolean yearAsNumber(int input) {
        boolean table = draft.frame().map(frame -> frame.kind() == Kind.TABLE).orElse(false);
        return table
                && !mariaDb
                && types.of(input).type() == ColumnType.YEAR
                && types.of(input).computed();
    }

    /**
     * Whether a date must have no zero parts. MySQL keeps sorted groups with DISTINCT aggregates, and rows of window
     * functions, in temporary tables, where such dates change and raise warnings.
     */
    private boolean strictDate(int input) {
        boolean temporary = shape.gathered().isPresent()
                || !mariaDb
                        && !shape.distinctArguments().isEmpty()
                        && !shape.orderBy().isEmpty();
        return temporary && types.of(input).type().isTemporal();
    }

    private Carrier value(int input) throws RefusedException {
        if (yearAsNumber(input)) {
            return YEAR_AS_NUMBER;
        }
        boolean branch = draft.frame().map(frame -> frame.kind() == Kind.BRANCH).orElse(false);
        return branch ? carriers.ofBranch(input) : carriers.of(input);
    }

    private Carrier slot(int number) throws RefusedException {
        SlotDraft slot = shape.slots().get(number);
        if (slot instanceof SlotDraft.Sum sum) {
            return types.numbers().approximate(sum.input()) ? carriers.floating(sum.input()) : value(sum.input());
        }
        if (slot instanceof SlotDraft.Spread spread) {
            return carriers.floating(spread.shown());
        }
        if (slot instanceof SlotDraft.AnyValue any) {
            return chosen(number, any.input(), any.argument());
        }
        if (slot instanceof SlotDraft.Extreme extreme) {
            return chosen(number, extreme.input(), extreme.argument());
        }
        if (slot instanceof SlotDraft.SumDistinct sum) {
            return carriers.of(sum.sum());
        }
        return new Carrier.Typed(slot instanceof SlotDraft.Bits ? "bigint unsigned" : "bigint", false);
    }

    /** Returns the encoding of an aggregate that is one of the values of its argument. */
    private Carrier chosen(int number, int input, int argument) throws RefusedException {
        if (types.of(argument).type() == ColumnType.YEAR) {
            return yearAsNumber(argument) ? value(input) : Carriers.YEAR_BUT_ZERO;
        }
        if (!mariaDb
                && draft.model().windowed()
                && !types.zeroDates()
                && types.of(input).type() == ColumnType.DATE) {
            // MySQL stores a zero date for a group without dates
            throw new RefusedException(
                    Reason.WINDOW, "an extreme of dates, where MySQL warns of groups that have none");
        }
        Template.Ref ref = new Template.SlotRef(number);
        boolean exact = types.exactForm(argument).isPresent();
        // if groups are sorted without zero dates in sql_mode, MariaDB makes such dates equal, and MySQL changes them
        // with warnings
        boolean sorted = !types.zeroDates() && !shape.orderBy().isEmpty();
        boolean strict = strictDate(input) || sorted && types.of(input).type().isDate();
        boolean asText = !strict && use.shownOnly(ref) && !(exact && (use.sorted(ref) || shape.distinctRows()));
        return asText ? carriers.shown(input) : value(input);
    }
}
