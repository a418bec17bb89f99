package io.fanfold.execute;

import io.fanfold.catalog.CatalogTable.Partition;
import io.fanfold.catalog.PartitionScheme;
import io.fanfold.plan.CoPartitionedTable;
import io.fanfold.plan.CostGate;
import io.fanfold.plan.ExplainedTable;
import io.fanfold.plan.LogicalPlan;
import io.fanfold.wire.Reply;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Finds the tables that are read together with the split table, partition by partition. */
final class CoPartitions {
    private CoPartitions() {}

    /**
     * Returns the co-partitioned tables of a block. A table is left out if the statement reads partitions of it that do not
     * correspond to those of the split table. It is then read whole, so that all its warnings and errors are raised.
     *
     * @param own the partition scheme of the split table
     * @param shown the definitions of the block's tables
     * @param read the partitions of the split table that the statement reads
     */
    static List<CoPartitionedTable> of(
            LogicalPlan logical,
            Optional<PartitionScheme> own,
            Map<String, Reply> shown,
            List<Partition> read,
            List<ExplainedTable> wholePlan) {
        List<CoPartitionedTable> proven = new ArrayList<>();
        for (CoPartitionedTable coPartitioned : logical.coPartitioned()) {
            Optional<PartitionScheme> scheme = Optional.ofNullable(
                            shown.get(TableProof.statement(coPartitioned.table())))
                    .flatMap(TableProof::scheme);
            own.flatMap(split -> scheme.flatMap(other -> coPartitioned.proven(split, other)))
                    .filter(known -> readBeside(known, read, wholePlan))
                    .ifPresent(proven::add);
        }
        return proven;
    }

    private static boolean readBeside(
            CoPartitionedTable coPartitioned, List<Partition> read, List<ExplainedTable> wholePlan) {
        Set<String> beside = new HashSet<>();
        for (Partition partition : read) {
            String name = coPartitioned.partitions().get(lower(partition.selectName()));
            if (name == null) {
                return false;
            }
            beside.add(lower(name));
        }
        return CostGate.readsOnly(wholePlan, coPartitioned.table(), beside);
    }

    static String lower(String name) {
        return name.toLowerCase(Locale.ROOT);
    }
}
