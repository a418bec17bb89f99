package io.fanfold.catalog;

import io.fanfold.catalog.CatalogSnapshot.CollationInfo;
import io.fanfold.catalog.CatalogTable.Partition;
import io.fanfold.row.Row;
import io.fanfold.wire.ServerFlavor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Reads the tables that may be split, and the collations, from INFORMATION_SCHEMA. The snapshot contains only objects
 * that the account may see. Stateless; the queries may take long on a server with many tables.
 */
public final class CatalogLoader {
    /**
     * Reads how table names compare, and the version.
     *
     * @see <a href="https://dev.mysql.com/doc/refman/8.4/en/identifier-case-sensitivity.html">identifier case</a>
     */
    public static final String SERVER = "SELECT @@lower_case_table_names, VERSION()";

    private static final String USER_SCHEMAS =
            "TABLE_SCHEMA NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema')";

    /**
     * Has MySQL read estimates of rows from InnoDB in place of its cache, which may be a day old. It opens no table for
     * that, unlike INFORMATION_SCHEMA.PARTITIONS.
     */
    private static final String FRESH_ESTIMATES = "SET SESSION information_schema_stats_expiry = 0";

    private static final String CACHED_ESTIMATES = "SET SESSION information_schema_stats_expiry = DEFAULT";

    /** Reads the collations of MySQL. */
    public static final String MYSQL_COLLATIONS =
            "SELECT ID, COLLATION_NAME, CHARACTER_SET_NAME, PAD_ATTRIBUTE FROM INFORMATION_SCHEMA.COLLATIONS";

    /** Reads the collations of MariaDB from 10.10 on, where one name may belong to several character sets. */
    public static final String MARIADB_COLLATIONS = "SELECT ID, FULL_COLLATION_NAME, CHARACTER_SET_NAME, NULL"
            + " FROM INFORMATION_SCHEMA.COLLATION_CHARACTER_SET_APPLICABILITY";

    /** Reads the collations of MariaDB before 10.10. */
    public static final String OLD_MARIADB_COLLATIONS =
            "SELECT ID, COLLATION_NAME, CHARACTER_SET_NAME, NULL FROM INFORMATION_SCHEMA.COLLATIONS";

    /** The catalog of a server that is not read. */
    public static final CatalogSnapshot NOTHING = new LoadedCatalog(List.of(), List.of(), true);

    private CatalogLoader() {}

    /**
     * Returns the query for every partition of every partitioned table outside the system databases, in order. Only its
     * partitions show that a table is partitioned: on MySQL, CREATE_OPTIONS does not show {@code PARTITION BY KEY ()}.
     * TABLES is not joined for the engine, which is checked at the time of use, because MariaDB would open every table
     * of the server twice. On MySQL the query gives no estimates, which {@link RowEstimates} adds.
     *
     * @param leastRows on MariaDB, the query also gives each table without partitions that has this number of rows or
     *     more. The name of its partition is NULL.
     */
    static String partitions(ServerFlavor flavor, OptionalLong leastRows) {
        boolean others = flavor.isMariaDb() && leastRows.isPresent();
        return "SELECT TABLE_SCHEMA, TABLE_NAME, PARTITION_NAME, SUBPARTITION_NAME,"
                + " PARTITION_METHOD, PARTITION_EXPRESSION, " + (flavor.isMariaDb() ? "TABLE_ROWS" : "NULL")
                + " FROM INFORMATION_SCHEMA.PARTITIONS"
                + " WHERE " + USER_SCHEMAS + " AND (PARTITION_NAME IS NOT NULL"
                + (others ? " OR TABLE_ROWS >= " + leastRows.getAsLong() : "")
                + ") ORDER BY TABLE_SCHEMA, TABLE_NAME, PARTITION_ORDINAL_POSITION, SUBPARTITION_ORDINAL_POSITION";
    }

    /**
     * Returns MySQL's query for the InnoDB tables without partitions. Its columns are those of {@link #partitions}.
     *
     * @param leastRows the number of rows that a table needs
     */
    static String largeTables(long leastRows) {
        return "SELECT TABLE_SCHEMA, TABLE_NAME, NULL, NULL, NULL, NULL, TABLE_ROWS FROM INFORMATION_SCHEMA.TABLES"
                + " WHERE " + USER_SCHEMAS
                + " AND ENGINE = 'InnoDB' AND CREATE_OPTIONS NOT LIKE '%partitioned%' AND TABLE_ROWS >= " + leastRows
                + " ORDER BY TABLE_SCHEMA, TABLE_NAME";
    }

