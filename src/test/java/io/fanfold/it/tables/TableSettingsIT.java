package io.fanfold.it.tables;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.WireConnection;
import io.fanfold.config.TablesConfig;
import io.fanfold.config.TablesText;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import java.util.List;

/**
 * Each table is split by its own settings. The proxy's settings: degree 3, no minimum number of rows, strict, no
 * approximate results.
 */
class TableSettingsIT {
    private static final String SCHEMA = "it_table_settings";
    private static final String OTHER = "it_table_settings_2";
    private static final List<String> NAMES =
            List.of("t", "few", "large", "rough", "lax", "firm", "hits_off", "kept_off", "`a-b`");

    private static final TablesConfig TABLES = TablesText.read(
            SCHEMA + ".few: {degree: 2}",
            SCHEMA + ".large: {min-rows: 1000}",
            SCHEMA + ".rough: {approximate: allow}",
            SCHEMA + ".lax: {consistency: relaxed}",
            SCHEMA + ".firm: {consistency: strict}",
            "\"" + SCHEMA + ".*_off\": {mode: off}",
            SCHEMA + ".kept_off: {degree: 2}",
            SCHEMA + ".`a-b`: {mode: off}",
            OTHER + ".*: {mode: off}");

    @AllServers
    void eachTableHasItsOwn(TestServer server) throws Exception {
        create(server);
        try (ProxiedServer proxy =
                        ProxiedServer.start(server, ProxySetup.ofDegree(3).withTables(TABLES));
                SameAsServer same = new SameAsServer(proxy)) {
            proxy.tablesChanged();
            same.onBoth("USE " + SCHEMA);
            enabled(same);
            degree(same, proxy);
            minRows(same, proxy);
            approximate(same);
            consistency(same);
            otherSchema(same);
        }
    }

    /** The server offers no proof, so statements are split under a lock or not at all. */
    @OnServers(ServerName.MYSQL)
    void eachTableMayBeLockedOrNot(TestServer server) throws Exception {
        create(server);
        TablesConfig tables = TablesText.read(
                SCHEMA + ".t: {table-locks: allow}",
                SCHEMA + ".few: {table-locks: refuse}",
                SCHEMA + ".plain: {table-locks: refuse}");
        try (ProxiedServer proxy =
                        ProxiedServer.start(server, ProxySetup.ofDegree(3).withTables(tables));
                SameAsServer same = new SameAsServer(proxy);
                WireConnection admin = proxy.direct()) {
            proxy.tablesChanged();
            same.onBoth("USE " + SCHEMA);
            admin.execute("SET GLOBAL gtid_mode = ON_PERMISSIVE");
            try {
                String groups = "SELECT g, COUNT(*) FROM t GROUP BY g";
                assertThat(same.fansOut(groups).snapshot()).isEqualTo("locked");
                same.passesThrough(groups.replace("FROM t", "FROM few"), Reason.SNAPSHOT);
                String joined = "SELECT t.g, COUNT(*) FROM t JOIN lax o ON t.id = o.id GROUP BY t.g";
                assertThat(same.fansOut(joined).snapshot()).isEqualTo("locked");
                same.passesThrough(joined.replace("lax", "plain"), Reason.SNAPSHOT);
            } finally {
                admin.execute("SET GLOBAL gtid_mode = ON");
            }
        }
    }

    private static void enabled(SameAsServer same) throws Exception {
        for (String hint : List.of("", "", "/*+ PARALLEL(2) */ ")) {
            same.passesThrough("SELECT " + hint + "g, COUNT(*) FROM hits_off GROUP BY g", Reason.TABLE_DISABLED);
        }
        same.passesThrough("SELECT g, COUNT(*) FROM `a-b` GROUP BY g", Reason.TABLE_DISABLED);
        same.passesThrough("SELECT COUNT(*) FROM hits_off a JOIN `a-b` b ON a.id = b.id", Reason.TABLE_DISABLED);
        same.fansOut("SELECT t.g, COUNT(*) FROM t JOIN hits_off ON t.id = hits_off.id GROUP BY t.g");
        same.fansOut("SELECT x.g, x.n, COUNT(*) FROM (SELECT g, COUNT(*) AS n FROM t GROUP BY g) x JOIN hits_off h"
                + " ON h.g = x.g GROUP BY x.g, x.n ORDER BY x.g");
    }

    private static void degree(SameAsServer same, ProxiedServer proxy) throws Exception {
        String groups = "SELECT g, COUNT(*) FROM t GROUP BY g";
        assertThat(same.fansOut(groups).degree()).isEqualTo(3);
        assertThat(same.fansOut(groups.replace("FROM t", "FROM few")).degree()).isEqualTo(2);
        assertThat(same.fansOut(groups.replace("FROM t", "FROM kept_off")).degree())
                .isEqualTo(2);
        String few = "SELECT g, COUNT(*) FROM " + SCHEMA + ".few GROUP BY g";
        assertThat(hinted(proxy, few.replace("SELECT", "SELECT /*+ PARALLEL(4) */"))
                        .degree())
                .isEqualTo(4);
        assertThat(same.fansOut("SELECT x.g, y.n FROM (SELECT g, COUNT(*) AS n FROM few GROUP BY g) x"
                                + " JOIN (SELECT g, COUNT(*) AS n FROM t GROUP BY g) y ON x.g = y.g ORDER BY x.g")
                        .degree())
                .as("the larger one of two tables that are split")
                .isEqualTo(3);
    }

