package io.fanfold.execute;

import io.fanfold.catalog.TableName;
import io.fanfold.config.FanOutConfig.Mode;
import io.fanfold.config.ReuseConfig;
import io.fanfold.config.ReuseConfig.Reuse;
import io.fanfold.config.SnapshotConfig;
import io.fanfold.config.SnapshotConfig.TableLocks;
import io.fanfold.plan.ExplainedTable;
import io.fanfold.plan.LogicalStatement;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.SelectModel.TableRef;
import io.fanfold.variables.SessionSettings;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A statement to fan out, after its preflight.
 *
 * @param snapshots limits for opening its snapshots
 * @param visibleColumns the number of columns of its answer
 * @param explained the server's plan of the statement
 * @param byWork whether it gets fewer queries if it reads few rows
 * @param scanNanos how long one worker takes for all partition queries
 * @param manyGroups whether smaller partition queries may keep its groups in the server's memory. False with reuse, which
 *     finds known rows by the text of the partition query
 * @param degree the maximum number of workers
 * @param mode whether it is split, or only observed
 * @param reuse whether rows of earlier partition queries may be used again
 * @param replica what is required of a replica; empty if only the primary may be read
 * @param spider the split table if it is a Spider table
 * @param transaction empty outside transactions
 */
record FanOutTask(
        LogicalStatement logical,
        List<BlockPlanning> blocks,
        SessionSettings settings,
        SnapshotConfig snapshots,
        int visibleColumns,
        List<ExplainedTable> explained,
        boolean byWork,
        long scanNanos,
        boolean manyGroups,
        int degree,
        Mode mode,
        ReuseConfig reuse,
        Optional<ReplicaRead> replica,
        Optional<SpiderTable> spider,
        Optional<TransactionWork> transaction) {
    FanOutTask {
        blocks = List.copyOf(blocks);
    }

    /**
     * Returns the same task for a replica. Kept rows belong to the primary's log, and locked tables would stop the
     * replication.
     */
    FanOutTask onReplica() {
        return with(snapshots.withTableLocks(TableLocks.REFUSE), reuse.withMode(Reuse.OFF), replica);
    }

    /** Returns the same task for the primary. */
    FanOutTask onPrimary() {
        return with(snapshots, reuse, Optional.empty());
    }

    private FanOutTask with(SnapshotConfig otherSnapshots, ReuseConfig otherReuse, Optional<ReplicaRead> otherReplica) {
        return new FanOutTask(
                logical,
                blocks,
                settings,
                otherSnapshots,
                visibleColumns,
                explained,
                byWork,
                scanNanos,
                manyGroups,
                degree,
                mode,
                otherReuse,
                otherReplica,
                spider,
                transaction);
    }

    /** The tables that the statement reads. */
    Set<TableName> tables() throws RefusedException {
        Set<TableName> tables = new LinkedHashSet<>();
        for (TableRef table : logical.statement().tables()) {
            tables.add(TableProof.fullName(table, settings.database()));
        }
        return tables;
    }

    /** The tables that the statement reads outside its blocks. */
    List<TableRef> outside() {
        Set<String> inBlocks = logical.blocks().stream()
                .flatMap(block -> block.model().tables().stream())
                .map(TableProof::statement)
                .collect(Collectors.toSet());
        return logical.statement().tables().stream()
                .filter(table -> !inBlocks.contains(TableProof.statement(table)))
                .toList();
    }

    /** The number of partitions that the statement reads; known after its blocks have been judged. */
    int partitions() {
        return blocks.stream().mapToInt(BlockPlanning::partitions).sum();
    }

    /** The number of partition queries of all blocks. */
    int queries() {
        return blocks.stream().mapToInt(block -> block.parts().size()).sum();
    }
}
