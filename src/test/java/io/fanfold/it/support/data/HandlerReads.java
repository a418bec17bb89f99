package io.fanfold.it.support.data;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.row.Row;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the rows that a server's handlers read ({@code Handler_read%}) while a test runs alone. Both servers add the
 * rows read by SHOW STATUS itself to the global sums; these are measured and subtracted. For one thread.
 */
public final class HandlerReads {
    private static final String HANDLER_READS = "STATUS WHERE Variable_name LIKE 'Handler\\_read%'";

    private final WireConnection admin;
    private final WireConnection client;
    private final long own;
    private final long ownOfClient;

    /** Work that reads rows. */
    @FunctionalInterface
    public interface Work {
        void run() throws Exception;
    }

    /**
     * The rows read for a statement through a proxy.
     *
     * @param workers rows that the worker connections read
     * @param client rows that the client's own session read: in a final query, or to restore FOUND_ROWS()
     */
    public record Split(long workers, long client, ProxiedServer.Outcome outcome) {}

    /**
     * Measures the cost of reading the counters.
     *
     * @param admin a direct connection to the server, not used by others meanwhile
     * @param client a connection through the proxy
     */
    public HandlerReads(WireConnection admin, WireConnection client) throws Exception {
        this.admin = admin;
        this.client = client;
        global();
        session();
        this.own = fewest(() -> {
            long before = global();
            return global() - before;
        });
        this.ownOfClient = fewest(() -> during(this::session));
    }

    /** The server itself reads rows now and then, so one measurement may count too many. */
    private static long fewest(Callable<Long> rows) throws Exception {
        long fewest = rows.call();
        for (int i = 0; i < 4; i++) {
            fewest = Math.min(fewest, rows.call());
        }
        return fewest;
    }

    /** Returns the rows that all sessions read meanwhile. */
    public long during(Work work) throws Exception {
        long before = global();
        work.run();
        return global() - before - own;
    }

    /** Returns the rows read for a statement of the client. */
    public Split ofSplit(String sql, ProxiedServer proxy) throws Exception {
        long before = session();
        proxy.forget();
        AtomicLong after = new AtomicLong();
        long all = during(() -> {
            client.query(sql);
            // counted here, because the proxy may have to restore FOUND_ROWS() first
            after.set(session());
        });
        long ofClient = after.get() - before;
        return new Split(all - ofClient - ownOfClient, ofClient, proxy.outcome());
    }

    private long global() throws Exception {
        return sum(admin, "GLOBAL");
    }

    private long session() throws Exception {
        return sum(client, "SESSION");
    }

    private static long sum(WireConnection connection, String scope) throws Exception {
        long sum = 0;
        for (Row row : connection.query("SHOW " + scope + " " + HANDLER_READS).rows()) {
            sum += Long.parseLong(String.valueOf(row.ascii(1)));
        }
        return sum;
    }
}
