package io.fanfold.observe;

import io.fanfold.client.ServerException;
import io.fanfold.row.Row;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * Reads {@code performance_schema.events_statements_summary_by_digest} of MySQL 8.0 and later, with its sample texts.
 *
 * @see <a href="https://dev.mysql.com/doc/refman/9.7/en/performance-schema-statement-summary-tables.html">the table</a>
 */
final class DigestSummary {
    private static final String TABLE = "performance_schema.events_statements_summary_by_digest";

    private static final String ROWS =
            "SELECT COALESCE(SCHEMA_NAME, ''), COALESCE(DIGEST_TEXT, ''), COALESCE(QUERY_SAMPLE_TEXT, ''),"
                    + " COUNT_STAR, SUM_TIMER_WAIT, OCTET_LENGTH(QUERY_SAMPLE_TEXT) >= @@performance_schema_max_sql_text_length"
                    + " FROM " + TABLE + " WHERE COUNT_STAR > 0";

    private static final String PERIOD = "SELECT MIN(FIRST_SEEN), MAX(LAST_SEEN) FROM " + TABLE;

    private static final int PICOSECONDS = 1000;

    private DigestSummary() {}

    /**
     * Hands over one statement for each row.
     *
     * @return when the first and the last statement ran, as the server wrote it
     * @throws IOException also if the server has no such table, or no rights for it; the message says so
     */
    static String read(ExplainClient client, Consumer<LoggedStatement> to) throws IOException {
        if (client.server().flavor().isMariaDb() || !client.server().atLeast(8, 0)) {
            throw new IOException("this server's performance_schema keeps no sample of a statement"
                    + " (expected: MySQL 8.0 or later). Use --slow-log FILE");
        }
        try {
            client.rows(ROWS, row -> to.accept(statement(row)));
            AtomicReference<String> period = new AtomicReference<>("");
            client.rows(PERIOD, row -> period.set(row.utf8(0) + " to " + row.utf8(1)));
            return String.valueOf(period.get());
        } catch (ServerException e) {
            throw new IOException(
                    TABLE + " cannot be read: error " + e.errno() + ": " + e.getMessage()
                            + ". Grant SELECT on it to the account of --user, or use --slow-log FILE",
                    e);
        }
    }

    private static LoggedStatement statement(Row row) {
        return new LoggedStatement(
                text(row, 0),
                text(row, 1),
                text(row, 2),
                "1".equals(row.utf8(5)),
                Long.parseUnsignedLong(text(row, 3)),
                Long.divideUnsigned(Long.parseUnsignedLong(text(row, 4)), PICOSECONDS));
    }

    private static String text(Row row, int column) {
        return String.valueOf(row.utf8(column));
    }
}
