package io.fanfold.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.snapshot.WorkerReplies;
import io.fanfold.wire.Reply;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A partitioned table of accounts. Transfers between accounts leave the total unchanged.
 *
 * @param server the server of the table
 * @param schema the database of the table; must exist
 */
public record Accounts(RealServer server, String schema) {
    public static final int PARTITIONS = 4;

    private static final int ACCOUNTS = 400;

    public static final long TOTAL = ACCOUNTS * 1000L;

    /** The result of several workers together: the total, and a sum that nearly every transfer changes. */
    public record Seen(long total, long state) {}

    /** Threads that make transfers until closed. */
    public record Writers(AtomicBoolean stop, AtomicLong commits, List<CompletableFuture<Void>> threads)
            implements AutoCloseable {
        @Override
        public void close() {
            stop.set(true);
            CompletableFuture.allOf(threads.toArray(CompletableFuture[]::new)).join();
        }
    }

    public String table() {
        return schema + ".account";
    }

    public void create() throws IOException, ServerException {
        try (WireConnection admin = server.admin()) {
            admin.execute("DROP TABLE IF EXISTS " + table());
            admin.execute("CREATE TABLE " + table()
                    + " (id INT PRIMARY KEY, balance BIGINT) ENGINE=InnoDB PARTITION BY HASH (id) PARTITIONS "
                    + PARTITIONS);
            StringBuilder insert = new StringBuilder("INSERT INTO " + table() + " VALUES (0, 1000)");
            for (int i = 1; i < ACCOUNTS; i++) {
                insert.append(",(").append(i).append(", 1000)");
            }
            admin.execute(insert.toString());
        }
    }

    public Writers transfers(int threads) {
        Writers writers = new Writers(new AtomicBoolean(), new AtomicLong(), new ArrayList<>());
        for (int i = 0; i < threads; i++) {
            int seed = i;
            writers.threads().add(CompletableFuture.runAsync(() -> transfer(seed, writers)));
        }
        return writers;
    }

    private void transfer(int seed, Writers writers) {
        Random random = new Random(seed);
        try (WireConnection writer = server.admin()) {
            while (!writers.stop().get()) {
                int low = random.nextInt(ACCOUNTS - 1);
                int high = low + 1 + random.nextInt(ACCOUNTS - low - 1);
                int amount = 1 + random.nextInt(1000);
                List<Reply> replies = writer.pipeline(List.of(
                        "START TRANSACTION",
                        "UPDATE " + table() + " SET balance = balance - " + amount + " WHERE id = " + low,
                        "UPDATE " + table() + " SET balance = balance + " + amount + " WHERE id = " + high,
                        "COMMIT"));
                // Rows are locked in the order of their ids, so no deadlock can roll back half a transfer.
                assertThat(replies).hasOnlyElementsOfType(Reply.Completed.class);
                writers.commits().incrementAndGet();
            }
        } catch (IOException | ServerException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Reads one partition with each worker, in the transaction that the worker has open. */
    public Seen read(List<WireConnection> workers) throws IOException {
        for (int i = 0; i < workers.size(); i++) {
            workers.get(i)
                    .sendTexts(List.of(
                            "SELECT SUM(balance), SUM(balance * id) FROM " + table() + " PARTITION (p" + i + ")"));
        }
        long total = 0;
        long state = 0;
        for (WireConnection worker : workers) {
            Reply reply = worker.receive();
            total += Long.parseLong(WorkerReplies.value(reply, 0));
            state += Long.parseLong(WorkerReplies.value(reply, 1));
        }
        return new Seen(total, state);
    }
}
