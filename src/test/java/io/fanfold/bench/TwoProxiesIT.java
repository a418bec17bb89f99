package io.fanfold.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.SmallProxy;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** HAProxy with {@code config/haproxy.cfg} in front of two proxies. One of them stops or is killed. */
@OnServers(ServerName.MARIADB)
class TwoProxiesIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_two", admin -> {
        admin.execute("CREATE TABLE t (id INT PRIMARY KEY, v INT) ENGINE=InnoDB PARTITION BY HASH (id) PARTITIONS 3");
        admin.execute("INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)");
    });

    private static final String SPLIT = "SELECT SUM(v) + 0 FROM it_two.t WHERE id > 0";
    private static final int NEW_CLIENTS = 40;

    /** The exit status of a process that SIGKILL has ended. */
    private static final int KILLED = 128 + 9;

    private final TestServer server;

    TwoProxiesIT(TestServer server) {
        this.server = server;
    }

    /** One of the two proxies; its HTTP port is its name. */
    private record Member(SmallProxy proxy, int http) implements AutoCloseable {
        static Member start(TestServer server) throws Exception {
            int http;
            try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                http = free.getLocalPort();
            }
            return new Member(SmallProxy.behindHaProxy(server, "http: {enabled: true, port: " + http + "}"), http);
        }

        /** Returns the words for the line {@code server} of HAProxy's settings. */
        String address() {
            return "127.0.0.1:" + proxy.port() + " port " + http;
        }

        @Override
        public void close() throws Exception {
            proxy.close();
        }
    }

    /** Returns the settings of the file, with the addresses of this test. */
    private static String settings(int port, Member a, Member b) {
        try {
            String text = Files.readString(Path.of("config/haproxy.cfg"));
            String changed = text.replace("bind :3306", "bind 127.0.0.1:" + port)
                    .replace("10.1.0.11:3307", a.address())
                    .replace("10.1.0.12:3307", b.address());
            assertThat(changed).contains("bind 127", a.address(), b.address());
            return changed;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private WireConnection connect(HaProxyRelay relay) throws IOException, ServerException {
        return ProxiedServer.connect("127.0.0.1", relay.port(), server.adminUser(), server.adminPassword());
    }

    /** Returns the HTTP port of the proxy that serves a client. */
    private static int servedBy(WireConnection client) throws IOException, ServerException {
        String port = client.query("SHOW FANFOLD VARIABLES LIKE 'http.port'")
                .rows()
                .get(0)
                .utf8(1);
        return Integer.parseInt(String.valueOf(port));
    }

    /** Connects a number of clients, each of which must be served; by this proxy, if one is named. */
    private void newClientsAreServed(HaProxyRelay relay, @Nullable Member by) throws IOException, ServerException {
        for (int i = 0; i < NEW_CLIENTS; i++) {
            try (WireConnection client = connect(relay)) {
                int http = servedBy(client);
                if (by != null) {
                    assertThat(http).isEqualTo(by.http());
                }
            }
        }
    }

    /** Connects a client to the other proxy. HAProxy may not have found it yet. */
    private WireConnection connectToOther(HaProxyRelay relay, int http) {
        AtomicReference<WireConnection> other = new AtomicReference<>();
        await().until(() -> {
            WireConnection client = connect(relay);
            if (servedBy(client) == http) {
                client.close();
                return false;
            }
            other.set(client);
            return true;
        });
        return Objects.requireNonNull(other.get());
    }

    @Test
    void noNewClientFailsWhenOneStops() throws Exception {
        DATABASE.shared(server, 2).close();
        try (Member a = Member.start(server);
                Member b = Member.start(server);
                HaProxyRelay relay = HaProxyRelay.start(TestHaProxy.installed(), port -> settings(port, a, b));
                WireConnection one = connect(relay);
                WireConnection other = connectToOther(relay, servedBy(one))) {
            Member stops = servedBy(one) == a.http() ? a : b;
            Member stays = stops.equals(a) ? b : a;
            one.execute("BEGIN");
            await().untilAsserted(() -> {
                assertThat(other.query(SPLIT).rows()).hasToString("[6]");
                assertThat(stays.proxy().log()).contains(" fanned out: ");
            });
            stops.proxy().signal("TERM");
            newClientsAreServed(relay, null);
            await().until(() -> stops.proxy().log().contains("new clients are left to the other process"));
            newClientsAreServed(relay, stays);
            one.execute("COMMIT");
            assertThat(stops.proxy().awaitExit()).isZero();
            assertThat(other.query(SPLIT).rows()).hasToString("[6]");
        }
    }

    @Test
    void onlyItsOwnClientsNoticeThatOneIsKilled() throws Exception {
        DATABASE.shared(server, 2).close();
        try (Member a = Member.start(server);
                Member b = Member.start(server);
                HaProxyRelay relay = HaProxyRelay.start(TestHaProxy.installed(), port -> settings(port, a, b));
                WireConnection one = connect(relay);
                WireConnection other = connect(relay)) {
            Member killed = servedBy(one) == a.http() ? a : b;
            Member stays = killed.equals(a) ? b : a;
            assertThat(servedBy(other)).isEqualTo(stays.http());
            killed.proxy().signal("KILL");
            assertThat(killed.proxy().awaitExit()).isEqualTo(KILLED);
            newClientsAreServed(relay, stays);
            assertThat(servedBy(other)).isEqualTo(stays.http());
            assertThatExceptionOfType(IOException.class).isThrownBy(() -> one.query("SELECT 1"));
        }
    }
}
