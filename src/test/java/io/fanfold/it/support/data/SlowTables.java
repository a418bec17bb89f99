package io.fanfold.it.support.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.row.Row;
import java.time.Duration;
import java.util.List;

/**
 * Two tables of 20000 rows in the database it_slow, and joins of them that keep the server busy without sleeping.
 * Created once per server.
 */
public final class SlowTables {
    /** Runs for hours unless killed. */
    public static final String ENDLESS =
            "SELECT SUM(a.v * b.w) FROM it_slow.big a JOIN it_slow.other b ON a.v < b.w + a.id"
                    + " JOIN it_slow.other c ON a.v < c.w + a.id";

    /** Runs for one or a few seconds. Its answer is {@link #LONG_SUM}. */
    public static final String LONG =
            "SELECT SUM(a.v * b.w) FROM it_slow.big a JOIN it_slow.other b ON a.v < b.w + a.id WHERE b.w <= 1000";

    /** All rows of both sides match: the sum of all v (0 to 99, each 200 times) times the sum of 1 to 1000. */
    public static final String LONG_SUM = String.valueOf(990_000L * 1000 * 1001 / 2);

    /** Its final query, which one worker runs over 100 merged rows and two tables, runs for hours unless killed. */
    public static final String ENDLESS_FINISH =
            "SELECT COUNT(*) FROM (SELECT v, COUNT(*) AS n FROM it_slow.big GROUP BY v) x"
                    + " JOIN it_slow.other b ON x.v < b.w + x.n JOIN it_slow.other c ON x.v < c.w + x.n";

    /**
     * Returns 400 million rows, for minutes unless killed. They are streamed, because nothing in the statement can
     * raise a warning or an error.
     */
    public static final String ENDLESS_ROWS =
            "SELECT a.id, a.v, b.id, b.w FROM it_slow.big a JOIN it_slow.other b ON a.v < 1000 AND b.w > 0";

    /** Runs for milliseconds. */
    public static final String SHORT = "SELECT SUM(v), COUNT(*) FROM it_slow.big";

    public static final String SHORT_ANSWER = "[990000|20000]";

    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final String DIGITS =
            "(SELECT 0 n UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6"
                    + " UNION SELECT 7 UNION SELECT 8 UNION SELECT 9)";
    private static final String NUMBERS =
            "(SELECT a.n + 10 * b.n + 100 * c.n + 1000 * d.n + 10000 * e.n AS i FROM %1$s a, %1$s b, %1$s c, %1$s d, %1$s e"
                            .formatted(DIGITS)
                    + " WHERE e.n < 2) numbers";

    private SlowTables() {}

    /** Starts a proxy with three workers, for a server that has these tables. */
    public static ProxiedServer start(TestServer server) throws Exception {
        ProxiedServer proxy = ProxiedServer.start(server, 3);
        create(proxy);
        return proxy;
    }

    /** Asserts that the client's next statement is split, with the right answer. */
    public static void splitsAgain(ProxiedServer proxy, WireConnection client) throws Exception {
        proxy.forget();
        assertThat(client.query(SHORT).rows()).hasToString(SHORT_ANSWER);
        assertThat(proxy.outcome().reason()).isNull();
    }

    public static void create(ProxiedServer proxy) throws Exception {
        try (WireConnection admin = proxy.direct()) {
            boolean made = !admin.query("SHOW DATABASES LIKE 'it_slow'").rows().isEmpty();
            if (!made) {
                admin.execute("CREATE DATABASE it_slow");
                admin.execute("CREATE TABLE it_slow.big (id INT PRIMARY KEY, v INT NOT NULL) ENGINE=InnoDB"
                        + " PARTITION BY HASH (id) PARTITIONS 6");
                admin.execute("CREATE TABLE it_slow.other (id INT PRIMARY KEY, w INT NOT NULL) ENGINE=InnoDB");
                admin.execute("INSERT INTO it_slow.big SELECT i, i % 100 FROM " + NUMBERS);
                admin.execute("INSERT INTO it_slow.other SELECT i, i + 1 FROM " + NUMBERS);
                admin.query("ANALYZE TABLE it_slow.big, it_slow.other");
            }
        }
        proxy.tablesChanged();
    }

    /** Returns the ids of the worker connections that now run a partition query or a final query. */
    public static List<Long> busyWorkers(WireConnection admin) throws Exception {
        return workers(admin, "INFO LIKE '/* fanfold session=%PARTITION (%' OR INFO LIKE 'SELECT%JSON_TABLE%'");
    }

    /** Returns the ids of all worker connections. */
    public static List<Long> workers(WireConnection admin) throws Exception {
        return workers(admin, "TRUE");
    }

    private static List<Long> workers(WireConnection admin, String busyWith) throws Exception {
        List<Row> rows = admin.query("SELECT ID FROM information_schema.PROCESSLIST WHERE USER = '"
                        + ProxiedServer.WORKER + "' AND (" + busyWith + ")")
                .rows();
        return rows.stream()
                .map(row -> Long.parseLong(String.valueOf(row.ascii(0))))
                .toList();
    }

    /** Waits until at least that many workers are busy. */
    public static List<Long> awaitBusyWorkers(WireConnection admin, int atLeast) {
        return await().atMost(LIMIT)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> busyWorkers(admin), workers -> workers.size() >= atLeast);
    }

    /** Waits until a worker runs a final query. */
    public static void awaitFinishing(WireConnection admin) {
        await().atMost(LIMIT)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> !workers(admin, "INFO LIKE 'SELECT%JSON_TABLE%'").isEmpty());
    }

    public static void awaitNoBusyWorker(WireConnection admin) {
        await().atMost(LIMIT)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> busyWorkers(admin).isEmpty());
    }
}