    private static void minRows(SameAsServer same, ProxiedServer proxy) throws Exception {
        String groups = "SELECT g, COUNT(*) FROM large GROUP BY g";
        same.passesThrough(groups, Reason.FEW_ROWS);
        String forced = "SELECT /*+ PARALLEL */ g, COUNT(*) FROM " + SCHEMA + ".large GROUP BY g";
        assertThat(hinted(proxy, forced).reason()).isNull();
        same.passesThrough("SELECT id, g FROM large", Reason.ALREADY_FAST);
        same.fansOut("SELECT id, g FROM t");
    }

    private static void approximate(SameAsServer same) throws Exception {
        same.passesThrough("SELECT SUM(dbl) FROM t", Reason.APPROXIMATE);
        same.passesThrough("SELECT SUM(t.dbl) FROM t JOIN rough ON t.id = rough.id + 200", Reason.APPROXIMATE);
        same.fansOut("SELECT SUM(dbl) FROM rough");
    }

    /** Returns the outcome of a statement with a hint that MySQL alone would warn about. */
    private static ProxiedServer.Outcome hinted(ProxiedServer proxy, String sql) throws Exception {
        try (WireConnection session = proxy.proxied()) {
            proxy.forget();
            session.query(sql);
            return proxy.outcome();
        }
    }

    private static void consistency(SameAsServer same) throws Exception {
        assertThat(same.fansOut("SELECT g, COUNT(*) FROM t GROUP BY g").snapshot())
                .isEqualTo("verified");
        assertThat(same.fansOut("SELECT g, COUNT(*) FROM lax GROUP BY g").snapshot())
                .isEqualTo("relaxed");
        assertThat(same.fansOut("SELECT lax.g, COUNT(*) FROM lax JOIN plain ON lax.id = plain.id GROUP BY lax.g")
                        .snapshot())
                .isEqualTo("relaxed");
        assertThat(same.fansOut("SELECT lax.g, COUNT(*) FROM lax JOIN firm ON lax.id = firm.id + 0 GROUP BY lax.g")
                        .snapshot())
                .as("a table that is only read demands it")
                .isEqualTo("verified");
        assertThat(same.fansOut("SELECT x.g, y.n FROM (SELECT g, COUNT(*) AS n FROM lax GROUP BY g) x"
                                + " JOIN (SELECT g, COUNT(*) AS n FROM t GROUP BY g) y ON x.g = y.g ORDER BY x.g")
                        .snapshot())
                .as("one of two tables that are split demands it")
                .isEqualTo("verified");
    }

    /** The same text in two schemas refers to two tables with different settings. */
    private static void otherSchema(SameAsServer same) throws Exception {
        String statement = "SELECT g, COUNT(*) FROM t WHERE g > 0 GROUP BY g";
        for (String use : List.of("USE ", "/* to */ USE ")) {
            same.onBoth(use + OTHER);
            same.passesThrough(statement, Reason.TABLE_DISABLED);
            same.passesThrough(statement, Reason.TABLE_DISABLED);
            same.onBoth(use + SCHEMA);
            same.fansOut(statement);
        }
        same.passesThrough(statement.replace("FROM t", "FROM " + OTHER + ".t"), Reason.TABLE_DISABLED);
    }

    private static void create(TestServer server) throws Exception {
        try (WireConnection admin =
                ProxiedServer.connect(server.host(), server.port(), server.adminUser(), server.adminPassword())) {
            for (String schema : List.of(SCHEMA, OTHER)) {
                admin.execute("DROP DATABASE IF EXISTS " + schema);
                admin.execute("CREATE DATABASE " + schema);
                admin.execute("USE " + schema);
                for (String name : schema.equals(SCHEMA) ? NAMES : List.of("t")) {
                    admin.execute("CREATE TABLE " + name + " (id INT NOT NULL PRIMARY KEY, g INT NOT NULL, dbl DOUBLE"
                            + " NOT NULL) ENGINE=InnoDB PARTITION BY HASH (id) PARTITIONS 4");
                    // doubles that add up without rounding, so that answers do not depend on the order
                    admin.execute("INSERT INTO " + name + " WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1"
                            + " FROM n WHERE i < 200) SELECT i, i % 5, i / 4 FROM n");
                    admin.query("ANALYZE TABLE " + name);
                }
            }
            admin.execute("CREATE TABLE " + SCHEMA + ".plain AS SELECT * FROM " + SCHEMA + ".t");
        }
    }
}
