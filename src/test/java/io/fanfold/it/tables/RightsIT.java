package io.fanfold.it.tables;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import java.util.List;

/**
 * The server decides who may read what, with its own errors. The worker account's privileges give no client any access.
 */
class RightsIT {
    private static final String WEAK_WORKER = "fanfold_it_weak";

    private static final String SUM_A = "SELECT SUM(a), MAX(p) FROM it_rights.t";
    private static final String SUM_B = "SELECT SUM(b), MAX(p) FROM it_rights.t";

    /** Statements that fan out for a user who may read every table in them. */
    private static final List<String> STATEMENTS = List.of(
            SUM_A,
            SUM_B,
            "SELECT COUNT(*) FROM it_rights.t WHERE b > 3",
            "SELECT p, COUNT(*) FROM it_rights.t GROUP BY p HAVING SUM(b) > 0 ORDER BY p",
            "SELECT d.name, SUM(t.a) FROM it_rights.t t JOIN it_rights.dim d ON t.p = d.k GROUP BY d.name");

    @AllServers
    void administratorFansOut(TestServer server) throws Exception {
        try (ProxiedServer proxy = start(server);
                SameAsServer same = new SameAsServer(proxy)) {
            for (String statement : STATEMENTS) {
                same.fansOut(statement);
            }
        }
    }

    @AllServers
    void withoutRightsTheServersOwnErrorIsReturned(TestServer server) throws Exception {
        try (ProxiedServer proxy = start(server)) {
            user(proxy, "it_nobody");
            user(proxy, "it_other_table", "GRANT SELECT ON it_rights.dim TO it_other_table");
            try (SameAsServer nobody = new SameAsServer(proxy, "it_nobody", "pw");
                    SameAsServer other = new SameAsServer(proxy, "it_other_table", "pw")) {
                for (String statement : STATEMENTS) {
                    nobody.passesThrough(statement, Reason.PREPARE_FAILED);
                    other.passesThrough(statement, Reason.PREPARE_FAILED);
                }
            }
        }
    }

    @AllServers
    void rightsOnColumnsApplyToThoseColumns(TestServer server) throws Exception {
        try (ProxiedServer proxy = start(server)) {
            user(proxy, "it_columns", "GRANT SELECT (a, p) ON it_rights.t TO it_columns");
            try (SameAsServer same = new SameAsServer(proxy, "it_columns", "pw");
                    WireConnection client = proxy.proxied("it_columns", "pw")) {
                assertThat(client.query(SUM_A).rows().toString()).isEqualTo("[780|3]");
                ProxiedServer.Outcome outcome = proxy.outcome();
                assertThat(outcome.fannedOut() || outcome.reason() == Reason.TABLE_UNREADABLE)
                        .as("%s", outcome)
                        .isTrue();
                for (String statement : STATEMENTS.subList(1, STATEMENTS.size())) {
                    same.passesThrough(statement, Reason.PREPARE_FAILED);
                }
            }
        }
    }

    @AllServers
    void rolesCountWhileTheyAreSet(TestServer server) throws Exception {
        try (ProxiedServer proxy = start(server);
                WireConnection admin = proxy.direct()) {
            admin.execute("DROP ROLE IF EXISTS it_reader");
            admin.execute("CREATE ROLE it_reader");
            admin.execute("GRANT SELECT ON it_rights.* TO it_reader");
            user(proxy, "it_member", "GRANT it_reader TO it_member");
            try (SameAsServer same = new SameAsServer(proxy, "it_member", "pw")) {
                same.passesThrough(SUM_A, Reason.PREPARE_FAILED);
                same.onBoth("SET ROLE it_reader");
                for (String statement : STATEMENTS) {
                    same.fansOut(statement);
                }
                same.onBoth("SET ROLE NONE");
                for (String statement : STATEMENTS) {
                    same.passesThrough(statement, Reason.PREPARE_FAILED);
                }
            }
        }
    }

    @AllServers
    void viewsLendTheirOwnersRightsOnTheServerAlone(TestServer server) throws Exception {
        try (ProxiedServer proxy = start(server);
                WireConnection admin = proxy.direct()) {
            admin.execute(
                    "CREATE SQL SECURITY DEFINER VIEW it_rights.shown AS SELECT p, b FROM it_rights.t WHERE p < 2");
            // a partitioned table in another schema has the name of this view
            admin.execute(
                    "CREATE SQL SECURITY DEFINER VIEW it_rights_views.t AS SELECT * FROM it_rights.t WHERE p < 2");
            user(
                    proxy,
                    "it_viewer",
                    "GRANT SELECT ON it_rights.shown TO it_viewer",
                    "GRANT SELECT ON it_rights_views.* TO it_viewer");
            try (SameAsServer same = new SameAsServer(proxy, "it_viewer", "pw")) {
                same.passesThrough("SELECT SUM(b) FROM it_rights.shown", Reason.NO_PARTITIONED_TABLE);
                same.same("SELECT SUM(b) FROM it_rights_views.t");
                assertThat(proxy.outcome().fannedOut()).isFalse();
                same.onBoth("USE it_rights_views");
                same.same("SELECT SUM(b), COUNT(*) FROM t");
                assertThat(proxy.outcome().fannedOut()).isFalse();
                same.passesThrough(SUM_B, Reason.PREPARE_FAILED);
            }
        }
    }

