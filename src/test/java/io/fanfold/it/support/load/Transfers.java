package io.fanfold.it.support.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.it.support.proxy.ProxiedServer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Writers that transfer money between the parts of {@code it_snapshot.account} (8 partitions or none, 64 accounts) and the
 * table {@code it_snapshot.bank}. The total is the same after every commit. Each writer has a thread and a direct
 * connection to the server.
 */
public final class Transfers implements AutoCloseable {
    static final int ACCOUNTS = 64;

    /** At least as many writers as kinds of transfers: {@code -Dfanfold.it.snapshot.writers=8}. */
    private static final int WRITERS = Integer.getInteger("fanfold.it.snapshot.writers", 2);

    /** Commits per second of all writers; 0 for no limit: {@code -Dfanfold.it.snapshot.commits=3000}. */
    private static final int PACE = Integer.getInteger("fanfold.it.snapshot.commits", 0);

    private static final int DEADLOCK = 1213;

    /** The statements of one transfer between two accounts. */
    public interface Move {
        List<String> statements(int from, int to);
    }

    private final AtomicBoolean stop = new AtomicBoolean();
    private final AtomicInteger commits = new AtomicInteger();
    private final List<Future<Integer>> writers = new ArrayList<>();
    private final long start = System.nanoTime();

    private final String schema;
    private final int pace;

    private Transfers(String schema, int pace) {
        this.schema = schema;
        this.pace = pace;
    }

    /** Starts writers in {@code it_snapshot}, each of which makes one kind of transfer. */
    public static Transfers start(ProxiedServer proxy, Move... moves) {
        return start(proxy, "it_snapshot", PACE, moves);
    }

    /**
     * Starts writers.
     *
     * @param schema the default database of the statements
     * @param pace commits per second of all writers; 0 for no limit
     */
    public static Transfers start(ProxiedServer proxy, String schema, int pace, Move... moves) {
        Transfers transfers = new Transfers(schema, pace);
        for (int i = 0; i < Math.max(WRITERS, moves.length); i++) {
            int seed = i + 1;
            Move move = moves[i % moves.length];
            transfers.writers.add(Background.start(() -> transfers.run(proxy, seed, move)));
        }
        return transfers;
    }

    /** Ends the writers and requires that each made a transfer. Returns commits per second. */
    public long end() throws Exception {
        long nanos = System.nanoTime() - start;
        long rate = TimeUnit.SECONDS.toNanos(1) * commits.get() / nanos;
        stop.set(true);
        for (Future<Integer> writer : writers) {
            assertThat(writer.get(20, TimeUnit.SECONDS)).as("moves").isPositive();
        }
        return rate;
    }

    @Override
    public void close() {
        stop.set(true);
    }

    /** Transfers money until stopped. Returns the number of transfers. */
    private int run(ProxiedServer proxy, int seed, Move move) throws Exception {
        Random random = new Random(seed);
        int moves = 0;
        try (WireConnection writer = proxy.direct()) {
            writer.execute("USE " + schema);
            while (!stop.get()) {
                int from = random.nextInt(ACCOUNTS - 1);
                int to = from + 1 + random.nextInt(ACCOUNTS - from - 1);
                try {
                    for (String statement : move.statements(from, to)) {
                        writer.execute(statement);
                    }
                    moves++;
                    pause(commits.incrementAndGet());
                } catch (ServerException e) {
                    // the server has rolled back the whole transaction
                    assertThat(e.errno())
                            .as("%s %s after %d commits in %d s", Instant.now(), e, commits.get(), seconds())
                            .isEqualTo(DEADLOCK);
                }
            }
        }
        return moves;
    }

    private long seconds() {
        return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
    }

    /** Waits as needed to keep the rate of commits. */
    private void pause(int done) {
        if (pace > 0) {
            long due = start + TimeUnit.SECONDS.toNanos(done) / pace;
            LockSupport.parkNanos(due - System.nanoTime());
        }
    }