    /**
     * Loads the catalog.
     *
     * @param query runs the queries, one after the other
     * @param flavor which server this is
     * @param leastRows the least number of rows of a table that is split without partitions; empty if none is
     * @throws IOException if a query failed or returned unexpected rows
     */
    public static CatalogSnapshot load(RowQuery query, ServerFlavor flavor, OptionalLong leastRows) throws IOException {
        Row server = single(query.run(SERVER));
        boolean caseSensitive = "0".equals(text(server, 0));
        String collationQuery = flavor.isMySql()
                ? MYSQL_COLLATIONS
                : full(text(server, 1)) ? MARIADB_COLLATIONS : OLD_MARIADB_COLLATIONS;
        List<CatalogTable> tables = tables(query.run(partitions(flavor, leastRows)));
        if (flavor.isMySql()) {
            tables = RowEstimates.estimated(tables, query);
            if (leastRows.isPresent()) {
                tables = withLarge(tables, query, leastRows.getAsLong());
            }
        }
        List<CollationInfo> collations = collations(query.run(collationQuery));
        return new LoadedCatalog(tables, collations, caseSensitive);
    }

    /** Adds MySQL's large tables that are not partitioned. */
    private static List<CatalogTable> withLarge(List<CatalogTable> partitioned, RowQuery query, long leastRows)
            throws IOException {
        Map<TableName, CatalogTable> all = new LinkedHashMap<>();
        query.run(FRESH_ESTIMATES);
        for (CatalogTable table : tables(query.run(largeTables(leastRows)))) {
            all.put(table.name(), table);
        }
        query.run(CACHED_ESTIMATES);
        for (CatalogTable table : partitioned) {
            all.put(table.name(), table);
        }
        return List.copyOf(all.values());
    }

    private static Row single(List<Row> rows) throws IOException {
        if (rows.size() != 1) {
            throw new IOException("the server's settings came in " + rows.size() + " rows, 1 was expected");
        }
        return rows.get(0);
    }

    /** Whether a version of MariaDB, e.g. {@code 10.11.8-MariaDB-log}, has FULL_COLLATION_NAME. */
    private static boolean full(String version) throws IOException {
        String[] parts = version.split("[^0-9]", 3);
        try {
            int major = Integer.parseInt(parts[0]);
            return major > 10 || major == 10 && Integer.parseInt(parts[1]) >= 10;
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            throw new IOException("the server's version " + version + " is not understood", e);
        }
    }

    private static List<CatalogTable> tables(List<Row> rows) throws IOException {
        Map<TableName, List<Row>> byTable = new LinkedHashMap<>();
        for (Row row : rows) {
            byTable.computeIfAbsent(new TableName(text(row, 0), text(row, 1)), name -> new ArrayList<>())
                    .add(row);
        }
        List<CatalogTable> tables = new ArrayList<>();
        for (Map.Entry<TableName, List<Row>> entry : byTable.entrySet()) {
            Row first = entry.getValue().get(0);
            if (first.isNull(2)) {
                tables.add(CatalogTable.unpartitioned(entry.getKey(), estimate(first)));
                continue;
            }
            List<Partition> partitions = new ArrayList<>();
            for (Row row : entry.getValue()) {
                partitions.add(partition(row));
            }
            String expression = first.utf8(5);
            tables.add(
                    new CatalogTable(entry.getKey(), text(first, 4), expression == null ? "" : expression, partitions));
        }
        return tables;
    }

    private static Partition partition(Row row) throws IOException {
        String name = text(row, 2);
        String sub = row.utf8(3);
        long rows = estimate(row);
        return sub == null ? new Partition(name, name, rows) : new Partition(sub, name + "_" + sub, rows);
    }

    private static long estimate(Row row) throws IOException {
        return row.isNull(6) ? 0 : number(text(row, 6), "an estimate of rows");
    }

    private static List<CollationInfo> collations(List<Row> rows) throws IOException {
        List<CollationInfo> collations = new ArrayList<>();
        for (Row row : rows) {
            if (row.isNull(0) || row.isNull(1) || row.isNull(2)) {
                continue;
            }
            String name = text(row, 1);
            String charset = text(row, 2);
            String pad = row.utf8(3);
            boolean padSpace =
                    pad != null ? pad.equals("PAD SPACE") : !name.contains("_nopad_") && !charset.equals("binary");
            collations.add(new CollationInfo(
                    Math.toIntExact(number(text(row, 0), "the id of " + name)), name, charset, padSpace));
        }
        return collations;
    }

    private static long number(String text, String what) throws IOException {
        try {
            long number = Long.parseLong(text);
            if (number >= 0 && (number <= Integer.MAX_VALUE || !what.startsWith("the id"))) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new IOException(what + " is no number: " + text, e);
        }
        throw new IOException(what + " is out of range: " + text);
    }

    private static String text(Row row, int column) throws IOException {
        String text = column < row.columns() ? row.utf8(column) : null;
        if (text == null) {
            throw new IOException("column " + (column + 1) + " of the row " + row + " is missing");
        }
        return text;
    }
}
