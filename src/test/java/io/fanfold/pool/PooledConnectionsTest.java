package io.fanfold.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.FakeServer;
import io.fanfold.client.ScriptedServer;
import io.fanfold.client.WireSettings;
import io.fanfold.config.BackendConfig;
import io.fanfold.config.Secret;
import io.fanfold.config.WorkersConfig;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PooledConnectionsTest {
    /** A pool of at most one connection. */
    private static PooledConnections connections(int port) {
        BackendConfig backend = new BackendConfig(
                InetAddress.getLoopbackAddress().getHostAddress(), port, Duration.ofSeconds(10), Duration.ZERO);
        WorkersConfig workers = WorkersConfig.defaults().with("worker", Secret.EMPTY, 1);
        return new PooledConnections(WireSettings.of(backend, null, workers), backend, workers, Duration.ofSeconds(10));
    }

    private static ScriptedServer script(String host) {
        return new ScriptedServer("9.7.0", Map.of("hostname", host), sql -> List.of());
    }

    private static Connection take(PooledConnections connections) {
        return await().pollDelay(Duration.ZERO)
                .atMost(Duration.ofSeconds(30))
                .ignoreExceptionsInstanceOf(SQLException.class)
                .until(connections::take, Objects::nonNull);
    }

    private static WorkerConnection worker(Connection pooled) throws SQLException {
        return pooled.unwrap(WorkerConnection.Facade.class).worker();
    }

    private static long threadId(Connection pooled) throws SQLException {
        return worker(pooled).wire().threadId();
    }

    @Test
    void onlyReusableConnectionsAreLentAgain() throws Exception {
        try (FakeServer server = new FakeServer(script("a"));
                PooledConnections connections = connections(server.port())) {
            Connection first = take(connections);
            long id = threadId(first);
            connections.putBack(first, true);
            Connection second = take(connections);
            assertThat(threadId(second)).isEqualTo(id);
            connections.putBack(second, false);
            Connection third = take(connections);
            long other = threadId(third);
            assertThat(other).isNotEqualTo(id);
            connections.putBack(third, true);
            connections.renew();
            Connection fourth = take(connections);
            assertThat(threadId(fourth)).isNotIn(id, other);
            connections.putBack(fourth, true);
        }
    }

    @Test
    void whileTheServerIsDownOnlyIdleConnectionsArePromising() throws Exception {
        FakeServer server = new FakeServer(script("a"));
        try (PooledConnections connections = connections(server.port())) {
            Connection idle = take(connections);
            assertThat(connections.promising(4)).isEqualTo(4);
            server.close();
            connections.lookAgain();
            await().until(() -> connections.failure().isPresent());
            assertThat(connections.promising(4)).isZero();
            connections.putBack(idle, true);
            assertThat(connections.promising(4)).isEqualTo(1);
        }
    }

    @Test
    void theFirstAttemptHasAnOutcome() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        try (PooledConnections connections = connections(port)) {
            connections.tryOnce();
            assertThat(connections.failure()).isPresent();
            assertThat(connections.newestServer()).isNull();
        }
        try (FakeServer server = new FakeServer(script("a"));
                PooledConnections connections = connections(server.port())) {
            connections.tryOnce();
            assertThat(connections.failure()).isEmpty();
            assertThat(connections.newestServer()).isNotNull();
        }
    }

    @Test
    void aLookFindsAnotherServerOfTheSameName() throws Exception {
        AtomicInteger count = new AtomicInteger();
        FakeServer.Script moving =
                peer -> script(count.incrementAndGet() == 1 ? "old" : "new").play(peer);
        try (FakeServer server = new FakeServer(moving);
                PooledConnections connections = connections(server.port())) {
            assertThat(nextServer(connections)).startsWith("old");
            connections.lookAgain();
            await().until(() -> nextServer(connections).startsWith("new"));
        }
    }

    private static String nextServer(PooledConnections connections) throws SQLException {
        Connection pooled = take(connections);
        String server = worker(pooled).facts().serverKey();
        connections.putBack(pooled, true);
        return server;
    }
}
