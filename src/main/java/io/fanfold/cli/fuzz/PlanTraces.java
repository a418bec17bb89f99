package io.fanfold.cli.fuzz;

import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import java.util.ArrayList;
import java.util.List;

/**
 * Takes out of column definitions what depends on whether the server happened to use a temporary table: two plans of one
 * statement differ in it. Of computed columns these are: which of the types of whole numbers it is (MySQL); the length of
 * numbers, by a place for the sign; which of the long strings it is, and its length; whether a moment is unsigned (MariaDB).
 * Names, families of types, signs of numbers, digits behind the point and collations stay. Definitions of plain columns stay
 * whole. Without state.
 */
final class PlanTraces {
    /** From here on a string may be a BLOB in a temporary table. */
    private static final int LONG_STRING = 512;

    private PlanTraces() {}

    static List<Column> without(Statement statement, List<Column> columns) {
        List<Column> kept = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            kept.add(computed(statement, i) ? without(columns.get(i)) : columns.get(i));
        }
        return kept;
    }

    private static boolean computed(Statement statement, int column) {
        return !(statement instanceof Query query)
                || column >= query.items().size()
                || query.items().get(column).expr().role() != Expr.Role.COLUMN;
    }

    private static Column without(Column column) {
        return switch (column.type()) {
            case TINY, SHORT, INT24, LONG, LONGLONG, YEAR -> with(column, ColumnType.LONGLONG, 0, column.flags());
            case DOUBLE, DECIMAL, NEWDECIMAL -> with(column, column.type(), 0, column.flags());
            case DATE, DATETIME, TIME, TIMESTAMP ->
                with(column, column.type(), column.length(), column.flags() & ~Column.Flags.UNSIGNED);
            case STRING, VAR_STRING, TINY_BLOB, BLOB, MEDIUM_BLOB, LONG_BLOB ->
                column.length() >= LONG_STRING || column.length() == 0
                        ? with(column, ColumnType.BLOB, 0, column.flags())
                        : column;
            default -> column;
        };
    }

    private static Column with(Column column, ColumnType type, long length, int flags) {
        return new Column(
                column.schema(),
                column.table(),
                column.orgTable(),
                column.name(),
                column.orgName(),
                column.collationId(),
                length,
                type,
                flags,
                column.decimals());
    }
}
