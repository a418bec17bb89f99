package io.fanfold.cli.bench;

import io.fanfold.cli.demo.Endpoint;
import io.fanfold.cli.demo.SqlAnswer;
import io.fanfold.cli.demo.SqlClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** What a programmer would do without a proxy: open connections, one partition after the other on each, one fold. */
final class HandSplit implements AutoCloseable {
    private final List<SqlClient> connections = new ArrayList<>();
    private final List<String> partitions = new ArrayList<>();
    private final ExecutorService threads;

    /**
     * Opens the connections and reads the names of the partitions.
     *
     * @param degree how many connections, 1 or more
     */
    HandSplit(SqlClient.Factory clients, Endpoint server, String database, int degree) throws IOException {
        threads = Executors.newFixedThreadPool(degree);
        boolean opened = false;
        try {
            for (int i = 0; i < degree; i++) {
                SqlClient client = clients.open(server);
                connections.add(client);
                client.execute("USE `" + database + "`");
            }
            connections
                    .get(0)
                    .query("SELECT partition_name FROM information_schema.partitions WHERE table_schema = DATABASE()"
                            + " AND table_name = 'lineorder' ORDER BY partition_ordinal_position")
                    .rows()
                    .forEach(row -> partitions.add(String.valueOf(row.utf8(0))));
            opened = true;
        } finally {
            if (!opened) {
                close();
            }
        }
    }

    /** Runs the partition queries and folds their answers. */
    HandFold run(HandQuery query) throws IOException, InterruptedException {
        ConcurrentLinkedQueue<String> left = new ConcurrentLinkedQueue<>(partitions);
        List<Callable<List<SqlAnswer>>> tasks = new ArrayList<>();
        for (SqlClient client : connections) {
            tasks.add(() -> {
                List<SqlAnswer> answers = new ArrayList<>();
                for (String name = left.poll(); name != null; name = left.poll()) {
                    answers.add(client.query(query.forPartition(name)));
                }
                return answers;
            });
        }
        HandFold fold = new HandFold(query);
        try {
            for (Future<List<SqlAnswer>> task : threads.invokeAll(tasks)) {
                task.get().forEach(fold::add);
            }
        } catch (ExecutionException e) {
            throw new IOException("a partition query by hand failed: " + e.getCause(), e);
        }
        fold.groups();
        return fold;
    }

    @Override
    public void close() {
        threads.shutdownNow();
        connections.forEach(SqlClient::close);
    }
}
