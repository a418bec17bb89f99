package io.fanfold.it.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.WireConnection;
import io.fanfold.config.SnapshotConfig;
import io.fanfold.it.support.client.ClientProgram;
import io.fanfold.it.support.load.Background;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.it.support.server.own.OwnMariaDb;
import io.fanfold.reason.Reason;
import io.fanfold.wire.ServerFlavor;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;

/**
 * Writers during fan-outs whose snapshots are opened under LOCK TABLES, with the default settings, on servers that
 * offer no other proof. src/test/benchmarks/writers.sh measures the cost for the writers.
 */
class LockedWritersIT {
    private static final String SUM = "SELECT COUNT(*), SUM(k) FROM it_writers.sbtest1";
    private static final int ROWS = 2000;
    private static final int STATEMENTS = 300;

    @TempDir
    private Path folder;

    /** A test against a server without a proof. */
    private interface Attempt {
        void at(ProxiedServer proxy) throws Exception;
    }

    private void withoutProof(TestServer server, Attempt attempt) throws Exception {
        ProxySetup base = ProxySetup.ofDegree(2);
        ProxySetup setup = base.withFanOut(base.fanOut().withSnapshots(SnapshotConfig.defaults()));
        if (server.kind() == ServerFlavor.MARIADB) {
            try (OwnMariaDb own = OwnMariaDb.start(server, folder.resolve("data"));
                    ProxiedServer proxy = ProxiedServer.start(own.server(), setup)) {
                attempt.at(proxy);
            }
            return;
        }
        try (ProxiedServer proxy = ProxiedServer.start(server, setup);
                WireConnection admin = proxy.direct()) {
            admin.execute("SET GLOBAL gtid_mode = ON_PERMISSIVE");
            try {
                attempt.at(proxy);
            } finally {
                admin.execute("SET GLOBAL gtid_mode = ON");
            }
        }
    }

    private static String sysbench(ProxiedServer proxy, String rest) {
        TestServer server = proxy.server();
        return ClientProgram.onPath("sysbench") + " oltp_read_write --db-driver=mysql --mysql-ssl=off --mysql-host="
                + server.host() + " --mysql-port=" + server.port() + " --mysql-user=" + server.adminUser()
                + " --mysql-password=" + server.adminPassword() + " --mysql-db=it_writers --tables=1 --table-size="
                + ROWS
                + " " + rest;
    }

    private static void create(ProxiedServer proxy) throws Exception {
        try (WireConnection direct = proxy.direct()) {
            direct.execute("DROP DATABASE IF EXISTS it_writers");
            direct.execute("CREATE DATABASE it_writers");
            List<String> prepared =
                    ClientProgram.shell("writers-prepare-" + proxy.server().kind(), sysbench(proxy, "prepare"));
            assertThat(prepared).isNotEmpty();
            direct.execute("ALTER TABLE it_writers.sbtest1 PARTITION BY HASH (id) PARTITIONS 4");
        }
        proxy.tablesChanged();
        proxy.forget();
    }

    /**
     * No writer gets an additional error. Statements are split under locks or pass through, and are split afterwards.
     */
    @AllServers
    void writersGoOnBesideLocks(TestServer server) throws Exception {
        withoutProof(server, proxy -> {
            create(proxy);
            try (WireConnection client = proxy.proxied()) {
                Future<List<String>> writers = Background.start(() -> ClientProgram.shell(
                        "writers-run-" + proxy.server().kind(),
                        sysbench(proxy, "--threads=8 --events=600 --time=0 --report-interval=0 run")));
                while (!writers.isDone()) {
                    client.query(SUM);
                    ProxiedServer.Outcome outcome = proxy.outcome();
                    if (outcome.fannedOut()) {
                        assertThat(outcome.snapshot()).isEqualTo("locked");
                    } else {
                        assertThat(outcome.reason()).isEqualTo(Reason.SNAPSHOT);
                    }
                }
                assertThat(writers.get(1, TimeUnit.MINUTES))
                        .anyMatch(line -> line.matches(" *transactions: +600 .*"))
                        .anyMatch(line -> line.matches(" *reconnects: +0 .*"));
                // with eight writers, the number of locked fan-outs is random
                await().untilAsserted(() -> {
                    client.query(SUM);
                    assertThat(proxy.outcome().snapshot()).isEqualTo("locked");
                });
            }
        });
    }

    /**
     * An open transaction that has written to the table prevents the lock. Statements pass through, attempts become
     * rare, and other writers continue: none waits as long as a second.
     */
    @AllServers
    void openTransactionDelaysNobody(TestServer server) throws Exception {
        withoutProof(server, proxy -> {
            create(proxy);
            try (WireConnection open = proxy.direct();
                    WireConnection writer = proxy.direct();
                    WireConnection client = proxy.proxied()) {
                assertThat(client.query(SUM).rows()).hasSize(1);
                assertThat(proxy.outcome().snapshot()).isEqualTo("locked");
                open.execute("BEGIN");
                open.execute("UPDATE it_writers.sbtest1 SET k = k + 1 WHERE id = 1");
                writer.execute("SET SESSION lock_wait_timeout = 1, innodb_lock_wait_timeout = 1");
                long before = locks(open);
                for (int i = 0; i < STATEMENTS; i++) {
                    client.query(SUM);
                    assertThat(proxy.outcome().reason()).isEqualTo(Reason.SNAPSHOT);
                    writer.execute("UPDATE it_writers.sbtest1 SET k = k + 1 WHERE id = 2");
                }
                // on MariaDB an attempt requests the lock several times
                assertThat(locks(open) - before).isPositive().isLessThan(STATEMENTS / 2);
                open.execute("ROLLBACK");
            }
        });
    }

    private static long locks(WireConnection connection) throws Exception {
        String count = connection
                .query("SHOW GLOBAL STATUS LIKE 'Com_lock_tables'")
                .rows()
                .get(0)
                .ascii(1);
        return Long.parseLong(String.valueOf(count));
    }
}
