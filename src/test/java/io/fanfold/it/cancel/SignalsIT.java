package io.fanfold.it.cancel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.it.support.load.Background;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.SmallProxy;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.wire.Reply;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Signals to a proxy in a process of its own. A statement runs until an administrator releases its lock. */
class SignalsIT {
    private static final String TAKE = "SELECT GET_LOCK('signals', 600)";
    private static final String LOCK = "SELECT RELEASE_LOCK('signals')";

    /** A client that waits for a lock, and the connection that holds it. */
    private record Waiting(WireConnection admin, WireConnection client, Future<Reply> answer) implements AutoCloseable {
        static Waiting on(TestServer server, SmallProxy proxy) throws Exception {
            WireConnection admin =
                    ProxiedServer.connect(server.host(), server.port(), server.adminUser(), server.adminPassword());
            admin.execute(TAKE);
            WireConnection client = proxy.connect();
            Future<Reply> answer = Background.ask(client, TAKE);
            await().until(() -> admin.query(
                            "SELECT COUNT(*) FROM information_schema.processlist WHERE state = 'User lock'")
                    .rows()
                    .toString()
                    .equals("[1]"));
            return new Waiting(admin, client, answer);
        }

        @Override
        public void close() {
            admin.close();
            client.close();
        }
    }

    private static void worker(TestServer server) throws Exception {
        try (ProxiedServer other = ProxiedServer.start(server, 2)) {
            other.forget();
        }
    }

    @OnServers(ServerName.MARIADB)
    void hupReadsTheSettingsAgain(TestServer server) throws Exception {
        worker(server);
        try (SmallProxy proxy = SmallProxy.withSettings(server, "log: {level: info}");
                WireConnection client = proxy.connect()) {
            await().until(() -> {
                // a signal during the start is logged and does no harm
                proxy.signal("HUP");
                return proxy.log().contains("SIGHUP: reading settings and certificates again");
            });
            assertThat(client.ping()).isTrue();

            proxy.settings("log: {level: debug}\nlimits: {final-query-rows: 7}");
            proxy.signal("HUP");
            await().until(
                            () -> proxy.log()
                                    .contains(
                                            "settings reloaded: changed limits.final-query-rows: 100000 -> 7, log.level: info -> debug"));
            proxy.connect().close();
            await().until(() -> proxy.log().contains(" DEBUG "));

            proxy.settings("log: {level: loud}");
            proxy.signal("HUP");
            await().until(() -> proxy.log().contains("the settings stay as they are: fanfold.yaml:"));
            assertThat(proxy.log()).contains("log.level: 'loud' (expected: error or warn or info or debug or trace)");
            assertThat(client.ping()).isTrue();
            assertThat(proxy.isAlive()).isTrue();
        }
    }

    @OnServers(ServerName.MARIADB)
    void underNohupALogLineSaysThatHupIsIgnored(TestServer server) throws Exception {
        worker(server);
        try (SmallProxy proxy = SmallProxy.underNohup(server)) {
            assertThat(proxy.log()).containsOnlyOnce("SIGHUP is ignored, as under nohup");
        }
        try (SmallProxy proxy = SmallProxy.withSettings(server, "")) {
            assertThat(proxy.log()).doesNotContain("is ignored");
        }
    }

    @OnServers(ServerName.MARIADB)
    void termLetsStatementsAndTransactionsEnd(TestServer server) throws Exception {
        worker(server);
        try (SmallProxy proxy = SmallProxy.withSettings(server, "");
                WireConnection idle = proxy.connect();
                WireConnection open = proxy.connect();
                Waiting waiting = Waiting.on(server, proxy)) {
            open.execute("BEGIN");
            proxy.signal("TERM");
            await().until(() -> proxy.log().contains("SIGTERM: stopping"));
            await().until(() -> !idle.ping());
            assertThatExceptionOfType(ServerException.class)
                    .isThrownBy(proxy::connect)
                    .satisfies(e -> assertThat(e.errno()).isEqualTo(1053));
            waiting.admin().execute(LOCK);
            assertThat(((Reply.Result) waiting.answer().get(20, TimeUnit.SECONDS))
                            .rows()
                            .toString())
                    .isEqualTo("[1]");
            assertThat(open.query("SELECT 6 * 7").rows().toString()).isEqualTo("[42]");
            open.execute("COMMIT");
            assertThat(proxy.awaitExit()).isZero();
        }
    }

    @OnServers(ServerName.MARIADB)
    void statementsThatDoNotEndInTimeAreCut(TestServer server) throws Exception {
        worker(server);
        try (SmallProxy proxy = SmallProxy.withSettings(server, "limits: {drain-time: 300ms}");
                Waiting waiting = Waiting.on(server, proxy)) {
            proxy.signal("INT");
            assertThat(waiting.answer().get(20, TimeUnit.SECONDS))
                    .isInstanceOfSatisfying(
                            Reply.Failed.class,
                            error -> assertThat(error.errno()).isEqualTo(1053));
            assertThat(proxy.awaitExit()).isZero();
        }
    }

    @OnServers(ServerName.MARIADB)
    void aSignalWhileItStartsStopsItAsWell(TestServer server) throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            TestServer never = new TestServer(
                    server.name(), server.kind(), "127.0.0.1", silent.getLocalPort(), "nobody", "nothing");
            try (SmallProxy proxy = SmallProxy.withSettings(never, "")) {
                proxy.signal("TERM");
                assertThat(proxy.awaitExit()).isZero();
                assertThat(proxy.log()).contains("SIGTERM: stopping").contains(" stopped");
            }
        }
    }

    @OnServers(ServerName.MARIADB)
    void aSecondSignalEndsAtOnce(TestServer server) throws Exception {
        worker(server);
        try (SmallProxy proxy = SmallProxy.withSettings(server, "");
                Waiting waiting = Waiting.on(server, proxy)) {
            proxy.signal("TERM");
            await().until(() -> proxy.log().contains("SIGTERM: stopping"));
            assertThat(waiting.answer().isDone()).isFalse();
            proxy.signal("TERM");
            assertThat(proxy.awaitExit()).isEqualTo(143);
            assertThat(waiting.answer())
                    .failsWithin(20, TimeUnit.SECONDS)
                    .withThrowableThat()
                    .withCauseInstanceOf(IOException.class);
        }
    }
}
