package io.fanfold.it.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.data.SlowTables;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.proxy.SmallProxy;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.session.channel.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Many idle clients, with a proxy that has a small heap. {@code -Dfanfold.it.idle-clients} sets their number,
 * {@code -Dfanfold.it.idle-heap} the proxy's heap. Each client takes two file handles of the proxy, one of this JVM,
 * and 130 KiB of this JVM's heap.
 */
class IdleClientsIT {
    private static final int CLIENTS = Integer.getInteger("fanfold.it.idle-clients", 1_000);
    private static final String HEAP = System.getProperty("fanfold.it.idle-heap", "64m");

    /** Without encryption, which this server does not offer. Measured: 3,850 to 3,900, and 4,946 without native code. */
    private static final long BYTES_PER_CLIENT = (Transport.best() == Transport.EPOLL ? 4L : 6L) << 10;

    /** The number of concurrent logins, less than the server's listen backlog. */
    private static final int AT_ONCE = 8;

    @OnServers(ServerName.MARIADB)
    void idleClientsNeedLittleAndLeaveNothing(TestServer server) throws Exception {
        try (ProxiedServer other = ProxiedServer.start(server, ProxySetup.ofDegree(3))) {
            SlowTables.create(other);
        }
        try (WireConnection admin = connect(server)) {
            String most =
                    admin.query("SELECT @@global.max_connections").rows().get(0).toString();
            admin.execute("SET GLOBAL max_connections = " + (CLIENTS + 200));
            try (SmallProxy proxy = SmallProxy.withHeap(server, HEAP, CLIENTS + 100)) {
                measure(proxy);
            } finally {
                admin.execute("SET GLOBAL max_connections = " + most);
            }
        }
    }

    private static void measure(SmallProxy proxy) throws Exception {
        try (WireConnection first = proxy.connect()) {
            proxy.awaitSplit(first);
            // so that each event loop has had clients before
            logIn(proxy, 8 * Runtime.getRuntime().availableProcessors()).forEach(WireConnection::close);
            long before = proxy.heapBytes();
            List<WireConnection> clients = logIn(proxy, CLIENTS);
            try {
                long after = proxy.heapBytes();
                assertThat((after - before) / CLIENTS)
                        .as("bytes of heap for each of %d clients; %d before, %d after", CLIENTS, before, after)
                        .isBetween(1L, BYTES_PER_CLIENT);
                for (int i = 0; i < CLIENTS; i += Math.max(1, CLIENTS / 10)) {
                    assertThat(clients.get(i).query("SELECT 6 * 7").rows().toString())
                            .isEqualTo("[42]");
                    proxy.awaitSplit(clients.get(i));
                }
            } finally {
                clients.forEach(WireConnection::close);
            }
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(proxy.heapBytes() - before)
                            .as("bytes that are left")
                            .isLessThan(CLIENTS * BYTES_PER_CLIENT / 4));
        }
    }

    /** Returns that number of clients, which the caller closes. */
    private static List<WireConnection> logIn(SmallProxy proxy, int number) throws Exception {
        List<WireConnection> clients = new ArrayList<>();
        ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
        boolean all = false;
        try {
            List<Future<WireConnection>> opening = new ArrayList<>();
            for (int i = 0; i < number; i++) {
                opening.add(threads.submit(proxy::connect));
            }
            for (Future<WireConnection> one : opening) {
                clients.add(one.get());
            }
            all = true;
            return clients;
        } finally {
            threads.shutdownNow();
            if (!all) {
                clients.forEach(WireConnection::close);
            }
        }
    }

    private static WireConnection connect(TestServer server) throws Exception {
        return ProxiedServer.connect(server.host(), server.port(), server.adminUser(), server.adminPassword());
    }
}
