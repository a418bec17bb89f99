package io.fanfold.it.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.it.support.data.SlowTables;
import io.fanfold.it.support.load.Background;
import io.fanfold.it.support.proxy.NothingLeft;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.it.support.server.own.RestartableServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;

/** A server that is restarted, and one that crashes, while clients run split statements. */
class RestartIT {
    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final int CLIENTS = 4;

    private static final Map<String, String> STATEMENTS = Map.of(
            SlowTables.SHORT,
            SlowTables.SHORT_ANSWER,
            SlowTables.LONG,
            "[" + SlowTables.LONG_SUM + "]",
            "SELECT COUNT(*), MAX(n) FROM (SELECT v, COUNT(*) AS n FROM it_slow.big GROUP BY v) x",
            "[100|200]");

    @AllServers
    void statementsAreRightOrFailClearlyAndSplitsResume(TestServer likeThis, @TempDir Path data) throws Exception {
        try (RestartableServer restartable = RestartableServer.like(likeThis, data)) {
            TestServer server = restartable.server();
            NothingLeft nothing = NothingLeft.before(server);
            try (ProxiedServer proxy = ProxiedServer.start(server, 3)) {
                SlowTables.create(proxy);
                Clients clients = new Clients(proxy);
                try {
                    clients.awaitFanOuts(CLIENTS);
                    restartable.restart();
                    clients.awaitFanOuts(CLIENTS);
                    restartable.crash();
                    clients.awaitFanOuts(CLIENTS);
                } finally {
                    clients.end();
                }
                System.out.println("restarts, " + server.name() + ": " + clients.seen);
                assertThat(clients.seen.get("right")).isPositive();
                assertThat(clients.seen.keySet()).as("what clients saw").hasSizeGreaterThan(1);
                nothing.whileItRuns(proxy, 16);
            }
            nothing.afterIt(server);
        }
    }

    /** Clients that run statements continuously, and reconnect if their connection ends. */
    private static final class Clients {
        private final ProxiedServer proxy;
        private final AtomicBoolean stop = new AtomicBoolean();
        private final List<Future<Integer>> loops = new ArrayList<>();
        private final ConcurrentSkipListMap<String, Integer> seen = new ConcurrentSkipListMap<>();

        Clients(ProxiedServer proxy) {
            this.proxy = proxy;
            for (int i = 0; i < CLIENTS; i++) {
                List<String> order = new ArrayList<>(new TreeMap<>(STATEMENTS).keySet());
                Collections.rotate(order, i);
                loops.add(Background.start(() -> run(order)));
            }
        }

        private int run(List<String> statements) throws Exception {
            int turns = 0;
            while (!stop.get()) {
                try (WireConnection client = connected()) {
                    while (!stop.get()) {
                        String statement = statements.get(turns++ % statements.size());
                        assertThat(client.query(statement).rows().toString())
                                .as(statement)
                                .isEqualTo(STATEMENTS.get(statement));
                        saw("right");
                    }
                } catch (ServerException e) {
                    assertThat(e.errno()).as("%s", e.getMessage()).isIn(RestartableServer.ERRORS);
                    saw("error " + e.errno());
                } catch (IOException e) {
                    saw("connection ended");
                }
            }
            return turns;
        }

        /** Retries until the server is available again. */
        private WireConnection connected() {
            return await().atMost(LIMIT).pollInterval(Duration.ofMillis(20)).until(this::attempt, Objects::nonNull);
        }

        private @Nullable WireConnection attempt() {
            try {
                return proxy.proxied();
            } catch (ServerException e) {
                assertThat(e.errno()).as("%s", e.getMessage()).isIn(RestartableServer.ERRORS);
                saw("refused with " + e.errno());
                return null;
            } catch (IOException e) {
                saw("refused");
                return null;
            }
        }

        private void saw(String what) {
            seen.merge(what, 1, Integer::sum);
        }

        /** Waits until the given number of statements that arrive from now on are split. */
        void awaitFanOuts(int number) {
            proxy.forget();
            AtomicInteger fannedOut = new AtomicInteger();
            Map<String, Integer> passed = new TreeMap<>();
            await().atMost(LIMIT).untilAsserted(() -> {
                assertThat(loops).as("clients that go on").noneMatch(Future::isDone);
                if (!proxy.lookedAtNothing()) {
                    ProxiedServer.Outcome outcome = proxy.outcome();
                    passed.merge(String.valueOf(outcome.reason()), 1, Integer::sum);
                    fannedOut.addAndGet(outcome.fannedOut() ? 1 : 0);
                }
                assertThat(fannedOut.get()).as("outcomes so far: %s", passed).isGreaterThanOrEqualTo(number);
            });
        }

        void end() throws Exception {
            stop.set(true);
            for (Future<Integer> loop : loops) {
                assertThat(loop.get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isPositive();
            }
        }
    }
}
