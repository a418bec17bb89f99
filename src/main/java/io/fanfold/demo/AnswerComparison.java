package io.fanfold.demo;

import io.fanfold.row.Column;
import io.fanfold.row.Row;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Decides whether two answers to one statement are equal. */
public final class AnswerComparison {
    private AnswerComparison() {}

    /**
     * Compares the column definitions as far as they do not depend on the plan. Then compares the rows byte by byte as
     * a multiset, and the order of the sort columns.
     *
     * @param sortColumns result columns that the statement sorts by, from 0; empty if the order is free
     * @return "" if they are equal, otherwise the first difference
     */
    public static String difference(SqlAnswer expected, SqlAnswer actual, List<Integer> sortColumns) {
        String columns = columns(expected.columns(), actual.columns());
        if (!columns.isEmpty()) {
            return columns;
        }
        if (expected.rows().size() != actual.rows().size()) {
            return expected.rows().size() + " rows direct, " + actual.rows().size() + " through the proxy";
        }
        Map<String, Integer> counts = new HashMap<>();
        expected.rows().forEach(row -> counts.merge(bytes(row), 1, Integer::sum));
        for (Row row : actual.rows()) {
            Integer left = counts.merge(bytes(row), -1, Integer::sum);
            if (left < 0) {
                return "row only through the proxy: " + row;
            }
        }
        return order(expected.rows(), actual.rows(), sortColumns);
    }

    /**
     * Compares column definitions as far as they do not depend on the plan.
     *
     * @return "" if they are equal, otherwise the first difference
     */
    public static String columns(List<Column> expected, List<Column> actual) {
        if (expected.size() != actual.size()) {
            return expected.size() + " columns direct, " + actual.size() + " through the proxy";
        }
        for (int i = 0; i < expected.size(); i++) {
            String direct = shown(expected.get(i));
            String proxied = shown(actual.get(i));
            if (!direct.equals(proxied)) {
                return "column " + (i + 1) + ": direct " + direct + ", through the proxy " + proxied;
            }
        }
        return "";
    }

    /**
     * Returns the part of a definition that does not depend on the plan. A temporary table drops flags of numbers, and
     * changes the decimals of strings, which mean nothing there.
     */
    private static String shown(Column column) {
        return column.name() + " " + column.type() + " length " + column.length() + " collation "
                + column.collationId()
                + (column.unsigned() ? " unsigned" : "")
                + (column.enumOrSet() ? " enum or set" : "")
                + (column.type().isString() ? "" : " decimals " + column.decimals());
    }

    private static String order(List<Row> expected, List<Row> actual, List<Integer> sortColumns) {
        for (int i = 0; i < expected.size(); i++) {
            for (int column : sortColumns) {
                if (!value(expected.get(i), column).equals(value(actual.get(i), column))) {
                    return "order differs at row " + (i + 1) + ": direct " + expected.get(i) + ", through the proxy "
                            + actual.get(i);
                }
            }
        }
        return "";
    }

    private static String value(Row row, int column) {
        String text = row.ascii(column);
        return text == null ? "NULL" : "=" + text;
    }

    private static String bytes(Row row) {
        return new String(row.payload(), StandardCharsets.ISO_8859_1);
    }
}
