package io.fanfold.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.catalog.AccountName;
import io.fanfold.client.ServerFacts;
import io.fanfold.client.ServerIdentity;
import io.fanfold.config.SnapshotConfig;
import io.fanfold.config.SnapshotConfig.TableLocks;
import io.fanfold.snapshot.SnapshotOutcome;
import io.fanfold.snapshot.SnapshotOutcome.SnapshotState;
import io.fanfold.variables.SessionVariables;
import io.fanfold.wire.ServerFlavor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ProofFindingsTest {
    private static final SnapshotConfig CONFIG = SnapshotConfig.defaults();
    private static final AccountName ACCOUNT = AccountName.of("w@%");
    private static final Grants ALL = Grants.read(List.of("GRANT SELECT, LOCK TABLES ON *.* TO `w`@`%`"));
    private static final Grants SELECT = Grants.read(List.of("GRANT SELECT ON *.* TO `w`@`%`"));
    private static final String NO_LOG = "[mysqld] log_bin in the server's option file, and restart the server";

    private enum Set {
        LOG_BIN,
        LOG_UPDATES,
        GALERA,
        READ_ONLY
    }

    private static ServerFacts server(ServerFlavor flavor, Set... on) {
        List<Set> set = List.of(on);
        return new ServerFacts(
                new ServerIdentity("", flavor, 9, 9, 9),
                "",
                "key",
                0,
                set.contains(Set.LOG_BIN),
                set.contains(Set.LOG_UPDATES),
                set.contains(Set.GALERA),
                set.contains(Set.READ_ONLY),
                true,
                Map.of(),
                true,
                1 << 26,
                SessionVariables.of(List.of()));
    }

    private static ServerFacts mariaDb(Set... on) {
        return server(ServerFlavor.MARIADB, on);
    }

    private static ServerFacts mySql(Set... on) {
        return server(ServerFlavor.MYSQL, on);
    }

    private static SnapshotOutcome outcome(SnapshotState kind, String detail) {
        return new SnapshotOutcome(kind, 1, 1, detail, "");
    }

    private static String line(Finding finding) {
        return finding.severity() + " " + SplitState.line(finding);
    }

    private static List<String> lines(
            SnapshotConfig config, Grants grants, boolean gtids, ServerFacts server, Map<String, SnapshotOutcome> all) {
        return new ProofFindings(config, ACCOUNT, grants, gtids)
                .of(server, all).stream().map(ProofFindingsTest::line).toList();
    }

    private static String label(boolean gtids, ServerFacts server, SnapshotState kind) {
        List<String> lines = lines(CONFIG, ALL, gtids, server, Map.of("shop", outcome(kind, "commits came in")));
        assertThat(lines).hasSize(1);
        return lines.get(0);
    }

    private static String missing(SnapshotConfig config, Grants grants, boolean gtids, ServerFacts server) {
        List<String> lines =
                lines(config, grants, gtids, server, Map.of("shop", outcome(SnapshotState.NOT_PROVABLE, "why")));
        assertThat(lines).hasSize(1);
        return lines.get(0);
    }

    @Test
    void theProofInUseHasAName() {
        assertThat(label(true, mySql(Set.LOG_BIN, Set.LOG_UPDATES), SnapshotState.VERIFIED))
                .isEqualTo("INFO proof of equal snapshots: gtid");
        assertThat(label(false, mariaDb(Set.LOG_BIN), SnapshotState.VERIFIED))
                .isEqualTo("INFO proof of equal snapshots: binary log");
        assertThat(label(true, mySql(Set.LOG_BIN, Set.READ_ONLY), SnapshotState.VERIFIED))
                .isEqualTo("INFO proof of equal snapshots: replication tables");
        assertThat(label(false, mariaDb(Set.READ_ONLY), SnapshotState.VERIFIED))
                .isEqualTo("INFO proof of equal snapshots: replication tables");
        assertThat(label(false, mySql(Set.LOG_BIN), SnapshotState.LOCKED))
                .isEqualTo("INFO proof of equal snapshots: locks (LOCK TABLES ... READ)");
        assertThat(label(true, mySql(Set.LOG_BIN, Set.LOG_UPDATES), SnapshotState.RELAXED))
                .isEqualTo("INFO proof of equal snapshots: none (fan-out.consistency is relaxed)");
    }

    @Test
    void aBusyServerHasItsProofToo() {
        String busy = " (the server was too busy to try it: commits came in)";
        assertThat(label(true, mySql(Set.LOG_BIN, Set.LOG_UPDATES), SnapshotState.NOT_EQUAL))
                .isEqualTo("INFO proof of equal snapshots: gtid" + busy);
        assertThat(label(false, mariaDb(), SnapshotState.NOT_EQUAL))
                .isEqualTo("INFO proof of equal snapshots: locks (LOCK TABLES ... READ)" + busy);
        assertThat(label(false, mySql(Set.LOG_BIN, Set.LOG_UPDATES), SnapshotState.NOT_EQUAL))
                .isEqualTo("INFO proof of equal snapshots: locks (LOCK TABLES ... READ)" + busy);
    }

    @Test
    void eachWayToAProofIsARemedy() {
        String none = "BLOCKS no proof of equal snapshots: why. To change that: ";
        String grant = "GRANT LOCK TABLES ON shop.* TO 'w'@'%';";
        assertThat(missing(CONFIG, SELECT, false, mariaDb())).isEqualTo(none + grant + " -- or: " + NO_LOG);
        assertThat(missing(CONFIG, ALL, false, mariaDb())).isEqualTo(none + NO_LOG);
        assertThat(missing(CONFIG.withTableLocks(TableLocks.REFUSE), ALL, false, mariaDb()))
                .isEqualTo(none + "set fan-out.table-locks: allow -- or: " + NO_LOG);
        assertThat(missing(CONFIG.withTableLocks(TableLocks.REFUSE), SELECT, false, mariaDb()))
                .isEqualTo(none + grant + " and set fan-out.table-locks: allow -- or: " + NO_LOG);
        assertThat(missing(CONFIG, ALL, false, mySql(Set.LOG_BIN, Set.LOG_UPDATES)))
                .isEqualTo(none + "SET PERSIST enforce_gtid_consistency = ON; SET PERSIST gtid_mode = OFF_PERMISSIVE;"
                        + " SET PERSIST gtid_mode = ON_PERMISSIVE; SET PERSIST gtid_mode = ON;");
        assertThat(missing(CONFIG, ALL, true, mySql(Set.LOG_BIN)))
                .isEqualTo(none + "[mysqld] log_replica_updates in the server's option file, and restart the server");
        assertThat(missing(CONFIG, ALL, true, mariaDb(Set.LOG_BIN)))
                .isEqualTo(none + "[mysqld] log_slave_updates in the server's option file, and restart the server");
        assertThat(missing(CONFIG, SELECT, false, mariaDb(Set.GALERA, Set.LOG_BIN)))
                .isEqualTo(none + "set fan-out.consistency: relaxed (an answer may then hold a part of a commit)");
    }

    @Test
    void schemasWithoutTheLockAreNamedBesideThoseWithIt() {
        Map<String, SnapshotOutcome> outcomes = new LinkedHashMap<>();
        outcomes.put("shop", outcome(SnapshotState.LOCKED, ""));
        outcomes.put("crm", outcome(SnapshotState.NOT_PROVABLE, "why"));
        Grants shop = Grants.read(List.of("GRANT SELECT, LOCK TABLES ON `shop`.* TO `w`@`%`"));
        assertThat(lines(CONFIG, shop, false, mariaDb(), outcomes))
                .containsExactly(
                        "INFO proof of equal snapshots: locks (LOCK TABLES ... READ)",
                        "ADVICE no proof of equal snapshots for the tables of crm: why. To change that:"
                                + " GRANT LOCK TABLES ON crm.* TO 'w'@'%'; -- or: " + NO_LOG);
    }
}
