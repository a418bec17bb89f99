package io.fanfold.execute;

import io.fanfold.plan.ExplainedTable;
import io.fanfold.plan.LogicalStatement;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.sql.AggregateFunction;
import io.fanfold.sql.Expr;
import io.fanfold.sql.Expr.AggregateCall;
import io.fanfold.sql.Expr.ColumnRef;
import io.fanfold.sql.FunctionFacts.ChoiceWidth;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SelectModel.Derived;
import io.fanfold.sql.SelectModel.TablePlace;
import io.fanfold.wire.ProtocolException;
import io.fanfold.wire.ServerFlavor;
import io.fanfold.wire.ServerPacket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import java.util.stream.Stream;

/**
 * Corrects column definitions for which MySQL's execution returns other types than its PREPARE. Drivers return other
 * classes for other types, so the types must be exact.
 *
 * <p>A temporary table keeps values that are computed before its rows are complete. Integers read from its fields are
 * LONG up to nine digits and LONGLONG beyond that; CHAR becomes VARCHAR.
 *
 * <ul>
 *   <li>Fields hold expressions without aggregates, including the keys of ROLLUP, and whole calls of window functions.
 *   <li>MIN and MAX have the type of their argument's field if that is a column; any other integer is LONGLONG.
 *   <li>Expressions over aggregates are computed from fields, and have the types of PREPARE.
 * </ul>
 *
 * <p>Two cases are refused. A computed BIT, such as IF over columns of several lengths, loses bits in such a table. A
 * computed decimal of 65 digits may be cut in it, and the plan decides whether joined rows are sorted in one.
 *
 * <p>Window functions over plain rows always use such a table, though the plan does not show it. For ROLLUP over a join
 * the plan does not say whether there is one. Neither does it for window functions over groups if it shows none. In
 * these cases only statements without such columns are split.
 *
 * <p>Measured on MySQL 9.7.4 with 150 expressions over 20 types. MariaDB's types differ only for computed CHARs, and
 * its lengths only for FLOATs.
 */
final class PlanDependentTypes {
    /** Longer integers, sign included, stay LONGLONG. */
    private static final int MAX_LONG_LENGTH = 9;

    /** The maximum precision of a decimal. */
    private static final int MAX_PRECISION = 65;

    private static final Set<ColumnType> SHORTER =
            Set.of(ColumnType.TINY, ColumnType.SHORT, ColumnType.INT24, ColumnType.LONG, ColumnType.YEAR);

    private static final Set<AggregateFunction> MIN_AND_MAX = Set.of(AggregateFunction.MIN, AggregateFunction.MAX);

    private static final Set<ColumnType> FLOATING = Set.of(ColumnType.DOUBLE, ColumnType.FLOAT);

    /** Places of tables in relations that the server may merge into the statement. */
    private static final Set<TablePlace> MERGED = Set.of(TablePlace.DERIVED, TablePlace.WITH);

    /** A plan with a temporary table: if types ever differ from PREPARE's, they do under this plan. */
    private static final List<ExplainedTable> TEMPORARY =
            List.of(new ExplainedTable(1, "", List.of(), "", 0, "Using temporary"));

    private PlanDependentTypes() {}

    /**
     * Returns the definitions as the execution would have sent them.
     *
     * @param definitions the payloads of PREPARE's column definitions
     * @param columns the same definitions, decoded
     * @param explained the server's plan for the statement; empty if unknown, and then the types must not depend on it
     */
    static List<byte[]> corrected(
            SelectModel model, List<byte[]> definitions, List<Column> columns, List<ExplainedTable> explained)
            throws ProtocolException, RefusedException {
        for (Column column : columns) {
            if (column.type() == ColumnType.BIT && column.computed()) {
                throw new RefusedException(Reason.PLAN_TYPES, "the computed BIT " + column.name());
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
                throw new RefusedException(Reason.PLAN_TYPES, "a plan that was not asked for");
            }
        }
        return definitions;
    }

