package io.fanfold.it.cancel;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.RowStream;
import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.it.support.data.SlowTables;
import io.fanfold.it.support.load.Background;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.SmallProxy;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.row.Row;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** A proxy in a process of its own gets SIGTERM while clients read long answers. */
class DrainIT {
    /** Streamed. Far larger than all buffers on its way. */
    private static final String REPORT = SlowTables.ENDLESS_ROWS + " WHERE a.id < 40";

    private static final int REPORT_ROWS = 40 * 20_000;

    private static void tables(TestServer server) throws Exception {
        SlowTables.start(server).close();
    }

    private static RowStream begin(WireConnection client, String sql) throws Exception {
        RowStream rows = client.stream(sql.getBytes(UTF_8));
        assertThat(rows.next()).isNotNull();
        return rows;
    }

    private static int rest(RowStream rows) throws Exception {
        int count = 0;
        for (Row row = rows.next(); row != null; row = rows.next()) {
            count++;
        }
        return count;
    }

    @AllServers
    void aSplitReportIsReadToItsEnd(TestServer server) throws Exception {
        tables(server);
        try (SmallProxy proxy = SmallProxy.withSettings(server, "");
                WireConnection idle = proxy.connect();
                WireConnection client = proxy.connect()) {
            proxy.awaitSplit(client);
            try (RowStream rows = begin(client, REPORT)) {
                proxy.signal("TERM");
                await().until(() -> proxy.log().contains("draining for up to 1m: 2 clients: 1 idle, 1 with a fan-out"));
                await().until(() -> !idle.ping());
                assertThatExceptionOfType(ServerException.class)
                        .isThrownBy(proxy::connect)
                        .satisfies(e -> assertThat(e.errno()).isEqualTo(1053));
                assertThat(rest(rows)).isEqualTo(REPORT_ROWS - 1);
            }
            assertThat(proxy.awaitExit()).isZero();
            assertThat(proxy.log())
                    .doesNotContain("has ended; Fanfold disconnects")
                    .contains(" stopped");
        }
    }

    @AllServers
    void afterTheTimeASplitReportEndsWithAnError(TestServer server) throws Exception {
        tables(server);
        try (ProxiedServer direct = ProxiedServer.start(server, 2);
                WireConnection admin = direct.direct();
                SmallProxy proxy = SmallProxy.withSettings(server, "limits: {drain-time: 300ms}");
                WireConnection client = proxy.connect()) {
            proxy.awaitSplit(client);
            try (RowStream rows = begin(client, SlowTables.ENDLESS_ROWS)) {
                Future<Integer> reading = Background.start(() -> rest(rows));
                proxy.signal("TERM");
                assertThatExceptionOfType(ExecutionException.class)
                        .isThrownBy(() -> reading.get(60, TimeUnit.SECONDS))
                        .withCauseInstanceOf(ServerException.class)
                        .withMessageContaining("Server shutdown in progress");
            }
            assertThat(proxy.log())
                    .contains("limits.drain-time (300ms) has ended; Fanfold disconnects 1 client: 1 with a fan-out");
            assertThat(proxy.awaitExit()).isZero();
            SlowTables.awaitNoBusyWorker(admin);
        }
    }

    /** Between two portions of a cursor's rows no command is under way, and no transaction is open. */
    @AllServers
    void aReportThroughACursorIsReadToItsEnd(TestServer server) throws Exception {
        tables(server);
        try (SmallProxy proxy = SmallProxy.withSettings(server, "");
                WireConnection idle = proxy.connect();
                Connection client = DriverManager.getConnection(
                        "jdbc:mysql://127.0.0.1:" + proxy.port()
                                + "/?useServerPrepStmts=true&useCursorFetch=true&defaultFetchSize=7",
                        server.adminUser(),
                        server.adminPassword());
                Statement statement = client.createStatement();
                ResultSet rows = statement.executeQuery("SELECT id FROM it_slow.other WHERE id < 100")) {
            assertThat(rows.next()).isTrue();
            proxy.signal("TERM");
            await().until(() -> proxy.log().contains("1 with an open cursor"));
            await().until(() -> !idle.ping());
            int count = 1;
            while (rows.next()) {
                count++;
            }
            assertThat(count).isEqualTo(100);
        }
    }
}
