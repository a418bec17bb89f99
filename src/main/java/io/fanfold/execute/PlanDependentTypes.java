package io.fanfold.execute;

import io.fanfold.metrics.Reason;
import io.fanfold.plan.ExplainedTable;
import io.fanfold.plan.StatementDraft;
import io.fanfold.protocol.ProtocolException;
import io.fanfold.protocol.ServerPacket;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SelectModel.AggregateCall;
import io.fanfold.sql.SelectModel.AggregateFunction;
import io.fanfold.sql.SelectModel.ColumnRef;
import io.fanfold.sql.SelectModel.Derived;
import io.fanfold.sql.SelectModel.Expr;
import io.fanfold.sql.SelectModel.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import java.util.stream.Stream;

/**
 * Corrects column definitions where MySQL's execution answers with other types than its PREPARE: a temporary table keeps
 * what is computed before its rows are complete, and integers come out of its fields as LONG up to nine digits, else as
 * LONGLONG, and CHAR as VARCHAR. Drivers give other classes for them, so they have to be right.
 *
 * <ul>
 *   <li>Kept are expressions without aggregates, which the keys of ROLLUP are as well, and whole calls of window functions.
 *   <li>MIN and MAX are kept as their argument is when it is a column, else any integer as LONGLONG.
 *   <li>Expressions over aggregates are computed from what is kept, and have the types of PREPARE.
 * </ul>
 *
 * <p>A computed BIT, as of IF over columns of several lengths, loses bits in such a table, and a computed decimal that has
 * all the digits there are may be cut in it, as plans sort joined rows in one or not; both are refused.
 *
 * <p>Window functions over plain rows always make one, though the plan names none. For ROLLUP over a join the plan does not
 * tell whether there will be such a table, nor for window functions over groups where it names none; there only statements
 * without such columns are split.
 *
 * <p>Measured on MySQL 9.7.4 with 150 expressions over 20 types; MariaDB's types do not
 * differ but for computed CHARs, and its lengths for FLOATs.
 */
final class PlanDependentTypes {
    /** Integers of more characters, sign included, stay LONGLONG. */
    private static final int MAX_LONG_LENGTH = 9;

    /** How many digits a decimal may have. */
    private static final int MAX_PRECISION = 65;

    private static final Set<ColumnType> SHORTER =
            Set.of(ColumnType.TINY, ColumnType.SHORT, ColumnType.INT24, ColumnType.LONG, ColumnType.YEAR);

    /** What chooses one of several values. */
    private static final Set<String> CHOICES =
            Set.of(" if (", " case ", " ifnull (", " nullif (", " coalesce (", " greatest (", " least (");

    private static final Set<AggregateFunction> EXTREMES = Set.of(AggregateFunction.MIN, AggregateFunction.MAX);

    private static final Set<ColumnType> FLOATING = Set.of(ColumnType.DOUBLE, ColumnType.FLOAT);

    /** Where the tables of relations stand that the server may merge into the statement. */
    private static final Set<Place> MERGED = Set.of(Place.DERIVED, Place.WITH);

    /** A plan with a temporary table, in which types differ from PREPARE's if they ever do. */
    private static final List<ExplainedTable> TEMPORARY =
            List.of(new ExplainedTable(1, "", List.of(), "", 0, "Using temporary"));

    private PlanDependentTypes() {}

    /**
     * The definitions as the execution would have given them.
     *
     * @param definitions the payloads as PREPARE gave them
     * @param columns the same, decoded
     * @param explained the server's plan for the statement; empty when it is not known, and then nothing must depend on it
     */
    static List<byte[]> corrected(
            SelectModel model, List<byte[]> definitions, List<Column> columns, List<ExplainedTable> explained)
            throws ProtocolException, Abandoned {
        for (Column column : columns) {
            if (column.type() == ColumnType.BIT && column.computed()) {
                throw new Abandoned(Reason.PLAN_TYPES, "the computed BIT " + column.name());
            }
            refuseFull(model, column);
        }
        refuseChoices(model, columns);
        if (!explained.isEmpty()) {
            return redefined(definitions, columns, executed(explained, model, columns));
        }
        List<Column> fields = executed(TEMPORARY, model, columns);
        for (int i = 0; i < columns.size(); i++) {
            if (fields.get(i).type() != columns.get(i).type()) {
                throw new Abandoned(Reason.PLAN_TYPES, "a plan that was not asked for");
            }
        }
        return definitions;
    }

