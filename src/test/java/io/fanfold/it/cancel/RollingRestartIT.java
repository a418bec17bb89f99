package io.fanfold.it.cancel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.it.support.load.Background;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.SmallProxy;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** One proxy after another on the same port, while clients connect all the time. */
class RollingRestartIT {
    private static final int CLIENTS = 3;

    /** Without this setting the kernel resets a client that arrives in the moment in which the old socket is closed. */
    private static boolean kernelMovesClients() throws IOException {
        Path setting = Path.of("/proc/sys/net/ipv4/tcp_migrate_req");
        return Files.exists(setting) && Files.readString(setting).trim().equals("1");
    }

    /** Clients that connect, ask once and leave. */
    private static final class ShortClients {
        private final AtomicBoolean stop = new AtomicBoolean();
        private final AtomicInteger served = new AtomicInteger();

        /** A proxy that stops may have found a client idle that came to no turn between its login and its statement. */
        private final AtomicInteger idle = new AtomicInteger();

        private final Queue<String> refused = new ConcurrentLinkedQueue<>();
        private final Queue<String> wrong = new ConcurrentLinkedQueue<>();

        int run(SmallProxy proxy) {
            while (!stop.get()) {
                try (WireConnection client = proxy.connect()) {
                    ask(client);
                } catch (IOException | ServerException e) {
                    refused.add(e.toString());
                }
            }
            return served.get();
        }

        private void ask(WireConnection client) {
            try {
                String rows = client.query("SELECT 6 * 7").rows().toString();
                if (rows.equals("[42]")) {
                    served.incrementAndGet();
                } else {
                    wrong.add(rows);
                }
            } catch (IOException e) {
                idle.incrementAndGet();
            } catch (ServerException e) {
                wrong.add(e.toString());
            }
        }

        void awaitMore(int count) {
            int before = served.get();
            await().atMost(Duration.ofSeconds(60)).until(() -> served.get() >= before + count);
        }
    }

    @AllServers
    void noClientIsRefused(TestServer server) throws Exception {
        try (ProxiedServer other = ProxiedServer.start(server, 2)) {
            other.forget();
        }
        ShortClients clients = new ShortClients();
        List<Future<Integer>> threads = new ArrayList<>();
        try (SmallProxy first = SmallProxy.onSharedPort(server)) {
            for (int i = 0; i < CLIENTS; i++) {
                threads.add(Background.start(() -> clients.run(first)));
            }
            clients.awaitMore(20);
            try (SmallProxy second = first.successor()) {
                clients.awaitMore(20);
                first.signal("TERM");
                assertThat(first.awaitExit()).isZero();
                clients.awaitMore(20);
                try (SmallProxy third = second.successor()) {
                    second.signal("TERM");
                    assertThat(second.awaitExit()).isZero();
                    clients.awaitMore(20);
                    clients.stop.set(true);
                    for (Future<Integer> each : threads) {
                        each.get(20, TimeUnit.SECONDS);
                    }
                    assertThat(third.isAlive()).isTrue();
                }
            }
        }
        assertThat(clients.wrong).isEmpty();
        assertThat(clients.refused).hasSizeLessThanOrEqualTo(kernelMovesClients() ? 0 : 1);
        assertThat(clients.idle).hasValueLessThanOrEqualTo(2 * CLIENTS);
    }
}
