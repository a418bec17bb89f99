package io.fanfold.it.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.load.Background;
import io.fanfold.it.support.proxy.FaultProxy;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.it.support.server.own.OwnMariaDb;
import io.fanfold.reason.Reason;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerFlavor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;

/**
 * DDL between the first snapshot of a fan-out and worker 0's first access to the table. Rows of an exchanged partition
 * are read as of the snapshot, without an error, although the table may never have held them. The answer must be one
 * that the server gave before the DDL or gives after it.
 */
class ExchangedPartitionIT {
    private static final String SUM = "SELECT SUM(v), COUNT(*) FROM it_exchange.t";
    private static final String TOUCH = "SELECT 1 FROM `it_exchange`";
    private static final String BEFORE = "[11|2]";

    /** A change of the table, and the server's answer after it. */
    private record Change(List<String> statements, String answer) {}

    private static final Change EXCHANGE = new Change(
            List.of(
                    "UPDATE it_exchange.e SET v = 5000",
                    "ALTER TABLE it_exchange.t EXCHANGE PARTITION p1 WITH TABLE it_exchange.e"),
            "[5001|2]");

    private static final List<Change> CHANGES = List.of(
            EXCHANGE,
            new Change(List.of("ALTER TABLE it_exchange.t TRUNCATE PARTITION p1"), "[1|1]"),
            new Change(List.of("ALTER TABLE it_exchange.t DROP PARTITION p1"), "[1|1]"),
            new Change(
                    List.of(
                            "INSERT INTO it_exchange.t VALUES (15, 100)",
                            "ALTER TABLE it_exchange.t REORGANIZE PARTITION p1 INTO"
                                    + " (PARTITION p2 VALUES LESS THAN (15), PARTITION p3 VALUES LESS THAN (20))"),
                    "[111|3]"),
            new Change(
                    List.of(
                            "CREATE TABLE it_exchange.next LIKE it_exchange.t",
                            "INSERT INTO it_exchange.next VALUES (1, 7), (11, 70)",
                            "RENAME TABLE it_exchange.t TO it_exchange.last, it_exchange.next TO it_exchange.t"),
                    "[77|2]"));

    @TempDir
    private Path folder;

    @AllServers
    void everyAnswerIsOneOfTheServer(TestServer server) throws Exception {
        for (Change change : CHANGES) {
            assertThat(answer(server, ProxySetup.ofDegree(2), 1, change).answer())
                    .as("%s", change)
                    .isIn(BEFORE, change.answer);
        }
    }

    @AllServers
    void exchangedPartitionIsReadInAnotherSnapshot(TestServer server) throws Exception {
        Seen seen = answer(server, ProxySetup.ofDegree(2), 1, EXCHANGE);
        assertThat(seen.answer()).isEqualTo(EXCHANGE.answer);
        assertThat(seen.outcome().snapshot()).isEqualTo("verified");
        assertThat(seen.rounds()).isGreaterThan(1);
    }

    /** A single worker opens its snapshot after it has locked the table, so no DDL runs in between. */
    @AllServers
    void oneWorkerReadsTheTableAfterTheDdl(TestServer server) throws Exception {
        for (Change change : CHANGES) {
            Seen seen = answer(server, ProxySetup.ofDegree(1), 1, change);
            assertThat(seen.answer()).as("%s", change).isEqualTo(change.answer);
        }
    }

    /** The lock keeps the table unchanged until the first worker has accessed it, or it is given up. */
    @OnServers(ServerName.MYSQL)
    void exchangedPartitionUnderLocks(TestServer server) throws Exception {
        try (WireConnection admin =
                ProxiedServer.connect(server.host(), server.port(), server.adminUser(), server.adminPassword())) {
            admin.execute("SET GLOBAL gtid_mode = ON_PERMISSIVE");
            try {
                passesThroughUnderLocks(server);
            } finally {
                admin.execute("SET GLOBAL gtid_mode = ON");
            }
        }
    }

    @OnServers(ServerName.MARIADB)
    void exchangedPartitionUnderLocksOnMariaDb(TestServer server) throws Exception {
        try (OwnMariaDb own = OwnMariaDb.start(server, folder.resolve("data"))) {
            passesThroughUnderLocks(own.server());
        }
    }

    private static void passesThroughUnderLocks(TestServer server) throws Exception {
        ProxySetup setup = ProxySetup.ofDegree(2).locking(Duration.ofMillis(50));
        // on MySQL the proof by GTIDs accesses the table before it finds that there are none
        Seen seen = answer(server, setup, server.kind() == ServerFlavor.MYSQL ? 2 : 1, EXCHANGE);
        assertThat(seen.answer()).isEqualTo(EXCHANGE.answer);
        assertThat(seen.outcome().reason()).isEqualTo(Reason.SNAPSHOT);
    }

    private record Seen(String answer, ProxiedServer.Outcome outcome, int rounds) {}

    /** @param touch which access to the table, from 1, waits until the table has changed */
    private static Seen answer(TestServer server, ProxySetup setup, int touch, Change change) throws Exception {
        try (FaultProxy faults = FaultProxy.before(server);
                ProxiedServer proxy = ProxiedServer.start(server, setup.withWorkerPort(faults.port()));
                WireConnection direct = proxy.direct();
                WireConnection client = proxy.proxied()) {
            create(direct);
            proxy.tablesChanged();
            proxy.forget();
            assertThat(client.query(SUM).rows()).hasToString(BEFORE);
            assertThat(proxy.outcome().reason()).as("split without DDL").isNull();
            proxy.forget();
            FaultProxy.Fault held = new FaultProxy.Fault(FaultProxy.Kind.HOLD_COMMAND, TOUCH, 0, true);
            faults.arm(held);
            Future<Reply> asked = Background.ask(client, SUM);
            await().until(() -> faults.befallen() == 1);
            for (int passed = 1; passed < touch; passed++) {
                faults.arm(held);
                faults.release(1);
                await().until(() -> faults.befallen() == 1);
            }
            for (String statement : change.statements) {
                direct.execute(statement);
            }
            faults.release(1);
            Reply reply = asked.get(20, TimeUnit.SECONDS);
            assertThat(reply).isInstanceOf(Reply.Result.class);
            assertThat(direct.query(SUM).rows()).hasToString(change.answer);
            int rounds = proxy.attempts().stream()
                    .mapToInt(ProxiedServer.Attempt::rounds)
                    .sum();
            return new Seen(((Reply.Result) reply).rows().toString(), proxy.outcome(), rounds);
        }
    }

    private static void create(WireConnection direct) throws Exception {
        direct.execute("DROP DATABASE IF EXISTS it_exchange");
        direct.execute("CREATE DATABASE it_exchange");
        direct.execute("CREATE TABLE it_exchange.t (id INT PRIMARY KEY, v INT) ENGINE=InnoDB PARTITION BY RANGE (id)"
                + " (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20))");
        direct.execute("INSERT INTO it_exchange.t VALUES (1, 1), (11, 10)");
        direct.execute("CREATE TABLE it_exchange.e (id INT PRIMARY KEY, v INT) ENGINE=InnoDB");
        direct.execute("INSERT INTO it_exchange.e VALUES (12, 500)");
    }
}
