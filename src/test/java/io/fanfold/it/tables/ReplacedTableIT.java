package io.fanfold.it.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.data.SlowTables;
import io.fanfold.it.support.load.Background;
import io.fanfold.it.support.proxy.FaultProxy;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.wire.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A table that is not split is replaced after the preflight queries on the client's session and before the workers open
 * their snapshots. Meanwhile the statement waits for worker connections, all of which another statement uses.
 */
class ReplacedTableIT {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final String CONDITION = " WHERE v < 1000";
    private static final FaultProxy.Fault HOLD = new FaultProxy.Fault(FaultProxy.Kind.HOLD, ")" + CONDITION, 0, false);
    private static final String HOLDING = "SELECT SUM(v), COUNT(*), MAX(id) FROM it_slow.big" + CONDITION;

    private static final String JOINED =
            "SELECT SUM(b.v * d.w), COUNT(*) FROM it_slow.big b JOIN it_replaced.dim d ON b.v = d.id";
    private static final String SUBQUERY =
            "SELECT SUM(b.v), COUNT(*) FROM it_slow.big b WHERE b.v IN (SELECT d.id FROM it_replaced.dim d)";
    private static final String BESIDE =
            "SELECT SUM(x.n * d.w), COUNT(*) FROM (SELECT v, COUNT(*) AS n FROM it_slow.big"
                    + " GROUP BY v) x JOIN it_replaced.dim d ON x.v = d.id";

    private static final List<String> BY_A_VIEW = List.of(
            "RENAME TABLE it_replaced.dim TO it_replaced.real_dim",
            "CREATE VIEW it_replaced.dim AS SELECT id, w + 1 AS w FROM it_replaced.real_dim");
    private static final List<String> BY_ANOTHER_ENGINE = List.of("ALTER TABLE it_replaced.dim ENGINE = MyISAM");
    private static final List<String> BY_THE_SAME = List.of(
            "CREATE TABLE it_replaced.next_dim LIKE it_replaced.dim",
            "INSERT INTO it_replaced.next_dim SELECT id, w + 1 FROM it_replaced.dim",
            "RENAME TABLE it_replaced.dim TO it_replaced.real_dim, it_replaced.next_dim TO it_replaced.dim");

    @AllServers
    void joinedTableThatBecameAView(TestServer server) throws Exception {
        for (String sql : List.of(JOINED, SUBQUERY, BESIDE)) {
            assertThat(reason(server, sql, BY_A_VIEW)).as(sql).isEqualTo(Reason.VIEW);
        }
    }

    @AllServers
    void joinedTableOfAnotherEngine(TestServer server) throws Exception {
        for (String sql : List.of(JOINED, SUBQUERY, BESIDE)) {
            assertThat(reason(server, sql, BY_ANOTHER_ENGINE)).as(sql).isEqualTo(Reason.ENGINE);
        }
    }

    @AllServers
    void joinedTableThatIsAnotherOfTheSameKind(TestServer server) throws Exception {
        for (String sql : List.of(JOINED, SUBQUERY, BESIDE)) {
            assertThat(reason(server, sql, BY_THE_SAME)).as(sql).isNull();
        }
    }

    /** Returns why the statement passed through; null if it was split. Its answer is right in both cases. */
    private static @Nullable Reason reason(TestServer server, String sql, List<String> replacement) throws Exception {
        ProxySetup setup = ProxySetup.ofDegree(4).withConnections(4).withQueue(4, 100, Duration.ofMinutes(10));
        try (FaultProxy faults = FaultProxy.before(server);
                ProxiedServer proxy = ProxiedServer.start(server, setup.withWorkerPort(faults.port()));
                WireConnection direct = proxy.direct();
                WireConnection client = proxy.proxied();
                WireConnection other = proxy.proxied()) {
            direct.execute("DROP DATABASE IF EXISTS it_replaced");
            direct.execute("CREATE DATABASE it_replaced");
            // without this privilege EXPLAIN would fail for a view
            direct.execute("GRANT SHOW VIEW ON it_replaced.* TO " + ProxiedServer.WORKER);
            SlowTables.create(proxy);
            direct.execute("CREATE TABLE it_replaced.dim (id INT PRIMARY KEY, w INT NOT NULL) ENGINE=InnoDB");
            direct.execute("INSERT INTO it_replaced.dim SELECT id, w FROM it_slow.other WHERE id < 50");
            direct.query("ANALYZE TABLE it_replaced.dim");
            faults.arm(HOLD);
            Future<Reply> first = Background.ask(client, HOLDING);
            await().atMost(LIMIT).until(() -> faults.befallen() == 4);
            Future<Reply> second = Background.ask(other, sql);
            await().atMost(LIMIT).until(() -> proxy.waiting() == 1);

            for (String statement : replacement) {
                direct.execute(statement);
            }
            faults.release(1000);

            first.get(20, TimeUnit.SECONDS);
            assertThat(((Reply.Result) second.get(20, TimeUnit.SECONDS)).rows())
                    .hasToString(direct.query(sql).rows().toString());
            List<Reason> reasons = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                reasons.add(proxy.outcome().reason());
            }
            reasons.remove(null);
            return reasons.get(0);
        }
    }
}
