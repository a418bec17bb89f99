package io.fanfold.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.RealServer;
import io.fanfold.client.RowStream;
import io.fanfold.client.ServerException;
import io.fanfold.client.ServerFacts;
import io.fanfold.client.SideConnection;
import io.fanfold.client.WireConnection;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;

class KillSwitchIT {
    /** Runs for very long and sends rows meanwhile. */
    private static final String ENDLESS = "SELECT a.table_name FROM information_schema.columns a,"
            + " information_schema.columns b, information_schema.columns c WHERE a.ordinal_position > 0";

    @AllServers
    void endsRunningStatementsAndSparesTheTransaction(TestServer server) throws Exception {
        RealServer real = new RealServer(server);
        real.prepare();
        try (WorkerPool pool = new WorkerPool(real.backend(), null, real.workers(2));
                WireConnection admin = real.admin()) {
            List<Lease> leases = PoolAwait.acquire(pool, 2);
            WireConnection busy = leases.get(0).connection();
            WireConnection idle = leases.get(1).connection();
            busy.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY");
            for (int i = 0; i < 3; i++) {
                CompletableFuture<String> failed = CompletableFuture.supplyAsync(() -> endless(busy));
                await().until(() -> runs(admin, busy.threadId()));
                pool.killSwitch()
                        .killQuery(leases.get(0).place(), List.of(busy.threadId(), idle.threadId(), 4_000_000_000L));
                assertThat(failed.get()).isEqualTo("1317/70100");
                assertThat(busy.inTransaction()).isTrue();
                assertThat(RealServer.value(busy, "SELECT 1")).isEqualTo("1");
                assertThat(RealServer.value(idle, "SELECT 2")).isEqualTo("2");
            }
            leases.forEach(Lease::close);
        }
    }

    private static SideConnection.ServerPlace place(WireConnection connection) throws Exception {
        return new SideConnection.ServerPlace(ServerFacts.discover(connection).serverKey(), connection.address());
    }

    private static String endless(WireConnection connection) {
        try (RowStream stream = connection.stream(ENDLESS.getBytes(StandardCharsets.UTF_8))) {
            stream.skipRest();
            return "ended by itself";
        } catch (ServerException e) {
            return e.errno() + "/" + e.sqlState();
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static boolean runs(WireConnection admin, long id) throws Exception {
        return !admin.query("SELECT 1 FROM information_schema.processlist WHERE id = " + id
                        + " AND command = 'Query' AND info LIKE 'SELECT a.table_name%'")
                .rows()
                .isEmpty();
    }

    @AllServers
    void opensItsConnectionAgain(TestServer server) throws Exception {
        RealServer real = new RealServer(server);
        real.prepare();
        try (WireConnection admin = real.admin();
                KillSwitch killSwitch = new KillSwitch(real.settings(RealServer.WORKER, RealServer.WORKER_PASSWORD))) {
            killSwitch.warmUp();
            killSwitch.killQuery(place(admin), List.of(4_000_000_000L));
            for (var row : admin.query(
                            "SELECT id FROM information_schema.processlist WHERE user = '" + RealServer.WORKER + "'")
                    .rows()) {
                admin.execute("KILL " + row.ascii(0));
            }
            killSwitch.killQuery(place(admin), List.of(4_000_000_000L));
        }
    }

    @AllServers
    void reportsARefusal(TestServer server) throws Exception {
        RealServer real = new RealServer(server);
        real.prepare();
        try (WireConnection admin = real.admin();
                KillSwitch killSwitch = new KillSwitch(real.settings(RealServer.WORKER, RealServer.WORKER_PASSWORD))) {
            assertThatThrownBy(() -> killSwitch.killQuery(place(admin), List.of(admin.threadId())))
                    .isInstanceOfSatisfying(
                            ServerException.class, e -> assertThat(e.errno()).isEqualTo(1095));
        }
    }
}