    @AllServers
    void workerWithFewerRightsThanTheClientCostsTheSplitAlone(TestServer server) throws Exception {
        try (ProxiedServer setUp = start(server);
                WireConnection admin = setUp.direct()) {
            admin.execute("DROP USER IF EXISTS " + WEAK_WORKER);
            try (ProxiedServer proxy =
                            ProxiedServer.start(server, ProxySetup.ofDegree(3).withWorker(WEAK_WORKER));
                    SameAsServer same = new SameAsServer(proxy)) {
                proxy.tablesChanged();
                same.passesThrough(SUM_A, Reason.NO_PARTITIONED_TABLE);

                admin.execute("GRANT SELECT (a, p) ON it_rights.t TO " + WEAK_WORKER);
                proxy.tablesChanged();
                // with column privileges alone, a worker cannot find out what the name refers to
                same.passesThrough(SUM_A, Reason.TABLE_UNREADABLE);
                same.passesThrough(SUM_B, Reason.WORKER_ERROR);

                admin.execute("GRANT SELECT ON it_rights.t TO " + WEAK_WORKER);
                same.fansOut(SUM_B);
                same.passesThrough(STATEMENTS.get(4), Reason.WORKER_ERROR);

                admin.execute("GRANT SELECT ON it_rights.dim TO " + WEAK_WORKER);
                same.fansOut(STATEMENTS.get(4));

                admin.execute("REVOKE SELECT ON it_rights.t FROM " + WEAK_WORKER);
                same.passesThrough(SUM_B, Reason.WORKER_ERROR);
            }
        }
    }

    @AllServers
    void temporaryTablesHideTheirNamesakesFromTheirSessionAlone(TestServer server) throws Exception {
        try (ProxiedServer proxy = start(server)) {
            user(proxy, "it_temporary", "GRANT SELECT, CREATE TEMPORARY TABLES ON it_rights.* TO it_temporary");
            try (SameAsServer same = new SameAsServer(proxy, "it_temporary", "pw");
                    SameAsServer neighbour = new SameAsServer(proxy)) {
                same.fansOut(SUM_A);
                same.onBoth("CREATE TEMPORARY TABLE it_rights.t (p INT, a INT, b INT)");
                same.passesThrough(SUM_A, Reason.TEMPORARY_TABLE);
                same.passesThrough(STATEMENTS.get(4), Reason.TEMPORARY_TABLE);
                neighbour.fansOut(SUM_A);
                same.onBoth("DROP TEMPORARY TABLE it_rights.t");
                same.fansOut(SUM_A);
            }
        }
    }

    private static void user(ProxiedServer proxy, String name, String... grants) throws Exception {
        try (WireConnection admin = proxy.direct()) {
            admin.execute("DROP USER IF EXISTS " + name);
            admin.execute("CREATE USER " + name + " IDENTIFIED BY 'pw'");
            for (String grant : grants) {
                admin.execute(grant);
            }
        }
    }

    private static ProxiedServer start(TestServer server) throws Exception {
        ProxiedServer proxy = ProxiedServer.start(server, 3);
        try (WireConnection admin = proxy.direct()) {
            for (String database : List.of("it_rights", "it_rights_views")) {
                admin.execute("DROP DATABASE IF EXISTS " + database);
                admin.execute("CREATE DATABASE " + database);
            }
            admin.execute("USE it_rights");
            admin.execute("CREATE TABLE t (p INT NOT NULL, a INT, b INT) ENGINE=InnoDB"
                    + " PARTITION BY HASH (p) PARTITIONS 4");
            StringBuilder values = new StringBuilder("(0, 0, 0)");
            for (int i = 1; i < 40; i++) {
                values.append(", (%d, %d, %d)".formatted(i % 4, i, i % 7));
            }
            admin.execute("INSERT INTO t VALUES " + values);
            admin.execute("CREATE TABLE dim (k INT PRIMARY KEY, name VARCHAR(10)) ENGINE=InnoDB");
            admin.execute("INSERT INTO dim VALUES (0, 'zero'), (1, 'one'), (2, 'two'), (3, 'three')");
            admin.query("ANALYZE TABLE t, dim");
        }
        proxy.tablesChanged();
        return proxy;
    }
}
