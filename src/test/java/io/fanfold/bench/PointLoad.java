package io.fanfold.bench;

import io.fanfold.demo.Endpoint;
import io.fanfold.demo.SqlClient;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.LongStream;

/** Clients that run one statement after the other, such as selects of single rows of a table by key. */
final class PointLoad {
    private static final int ROWS = 100_000;
    private static final int ROWS_OF_INSERT = 10_000;
    private static final String TABLE = "fanfold_points";

    private final SqlClient.Factory clients;
    private final String database;

    PointLoad(SqlClient.Factory clients, String database) {
        this.clients = clients;
        this.database = database;
    }

    /** Creates the table if it is missing; it has no partitions. */
    static void prepare(SqlClient client) throws IOException {
        client.execute(
                "CREATE TABLE IF NOT EXISTS " + TABLE + " (id int not null primary key, v varchar(100) not null)");
        if (String.valueOf(ROWS)
                .equals(client.query("SELECT COUNT(*) FROM " + TABLE).first())) {
            return;
        }
        for (int from = 0; from < ROWS; from += ROWS_OF_INSERT) {
            StringBuilder sql = new StringBuilder("REPLACE INTO " + TABLE + " VALUES ");
            for (int i = from; i < from + ROWS_OF_INSERT; i++) {
                sql.append(i == from ? "" : ",")
                        .append("(")
                        .append(i)
                        .append(",'value ")
                        .append(i)
                        .append("-".repeat(80))
                        .append("')");
            }
            client.execute(sql.toString());
        }
    }

    /** Returns a statement that selects one row. */
    static String point(SplittableRandom random) {
        return "SELECT v FROM " + TABLE + " WHERE id = " + random.nextInt(ROWS);
    }

    /** Returns a statement that selects all rows of the table, about 10 MB. */
    static String all(SplittableRandom random) {
        return "SELECT * FROM " + TABLE;
    }

    /**
     * The throughput and the latency of a load.
     *
     * @param perSecond answers per second of all clients together
     * @param p99Millis the time within which 99 of 100 statements were answered
     */
    record Measured(double perSecond, double p99Millis) {}

    /**
     * Runs the load.
     *
     * @param target the endpoint of the clients
     * @param connections the number of clients
     * @param time after which no client begins another statement
     * @param statements makes each statement
     */
    Measured run(Endpoint target, int connections, Duration time, Function<SplittableRandom, String> statements)
            throws IOException, InterruptedException {
        return run(target, connections, Duration.ZERO, time, statements);
    }

    /**
     * Runs the load with pauses.
     *
     * @param every the time from one statement of a client to its next; zero without pauses. A statement that is late because
     *     of the one before counts from when it was due
     */
    Measured run(
            Endpoint target,
            int connections,
            Duration every,
            Duration time,
            Function<SplittableRandom, String> statements)
            throws IOException, InterruptedException {
        List<SqlClient> open = new ArrayList<>();
        ExecutorService threads = Executors.newFixedThreadPool(connections);
        try {
            for (int i = 0; i < connections; i++) {
                SqlClient client = clients.open(target);
                open.add(client);
                client.execute("USE `" + database + "`");
            }
            CountDownLatch ready = new CountDownLatch(connections);
            List<Callable<Client>> tasks = new ArrayList<>();
            for (int i = 0; i < connections; i++) {
                SqlClient client = open.get(i);
                SplittableRandom random = new SplittableRandom(i);
                Pace pace = new Pace(every, (double) i / connections);
                tasks.add(() -> run(client, () -> statements.apply(random), ready, pace, time));
            }
            double total = 0;
            LongStream nanos = LongStream.empty();
            for (Future<Client> task : threads.invokeAll(tasks)) {
                total += task.get().perSecond();
                nanos = LongStream.concat(nanos, task.get().nanos());
            }
            long[] sorted = nanos.sorted().toArray();
            return new Measured(total, sorted[(int) (sorted.length * 0.99)] / 1e6);
        } catch (ExecutionException e) {
            throw new IOException("a client of the load failed: " + e.getCause(), e);
        } finally {
            threads.shutdownNow();
            open.forEach(SqlClient::close);
        }
    }

    /**
     * The load of one client.
     *
     * @param nanos the time of each statement; read once
     */
    private record Client(double perSecond, LongStream nanos) {}

    /**
     * When a client begins its statements.
     *
     * @param every zero without pauses
     * @param phase the part of that time before the first statement, so that clients do not begin together
     */
    private record Pace(Duration every, double phase) {
        /** Waits until a statement is due, and returns that time; without pauses, returns the time now. */
        long await(long startNanos, long statement) {
            if (every.isZero()) {
                return System.nanoTime();
            }
            long due = startNanos + (long) ((statement + phase) * every.toNanos());
            for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            return due;
        }
    }

    private static Client run(
            SqlClient client, Supplier<String> statement, CountDownLatch ready, Pace pace, Duration time)
            throws IOException, InterruptedException {
        ready.countDown();
        ready.await();
        long start = System.nanoTime();
        long end = start + time.toNanos();
        long now = start;
        long count = 0;
        LongStream.Builder nanos = LongStream.builder();
        while (now < end) {
            long due = pace.await(start, count);
            client.drain(statement.get());
            count++;
            now = System.nanoTime();
            nanos.add(now - due);
        }
        return new Client(count * 1e9 / (now - start), nanos.build());
    }
}
