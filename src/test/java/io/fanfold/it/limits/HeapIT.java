package io.fanfold.it.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.RowStream;
import io.fanfold.client.WireConnection;
import io.fanfold.it.support.load.Background;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.SmallProxy;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.row.Row;
import io.fanfold.wire.ServerFlavor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Proxies with little heap, and clients with demanding statements. The answers are correct, split or not, and the proxy
 * survives.
 */
class HeapIT {
    private static final int ROWS = 100_000;

    /** Merged, with a final query on the client's connection, streamed, and with a final query on a worker. */
    private static final List<String> STATEMENTS = List.of(
            "SELECT g, COUNT(*), SUM(v), MIN(s) FROM it_heap.many GROUP BY g",
            "SELECT g, SUM(v) AS total FROM it_heap.many GROUP BY g HAVING total > 100 AND g < 60000",
            "SELECT id, s, REPEAT(s, 10) FROM it_heap.many",
            "SELECT COUNT(*), SUM(x.total) FROM (SELECT g, SUM(v) AS total FROM it_heap.many GROUP BY g) x"
                    + " JOIN it_heap.one o ON o.id < x.g");

    private static final List<String> LARGE_VALUES = List.of(
            "SELECT g, MAX(tx) AS most FROM it_heap.large GROUP BY g HAVING LENGTH(most) > 7",
            "SELECT id, tx FROM it_heap.large",
            "SELECT LENGTH(MAX(tx)), COUNT(*) FROM it_heap.large");

    private static final int CLIENTS = 3;

    private static final Pattern FANNED_OUT = Pattern.compile(" fanned out: ");

    /** The number of rows and the sum of their hashes. Their order is not compared. */
    private record Answer(long rows, long hash) {}

    /** The larger heap has room for fan-outs of all clients. */
    @AllServers
    void answersAreRightWithEachHeap(TestServer server) throws Exception {
        String heap = server.kind() == ServerFlavor.MARIADB ? "1g" : "64m";
        List<String> statements = new ArrayList<>(STATEMENTS);
        statements.addAll(LARGE_VALUES);
        try (ProxiedServer tables = ProxiedServer.start(server, 2)) {
            create(tables);
            List<Answer> expected = answers(tables.direct(), statements);
            load(server, heap, statements, expected);
        }
    }

    private static void load(TestServer server, String heap, List<String> statements, List<Answer> expected)
            throws Exception {
        try (SmallProxy proxy = SmallProxy.withLimitsOfItsHeap(server, heap)) {
            try (WireConnection first = proxy.connect()) {
                await().atMost(Duration.ofSeconds(60)).until(() -> {
                    first.query("SELECT COUNT(*), SUM(v) FROM it_heap.many");
                    return FANNED_OUT.matcher(proxy.log()).find();
                });
            }
            long before = proxy.heapBytes();
            List<Future<List<Answer>>> running = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                running.add(Background.start(() -> answers(proxy.connect(), statements)));
            }
            for (Future<List<Answer>> client : running) {
                assertThat(client)
                        .as(() -> "heap %s: %s".formatted(heap, lines(proxy)))
                        .succeedsWithin(300, TimeUnit.SECONDS)
                        .isEqualTo(expected);
            }
            assertThat(proxy.isAlive()).isTrue();
            assertThat(proxy.log()).doesNotContain("OutOfMemoryError");
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(proxy.heapBytes()).isLessThan(before + (8 << 20)));
            long fannedOut = FANNED_OUT.matcher(proxy.log()).results().count();
            if (heap.equals("1g")) {
                assertThat(fannedOut).as("of 1 + %s * 7", CLIENTS).isGreaterThan(STATEMENTS.size());
            } else {
                assertThat(fannedOut).as("of 1 + %s * 7", CLIENTS).isLessThan(CLIENTS * 7);
            }
        }
    }

    private static String lines(SmallProxy proxy) {
        try {
            return proxy.log();
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static List<Answer> answers(WireConnection client, List<String> statements) throws Exception {
        try (client) {
            List<Answer> answers = new ArrayList<>();
            for (String statement : statements) {
                try (RowStream rows = client.stream(statement.getBytes(StandardCharsets.UTF_8))) {
                    long count = 0;
                    long hash = 0;
                    for (Row row = rows.next(); row != null; row = rows.next()) {
                        count++;
                        hash += Arrays.hashCode(row.payload());
                    }
                    answers.add(new Answer(count, hash));
                }
            }
            return answers;
        }
    }

    private static void create(ProxiedServer proxy) throws Exception {
        try (WireConnection admin = proxy.direct()) {
            for (String sql : List.of(
                    "DROP DATABASE IF EXISTS it_heap",
                    "CREATE DATABASE it_heap",
                    "CREATE TABLE it_heap.many (id INT PRIMARY KEY, g INT NOT NULL, v INT NOT NULL, s CHAR(20) NOT NULL)"
                            + " PARTITION BY HASH (id) PARTITIONS 8",
                    "INSERT INTO it_heap.many WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 500)"
                            + " SELECT a.i * 500 + b.i, (a.i * 500 + b.i) * 7 % 99999, b.i, CONCAT('value ', a.i, ' ', b.i)"
                            + " FROM n a JOIN n b WHERE a.i <= " + ROWS / 500,
                    "CREATE TABLE it_heap.one (id INT PRIMARY KEY)",
                    "INSERT INTO it_heap.one VALUES (1)",
                    "CREATE TABLE it_heap.large (id INT PRIMARY KEY, g INT NOT NULL, tx LONGTEXT NOT NULL)"
                            + " PARTITION BY HASH (id) PARTITIONS 4",
                    "INSERT INTO it_heap.large WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 8)"
                            + " SELECT i, i % 3, REPEAT(CHAR(64 + i), 10000000 + i) FROM n",
                    "ANALYZE TABLE it_heap.many, it_heap.large")) {
                admin.query(sql);
            }
        }
    }
}
