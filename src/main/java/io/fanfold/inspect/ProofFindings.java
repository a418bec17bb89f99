package io.fanfold.inspect;

import io.fanfold.catalog.AccountName;
import io.fanfold.client.ServerFacts;
import io.fanfold.config.SnapshotConfig;
import io.fanfold.config.SnapshotConfig.TableLocks;
import io.fanfold.snapshot.SnapshotOutcome;
import io.fanfold.snapshot.SnapshotOutcome.SnapshotState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The findings about the proof of equal snapshots: which one is available, and what to change if none is.
 *
 * @param config the snapshot settings of fan-out
 * @param account the worker account
 * @param grants its privileges
 * @param gtids whether gtid_mode is ON (MySQL)
 */
record ProofFindings(SnapshotConfig config, AccountName account, Grants grants, boolean gtids) {
    private static final String LOCKS = "locks (LOCK TABLES ... READ)";

    /** @param outcomes of {@link ProofTrial}, one for each schema that was tried, at least one */
    List<Finding> of(ServerFacts facts, Map<String, SnapshotOutcome> outcomes) {
        List<Finding> findings = new ArrayList<>();
        List<SnapshotOutcome> provable = outcomes.values().stream()
                .filter(outcome -> outcome.kind() != SnapshotState.NOT_PROVABLE)
                .toList();
        List<String> without = new ArrayList<>();
        String why = "";
        for (Map.Entry<String, SnapshotOutcome> entry : outcomes.entrySet()) {
            if (entry.getValue().kind() == SnapshotState.NOT_PROVABLE) {
                without.add(entry.getKey());
                why = entry.getValue().detail();
            }
        }
        if (provable.isEmpty()) {
            findings.add(Finding.blocks("no proof of equal snapshots: " + why, remedies(facts, without)));
            return findings;
        }
        boolean busy = provable.stream().allMatch(outcome -> outcome.kind() == SnapshotState.NOT_EQUAL);
        findings.add(Finding.info("proof of equal snapshots: " + label(facts, provable)
                + (busy
                        ? " (the server was too busy to try it: "
                                + provable.get(0).detail() + ")"
                        : "")));
        if (!without.isEmpty()) {
            findings.add(Finding.advice(
                    "no proof of equal snapshots for the tables of " + String.join(", ", without) + ": " + why,
                    remedies(facts, without).toArray(String[]::new)));
        }
        return findings;
    }

    /** The name of the proof that the server offers; derived only here. */
    private String label(ServerFacts facts, List<SnapshotOutcome> outcomes) {
        if (outcomes.stream().anyMatch(outcome -> outcome.kind() == SnapshotState.RELAXED)) {
            return "none (fan-out.consistency is relaxed)";
        }
        if (outcomes.stream().anyMatch(outcome -> outcome.kind() == SnapshotState.LOCKED)) {
            return LOCKS;
        }
        if (facts.flavor().isMariaDb() && facts.logBin()) {
            return "binary log";
        }
        if (facts.flavor().isMySql() && gtids && facts.logBin() && facts.logReplicaUpdates()) {
            return "gtid";
        }
        return facts.readOnly() ? "replication tables" : LOCKS;
    }

    private List<String> remedies(ServerFacts facts, List<String> schemas) {
        List<String> remedies = new ArrayList<>();
        if (facts.galera()) {
            return List.of("set fan-out.consistency: relaxed (an answer may then hold a part of a commit)");
        }
        List<String> grantless = schemas.stream()
                .filter(schema -> !grants.allows("LOCK TABLES", schema))
                .toList();
        String granted = grantless.stream()
                .map(schema -> account.grant("LOCK TABLES", schema))
                .collect(Collectors.joining(" "));
        String allowed = config.tableLocks() == TableLocks.REFUSE ? "set fan-out.table-locks: allow" : "";
        if (!granted.isEmpty() || !allowed.isEmpty()) {
            remedies.add(granted + (granted.isEmpty() || allowed.isEmpty() ? "" : " and ") + allowed);
        }
        if (!facts.logBin()) {
            remedies.add("[mysqld] log_bin in the server's option file, and restart the server");
        }
        if (facts.flavor().isMySql() && facts.logBin() && !gtids) {
            remedies.add("SET PERSIST enforce_gtid_consistency = ON; SET PERSIST gtid_mode = OFF_PERMISSIVE;"
                    + " SET PERSIST gtid_mode = ON_PERMISSIVE; SET PERSIST gtid_mode = ON;");
        }
        if (facts.logBin() && !facts.logReplicaUpdates()) {
            remedies.add("[mysqld] log_" + (facts.flavor().isMariaDb() ? "slave" : "replica")
                    + "_updates in the server's option file, and restart the server");
        }
        return remedies;
    }
}
