package io.fanfold.it.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.load.Background;
import io.fanfold.it.support.proxy.NothingLeft;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.ContainerServers;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.row.Row;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerFlavor;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.testcontainers.containers.GenericContainer;

/** A server whose sort files, and on MariaDB temporary tables, do not fit on its disk of 4 MiB. */
class DiskFullIT {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final String TEMPORARY = "/mysqltmp";

    /** Error while writing a file, disk full, table full. */
    private static final Set<Integer> FULL = Set.of(3, 1021, 1114);

    /** Each partition query sorts 6 MB. */
    private static final String SORTED = "SELECT id, s FROM it_full.t ORDER BY s, id";

    /** Each needs that much too. MySQL keeps groups elsewhere. */
    private static final Map<ServerFlavor, List<String>> LARGE = Map.of(
            ServerFlavor.MYSQL,
            List.of(SORTED),
            ServerFlavor.MARIADB,
            List.of(SORTED, "SELECT s, COUNT(*) FROM it_full.t GROUP BY s", "SELECT COUNT(DISTINCT s) FROM it_full.t"));

    private static final String SMALL = "SELECT SUM(v), COUNT(*), MAX(s) FROM it_full.t";

    @OnServers({ServerName.MARIADB_WITH_PLUGINS, ServerName.MYSQL})
    void fullDiskCostsTheSplitAndTheServerHasTheLastWord(TestServer likeThis) throws Exception {
        try (GenericContainer<?> container = container(likeThis.kind())) {
            TestServer server = ContainerServers.start(likeThis.name(), container);
            NothingLeft nothing = NothingLeft.before(server);
            try (ProxiedServer proxy = ProxiedServer.start(server, ProxySetup.ofDegree(4))) {
                create(proxy);
                try (WireConnection client = proxy.proxied();
                        WireConnection direct = proxy.direct()) {
                    for (String statement : LARGE.getOrDefault(server.kind(), List.of())) {
                        proxy.forget();
                        Reply straight = direct.pipeline(List.of(statement)).get(0);
                        Reply reply = Background.ask(client, statement).get(LIMIT.toSeconds(), TimeUnit.SECONDS);

                        assertThat(proxy.outcome().reason()).as(statement).isEqualTo(Reason.WORKER_ERROR);
                        assertThat(List.of(shown(reply), shown(straight)))
                                .as(statement)
                                .containsOnly("no space");
                        splitsAgain(proxy, client);
                    }
                }
                answersIfTheClientsOwnConnectionNeedsNoDisk(proxy);
                nothing.whileItRuns(proxy, 16);
            }
            nothing.afterIt(server);
        }
    }

    /** Which of the files does not fit, and therefore the message, is random. */
    private static String shown(Reply reply) {
        if (reply instanceof Reply.Failed failed) {
            assertThat(failed.errno()).as(failed.message()).isIn(FULL);
            return "no space";
        }
        return ((Reply.Result) reply)
                .rows().stream().map(Row::toString).sorted().toList().toString();
    }

    /** Workers do not have the larger buffer of the client's session. */
    private static void answersIfTheClientsOwnConnectionNeedsNoDisk(ProxiedServer proxy) throws Exception {
        try (SameAsServer same = new SameAsServer(proxy)) {
            same.onBoth("SET sort_buffer_size = 67108864");
            for (int i = 0; i < 3; i++) {
                same.passesThrough(SORTED, Reason.WORKER_ERROR);
                same.fansOut(SMALL);
            }
        }
    }

    private static void splitsAgain(ProxiedServer proxy, WireConnection client) throws Exception {
        proxy.forget();
        assertThat(client.query(SMALL).rows().toString()).startsWith("[360000|80000|");
        assertThat(proxy.outcome().reason()).isNull();
        await().atMost(LIMIT).until(() -> proxy.freeWorkers() == 16 && proxy.heldMemoryBytes() == 0);
    }

    private static GenericContainer<?> container(ServerFlavor kind) {
        String small = "rw,size=4m";
        return switch (kind) {
            case MYSQL ->
                ContainerServers.mysqlContainer(
                                "--tmpdir=" + TEMPORARY,
                                "--temptable-max-ram=2M",
                                "--temptable-max-mmap=0",
                                "--tmp-table-size=1M")
                        .withTmpFs(Map.of("/var/lib/mysql", "rw", TEMPORARY, small));
            case MARIADB ->
                ContainerServers.mariadbContainer(
                                "--tmpdir=" + TEMPORARY, "--tmp-memory-table-size=1M", "--max-heap-table-size=1M")
                        .withTmpFs(Map.of(TEMPORARY, small));
        };
    }

    private static void create(ProxiedServer proxy) throws Exception {
        try (WireConnection admin = proxy.direct()) {
            // until the commit, the transaction's log is on that disk too
            admin.execute("SET sql_log_bin = 0");
            admin.execute("CREATE DATABASE it_full");
            admin.execute("USE it_full");
            admin.execute("CREATE TABLE t (id INT PRIMARY KEY, v INT NOT NULL, s VARCHAR(400) NOT NULL) ENGINE=InnoDB"
                    + " PARTITION BY HASH (id) PARTITIONS 4");
            for (int from = 0; from < 80_000; from += 10_000) {
                StringBuilder values = new StringBuilder();
                for (int i = from; i < from + 10_000; i++) {
                    values.append(i == from ? "" : ",")
                            .append("(%d,%d,CONCAT(REPEAT('x',300),%d))".formatted(i, i % 10, i));
                }
                admin.execute("INSERT INTO t VALUES " + values);
            }
            admin.query("ANALYZE TABLE t");
        }
        proxy.tablesChanged();
    }
}
