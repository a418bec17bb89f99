package io.fanfold.it.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.WireConnection;
import io.fanfold.config.FanOutConfig.Mode;
import io.fanfold.config.TablesText;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.row.Row;
import org.jspecify.annotations.Nullable;

/** The modes of {@code fan-out}, {@code tables} and {@code accounts}. */
class ModeIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_mode", admin -> {
        for (String table : new String[] {"t", "u"}) {
            admin.execute("CREATE TABLE " + table
                    + " (id INT PRIMARY KEY, v INT) ENGINE=InnoDB PARTITION BY HASH (id) PARTITIONS 3");
            admin.execute("INSERT INTO " + table + " VALUES (1, 1), (2, 2), (3, 3)");
        }
        admin.execute("DROP USER IF EXISTS mode_reports, mode_app");
        admin.execute("CREATE USER mode_reports IDENTIFIED BY 'pw', mode_app IDENTIFIED BY 'pw'");
        admin.execute("GRANT SELECT ON it_mode.* TO mode_reports, mode_app");
    });

    /** Returns why the next statement passes through; null if it is split. */
    private static @Nullable Reason reason(ProxiedServer proxy, WireConnection client, String table) throws Exception {
        proxy.forget();
        assertThat(client.query("SELECT COUNT(*) + 0 FROM it_mode." + table + " WHERE v > 1")
                        .rows())
                .hasToString("[2]");
        return proxy.outcome().reason();
    }

    private static ProxySetup setup(Mode mode) {
        ProxySetup setup = ProxySetup.ofDegree(2);
        return setup.withFanOut(setup.fanOut().withMode(mode));
    }

    @AllServers
    void theMostSpecificModeHolds(TestServer server) throws Exception {
        DATABASE.shared(server, 2).close();
        ProxySetup setup = setup(Mode.OFF)
                .withAccounts(TablesText.accounts("mode_reports: {mode: on}"))
                .withTables(TablesText.read("it_mode.u: {mode: observe}"));
        try (ProxiedServer proxy = ProxiedServer.start(server, setup);
                WireConnection reports = proxy.proxied("mode_reports", "pw");
                WireConnection app = proxy.proxied("mode_app", "pw")) {
            proxy.tablesChanged();
            for (int i = 0; i < 2; i++) {
                assertThat(reason(proxy, app, "t")).as("off").isEqualTo(Reason.TABLE_DISABLED);
                assertThat(reason(proxy, reports, "t")).as("on for the account").isNull();
                assertThat(reason(proxy, app, "u")).as("observed for the table").isEqualTo(Reason.OBSERVED);
                assertThat(reason(proxy, reports, "u")).as("the lesser of both").isEqualTo(Reason.OBSERVED);
            }
        }
    }

    @AllServers
    void observingCountsWhatASplitWouldSave(TestServer server) throws Exception {
        DATABASE.shared(server, 2).close();
        try (ProxiedServer proxy = ProxiedServer.start(server, setup(Mode.OBSERVE));
                WireConnection client = proxy.proxied()) {
            proxy.tablesChanged();
            for (int i = 0; i < 2; i++) {
                assertThat(reason(proxy, client, "t")).isEqualTo(Reason.OBSERVED);
            }
            assertThat(proxy.attempts()).as("no snapshot was opened").isEmpty();
            Row digest =
                    client.query("SHOW FANFOLD DIGESTS LIKE '%+ ?%'").rows().get(0);
            assertThat(digest.utf8(8)).isEqualTo("observed=2");
            assertThat(Double.parseDouble(digest.utf8(15))).isNotNegative();
            Row explained = client.query("EXPLAIN FORMAT=FANFOLD SELECT COUNT(*) + 0 FROM it_mode.t WHERE v > 1")
                    .rows()
                    .get(1);
            assertThat(explained.utf8(0)).isEqualTo("mode");
        }
    }
}