    public static List<String> inATransaction(int from, int to) {
        return List.of(
                "BEGIN",
                "UPDATE account SET v = v - 7 WHERE id = " + from,
                "UPDATE account SET v = v + 7 WHERE id = " + to,
                "COMMIT");
    }

    public static List<String> prepared(int from, int to) {
        return xa("it", from, to, "XA PREPARE 'it'", "XA COMMIT 'it'");
    }

    /**
     * MariaDB detaches such a prepared transaction from its session, as it does when the session ends. XA COMMIT then
     * works as from another session. (MariaDB 10.11.5 may lose the transaction of a session that has just ended: it can
     * be committed before the engine has released it.)
     */
    public static List<String> detached(int from, int to) {
        return xa(
                "off",
                from,
                to,
                "SET pseudo_slave_mode = 1",
                "XA PREPARE 'off'",
                "SET pseudo_slave_mode = 0",
                "XA COMMIT 'off'");
    }

    public static List<String> inOnePhase(int from, int to) {
        return xa("one", from, to, "XA COMMIT 'one' ONE PHASE");
    }

    private static List<String> xa(String xid, int from, int to, String... end) {
        return Stream.concat(
                        Stream.of(
                                "XA START '" + xid + "'",
                                "UPDATE account SET v = v - 7 WHERE id = " + from,
                                "UPDATE account SET v = v + 7 WHERE id = " + to,
                                "XA END '" + xid + "'"),
                        Stream.of(end))
                .toList();
    }

    public static List<String> inOneStatement(int from, int to) {
        return List.of("UPDATE account SET v = v + IF(id = " + from + ", -5, 5) WHERE id IN (" + from + ", " + to
                + ") ORDER BY id");
    }

    public static List<String> toTheBank(int from, int to) {
        return List.of(
                "BEGIN",
                "UPDATE account SET v = v - 3 WHERE id = " + from,
                "UPDATE bank SET v = v + 3 WHERE id = " + to % 4,
                "COMMIT");
    }

    /** Also moves both accounts to other places in the order of the key, and back the next time. */
    public static List<String> toOtherKeys(int from, int to) {
        return List.of("UPDATE account SET v = v + IF(id % 1000 = " + from + ", -5, 5),"
                + " id = IF(id < 1000, id + 1000, id - 1000) WHERE id IN (" + from + ", " + to + ", "
                + (from + 1000) + ", " + (to + 1000) + ")");
    }

    /** Recreates the tables: 1000 in each account, nothing in the bank. */
    public static void createAccounts(ProxiedServer proxy) throws Exception {
        createAccounts(proxy, " PARTITION BY HASH (id) PARTITIONS 8");
    }

    /** Recreates the tables; {@code account} is not partitioned. */
    public static void createAccountsWithoutPartitions(ProxiedServer proxy) throws Exception {
        createAccounts(proxy, "");
    }

    private static void createAccounts(ProxiedServer proxy, String partitioning) throws Exception {
        try (WireConnection admin = proxy.direct()) {
            admin.execute("DROP DATABASE IF EXISTS it_snapshot");
            admin.execute("CREATE DATABASE it_snapshot");
            admin.execute("CREATE TABLE it_snapshot.account (id INT PRIMARY KEY, v INT NOT NULL) ENGINE=InnoDB"
                    + partitioning);
            StringBuilder values = new StringBuilder("(0, 1000)");
            for (int i = 1; i < ACCOUNTS; i++) {
                values.append(", (").append(i).append(", 1000)");
            }
            admin.execute("INSERT INTO it_snapshot.account VALUES " + values);
            admin.execute("CREATE TABLE it_snapshot.bank (id INT PRIMARY KEY, v INT NOT NULL) ENGINE=InnoDB");
            admin.execute("INSERT INTO it_snapshot.bank VALUES (0, 0), (1, 0), (2, 0), (3, 0)");
            admin.query("ANALYZE TABLE it_snapshot.account, it_snapshot.bank");
        }
        proxy.tablesChanged();
    }
}
