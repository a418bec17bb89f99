package io.fanfold.catalog;

import io.fanfold.row.Row;
import java.io.IOException;
import java.util.List;

/** Runs one query on a server over the text protocol, with results in UTF-8. */
@FunctionalInterface
public interface RowQuery {
    /**
     * Runs a query.
     *
     * @return all rows of its result
     * @throws IOException if the connection or the statement failed
     */
    List<Row> run(String sql) throws IOException;
}
