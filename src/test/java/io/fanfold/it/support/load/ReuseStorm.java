package io.fanfold.it.support.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.it.support.server.own.RestartableServer;
import io.fanfold.metrics.FanfoldMetrics.ReuseOutcome;
import io.fanfold.metrics.VerifyResult;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Asks a proxy that reuses rows for sums, while writers change the tables in every way that the binary log shows
 * differently. The proxy must compare each answer with the server's in the same snapshot, see {@link
 * io.fanfold.config.FanOutConfig#verifyShare}. Clients and writers connect again if the server ends their connection. For
 * one thread.
 */
public final class ReuseStorm implements AutoCloseable {
    /** The verified answers of each storm: {@code -Dfanfold.it.reuse.answers=20000}. */
    public static final int ANSWERS = Integer.getInteger("fanfold.it.reuse.answers", 60);

    private static final int WRITERS = 2;
    private static final Duration LIMIT = Duration.ofSeconds(90);

    /**
     * A writer may lose against another one: deadlocks, lock waits, changed definitions, duplicates, missing partitions.
     */
    private static final Set<Integer> LOST =
            Set.of(1205, 1507, 1735, 1213, 1412, 1399, 1400, 1401, 1402, 1440, 1613, 1614, 1062, 1737);

    private final ProxiedServer proxy;
    private final Semaphore turns = new Semaphore(0);
    private final AtomicBoolean stop = new AtomicBoolean();
    private final List<Future<Integer>> writers = new ArrayList<>();
    private final Random random = new Random(4711);
    private final Map<ReuseOutcome, Integer> queries = new EnumMap<>(ReuseOutcome.class);
    private @Nullable WireConnection client;
    private int split;
    private int lost;

    private ReuseStorm(ProxiedServer proxy) {
        this.proxy = proxy;
    }

    /**
     * Recreates the tables on the proxy's server, waits until its binary log is read, and starts writers.
     *
     * @param others servers that get the same tables with other values, and writers, too
     */
    public static ReuseStorm start(ProxiedServer proxy, TestServer... others) throws Exception {
        ReuseStorm storm = new ReuseStorm(proxy);
        int value = 100;
        for (TestServer other : others) {
            value += 1000;
            storm.startWriters(other, value);
        }
        storm.startWriters(proxy.server(), 100);
        proxy.tablesChanged();
        proxy.awaitChangeStream();
        return storm;
    }

    private void startWriters(TestServer server, int value) throws Exception {
        try (WireConnection admin = connect(server)) {
            ReuseTables tables = ReuseTables.create(admin, value);
            for (int i = 0; i < WRITERS; i++) {
                int seed = i;
                writers.add(Background.start(() -> write(server, tables, new Random(seed), "'w" + seed + "'")));
            }
        }
    }

    private static WireConnection connect(TestServer server) throws IOException, ServerException {
        return ProxiedServer.connect(server.host(), server.port(), server.adminUser(), server.adminPassword());
    }

    /** Makes one change for each turn. Returns how many were made. */
    private int write(TestServer server, ReuseTables tables, Random random, String name) throws Exception {
        int changes = 0;
        turns.acquire();
        while (!stop.get()) {
            try (WireConnection writer = await().atMost(LIMIT)
                    .pollInterval(Duration.ofMillis(20))
                    .ignoreExceptions()
                    .until(() -> connect(server), opened -> true)) {
                writer.execute("USE it_storm");
                writer.execute("SET SESSION innodb_lock_wait_timeout = 2, lock_wait_timeout = 2");
                // the server may have ended while it was prepared
                writer.pipeline(List.of("XA ROLLBACK " + name));
                while (!stop.get()) {
                    changes += change(writer, tables.change(random, name), name) ? 1 : 0;
                    turns.acquire();
                }
            } catch (IOException | ServerException e) {
                requireEndOfServer(e);
            }
        }
        return changes;
    }

    /** Returns whether no other writer prevented it. */
    private static boolean change(WireConnection writer, List<String> statements, String name)
            throws IOException, ServerException {
        try {
            for (String statement : statements) {
                writer.query(statement);
            }
            return true;
        } catch (ServerException e) {
            if (!LOST.contains(e.errno())) {
                throw e;
            }
            writer.pipeline(List.of("ROLLBACK", "XA END " + name, "XA ROLLBACK " + name, "SET binlog_format = ROW"));
            return false;
        }
    }

