package io.fanfold.fuzz;

import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import java.util.ArrayList;
import java.util.List;

/**
 * Removes the properties of column definitions that differ between two plans of one statement, since they depend on
 * whether the server used a temporary table. In computed columns these are:
 *
 * <ul>
 * <li>the integer type (MySQL)
 * <li>the length of numbers, by one place for the sign
 * <li>the type and the length of long strings
 * <li>whether a temporal value is unsigned (MariaDB)
 * </ul>
 *
 * <p>Names, type families, signs of numbers, decimals and collations are kept, and so are the definitions of plain
 * columns. Stateless.
 */
final class PlanTraces {
    /** From this length on a string may be a BLOB in a temporary table. */
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