    /**
     * Refuses a computed decimal of the maximum precision: it has more digits outside a temporary table than in one.
     * Windows over groups are computed in one, by the server or by Fanfold's final query.
     */
    private static void refuseFull(SelectModel model, Column column) throws RefusedException {
        if ((sortedJoin(model) || windowsOverGroups(model))
                && column.decimal()
                && column.computed()
                && column.precision() >= MAX_PRECISION) {
            throw new RefusedException(Reason.PLAN_TYPES, "a computed decimal with all the digits there are");
        }
    }

    /**
     * Refuses a decimal chosen among numbers of fewer decimals, next to windows over groups, as in
     * {@code IF(g, MAX(dec), g)}. MySQL 9.7.4 shows it with the decimals of the chosen number, but from a temporary
     * table with those of all of them.
     */
    private static void refuseChoices(SelectModel model, List<Column> columns) throws RefusedException {
        if (!windowsOverGroups(model) || model.items().size() != columns.size()) {
            return;
        }
        for (int i = 0; i < columns.size(); i++) {
            Expr expr = model.items().get(i).expr();
            boolean chosen = model.words(expr.outer()).hold(known -> known.chooses() != ChoiceWidth.NONE);
            if (chosen && columns.get(i).decimal() && !expr.aggregates().isEmpty()) {
                throw new RefusedException(
                        Reason.PLAN_TYPES,
                        "a decimal that is chosen, " + columns.get(i).name());
            }
        }
    }

    private static boolean windowsOverGroups(SelectModel model) {
        return model.windowed() && (model.aggregated() || !model.groupBy().isEmpty());
    }

    /** Whether some plans keep the rows in a temporary table to sort them. */
    private static boolean sortedJoin(SelectModel model) {
        return !model.aggregated()
                && model.groupBy().isEmpty()
                && !model.orderBy().isEmpty()
                && model.tables().size() > 1;
    }