    /** Asks until so many more answers were the same as the server's. One in four lets a writer make a change. */
    public void ask(int answers) throws Exception {
        int goal = proxy.verified(VerifyResult.SAME) + answers;
        int before = -1;
        long since = 0;
        for (int same = proxy.verified(VerifyResult.SAME); same < goal; same = proxy.verified(VerifyResult.SAME)) {
            if (same != before) {
                before = same;
                since = System.nanoTime();
            }
            assertThat(System.nanoTime() - since).as("no verified answer").isLessThan(LIMIT.toNanos());
            answer(ReuseTables.QUERIES.get(random.nextInt(ReuseTables.QUERIES.size())));
            if (random.nextInt(4) == 0) {
                turns.release();
            }
        }
    }

    /** Returns the rows. If the answer was split, waits until it is verified. */
    private String answer(String sql) throws Exception {
        for (; ; lost++) {
            int before = proxy.verified();
            proxy.forget();
            try {
                String rows = client().query(sql).rows().toString();
                if (proxy.outcome().fannedOut()) {
                    split++;
                    await().pollDelay(Duration.ZERO)
                            .pollInterval(Duration.ofMillis(2))
                            .atMost(LIMIT)
                            .until(() -> proxy.verified() > before);
                }
                assertThat(proxy.verified(VerifyResult.DIFFERENT)).isZero();
                return rows;
            } catch (IOException | ServerException e) {
                requireEndOfServer(e);
                reconnect();
            }
        }
    }

    private static void requireEndOfServer(Exception e) {
        if (e instanceof ServerException error) {
            assertThat(RestartableServer.ERRORS).as("%s", e).contains(error.errno());
        } else {
            assertThat(e).as("no hang").isNotInstanceOf(SocketTimeoutException.class);
        }
    }

    private WireConnection client() {
        WireConnection open = client;
        if (open == null) {
            open = await().atMost(LIMIT)
                    .pollInterval(Duration.ofMillis(20))
                    .ignoreExceptions()
                    .until(proxy::proxied, opened -> true);
            client = open;
        }
        return open;
    }

    /** The next question is asked on a new connection. */
    public void reconnect() {
        if (client != null) {
            client.close();
            client = null;
        }
    }

    /** Returns how many connections of the client were lost in a statement. */
    public int lost() {
        return lost;
    }

    /** Returns the number of partition queries with this outcome since the last call for any outcome. */
    public int counted(ReuseOutcome outcome) {
        int counted = 0;
        for (ReuseOutcome each : ReuseOutcome.values()) {
            int since = proxy.reuse(each);
            queries.merge(each, since, Integer::sum);
            counted += each == outcome ? since : 0;
        }
        return counted;
    }

    /** Asks for an unchanged table until its rows are used again. */
    public void awaitReuse() {
        await().pollInterval(Duration.ofMillis(20)).atMost(LIMIT).untilAsserted(() -> {
            counted(ReuseOutcome.REUSED);
            answer(ReuseTables.MARKS);
            assertThat(counted(ReuseOutcome.REUSED)).isPositive();
        });
    }

    /** Changes each partition of a table, and requires that the next answers show it. */
    public void showsWrites(TestServer server) throws Exception {
        try (WireConnection admin = connect(server)) {
            for (int p = 0; p < ReuseTables.MARKS_ROWS; p++) {
                admin.execute("UPDATE it_storm.mark SET v = v + 1 WHERE p = " + p);
                showsMarks(admin);
                showsMarks(admin);
            }
        }
    }

    /** Requires that the next answer is the server's, for a table that the writers leave alone. */
    public void showsMarks(WireConnection admin) throws Exception {
        assertThat(answer(ReuseTables.MARKS))
                .isEqualTo(admin.query(ReuseTables.MARKS).rows().toString());
    }

    /** Ends the writers, prints what happened, and requires that something did. */
    public void end(String title) throws Exception {
        stop.set(true);
        turns.release(writers.size());
        int changes = 0;
        for (Future<Integer> writer : writers) {
            changes += writer.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        }
        counted(ReuseOutcome.REUSED);
        System.out.printf(
                "%s, %s: %d answers, %d the same as the server's, %d different, beside %d changes;"
                        + " %d connections lost; partition queries: %s%n",
                proxy.server(),
                title,
                split,
                proxy.verified(VerifyResult.SAME),
                proxy.verified(VerifyResult.DIFFERENT),
                changes,
                lost,
                queries);
        assertThat(queries.get(ReuseOutcome.REUSED)).isPositive();
        assertThat(changes).isPositive();
        assertThat(proxy.verified(VerifyResult.DIFFERENT)).isZero();
    }

    @Override
    public void close() {
        stop.set(true);
        turns.release(writers.size());
        reconnect();
    }
}
