package io.fanfold.demo;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Fills a table over several connections with INSERTs of about one megabyte. Not thread-safe. */
final class TableLoader {
    /** Far below the default of max_allowed_packet on every server. */
    private static final int STATEMENT_CHARACTERS = 1 << 20;

    private static final int DEADLOCK = 1213;
    private static final int ATTEMPTS = 5;

    private final List<SqlClient> clients;

    /** @param clients connections with the database chosen, at least one; each is used by one thread */
    TableLoader(List<SqlClient> clients) {
        this.clients = List.copyOf(clients);
    }

    /**
     * Loads all rows. Each connection loads a contiguous range of units, so that it appends in key order.
     *
     * @param progress counts every row that the server has inserted
     */
    void load(SsbTable table, ProgressBar progress) throws IOException, InterruptedException {
        int parts = (int) Math.min(clients.size(), table.units());
        ExecutorService threads = Executors.newFixedThreadPool(parts);
        try {
            List<Callable<Void>> tasks = new ArrayList<>();
            for (int i = 0; i < parts; i++) {
                SqlClient client = clients.get(i);
                long from = table.units() * i / parts;
                long to = table.units() * (i + 1) / parts;
                tasks.add(() -> {
                    insert(client, table, from, to, progress);
                    return null;
                });
            }
            for (Future<Void> task : threads.invokeAll(tasks)) {
                task.get();
            }
        } catch (ExecutionException e) {
            throw new IOException("table " + table.name() + " could not be filled: " + cause(e), e.getCause());
        } finally {
            threads.shutdownNow();
        }
    }

    private static String cause(ExecutionException e) {
        return e.getCause() == null ? "unknown" : String.valueOf(e.getCause().getMessage());
    }

    private static void insert(SqlClient client, SsbTable table, long from, long to, ProgressBar progress)
            throws IOException {
        StringBuilder sql = new StringBuilder(STATEMENT_CHARACTERS + (1 << 14));
        long unit = from;
        while (unit < to) {
            sql.setLength(0);
            sql.append("INSERT INTO ").append(table.name()).append(" VALUES ");
            int rows = 0;
            while (unit < to && sql.length() < STATEMENT_CHARACTERS) {
                sql.append(rows == 0 ? "" : ",");
                rows += table.append(sql, unit++);
            }
            execute(client, sql.toString());
            progress.add(rows);
        }
    }

    /** Runs a statement. After a deadlock it has changed nothing, so it is sent again. */
    private static void execute(SqlClient client, String sql) throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                client.execute(sql);
                return;
            } catch (SqlFailure e) {
                if (e.errno() != DEADLOCK || attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }
}
