package io.fanfold.bench;

import io.fanfold.demo.Endpoint;
import io.fanfold.demo.SqlClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Splits a statement as a programmer would without a proxy. It opens connections, and runs partition queries one after
 * the other on each. The rows are read but not merged, so no method of merging is measured. Not thread-safe.
 */
final class HandSplit implements AutoCloseable {
    private final List<SqlClient> connections = new ArrayList<>();
    private final List<String> partitions = new ArrayList<>();
    private final List<String> ranges = new ArrayList<>();
    private final ExecutorService threads;

    /**
     * Opens the connections, and reads the names of the partitions and the keys for as many ranges.
     *
     * @param most the number of connections, 1 or more
     */
    HandSplit(SqlClient.Factory clients, Endpoint server, String database, int most) throws IOException {
        threads = Executors.newFixedThreadPool(most);
        boolean opened = false;
        try {
            for (int i = 0; i < most; i++) {
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
            ranges.addAll(equalRanges(
                    keys(
                            connections.get(0),
                            "SELECT DISTINCT " + BenchStatement.KEY + " FROM lineorder ORDER BY " + BenchStatement.KEY),
                    partitions.size()));
            opened = true;
        } finally {
            if (!opened) {
                close();
            }
        }
    }

    /**
     * Returns the conditions of ranges with about the same number of keys. The first and the last are open.
     *
     * @param keys in ascending order
     */
    static List<String> equalRanges(List<String> keys, int count) {
        List<String> conditions = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            List<String> bounds = new ArrayList<>();
            if (i > 0) {
                bounds.add(BenchStatement.KEY + " >= " + keys.get(i * keys.size() / count));
            }
            if (i < count - 1) {
                bounds.add(BenchStatement.KEY + " < " + keys.get((i + 1) * keys.size() / count));
            }
            conditions.add(String.join(" and ", bounds));
        }
        return conditions;
    }

    /**
     * Runs the partition queries of a statement and reads all their rows. If the statement has key filters, one
     * connection reads their keys first.
     *
     * @param degree the number of connections to use
     * @return the time in nanoseconds
     */
    long run(BenchStatement statement, int degree) throws IOException, InterruptedException {
        long start = System.nanoTime();
        List<String> conditions = new ArrayList<>();
        for (KeyFilter filter : statement.filters()) {
            conditions.add(filter.condition(keys(connections.get(0), filter.keys())));
        }
        ConcurrentLinkedQueue<String> left = new ConcurrentLinkedQueue<>(statement.byRanges() ? ranges : partitions);
        List<Callable<Long>> tasks = new ArrayList<>();
        for (SqlClient client : connections.subList(0, degree)) {
            tasks.add(() -> {
                long rows = 0;
                for (String name = left.poll(); name != null; name = left.poll()) {
                    rows += client.drain(statement.byHand(name, conditions));
                }
                return rows;
            });
        }
        try {
            for (Future<Long> task : threads.invokeAll(tasks)) {
                task.get();
            }
        } catch (ExecutionException e) {
            throw new IOException("a partition query by hand failed: " + e.getCause(), e);
        }
        return System.nanoTime() - start;
    }

    private static List<String> keys(SqlClient client, String sql) throws IOException {
        return client.query(sql).rows().stream()
                .map(row -> String.valueOf(row.ascii(0)))
                .toList();
    }

    @Override
    public void close() {
        threads.shutdownNow();
        connections.forEach(SqlClient::close);
    }
}
