package io.fanfold.cli.demo;

import io.fanfold.row.Column;
import io.fanfold.row.Row;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Whether two answers to one statement are the same answer. */
public final class AnswerComparison {
    private AnswerComparison() {}

    /**
     * Compares column definitions as far as they do not depend on the plan, then rows byte by byte as a multiset, then
     * the order of the sort columns.
     *
     * @param sortColumns result columns that the statement sorts by, from 0; none when the order is free
     * @return "" when they are the same, else the first difference
     */
    static String difference(SqlAnswer expected, SqlAnswer actual, List<Integer> sortColumns) {
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
     * @return "" when they are the same, else the first difference
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
     * What of a definition does not depend on the plan that the server happens to choose: a temporary table drops flags
     * of numbers and changes the decimals of strings, which mean nothing there.
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
