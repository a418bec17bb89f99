package io.fanfold.inspect;

import io.fanfold.catalog.TableName;
import io.fanfold.catalog.TableSettings;
import io.fanfold.client.ServerException;
import io.fanfold.client.ServerFacts;
import io.fanfold.client.WireConnection;
import io.fanfold.config.SnapshotConfig.TableLocks;
import io.fanfold.inspect.Inspection.Table;
import io.fanfold.pool.Lease;
import io.fanfold.pool.WorkerPool;
import io.fanfold.snapshot.SnapshotOutcome;
import io.fanfold.snapshot.SnapshotOutcome.SnapshotState;
import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Opens snapshots on two workers, as a fan-out does, to find out which proof of equal snapshots is available. */
record ProofTrial(WorkerPool workers, TableSettings settings) {
    /** The longest time to try for equal snapshots, for a server that commits all the time. */
    private static final Duration PATIENCE = Duration.ofMillis(200);

    /**
     * The most schemas that are tried. More than one is tried only with locks, since an account may have the privilege
     * in some schemas only.
     */
    private static final int MOST_SCHEMAS = 20;

    /**
     * Opens snapshots and ends them again.
     *
     * @param leases two idle workers
     * @param tables the tables that may be split, at least one
     * @return the outcome for each schema that was tried, at least one
     */
    Map<String, SnapshotOutcome> run(List<Lease> leases, List<Table> tables)
            throws IOException, ServerException, InterruptedException {
        ServerFacts facts = leases.get(0).facts();
        boolean lockable = settings.fanOut().snapshots().tableLocks() != TableLocks.REFUSE && !facts.galera();
        Map<String, SnapshotOutcome> outcomes = new LinkedHashMap<>();
        for (Map.Entry<String, TableName> entry : smallest(tables).entrySet()) {
            SnapshotOutcome outcome = open(leases, facts, entry.getValue());
            outcomes.put(entry.getKey(), outcome);
            if (outcome.kind() == SnapshotState.VERIFIED || outcome.kind() == SnapshotState.RELAXED || !lockable) {
                break;
            }
        }
        return outcomes;
    }

    /** Returns the table with the fewest rows of each schema: its lock disturbs least. */
    private static Map<String, TableName> smallest(List<Table> tables) {
        return tables.stream()
                .sorted(Comparator.comparingLong(Table::rows))
                .map(Table::name)
                .collect(Collectors.toMap(TableName::schema, name -> name, (few, more) -> few, LinkedHashMap::new))
                .entrySet()
                .stream()
                .limit(MOST_SCHEMAS)
                .collect(Collectors.toMap(
                        Map.Entry::getKey, Map.Entry::getValue, (first, second) -> first, LinkedHashMap::new));
    }

    private SnapshotOutcome open(List<Lease> leases, ServerFacts facts, TableName table)
            throws IOException, ServerException, InterruptedException {
        List<WireConnection> connections =
                leases.stream().map(Lease::connection).toList();
        SnapshotOutcome outcome = workers.snapshots()
                .open(connections, facts, settings.of(table).snapshots().within(PATIENCE), List.of(table), () -> true);
        Lease.endTransactions(leases);
        return outcome;
    }
}
