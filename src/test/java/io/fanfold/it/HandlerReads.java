package io.fanfold.it;

import io.fanfold.client.WireConnection;
import io.fanfold.row.Row;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How many rows a server's handlers read ({@code Handler_read%}) while a test does something and nobody else does. Both servers add what
 * SHOW STATUS itself reads to the global sums; that is measured and left out. For use by one thread.
 */
final class HandlerReads {
    private static final String HANDLER_READS = "STATUS WHERE Variable_name LIKE 'Handler\\_read%'";

    private final WireConnection admin;
    private final WireConnection client;
    private final long own;
    private final long ownOfClient;

    /** Something that reads rows. */
    @FunctionalInterface
    interface Work {
        void run() throws Exception;
    }

    /**
     * What was read for a statement through a proxy.
     *
     * @param workers rows that the worker connections read
     * @param client rows that the client's own session read: by a finish query, or to set what FOUND_ROWS() is
     */
    record Split(long workers, long client, ProxiedServer.Outcome outcome) {}

    /**
     * Measures what reading the counts costs.
     *
     * @param admin a connection straight to the server, which nothing else uses meanwhile
     * @param client a connection through the proxy
     */
    HandlerReads(WireConnection admin, WireConnection client) throws Exception {
        this.admin = admin;
        this.client = client;
        global();
        long first = global();
        this.own = global() - first;
        session();
        this.ownOfClient = during(this::session);
    }

    /** What all sessions read meanwhile. */
    long during(Work work) throws Exception {
        long before = global();
        work.run();
        return global() - before - own;
    }

    /** What is read for a statement of the client. */
    Split ofSplit(String sql, ProxiedServer proxy) throws Exception {
        long before = session();
        proxy.forget();
        AtomicLong after = new AtomicLong();
        long all = during(() -> {
            client.query(sql);
            // counted within: the proxy may have to restore FOUND_ROWS() first
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
