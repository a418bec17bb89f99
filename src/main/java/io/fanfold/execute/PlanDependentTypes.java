package io.fanfold.execute;

import io.fanfold.plan.ExplainedTable;
import io.fanfold.protocol.ProtocolException;
import io.fanfold.protocol.ServerPacket;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SelectModel.Expr;
import java.util.ArrayList;
import java.util.List;

/**
 * Corrects column definitions where MySQL's execution answers with other types than its PREPARE. Where a temporary table
 * is used, computed integers come out of that table's fields: up to nine digits as LONG instead of LONGLONG, and what was
 * a YEAR as LONG too, or as LONGLONG out of an aggregate. Drivers give other classes for them, so they have to be right.
 * Measured on MySQL 9.7.4 with 30 expressions; MariaDB's types do not differ.
 */
final class PlanDependentTypes {
    /** Integers of more characters, sign included, stay LONGLONG. */
    private static final int MAX_LONG_LENGTH = 9;

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
            throws ProtocolException {
        boolean temporary = explained.stream()
                .anyMatch(table -> table.select() == 1 && table.extra().contains("Using temporary"));
        if (!temporary || model.items().size() != columns.size()) {
            return definitions;
        }
        List<byte[]> corrected = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            Column column = columns.get(i);
            ColumnType type = executed(column, model.items().get(i).expr());
            corrected.add(type == column.type() ? definitions.get(i) : ServerPacket.withType(definitions.get(i), type));
        }
        return corrected;
    }

    private static ColumnType executed(Column column, Expr expr) {
        if (!column.orgName().isEmpty() || expr.columns().isEmpty()) {
            return column.type();
        }
        if (column.type() == ColumnType.YEAR) {
            return expr.aggregates().isEmpty() ? ColumnType.LONG : ColumnType.LONGLONG;
        }
        boolean shortInteger = column.type() == ColumnType.LONGLONG && column.length() <= MAX_LONG_LENGTH;
        return shortInteger && expr.aggregates().isEmpty() ? ColumnType.LONG : column.type();
    }
}
