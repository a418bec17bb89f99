package io.fanfold.execute;

import io.fanfold.plan.ExplainedTable;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.sql.Expr;
import io.fanfold.sql.Expr.AggregateCall;
import io.fanfold.sql.Expr.ColumnRef;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SelectModel.Derived;
import io.fanfold.wire.ProtocolException;
import io.fanfold.wire.ServerPacket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntUnaryOperator;

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
 * <p>Window functions over plain rows always use such a table, though the plan does not show it. For ROLLUP over a join
 * the plan does not say whether there is one. Neither does it for window functions over groups if it shows none. In
 * these cases only statements without such columns are split.
 *
 * <p>Measured on MySQL 9.7.4 with 150 expressions over 20 types, and on 8.0.31, which needs
 * {@link TemporaryTableColumn#temporal}, with the statements of {@code OtherVersionsIT}. MariaDB's types differ only
 * for computed CHARs, and its lengths only for FLOATs.
 */
final class PlanDependentTypes {
    /** Longer integers, sign included, stay LONGLONG. */
    private static final int MAX_LONG_LENGTH = 9;

    private static final Set<ColumnType> SHORTER =
            Set.of(ColumnType.TINY, ColumnType.SHORT, ColumnType.INT24, ColumnType.LONG, ColumnType.YEAR);

    /**
     * Functions to whose fields later versions of MariaDB give room for a sign. Measured on 10.11.18, 11.4.5 and 11.8.9;
     * 10.11.5 gives them none.
     */
    private static final Set<String> DATE_PARTS = Set.of(
            "YEAR",
            "QUARTER",
            "MONTH",
            "WEEK",
            "WEEKOFYEAR",
            "DAY",
            "DAYOFMONTH",
            "DAYOFYEAR",
            "HOUR",
            "MINUTE",
            "SECOND",
            "MICROSECOND",
            "TO_DAYS");

    /** The units with which EXTRACT does so. With the others it has room for a sign anyway. */
    private static final Set<String> EXTRACTED = Set.of("YEAR", "YEAR_MONTH", "QUARTER", "MONTH", "WEEK");

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
        if (!explained.isEmpty()) {
            return redefined(definitions, columns, executed(explained, model, columns));
        }
        List<Column> fields = executed(TEMPORARY, model, columns);
        for (int i = 0; i < columns.size(); i++) {
            if (differs(fields.get(i), columns.get(i))) {
                throw new RefusedException(Reason.PLAN_TYPES, "a plan that was not asked for");
            }
        }
        return definitions;
    }

    /**
     * Returns the columns as the execution under that plan would have defined them; unchanged ones are the same
     * objects.
     */
    private static List<Column> executed(List<ExplainedTable> explained, SelectModel model, List<Column> columns)
            throws RefusedException {
        boolean temporary = model.windowsOverRows() || temporary(explained);
        // a plan that joins may keep rows in a temporary table without showing it
        boolean joinedRollup = model.rollup() && model.tables().size() > 1;
        if (!temporary && !model.windowed() && !joinedRollup || model.items().size() != columns.size()) {
            return columns;
        }
        boolean merged = model.mergesDerived();
        boolean unclear = !temporary || joinedRollup;
        List<Column> fields = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            Column column = columns.get(i);
            Expr expr = model.items().get(i).expr();
            Column field = merged ? ofMerged(model, column, expr) : executed(column, expr);
            boolean key = model.rollup()
                    && column.type().isInteger()
                    && expr.aggregates().isEmpty();
            if (unclear && (differs(field, column) || key && temporaryUnknown(model))) {
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
     * Returns the definitions as a MariaDB execution would have sent them. There MIN and MAX of floating-point numbers
     * have the length of a column if they were kept in a temporary table. EXPLAIN does not run subqueries, and the
     * execution may find a plan without that table once it knows their values: MIN and MAX of an ENUM or SET then have
     * another type (10.11.5, 10.11.18), and such a column cannot be told from other texts here.
     *
     * @param bytesPerCharacter the bytes that lengths count for a character, by collation id
     * @param signedDateParts {@link ServerProbes#signedDateParts}
     */
    static List<byte[]> ofMariaDb(
            SelectModel model,
            List<byte[]> definitions,
            List<Column> columns,
            List<ExplainedTable> explained,
            IntUnaryOperator bytesPerCharacter,
            boolean signedDateParts)
            throws ProtocolException, RefusedException {
        // with a star in the select list, its items do not match the columns
        if (model.items().size() != columns.size()) {
            return definitions;
        }
        boolean temporary = temporary(explained);
        boolean subqueries = model.where()
                .map(condition -> condition.outer().of(model.sql()).toLowerCase(Locale.ROOT))
                .filter(condition -> condition.contains("select"))
                .isPresent();
        List<Column> fields = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            Column column = columns.get(i);
            Expr expr = model.items().get(i).expr();
            if (subqueries && temporary && column.type().isString() && isMinOrMax(expr)) {
                throw new RefusedException(
                        Reason.PLAN_TYPES, "the type of " + column.name() + " may depend on the values of subqueries");
            }
            Column field = temporary
                    ? executed(model, column, expr, bytesPerCharacter.applyAsInt(column.collationId()))
                    : column;
            // window functions over rows name the fields after the aliases
            boolean named = temporary
                    && model.windowsOverRows()
                    && kept(column, expr)
                    && expr.windows().isEmpty();
            Column renamed = named ? field.withOrgName(column.name()) : field;
            boolean signed = temporary && signedDateParts && isDatePart(model, expr);
            fields.add(signed ? renamed.withLength(renamed.length() + 1) : renamed);
        }
        return redefined(definitions, columns, fields);
    }

    /** Whether an expression, or the merged derived column that it names, is a part of a date. */
    private static boolean isDatePart(SelectModel model, Expr expr) {
        Expr value = expr;
        if (expr.kind() == Expr.ExprKind.COLUMN) {
            Optional<Expr> below =
                    model.mergesDerived() ? below(model, expr.columns().get(0)) : Optional.empty();
            if (below.isEmpty()) {
                return false;
            }
            value = below.get();
        }
        return value instanceof Expr.Call call
                && (call.function().equals("EXTRACT")
                        ? EXTRACTED.contains(call.unit().orElse(""))
                        : DATE_PARTS.contains(call.function()));
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
                        column, model.words(expr.outer()).isNegation(), bytesPerCharacter)
                : column;
    }

    private static boolean isMinOrMax(Expr expr) {
        return expr.kind() == Expr.ExprKind.AGGREGATE
                && expr.aggregates().get(0).function().minOrMax();
    }

    private static boolean temporary(List<ExplainedTable> explained) {
        return explained.stream().anyMatch(table -> table.select() == 1 && table.temporary());
    }

    /** Whether it is unknown if ROLLUP uses a temporary table: for joins the plan does not say. */
    private static boolean temporaryUnknown(SelectModel model) {
        return model.tables().size() > 1;
    }

    /** Whether a definition differs in what drivers make of its values. */
    private static boolean differs(Column field, Column column) {
        return field.type() != column.type()
                || field.collationId() != column.collationId()
                        && !TemporaryTableColumn.temporal(column).equals(column);
    }

    /** The definitions of a set operation on MySQL, whose columns are fields. */
    static List<byte[]> ofSetOperation(List<byte[]> definitions, List<Column> columns) throws ProtocolException {
        return redefined(
                definitions,
                columns,
                columns.stream().map(TemporaryTableColumn::temporal).toList());
    }

    /** Returns the definition in a temporary table of a column that belongs to merged derived tables. */
    private static Column ofMerged(SelectModel model, Column column, Expr expr) {
        Column typed = column.withType(typeOfMerged(model, column, expr));
        boolean field =
                kept(column, expr) || expr.kind() == Expr.ExprKind.AGGREGATE || expr.kind() == Expr.ExprKind.COLUMN;
        return field ? TemporaryTableColumn.temporal(typed) : typed;
    }

    private static ColumnType typeOfMerged(SelectModel model, Column column, Expr expr) {
        boolean integer = SHORTER.contains(column.type());
        if (expr.kind() == Expr.ExprKind.AGGREGATE) {
            return integer && expr.aggregates().get(0).function().minOrMax() ? ColumnType.LONGLONG : column.type();
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
        // with a star it is a column: an expression would have been found by its name
        return derived(model, name).isEmpty()
                || below(model, name)
                        .filter(expr -> expr.kind() == Expr.ExprKind.COLUMN)
                        .isPresent();
    }

    /** Returns what a derived table's column is in the innermost block that names it; empty if unknown. */
    private static Optional<Expr> below(SelectModel model, ColumnRef name) {
        return derived(model, name).flatMap(Derived::block).map(block -> {
            Derived table = derived(model, name).orElseThrow();
            Expr inner = block.items().get(index(table, name)).expr();
            return inner.kind() == Expr.ExprKind.COLUMN
                    ? below(block, inner.columns().get(0)).orElse(inner)
                    : inner;
        });
    }

    /** Returns the derived table that has a column of that name. */
    private static Optional<Derived> derived(SelectModel model, ColumnRef name) {
        return model.derived().stream()
                .filter(table -> name.qualifier() == null || name.qualifier().equalsIgnoreCase(table.alias()))
                .filter(table -> index(table, name) >= 0)
                .findFirst();
    }

    private static int index(Derived table, ColumnRef name) {
        return table.columns()
                .map(columns -> columns.indexOf(name.name().toLowerCase(Locale.ROOT)))
                .orElse(-1);
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
        return call.function().minOrMax()
                && expr.columns().stream()
                        .noneMatch(column ->
                                column.span().equals(call.arguments().get(0).outer()));
    }
}
