package io.fanfold.catalog;

import io.fanfold.catalog.CatalogTable.Partition;
import io.fanfold.row.Row;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Estimates the rows of MySQL partitions with EXPLAIN. INFORMATION_SCHEMA.PARTITIONS would need only one query. But a
 * SELECT of its TABLE_ROWS affects the table instance that it used: MySQL 9.7 then plans no loose index scan with that
 * instance until it leaves the table cache. Other sessions get the same instance ({@code LooseScanIT}). Stateless.
 */
final class RowEstimates {
    private static final Logger LOG = LoggerFactory.getLogger(RowEstimates.class);

    /** A table with more partitions is explained as a whole, and all its partitions are estimated as equal. */
    private static final int MOST_PARTITIONS = 256;

    /**
     * Limits how long EXPLAIN waits for a table that is being altered. It is not set back: the connection may be a
     * worker, which must not wait longer in a fan-out either.
     */
    private static final String SHORT_WAIT = "SET SESSION lock_wait_timeout = 1";

    /** The column of the traditional EXPLAIN that has the estimate. */
    private static final int ROWS = 9;

    private RowEstimates() {}

    /**
     * Returns the tables with an estimate for each partition. A table that cannot be explained is returned unchanged:
     * the account may not read it, it is being altered, or it no longer exists.
     *
     * @param query runs one EXPLAIN for each partition, or one for a table with very many
     * @throws IOException if the time limit could not be set
     */
    static List<CatalogTable> estimated(List<CatalogTable> tables, RowQuery query) throws IOException {
        if (tables.isEmpty()) {
            return tables;
        }
        query.run(SHORT_WAIT);
        List<CatalogTable> estimated = new ArrayList<>();
        for (CatalogTable table : tables) {
            estimated.add(explained(table, query));
        }
        return estimated;
    }

    private static CatalogTable explained(CatalogTable table, RowQuery query) {
        List<Partition> partitions = new ArrayList<>();
        String explain =
                "EXPLAIN FORMAT=TRADITIONAL SELECT 1 FROM " + table.name().quoted();
        int count = table.partitions().size();
        try {
            long mean = count > MOST_PARTITIONS ? estimate(query.run(explain)) / count : 0;
            for (Partition partition : table.partitions()) {
                String clause = " PARTITION (" + TableName.quote(partition.selectName()) + ")";
                long rows = count > MOST_PARTITIONS ? mean : estimate(query.run(explain + clause));
                partitions.add(new Partition(partition.selectName(), partition.explainName(), rows));
            }
            return new CatalogTable(table.name(), table.method(), table.expression(), partitions);
        } catch (IOException e) {
            LOG.debug("no estimates for {}: {}", table.name(), e.toString());
            return table;
        }
    }

    /** Returns the estimate; 0 if the server gives none. */
    private static long estimate(List<Row> rows) {
        String text =
                rows.size() == 1 && rows.get(0).columns() > ROWS ? rows.get(0).utf8(ROWS) : null;
        try {
            return text == null ? 0 : Math.max(0, Long.parseLong(text));
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
