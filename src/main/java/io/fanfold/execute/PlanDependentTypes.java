package io.fanfold.execute;

import io.fanfold.metrics.Reason;
import io.fanfold.plan.ExplainedTable;
import io.fanfold.protocol.ProtocolException;
import io.fanfold.protocol.ServerPacket;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SelectModel.AggregateFunction;
import io.fanfold.sql.SelectModel.ColumnRef;
import io.fanfold.sql.SelectModel.Derived;
import io.fanfold.sql.SelectModel.Expr;
import io.fanfold.sql.SelectModel.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Corrects column definitions where MySQL's execution answers with other types than its PREPARE. Where a temporary table
 * is used, computed integers come out of that table's fields: up to nine digits as LONG instead of LONGLONG, and what was
 * a YEAR as LONG too, or as LONGLONG out of an aggregate of an expression. Drivers give other classes for them, so they have to be right.
 * Measured on MySQL 9.7.4 with 30 expressions; MariaDB's types do not differ.
 */
final class PlanDependentTypes {
    /** Integers of more characters, sign included, stay LONGLONG. */
    private static final int MAX_LONG_LENGTH = 9;

    private static final Set<ColumnType> SHORTER =
            Set.of(ColumnType.TINY, ColumnType.SHORT, ColumnType.INT24, ColumnType.LONG, ColumnType.YEAR);

    private static final Set<AggregateFunction> EXTREMES = Set.of(AggregateFunction.MIN, AggregateFunction.MAX);

    private PlanDependentTypes() {}

    /**
     * The definitions as the execution would have given them.
     *
     * @param definitions the payloads as PREPARE gave them
     * @param columns the same, decoded
     * @param explained the server's plan for the statement
     */
    static List<byte[]> corrected(
            SelectModel model, List<byte[]> definitions, List<Column> columns, List<ExplainedTable> explained)
            throws ProtocolException, Abandoned {
        boolean temporary = explained.stream()
                .anyMatch(table -> table.select() == 1 && table.extra().contains("Using temporary"));
        if (!temporary || model.items().size() != columns.size()) {
            return definitions;
        }
        boolean merged =
                !model.derived().isEmpty() && model.tables().stream().anyMatch(table -> table.place() == Place.DERIVED);
        if (merged && !known(model, explained)) {
            throw new Abandoned(Reason.PLAN_TYPES, "derived tables beside others, or not merged");
        }
        if (!merged
                && !model.derived().isEmpty()
                && columns.stream().anyMatch(column -> column.type() == ColumnType.YEAR)) {
            throw new Abandoned(Reason.PLAN_TYPES, "a YEAR out of a derived table");
        }
        List<byte[]> corrected = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            Column column = columns.get(i);
            Expr expr = model.items().get(i).expr();
            ColumnType type = merged ? ofMerged(model, column, expr) : executed(column, expr);
            corrected.add(type == column.type() ? definitions.get(i) : ServerPacket.withType(definitions.get(i), type));
        }
        return corrected;
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
            return executed(column, expr);
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
                Expr inner = derived.block().items().get(index).expr();
                return inner.kind() == Expr.Kind.COLUMN
                        && (derived.block().derived().isEmpty()
                                || isColumn(derived.block(), inner.columns().get(0)));
            }
        }
        // behind a star: a column, for an expression would have been found by its name
        return true;
    }

    private static ColumnType executed(Column column, Expr expr) {
        if (!column.orgName().isEmpty() || expr.columns().isEmpty()) {
            return column.type();
        }
        if (column.type() == ColumnType.YEAR) {
            if (expr.aggregates().isEmpty()) {
                return ColumnType.LONG;
            }
            return extremeOfColumn(expr) ? ColumnType.YEAR : ColumnType.LONGLONG;
        }
        boolean shortInteger = column.type() == ColumnType.LONGLONG && column.length() <= MAX_LONG_LENGTH;
        return shortInteger && expr.aggregates().isEmpty() ? ColumnType.LONG : column.type();
    }

    /** Whether an expression is MIN or MAX of nothing but a column, which keeps its type. */
    private static boolean extremeOfColumn(Expr expr) {
        return expr.kind() == Expr.Kind.AGGREGATE
                && expr.aggregates().get(0).arguments().stream()
                        .allMatch(argument ->
                                expr.columns().stream().anyMatch(c -> c.span().equals(argument)));
    }
}