    /**
     * A computed decimal that has all the digits there are has more of them outside a temporary table than in it. Windows over
     * groups are computed in one, by the server or by Fanfold's final query.
     */
    private static void refuseFull(SelectModel model, Column column) throws Abandoned {
        if ((sortedJoin(model) || windowsOverGroups(model))
                && column.decimal()
                && column.computed()
                && column.precision() >= MAX_PRECISION) {
            throw new Abandoned(Reason.PLAN_TYPES, "a computed decimal with all the digits there are");
        }
    }

    /**
     * Refuses a decimal that is chosen among numbers of fewer decimals, beside windows over groups: MySQL 9.7.4 shows it with the
     * decimals of the chosen number, and with those of all of them out of a temporary table, as in {@code IF(g, MAX(dec), g)}.
     */
    private static void refuseChoices(SelectModel model, List<Column> columns) throws Abandoned {
        if (!windowsOverGroups(model) || model.items().size() != columns.size()) {
            return;
        }
        for (int i = 0; i < columns.size(); i++) {
            Expr expr = model.items().get(i).expr();
            boolean chosen = CHOICES.stream().anyMatch(choice -> (" " + expr.tokens()).contains(choice));
            if (chosen && columns.get(i).decimal() && !expr.aggregates().isEmpty()) {
                throw new Abandoned(
                        Reason.PLAN_TYPES,
                        "a decimal that is chosen, " + columns.get(i).name());
            }
        }
    }

    private static boolean windowsOverGroups(SelectModel model) {
        return model.windowed() && (model.aggregated() || !model.groupBy().isEmpty());
    }

    /** Whether rows are kept in a temporary table to be sorted, by some plans. */
    private static boolean sortedJoin(SelectModel model) {
        return !model.aggregated()
                && model.groupBy().isEmpty()
                && !model.orderBy().isEmpty()
                && model.tables().size() > 1;
    }

