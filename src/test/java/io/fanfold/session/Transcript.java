package io.fanfold.session;

import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Records everything that a client saw, line by line. */
final class Transcript {
    private static final int SHOWN = 200;

    private final List<String> lines = new ArrayList<>();

    /** A call that may fail. */
    interface Step {
        void run() throws SQLException;
    }

    List<String> lines() {
        return lines;
    }

    void add(Object line) {
        // MariaDB's driver adds the connection id to messages
        lines.add(String.valueOf(line).replaceAll("\\(conn=\\d+\\) ", ""));
    }

    /** Runs a step and records its failure. */
    void attempt(Step step) {
        try {
            step.run();
        } catch (SQLException e) {
            add("error " + e.getErrorCode() + " " + e.getSQLState() + " " + e.getMessage());
        }
    }

    /** Executes a statement and records all its results and warnings. */
    void execute(Statement statement, String sql) {
        add("> " + sql);
        attempt(() -> results(statement, statement.execute(sql)));
    }

    /** Records the results of a statement just executed. */
    void results(Statement statement, boolean first) throws SQLException {
        boolean rows = first;
        while (true) {
            if (rows) {
                try (ResultSet result = statement.getResultSet()) {
                    rows(result);
                }
            } else if (statement.getUpdateCount() >= 0) {
                add("updated " + statement.getUpdateCount());
            } else {
                break;
            }
            rows = statement.getMoreResults();
        }
        for (SQLWarning warning = statement.getWarnings(); warning != null; warning = warning.getNextWarning()) {
            add("warning " + warning.getErrorCode() + " " + warning.getMessage());
        }
    }

    void rows(ResultSet result) throws SQLException {
        ResultSetMetaData columns = result.getMetaData();
        int count = columns.getColumnCount();
        for (int i = 1; i <= count; i++) {
            add("column " + columns.getColumnLabel(i) + " " + columns.getColumnName(i) + " " + columns.getTableName(i)
                    + " "
                    + columns.getColumnTypeName(i) + " " + columns.getPrecision(i) + " " + columns.getScale(i) + " "
                    + columns.isNullable(i) + " " + columns.isSigned(i));
        }
        int rows = 0;
        while (result.next()) {
            StringBuilder row = new StringBuilder();
            for (int i = 1; i <= count; i++) {
                row.append(i == 1 ? "" : "|").append(value(result.getString(i)));
            }
            add(row);
            rows++;
        }
        add("rows " + rows);
    }

    private static String value(@Nullable String value) {
        if (value == null || value.length() <= SHOWN) {
            return String.valueOf(value);
        }
        return value.length() + " characters, hash " + value.hashCode();
    }

    static String bytes(byte @Nullable [] value) {
        return value == null || value.length <= SHOWN
                ? value == null ? "null" : HexFormat.of().formatHex(value)
                : value.length + " bytes, hash " + Arrays.hashCode(value);
    }
}