    /**
     * Returns the columns as the execution under that plan would have defined them; unchanged ones are the same
     * objects.
     */
    private static List<Column> executed(List<ExplainedTable> explained, SelectModel model, List<Column> columns)
            throws RefusedException {
        boolean temporary = windowsOverRows(model) || temporary(explained);
        // a plan that joins may keep rows in a temporary table without showing it
        boolean joinedRollup = model.rollup() && model.tables().size() > 1;
        if (!temporary && !model.windowed() && !joinedRollup || model.items().size() != columns.size()) {
            return columns;
        }
        boolean merged =
                !model.derived().isEmpty() && model.tables().stream().anyMatch(table -> MERGED.contains(table.place()));
        if (merged && !known(model, explained)) {
            throw new RefusedException(Reason.PLAN_TYPES, "derived tables beside others, or not merged");
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
                throw new RefusedException(
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

    /**
     * Refuses computed approximate numbers next to sums outside the split blocks: the server may compute these sums
     * under another plan.
     */
    static void refuseSums(LogicalStatement logical, List<Column> columns) throws RefusedException {
        for (Column column : columns) {
            if (FLOATING.contains(column.type()) && column.computed() && logical.sumsOutside()) {
                throw new RefusedException(
                        Reason.APPROXIMATE, column.name() + " beside a sum outside of the split block");
            }
        }
    }

    /**
     * Refuses uncertain definitions of set operations. If texts and unsigned numbers meet, PREPARE calls the text
     * unsigned, but the execution may not. A BINARY is padded to the longest value of any branch, and folded numbers
     * may be longer.
     */
    static void requireCertain(List<Column> columns, ServerFlavor flavor) throws RefusedException {
        for (Column column : columns) {
            if (column.type() == ColumnType.STRING && column.binaryString()) {
                throw new RefusedException(Reason.PLAN_TYPES, "a BINARY out of a set operation");
            }
            if (flavor.isMySql() && column.type().isString() && column.unsigned()) {
                throw new RefusedException(Reason.PLAN_TYPES, "an unsigned text out of a set operation");
            }
        }
    }

    /**
     * Returns the definitions as a MariaDB execution would have sent them. There MIN and MAX of floating-point numbers
     * have the length of a column if they were kept in a temporary table.
     *
     * <p>Refuses a computed CHAR such as NULLIF's, which a temporary table makes a VARCHAR. Refuses a floating-point
     * number of a fixed number of digits such as FLOOR's, which a temporary table cuts to its length. Refuses a BIT in
     * a statement around split blocks, which becomes a number.
     *
     * @param framed whether split blocks are inside the statement
     * @param bytesPerCharacter the bytes that lengths count for a character, by collation id
     */
    static List<byte[]> ofMariaDb(
            SelectModel model,
            boolean framed,
            List<byte[]> definitions,
            List<Column> columns,
            List<ExplainedTable> explained,
            IntUnaryOperator bytesPerCharacter)
            throws ProtocolException, RefusedException {
        if (framed && columns.stream().anyMatch(column -> column.type() == ColumnType.BIT)) {
            throw new RefusedException(Reason.PLAN_TYPES, "a BIT in a statement around the split block");
        }
        for (Column column : columns) {
            refuseFull(model, column);
            if (sortedJoin(model) && column.computed() && fixed(column)) {
                throw new RefusedException(Reason.PLAN_TYPES, "the computed floating-point number " + column.name());
            }
        }
        // with a star in the select list, its items do not match the columns
        if (model.items().size() != columns.size()) {
            return definitions;
        }
        boolean temporary = temporary(explained);
        List<Column> fields = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            Column column = columns.get(i);
            Expr expr = model.items().get(i).expr();
            boolean text = column.type() == ColumnType.STRING && !column.enumOrSet();
            // with extended metadata, a client gets the type's name for a type that other clients see as CHAR
            if ((text || column.type().isNamed()) && expr.kind() == Expr.ExprKind.OTHER) {
                throw new RefusedException(Reason.PLAN_TYPES, "the computed CHAR " + column.name());
            }
            boolean minMax = expr.kind() == Expr.ExprKind.AGGREGATE
                    && MIN_AND_MAX.contains(expr.aggregates().get(0).function());
            if (minMax && column.type() == ColumnType.FLOAT && distinctAggregates(model)) {
                throw new RefusedException(Reason.PLAN_TYPES, "the length of the FLOAT " + column.name());
            }
            Column field = temporary
                    ? executed(model, column, expr, bytesPerCharacter.applyAsInt(column.collationId()))
                    : column;
            // window functions over rows name the fields after the aliases
            boolean named = temporary
                    && windowsOverRows(model)
                    && kept(column, expr)
                    && expr.windows().isEmpty();
            fields.add(named ? field.withOrgName(column.name()) : field);
        }
        return redefined(definitions, columns, fields);
    }

    private static Column executed(SelectModel model, Column column, Expr expr, int bytesPerCharacter) {
        if (expr.kind() == Expr.ExprKind.AGGREGATE) {
            return TemporaryTableColumn.ofMariaDb(column, expr.aggregates().get(0), bytesPerCharacter);
        }
        if (expr.kind() == Expr.ExprKind.COLUMN) {
            return TemporaryTableColumn.ofColumn(column);
        }
        boolean kept = expr.windows().isEmpty() && kept(column, expr);
        return kept
                ? TemporaryTableColumn.ofMariaDb(
                        column, model.words(expr.outer()).areNegation(), bytesPerCharacter)
                : column;
    }

    /** Whether groups may be made from sorted rows because of a DISTINCT aggregate. */
    private static boolean distinctAggregates(SelectModel model) {
        Stream<Expr> sorted = model.orderBy().stream().map(SelectModel.OrderItem::expr);
        Stream<Expr> shown = model.items().stream().map(SelectModel.SelectItem::expr);
        return Stream.of(shown, model.having().stream(), sorted)
                .flatMap(exprs -> exprs)
                .flatMap(expr -> expr.aggregates().stream())
                .anyMatch(AggregateCall::distinct);
    }

    /** Whether a floating-point number has a fixed number of decimals. */
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

    /** Refuses columns that were not measured: a YEAR, and a merged derived table over one that is not merged. */
    private static void refuseUnmeasured(SelectModel model, List<Column> columns) throws RefusedException {
        if (columns.stream().anyMatch(column -> column.type() == ColumnType.YEAR)) {
            throw new RefusedException(Reason.PLAN_TYPES, "a YEAR out of a derived table");
        }
        if (model.derived().stream()
                .anyMatch(derived -> derived.block()
                        .map(block -> block.plain() && !block.derived().isEmpty())
                        .orElse(false))) {
            throw new RefusedException(Reason.PLAN_TYPES, "a derived table over a derived table");
        }
    }

    /** Whether it is unknown if ROLLUP uses a temporary table: for joins the plan does not say. */
    private static boolean temporaryUnknown(SelectModel model) {
        return model.tables().size() > 1;
    }

    /** Whether every column is one of derived tables that were merged into the statement. */
    private static boolean known(SelectModel model, List<ExplainedTable> explained) {
        return model.tables().stream().noneMatch(table -> table.place() == TablePlace.FROM)
                && explained.stream().allMatch(table -> table.select() == 1);
    }

    /** Returns the type in a temporary table of a column that belongs to merged derived tables. */
    private static ColumnType ofMerged(SelectModel model, Column column, Expr expr) {
        boolean integer = SHORTER.contains(column.type());
        if (expr.kind() == Expr.ExprKind.AGGREGATE) {
            return integer && MIN_AND_MAX.contains(expr.aggregates().get(0).function())
                    ? ColumnType.LONGLONG
                    : column.type();
        }
        if (expr.kind() != Expr.ExprKind.COLUMN) {
            return executed(column, expr).type();
        }
        boolean shortened = integer || column.type() == ColumnType.LONGLONG && column.length() <= MAX_LONG_LENGTH;
        return shortened && !isColumn(model, expr.columns().get(0)) ? ColumnType.LONG : column.type();
    }

    /**
     * Whether a derived table's column is a column of a table below it. Not found if several columns have that name.
     */
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
                return inner.kind() == Expr.ExprKind.COLUMN
                        && (block.derived().isEmpty()
                                || isColumn(block, inner.columns().get(0)));
            }
        }
        // with a star it is a column: an expression would have been found by its name
        return true;
    }

    private static Column executed(Column column, Expr expr) {
        if (kept(column, expr)) {
            return TemporaryTableColumn.ofMySql(
                    column, column.length() <= MAX_LONG_LENGTH ? ColumnType.LONG : ColumnType.LONGLONG);
        }
        if (expr.kind() == Expr.ExprKind.AGGREGATE) {
            return TemporaryTableColumn.ofMySql(column, expr.aggregates().get(0), isComputedMinMax(expr));
        }
        return expr.kind() == Expr.ExprKind.COLUMN ? TemporaryTableColumn.ofColumn(column) : column;
    }

    /** Whether a temporary table has a field for the whole expression. */
    private static boolean kept(Column column, Expr expr) {
        boolean field = !column.orgName().isEmpty();
        boolean window = expr.windows().stream().anyMatch(call -> call.span().equals(expr.outer()));
        boolean constant = expr.columns().isEmpty() && expr.windows().isEmpty();
        return window || !field && !constant && expr.aggregates().isEmpty();
    }

    private static boolean isComputedMinMax(Expr expr) {
        AggregateCall call = expr.aggregates().get(0);
        boolean minMax = call.function() == AggregateFunction.MIN || call.function() == AggregateFunction.MAX;
        return minMax
                && expr.columns().stream()
                        .noneMatch(column ->
                                column.span().equals(call.arguments().get(0).outer()));
    }
}
