package io.fanfold.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.binlog.LogPosition;
import io.fanfold.client.WireConnection;
import io.fanfold.config.ReuseConfig;
import io.fanfold.config.ReuseConfig.Reuse;
import io.fanfold.it.support.load.Background;
import io.fanfold.it.support.load.ReuseStorm;
import io.fanfold.it.support.proxy.FaultProxy;
import io.fanfold.it.support.proxy.LogRelay;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.it.support.server.own.RestartableServer;
import io.fanfold.metrics.FanfoldMetrics.ReuseOutcome;
import io.fanfold.row.Row;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Faults of the binary log's stream while writers change tables: the stream is late, cut, its log is purged or reset, its
 * server restarts, or another server answers. All answers stay the server's, and rows are reused again afterwards. On
 * servers of its own, whose logs no other test needs.
 */
@AllServers
class ReuseFaultsIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** The number of verified answers before and after each step of a fault. */
    private static final int STEP = Math.max(1, ReuseStorm.ANSWERS / 12);

    /** How many times each fault happens. */
    private static final int TIMES = 2;

    @TempDir
    private Path folder;

    private final TestServer like;
    private final List<RestartableServer> started = new ArrayList<>();

    ReuseFaultsIT(TestServer like) {
        this.like = like;
    }

    @AfterEach
    void stop() throws Exception {
        for (RestartableServer each : started) {
            each.close();
        }
    }

    private RestartableServer own() throws Exception {
        RestartableServer own = RestartableServer.like(like, folder.resolve("data" + started.size()));
        started.add(own);
        return own;
    }

    private static ProxySetup setup() {
        return ProxySetup.ofDegree(3).keyRanges().reuses().verifiesAll();
    }

    private interface Fault {
        void in(ProxiedServer proxy, ReuseStorm storm, WireConnection admin) throws Exception;
    }

    /** Requires that rows are reused before and after a fault, and that no connection of a client is lost in it. */
    private static void during(String fault, ProxiedServer proxy, Fault happens) throws Exception {
        try (ReuseStorm storm = ReuseStorm.start(proxy);
                WireConnection admin = proxy.direct()) {
            storm.ask(STEP);
            storm.awaitReuse();
            happens.in(proxy, storm, admin);
            storm.awaitReuse();
            storm.showsWrites(proxy.server());
            storm.ask(STEP);
            storm.end(fault);
            assertThat(storm.lost()).isZero();
        }
    }

    /** Ends the stream's connection on the server. */
    private static void cut(WireConnection admin) throws Exception {
        List<Row> dumps = admin.query("SELECT id FROM information_schema.processlist WHERE command LIKE 'Binlog Dump%'")
                .rows();
        assertThat(dumps).as("connections that read the log").isNotEmpty();
        for (Row dump : dumps) {
            admin.execute("KILL " + dump.ascii(0));
        }
    }

    /** The relay holds the log back for longer than statements wait for it. */
    @Test
    void lateStream() throws Exception {
        TestServer server = own().server();
        try (LogRelay relay = LogRelay.before(server)) {
            ProxySetup impatient = setup().withWorkerPort(relay.port());
            ReuseConfig brief = new ReuseConfig(Reuse.ON, Duration.ofMillis(30));
            try (ProxiedServer proxy = ProxiedServer.start(
                    server, impatient.withFanOut(impatient.fanOut().withReuse(brief)))) {
                during("late stream", proxy, (at, storm, admin) -> {
                    int behind = 0;
                    for (int i = 0; i < TIMES; i++) {
                        relay.hold();
                        storm.showsWrites(server);
                        storm.counted(ReuseOutcome.BEHIND);
                        storm.ask(STEP);
                        behind += storm.counted(ReuseOutcome.BEHIND);
                        assertThat(relay.held()).isPositive();
                        relay.release();
                        storm.ask(STEP);
                    }
                    assertThat(behind).isPositive();
                });
            }
        }
    }

    @Test
    void cutStream() throws Exception {
        try (ProxiedServer proxy = ProxiedServer.start(own().server(), setup())) {
            during("cut stream", proxy, (at, storm, admin) -> {
                for (int i = 0; i < TIMES; i++) {
                    cut(admin);
                    storm.ask(STEP);
                    storm.awaitReuse();
                    storm.ask(STEP);
                }
            });
        }
    }

    /** The log is purged while the stream is late, and while it is cut and cannot come back. */
    @Test
    void purgedLog() throws Exception {
        TestServer server = own().server();
        try (LogRelay relay = LogRelay.before(server);
                ProxiedServer proxy = ProxiedServer.start(server, setup().withWorkerPort(relay.port()))) {
            during("purged log", proxy, (at, storm, admin) -> {
                for (boolean cut : List.of(false, true)) {
                    relay.hold();
                    if (cut) {
                        cut(admin);
                        storm.showsWrites(server);
                        storm.ask(STEP);
                    }
                    admin.execute("UPDATE it_storm.mark SET v = v + 1");
                    admin.execute("FLUSH BINARY LOGS");
                    admin.execute("UPDATE it_storm.mark SET v = v + 1");
                    admin.execute("FLUSH BINARY LOGS");
                    String last =
                            String.valueOf(lastRow(admin, "SHOW BINARY LOGS").utf8(0));
                    admin.execute("PURGE BINARY LOGS TO '" + last + "'");
                    relay.release();
                    storm.showsWrites(server);
                    storm.ask(STEP);
                    storm.awaitReuse();
                    storm.ask(STEP);
                }
            });
        }
    }

    /**
     * After a reset, the same positions are those of other commits. Once the table is asked for all the time, and once only
     * when the log is as long as before.
     */
    @Test
    void resetLog() throws Exception {
        try (ProxiedServer proxy = ProxiedServer.start(own().server(), setup())) {
            during("reset log", proxy, (at, storm, admin) -> {
                for (boolean asked : List.of(true, false)) {
                    storm.showsWrites(proxy.server());
                    LogPosition before = position(admin);
                    admin.execute(like.kind().isMariaDb() ? "RESET MASTER" : "RESET BINARY LOGS AND GTIDS");
                    admin.execute("UPDATE it_storm.mark SET v = v + 1");
                    for (int i = 0; !position(admin).includes(before); i++) {
                        admin.execute("UPDATE it_storm.mark SET v = v + 1 WHERE p = 1");
                        if (asked) {
                            storm.showsMarks(admin);
                        }
                        admin.execute("UPDATE it_storm.flat SET v = v + 1");
                        if (i == 0) {
                            // the first file is refused
                            admin.execute("FLUSH BINARY LOGS");
                            proxy.awaitChangeStream();
                        }
                    }
                    storm.showsMarks(admin);
                    storm.awaitReuse();
                    storm.ask(STEP);
                }
            });
        }
    }

    private LogPosition position(WireConnection admin) throws Exception {
        if (like.kind().isMariaDb()) {
            Row status = lastRow(admin, "SHOW MASTER STATUS");
            return new LogPosition.InFile(
                    String.valueOf(status.utf8(0)), Long.parseLong(String.valueOf(status.utf8(1))));
        }
        return LogPosition.executed(
                String.valueOf(lastRow(admin, "SELECT @@global.gtid_executed").utf8(0)));
    }

    private static Row lastRow(WireConnection connection, String sql) throws Exception {
        List<Row> rows = connection.query(sql).rows();
        return rows.get(rows.size() - 1);
    }

    @Test
    void restartedServer() throws Exception {
        RestartableServer own = own();
        try (ProxiedServer proxy = ProxiedServer.start(own.server(), setup());
                ReuseStorm storm = ReuseStorm.start(proxy)) {
            for (boolean crash : List.of(false, true)) {
                storm.ask(STEP);
                storm.awaitReuse();
                Future<Boolean> over = Background.start(() -> {
                    if (crash) {
                        own.crash();
                    } else {
                        own.restart();
                    }
                    return true;
                });
                while (!over.isDone()) {
                    storm.ask(1);
                }
                assertThat(over.get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
                storm.ask(STEP);
                storm.awaitReuse();
                storm.showsWrites(own.server());
                storm.ask(STEP);
            }
            storm.end("restarted server");
            assertThat(storm.lost()).as("connections lost").isPositive();
        }
    }

    /**
     * The address leads to another server with other rows, and back. In the last step, connections to the server before are
     * also cut.
     */
    @Test
    void otherServer() throws Exception {
        TestServer first = own().server();
        TestServer second = own().server();
        // creates the worker account
        ProxiedServer.start(second, setup()).close();
        try (FaultProxy address = FaultProxy.before(first);
                ProxiedServer proxy = ProxiedServer.start(
                        first, setup().withClientPort(address.port()).withWorkerPort(address.port()));
                ReuseStorm storm = ReuseStorm.start(proxy, second)) {
            for (int i = 0; i < TIMES; i++) {
                TestServer next = i % 2 == 0 ? second : first;
                storm.ask(STEP);
                storm.awaitReuse();
                address.leadTo(next);
                if (i == TIMES - 1) {
                    address.cutAll();
                }
                storm.reconnect();
                storm.showsWrites(next);
                storm.ask(STEP);
                storm.awaitReuse();
                storm.showsWrites(next);
                storm.ask(STEP);
            }
            storm.end("other server");
        }
    }
}
