package io.fanfold.it.limits;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.fanfold.client.RowStream;
import io.fanfold.client.WireConnection;
import io.fanfold.it.support.data.SlowTables;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;

/** How much heap Fanfold allocates for each row that it streams, and for each group that it merges. */
class AllocationIT {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** Measured: 26 to 41. Rows are handed on in blocks, without an object for each. */
    private static final long STREAMED_BYTES = 60;

    /** Measured: 221. Each row has a sort key. */
    private static final long SORTED_BYTES = 300;

    /** Measured: 378 to 398, for two rows of partition queries and one of the answer. */
    private static final long GROUPED_BYTES = 520;

    /** 200,000 rows of 13 to 20 bytes, with their length prefixes. */
    private static final String STREAMED =
            "SELECT a.id, b.id, a.v FROM it_slow.big a JOIN it_slow.other b ON b.w <= 10 AND a.v < 1000";

    /** 200,000 groups, each from two parts. */
    private static final String GROUPED = "SELECT a.id DIV 2, b.id, COUNT(*), SUM(a.v) FROM it_slow.big a"
            + " JOIN it_slow.other b ON b.w <= 20 AND a.v < 1000 GROUP BY a.id DIV 2, b.id";

    private static final String SORTED = STREAMED + " ORDER BY a.id, b.id";

    @AllServers
    void aRowAllocatesLittle(TestServer server) throws Exception {
        try (ProxiedServer proxy = ProxiedServer.start(server, ProxySetup.ofDegree(2))) {
            SlowTables.create(proxy);
            try (WireConnection client = proxy.proxied()) {
                assertThat(bytesForEach(proxy, client, STREAMED)).isBetween(1L, STREAMED_BYTES);
                assertThat(bytesForEach(proxy, client, SORTED)).isBetween(1L, SORTED_BYTES);
                assertThat(bytesForEach(proxy, client, GROUPED)).isBetween(1L, GROUPED_BYTES);
            }
        }
    }

    /** Returns the bytes that all threads but this one allocate for each row of the answer. */
    private static long bytesForEach(ProxiedServer proxy, WireConnection client, String sql) throws Exception {
        long rows = read(client, sql);
        Map<Long, Long> before = allocated();
        assertThat(read(client, sql)).isEqualTo(rows);
        Map<Long, Long> after = allocated();
        assertThat(proxy.outcome().fannedOut()).isTrue();
        long bytes = 0;
        for (Map.Entry<Long, Long> thread : after.entrySet()) {
            bytes += thread.getValue() - before.getOrDefault(thread.getKey(), 0L);
        }
        return bytes / rows;
    }

    private static long read(WireConnection client, String sql) throws Exception {
        long rows = 0;
        try (RowStream answer = client.stream(sql.getBytes(UTF_8))) {
            while (answer.next() != null) {
                rows++;
            }
        }
        return rows;
    }

    /** The bytes that each other thread has allocated so far, by thread id. */
    private static Map<Long, Long> allocated() {
        Map<Long, Long> bytes = new HashMap<>();
        long[] ids = THREADS.getAllThreadIds();
        long[] each = THREADS.getThreadAllocatedBytes(ids);
        for (int i = 0; i < ids.length; i++) {
            if (ids[i] != Thread.currentThread().getId()) {
                bytes.put(ids[i], each[i]);
            }
        }
        return bytes;
    }
}
