package io.fanfold.catalog;

import java.util.List;
import java.util.Optional;

/**
 * A partitioned table in INFORMATION_SCHEMA.PARTITIONS at one moment. Immutable.
 *
 * @param name the table
 * @param method the partitioning method as shown there, e.g. {@code HASH}, {@code RANGE COLUMNS}
 * @param expression the partitioning expression as shown there
 * @param partitions in the server's order, at least one
 */
public record PartitionedTable(TableName name, String method, String expression, List<Partition> partitions) {
    public PartitionedTable {
        partitions = List.copyOf(partitions);
        if (partitions.isEmpty()) {
            throw new IllegalArgumentException(name + " has no partitions");
        }
    }

    /** Returns the partitioning; empty if there are subpartitions. */
    public Optional<Partitioning> partitioning() {
        boolean plain =
                partitions.stream().allMatch(partition -> partition.selectName().equals(partition.explainName()));
        return plain ? Optional.of(new Partitioning(method, expression)) : Optional.empty();
    }

    /** Returns the sum of the partitions' estimated rows. */
    public long estimatedRows() {
        return partitions.stream().mapToLong(Partition::estimatedRows).sum();
    }

    /**
     * One partition, or one subpartition if the table has them: the unit that a PARTITION clause selects.
     *
     * @param selectName the name for the PARTITION clause: of the subpartition, if there is one
     * @param explainName the name in EXPLAIN's partitions column: {@code part} or {@code part_sub}
     * @param estimatedRows the server's estimate, 0 or more
     */
    public record Partition(String selectName, String explainName, long estimatedRows) {}
}
