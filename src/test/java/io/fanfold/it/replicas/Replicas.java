package io.fanfold.it.replicas;

import io.fanfold.client.WireConnection;
import io.fanfold.config.ReplicaConfig;
import io.fanfold.config.ReplicaReads;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.it.support.server.own.TestReplica;
import io.fanfold.wire.ServerFlavor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A replica of each server, which is started when a test first asks for it. For one thread. */
final class Replicas {
    private final Map<TestServer, TestReplica> started = new HashMap<>();
    private final int id;

    /** @param id the server_id of MySQL's replica; MariaDB's is 10 more */
    Replicas(int id) {
        this.id = id;
    }

    TestReplica of(TestServer primary) throws Exception {
        TestReplica known = started.get(primary);
        if (known != null) {
            return known;
        }
        TestReplica replica = primary.kind() == ServerFlavor.MYSQL
                ? TestReplica.inContainer(primary, "--server-id=" + id)
                : TestReplica.inContainer(
                        primary, "--server-id=" + (id + 10), "--log-slave-updates=ON", "--gtid-strict-mode=ON");
        started.put(primary, replica);
        prepare(replica);
        return replica;
    }

    void stop() {
        started.values().forEach(TestReplica::close);
        started.clear();
    }

    /** Begins the replication, and then refuses other writes. The worker account must be there before. */
    static void prepare(TestReplica replica) throws Exception {
        boolean mySql = replica.primary().kind() == ServerFlavor.MYSQL;
        String account = "'" + ProxiedServer.WORKER + "'@'%'";
        on(
                replica.server(),
                "CREATE USER IF NOT EXISTS " + account + " IDENTIFIED BY '" + ProxiedServer.WORKER_PASSWORD + "'",
                "GRANT SELECT, LOCK TABLES, " + (mySql ? "REPLICATION CLIENT" : "REPLICA MONITOR, BINLOG MONITOR")
                        + " ON *.* TO " + account);
        if (!mySql) {
            // Fanfold asks for a log of rows
            on(replica.primary(), "SET GLOBAL binlog_format = ROW");
            on(replica.server(), "RESET MASTER");
        }
        replica.follow();
        on(replica.server(), "SET GLOBAL " + (mySql ? "super_read_only" : "read_only") + " = 1");
    }

    static void on(TestServer server, String... statements) throws Exception {
        try (WireConnection admin =
                ProxiedServer.connect(server.host(), server.port(), server.adminUser(), server.adminPassword())) {
            for (String statement : statements) {
                admin.execute(statement);
            }
        }
    }

    /** The statements of a transaction that changes two rows of t, and not their sum. */
    static List<String> transfer(int from, int to) {
        return List.of(
                "BEGIN",
                "UPDATE t SET v = v - 7 WHERE id = " + from,
                "UPDATE t SET v = v + 7 WHERE id = " + to,
                "COMMIT");
    }

    /** What is done while a replica receives transactions and applies none. */
    @FunctionalInterface
    interface Meanwhile {
        void run() throws Exception;
    }

    static void whileNothingIsApplied(TestReplica replica, Meanwhile meanwhile) throws Exception {
        boolean mySql = replica.primary().kind() == ServerFlavor.MYSQL;
        on(replica.server(), mySql ? "STOP REPLICA SQL_THREAD" : "STOP SLAVE SQL_THREAD");
        try {
            meanwhile.run();
        } finally {
            on(replica.server(), mySql ? "START REPLICA" : "START SLAVE");
        }
    }

    /** Returns the primary's answer, as text. */
    static String answer(SameAsServer same, TestDatabase database, String sql) throws Exception {
        try (WireConnection direct = same.proxy().direct()) {
            direct.execute("USE " + database.name());
            return direct.query(sql).rows().toString();
        }
    }

    static ReplicaConfig at(TestReplica replica) {
        return new ReplicaConfig(replica.server().host(), replica.server().port(), 1);
    }

    /** Settings of a proxy whose fan-outs read these replicas. */
    static ProxySetup setup(ReplicaReads reads, ReplicaConfig... replicas) {
        ProxySetup setup = ProxySetup.ofDegree(3);
        return setup.withWorkers(setup.workers().withServers(List.of(replicas)))
                .withFanOut(setup.fanOut().withReplicas(reads));
    }
}
