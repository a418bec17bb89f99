package io.fanfold.fuzz;

import io.fanfold.demo.SqlAnswer;
import io.fanfold.demo.SqlClient;
import io.fanfold.fuzz.Expectation.Openness;
import io.fanfold.row.Row;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Maps values that are equal for the server to the same text. For strings it asks the server. For one statement; not
 * thread-safe.
 */
final class Canonical {
    private final SqlClient server;
    private final List<Openness> columns;
    private final Map<Integer, Map<String, String>> known = new HashMap<>();

    Canonical(SqlClient server, List<Openness> columns) {
        this.server = server;
        this.columns = columns;
    }

    /** Learns the values in these answers; to be called before {@link #rows}. */
    void learn(List<SqlAnswer> answers) throws IOException {
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).kind() == Openness.Kind.STRING) {
                Map<String, String> values = new LinkedHashMap<>();
                for (SqlAnswer answer : answers) {
                    for (Row row : answer.rows()) {
                        byte[] value = row.bytes(i);
                        if (value != null) {
                            values.put(HexFormat.of().formatHex(value), "");
                        }
                    }
                }
                if (!values.isEmpty()) {
                    rank(values, columns.get(i).collation());
                    known.put(i, values);
                }
            }
        }
    }

    private void rank(Map<String, String> values, String collation) throws IOException {
        List<String> hexes = new ArrayList<>(values.keySet());
        StringBuilder sql = new StringBuilder("SELECT n, DENSE_RANK() OVER (ORDER BY v COLLATE ")
                .append(collation)
                .append(") FROM (");
        String charset = collation.substring(0, collation.indexOf('_'));
        for (int i = 0; i < hexes.size(); i++) {
            sql.append(i == 0 ? "" : " UNION ALL ")
                    .append("SELECT ")
                    .append(i)
                    .append(" AS n, CONVERT(_utf8mb4 x'")
                    .append(hexes.get(i))
                    .append("' USING ")
                    .append(charset)
                    .append(") AS v");
        }
        for (Row row : server.query(sql.append(") AS t").toString()).rows()) {
            String index = String.valueOf(row.ascii(0));
            values.put(hexes.get(Integer.parseInt(index)), "class " + row.ascii(1));
        }
    }

    /** Returns the rows as texts, which are equal for equal rows. */
    List<String> rows(SqlAnswer answer) {
        List<String> rows = new ArrayList<>();
        for (Row row : answer.rows()) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < row.columns(); i++) {
                text.append(i == 0 ? "" : "|").append(value(row, i));
            }
            rows.add(text.toString());
        }
        return rows;
    }

    /** Returns one value as text. */
    String value(Row row, int column) {
        byte[] bytes = row.bytes(column);
        if (bytes == null) {
            return "NULL";
        }
        Openness open = column < columns.size() ? columns.get(column) : Openness.CLOSED;
        String hex = HexFormat.of().formatHex(bytes);
        return switch (open.kind()) {
            case STRING -> known.getOrDefault(column, Map.of()).getOrDefault(hex, "=" + hex);
            case ZERO -> hex.equals("2d30") || hex.equals("30303030") ? "=30" : "=" + hex;
            default -> "=" + hex;
        };
    }
}
