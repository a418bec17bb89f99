package io.fanfold.execute;

import io.fanfold.client.ServerException;
import io.fanfold.execute.StatementStatistics.StatementCounts;
import io.fanfold.pool.Lease;
import io.fanfold.pool.WorkerPool;
import io.fanfold.row.Row;
import io.fanfold.wire.ServerFlavor;
import java.io.IOException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks MySQL for its own digests of statements, so that the proxy's statistics can be joined with those of the Performance
 * Schema. MariaDB has no function for that. Safe for all threads.
 *
 * @see <a href="https://dev.mysql.com/doc/refman/9.4/en/encryption-functions.html#function_statement-digest">STATEMENT_DIGEST</a>
 */
final class ServerDigests {
    private static final Logger LOG = LoggerFactory.getLogger(ServerDigests.class);

    /** Statements that wait until the catalog is read next; more keep the proxy's own digest. */
    private static final int MOST_WAITING = 100;

    private static final int LONGEST = 16 * 1024;

    /**
     * A statement in the server's words.
     *
     * @param digest 64 hexadecimal digits
     * @param text the statement without its literals
     */
    record StatementName(String digest, String text) {}

    private record Unnamed(StatementCounts counts, byte[] sql) {}

    private final Queue<Unnamed> waiting = new ArrayBlockingQueue<>(MOST_WAITING);

    /** Remembers a statement that is asked for later. Returns at once. */
    void wants(StatementCounts counts, byte[] sql) {
        if (sql.length <= LONGEST) {
            waiting.offer(new Unnamed(counts, sql));
        }
    }

    /** Asks for all that wait, on a worker connection. */
    void ask(WorkerPool workers, ServerFlavor flavor, Duration wait) {
        if (flavor.isMariaDb()) {
            waiting.clear();
            return;
        }
        if (waiting.isEmpty()) {
            return;
        }
        try {
            List<Lease> leases = workers.acquire(1, 1, wait);
            for (Lease lease : leases) {
                try (lease) {
                    for (Unnamed next = waiting.poll(); next != null; next = waiting.poll()) {
                        ask(lease, next);
                    }
                }
            }
        } catch (IOException e) {
            LOG.debug("the server could not be asked for digests: {}", e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void ask(Lease lease, Unnamed next) throws IOException {
        String text = "CONVERT(x'" + HexFormat.of().formatHex(next.sql()) + "' USING utf8mb4)";
        try {
            List<Row> rows = lease.connection()
                    .query("SELECT STATEMENT_DIGEST(" + text + "), STATEMENT_DIGEST_TEXT(" + text + ")")
                    .rows();
            String digest = rows.get(0).utf8(0);
            String shown = rows.get(0).utf8(1);
            if (digest != null && shown != null) {
                next.counts().named(new StatementName(digest, shown));
            }
        } catch (ServerException e) {
            LOG.debug("the server has no digest of a statement: {}", e.toString());
        }
    }
}