    /** The columns as the execution would have given them by that plan; the same objects where nothing changes. */
    private static List<Column> executed(List<ExplainedTable> explained, SelectModel model, List<Column> columns)
            throws Abandoned {
        boolean temporary = windowsOverRows(model) || temporary(explained);
        // a plan that joins may keep rows in a temporary table and not say so
        boolean joinedRollup = model.rollup() && model.tables().size() > 1;
        if (!temporary && !model.windowed() && !joinedRollup || model.items().size() != columns.size()) {
            return columns;
        }
        boolean merged =
                !model.derived().isEmpty() && model.tables().stream().anyMatch(table -> MERGED.contains(table.place()));
        if (merged && !known(model, explained)) {
            throw new Abandoned(Reason.PLAN_TYPES, "derived tables beside others, or not merged");
        }
        if (!merged && !model.derived().isEmpty()) {
            refuseUnmeasured(model, columns);
        }
        boolean unclear = !temporary || joinedRollup;
        List<Column> fields = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            Column column = columns.get(i);
            Expr expr = model.items().get(i).expr();
            Column field = merged ? column.withType(ofMerged(model, column, expr)) : executed(column, expr);
            boolean key = model.rollup()
                    && column.type().isInteger()
                    && expr.aggregates().isEmpty();
            if (unclear && (field.type() != column.type() || key && temporaryUnknown(model))) {
                throw new Abandoned(
                        model.rollup() ? Reason.ROLLUP : Reason.WINDOW,
                        "the type of " + column.name() + " depends on the server's plan");
            }
            fields.add(unclear ? column : field);
        }
        return fields;
    }

    private static List<byte[]> redefined(List<byte[]> definitions, List<Column> columns, List<Column> fields)
            throws ProtocolException {
        List<byte[]> redefined = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            Column field = fields.get(i);
            boolean same = field.equals(columns.get(i));
            redefined.add(same ? definitions.get(i) : ServerPacket.redefined(definitions.get(i), field));
        }
        return redefined;
    }

    /** Refuses approximate numbers beside sums that the server makes of what it reads by another plan, perhaps. */
    static void refuseSums(StatementDraft draft, List<Column> columns) throws Abandoned {
        for (Column column : columns) {
            if (FLOATING.contains(column.type()) && column.computed() && draft.sumsOutside()) {
                throw new Abandoned(Reason.APPROXIMATE, column.name() + " beside a sum outside of what is folded");
            }
        }
    }

    /**
     * Checks the definitions of set operations: where texts and unsigned numbers meet, PREPARE calls the text unsigned, and
     * the execution may not. A byte string of fixed length is filled up to the longest that may come of any branch, and of
     * numbers the folded ones may be longer.
     */
    static void requireCertain(List<Column> columns, boolean mariaDb) throws Abandoned {
        for (Column column : columns) {
            if (column.type() == ColumnType.STRING && column.binaryString()) {
                throw new Abandoned(Reason.PLAN_TYPES, "a BINARY out of a set operation");
            }
            if (!mariaDb && column.type().isString() && column.unsigned()) {
                throw new Abandoned(Reason.PLAN_TYPES, "an unsigned text out of a set operation");
            }
        }
    }

    /**
     * The same for MariaDB, where the length of an extreme of floating-point numbers is that of a column if it was kept in a
     * temporary table. Refuses a computed CHAR such as NULLIF's, which comes as VARCHAR out of one, a floating-point number of a
     * fixed number of digits such as FLOOR's, which is cut to its length in one, and a BIT that the rest of a statement shows, which
     * comes as a number.
     *
     * @param framed whether folded blocks stand inside the statement
     * @param bytesPerCharacter how many bytes lengths count for a character, by the id of a collation
     */
    static List<byte[]> ofMariaDb(
            SelectModel model,
            boolean framed,
            List<byte[]> definitions,
            List<Column> columns,
            List<ExplainedTable> explained,
            IntUnaryOperator bytesPerCharacter)
            throws ProtocolException, Abandoned {
        if (framed && columns.stream().anyMatch(column -> column.type() == ColumnType.BIT)) {
            throw new Abandoned(Reason.PLAN_TYPES, "a BIT in a statement around what is folded");
        }
        for (Column column : columns) {
            refuseFull(model, column);
            if (sortedJoin(model) && column.computed() && fixed(column)) {
                throw new Abandoned(Reason.PLAN_TYPES, "the computed floating-point number " + column.name());
            }
        }
        // behind a star the columns are not the select list's
        if (model.items().size() != columns.size()) {
            return definitions;
        }
        boolean temporary = temporary(explained);
        List<Column> fields = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            Column column = columns.get(i);
            Expr expr = model.items().get(i).expr();
            boolean text = column.type() == ColumnType.STRING && !column.enumOrSet();
            // a client with extended metadata gets the name of a type that another client gets as CHAR
            if ((text || column.type().isNamed()) && expr.kind() == Expr.Kind.OTHER) {
                throw new Abandoned(Reason.PLAN_TYPES, "the computed CHAR " + column.name());
            }
            boolean extreme = expr.kind() == Expr.Kind.AGGREGATE
                    && EXTREMES.contains(expr.aggregates().get(0).function());
            if (extreme && column.type() == ColumnType.FLOAT && distinctAggregates(model)) {
                throw new Abandoned(Reason.PLAN_TYPES, "the length of the FLOAT " + column.name());
            }
            Column field =
                    temporary ? executed(column, expr, bytesPerCharacter.applyAsInt(column.collationId())) : column;
            // windows over rows keep them under their aliases
            boolean named = temporary
                    && windowsOverRows(model)
                    && kept(column, expr)
                    && expr.windows().isEmpty();
            fields.add(named ? field.withOrgName(column.name()) : field);
        }
        return redefined(definitions, columns, fields);
    }

    private static Column executed(Column column, Expr expr, int bytesPerCharacter) {
        if (expr.kind() == Expr.Kind.AGGREGATE) {
            return TemporaryTableColumn.ofMariaDb(column, expr.aggregates().get(0), bytesPerCharacter);
        }
        if (expr.kind() == Expr.Kind.COLUMN) {
            return TemporaryTableColumn.ofColumn(column);
        }
        boolean kept = expr.windows().isEmpty() && kept(column, expr);
        return kept ? TemporaryTableColumn.ofMariaDb(column, expr.tokens(), bytesPerCharacter) : column;
    }

    /** Whether groups may be made of sorted rows, since an aggregate takes different values only. */
    private static boolean distinctAggregates(SelectModel model) {
        Stream<Expr> sorted = model.orderBy().stream().map(SelectModel.OrderItem::expr);
        Stream<Expr> shown = model.items().stream().map(SelectModel.SelectItem::expr);
        return Stream.of(shown, model.having().stream(), sorted)
                .flatMap(exprs -> exprs)
                .flatMap(expr -> expr.aggregates().stream())
                .anyMatch(AggregateCall::distinct);
    }

    /** Whether a floating-point number has a fixed number of digits behind the point. */
    private static boolean fixed(Column column) {
        return (column.type() == ColumnType.DOUBLE || column.type() == ColumnType.FLOAT) && column.digitsFixed();
    }

    private static boolean windowsOverRows(SelectModel model) {
        return model.windowed() && model.groupBy().isEmpty() && !model.aggregated();
    }

    private static boolean temporary(List<ExplainedTable> explained) {
        return explained.stream()
                .anyMatch(table -> table.select() == 1 && table.extra().contains("Using temporary"));
    }

    /** A derived table that is merged over one that is not has columns of a kind that was not measured. */
    private static void refuseUnmeasured(SelectModel model, List<Column> columns) throws Abandoned {
        if (columns.stream().anyMatch(column -> column.type() == ColumnType.YEAR)) {
            throw new Abandoned(Reason.PLAN_TYPES, "a YEAR out of a derived table");
        }
        if (model.derived().stream()
                .anyMatch(derived -> derived.block()
                        .map(block -> block.plain() && !block.derived().isEmpty())
                        .orElse(false))) {
            throw new Abandoned(Reason.PLAN_TYPES, "a derived table over a derived table");
        }
    }

    /** Where tables are joined, the plan does not tell whether ROLLUP makes its rows in a temporary table. */
    private static boolean temporaryUnknown(SelectModel model) {
        return model.tables().size() > 1;
    }

    /** Whether every column comes out of derived tables that were merged into the statement. */
    private static boolean known(SelectModel model, List<ExplainedTable> explained) {
        return model.tables().stream().noneMatch(table -> table.place() == Place.FROM)
                && explained.stream().allMatch(table -> table.select() == 1);
    }

    /** The same where the columns are those of merged derived tables, which a temporary table makes anew. */
    private static ColumnType ofMerged(SelectModel model, Column column, Expr expr) {
        boolean integer = SHORTER.contains(column.type());
        if (expr.kind() == Expr.Kind.AGGREGATE) {
            return integer && EXTREMES.contains(expr.aggregates().get(0).function())
                    ? ColumnType.LONGLONG
                    : column.type();
        }
        if (expr.kind() != Expr.Kind.COLUMN) {
            return executed(column, expr).type();
        }
        boolean shortened = integer || column.type() == ColumnType.LONGLONG && column.length() <= MAX_LONG_LENGTH;
        return shortened && !isColumn(model, expr.columns().get(0)) ? ColumnType.LONG : column.type();
    }

    /** Whether a derived table's column is one of a table below it; only where several have the name it is not found. */
    private static boolean isColumn(SelectModel model, ColumnRef name) {
        for (Derived derived : model.derived()) {
            if (name.qualifier() != null && !name.qualifier().equalsIgnoreCase(derived.alias())) {
                continue;
            }
            int index = derived.columns()
                    .map(columns -> columns.indexOf(name.name().toLowerCase(Locale.ROOT)))
                    .orElse(-1);
            if (index >= 0) {
                if (derived.block().isEmpty()) {
                    return false;
                }
                SelectModel block = derived.block().get();
                Expr inner = block.items().get(index).expr();
                return inner.kind() == Expr.Kind.COLUMN
                        && (block.derived().isEmpty()
                                || isColumn(block, inner.columns().get(0)));
            }
        }
        // behind a star: a column, for an expression would have been found by its name
        return true;
    }

    private static Column executed(Column column, Expr expr) {
        if (kept(column, expr)) {
            return TemporaryTableColumn.ofMySql(
                    column, column.length() <= MAX_LONG_LENGTH ? ColumnType.LONG : ColumnType.LONGLONG);
        }
        if (expr.kind() == Expr.Kind.AGGREGATE) {
            return TemporaryTableColumn.ofMySql(column, expr.aggregates().get(0), isComputedExtreme(expr));
        }
        return expr.kind() == Expr.Kind.COLUMN ? TemporaryTableColumn.ofColumn(column) : column;
    }

    /** Whether a temporary table has a field for the expression itself. */
    private static boolean kept(Column column, Expr expr) {
        boolean field = !column.orgName().isEmpty();
        boolean window = expr.windows().stream().anyMatch(call -> call.span().equals(expr.span()));
        boolean constant = expr.columns().isEmpty() && expr.windows().isEmpty();
        return window || !field && !constant && expr.aggregates().isEmpty();
    }

    private static boolean isComputedExtreme(Expr expr) {
        AggregateCall call = expr.aggregates().get(0);
        boolean extreme = call.function() == AggregateFunction.MIN || call.function() == AggregateFunction.MAX;
        return extreme
                && expr.columns().stream()
                        .noneMatch(
                                column -> column.span().equals(call.arguments().get(0)));
    }
}
