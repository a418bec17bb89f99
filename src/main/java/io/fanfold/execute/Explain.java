package io.fanfold.execute;

import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.plan.ExplainedTable;
import io.fanfold.row.Column;
import io.fanfold.row.Row;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerFlavor;
import io.fanfold.wire.ServerStatus;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The EXPLAIN that lists partitions, on either server. */
final class Explain {
    private static final String FILTER = "|filter";

    /** The most SELECTs of a union. More of them save no time. */
    private static final int UNION = 32;

    private Explain() {}

    /**
     * The statement that explains {@code select}. MySQL's default format and MariaDB's plain EXPLAIN list no
     * partitions.
     */
    static String statement(String select, ServerFlavor flavor) {
        return (flavor.isMariaDb() ? "EXPLAIN PARTITIONS " : "EXPLAIN FORMAT=TRADITIONAL ") + select;
    }

    /**
     * Explains several statements without waiting for each.
     *
     * @return the plan of each, in order
     */
    static List<List<ExplainedTable>> all(WireConnection connection, List<String> selects, ServerFlavor flavor)
            throws IOException, ServerException {
        List<List<ExplainedTable>> plans = new ArrayList<>();
        for (Reply reply : connection.pipeline(
                selects.stream().map(select -> statement(select, flavor)).toList())) {
            if (reply instanceof Reply.Failed failed) {
                throw new ServerException(failed);
            }
            if (!(reply instanceof Reply.Result explained)) {
                throw new IOException("no result set for an EXPLAIN");
            }
            plans.add(read(explained.columns(), explained.rows()));
        }
        return plans;
    }

    /**
     * Returns estimates for SELECTs of one table each. They are explained together, as unions, which takes less than half of
     * the time of an EXPLAIN for each.
     *
     * <p>Each is a union, also of one SELECT, with a last part without a table. MySQL 9.7.4 shows 1 row for any range of a
     * SELECT with FORCE INDEX that is not part of a union, because it does not look into the index. 8.0 does.
     *
     * @return the estimated rows of each, in order, 0 or more
     */
    static List<Long> rows(WireConnection connection, List<String> selects, ServerFlavor flavor)
            throws IOException, ServerException {
        List<String> unions = new ArrayList<>();
        for (int from = 0; from < selects.size(); from += UNION) {
            List<String> parts = selects.subList(from, Math.min(from + UNION, selects.size()));
            unions.add(String.join(" UNION ALL ", parts) + " UNION ALL SELECT 1");
        }
        List<List<ExplainedTable>> plans = all(connection, unions, flavor);
        List<Long> rows = new ArrayList<>();
        for (int i = 0; i < selects.size(); i++) {
            int select = i % UNION + 1;
            rows.add(CostModel.rows(plans.get(i / UNION).stream()
                    .filter(table -> table.select() == select)
                    .toList()));
        }
        return rows;
    }

    /**
     * Reads the result of an EXPLAIN. A missing column counts as NULL. MariaDB's rowid filter is left out: it shows
     * {@code ref|filter}, {@code key|filter's key} and {@code 5 (1%)} for the type, the key and the rows.
     */
    static List<ExplainedTable> read(List<Column> columns, List<Row> rows) {
        int id = indexOf(columns, "id");
        int table = indexOf(columns, "table");
        int partitions = indexOf(columns, "partitions");
        int accessType = indexOf(columns, "type");
        int key = indexOf(columns, "key");
        int estimate = indexOf(columns, "rows");
        int extra = indexOf(columns, "extra");
        List<ExplainedTable> tables = new ArrayList<>();
        for (Row row : rows) {
            String names = text(row, partitions);
            String type = text(row, accessType);
            boolean filtered = type.endsWith(FILTER);
            tables.add(new ExplainedTable(
                    number(text(row, id)),
                    text(row, table),
                    names.isEmpty() ? List.of() : List.of(names.split(",", -1)),
                    filtered ? type.substring(0, type.length() - FILTER.length()) : type,
                    filtered ? before(text(row, key), '|') : text(row, key),
                    number(before(text(row, estimate), ' ')),
                    text(row, extra)));
        }
        return tables;
    }

    /**
     * The index flags in the statement's status. They say that a table or an intermediate result is scanned, or that an
     * index is chosen again for each row. MariaDB sets them for an index scan too; MySQL does not, nor for table
     * functions.
     *
     * <p>Measured with 48 statements on MySQL 9.7.4 and MariaDB 10.11.18. Two of them differ. MySQL does not set the
     * flag if a correlated subquery is never run. MariaDB sets it for a range with ROLLUP.
     *
     * @return {@link ServerStatus#NO_INDEX_USED} and {@link ServerStatus#NO_GOOD_INDEX_USED}, or 0
     */
    static int indexStatus(List<ExplainedTable> explained, ServerFlavor flavor) {
        int flags = 0;
        for (ExplainedTable table : explained) {
            boolean scanned = table.accessType().equals("ALL")
                    || flavor.isMariaDb() && table.accessType().equals("index");
            if (scanned && (flavor.isMariaDb() || !table.extra().contains("Table function"))) {
                flags |= ServerStatus.NO_INDEX_USED;
            }
            if (table.extra().contains("Range checked for each record")) {
                flags |= ServerStatus.NO_INDEX_USED | ServerStatus.NO_GOOD_INDEX_USED;
            }
        }
        return flags;
    }

    private static int indexOf(List<Column> columns, String name) {
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).name().toLowerCase(Locale.ROOT).equals(name)) {
                return i;
            }
        }
        return -1;
    }

    private static String text(Row row, int column) {
        String text = column < 0 ? null : row.utf8(column);
        return text == null ? "" : text;
    }

    private static String before(String text, char end) {
        int index = text.indexOf(end);
        return index < 0 ? text : text.substring(0, index);
    }

    private static long number(String text) {
        if (text.isEmpty()) {
            return 0;
        }
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            // from 2^63 on the server prints an unsigned number
            return Long.MAX_VALUE;
        }
    }
}
