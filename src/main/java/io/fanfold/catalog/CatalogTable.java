package io.fanfold.catalog;

import java.util.List;
import java.util.Optional;

/**
 * A table that may be split, as INFORMATION_SCHEMA shows it at one moment: by its partitions, or if it has none, by
 * ranges of a key. Immutable.
 *
 * @param name the table
 * @param method the partitioning method as shown there, e.g. {@code HASH}, {@code RANGE COLUMNS}; empty if the table is
 *     not partitioned
 * @param expression the partitioning expression as shown there
 * @param partitions in the server's order, at least one; the only one of a table that is not partitioned is the table
 */
public record CatalogTable(TableName name, String method, String expression, List<Partition> partitions) {
    public CatalogTable {
        partitions = List.copyOf(partitions);
        if (partitions.isEmpty()) {
            throw new IllegalArgumentException(name + " has no partitions");
        }
    }

    /** Returns a table that is not partitioned. */
    public static CatalogTable unpartitioned(TableName name, long estimatedRows) {
        return new CatalogTable(name, "", "", List.of(new Partition("", "", estimatedRows)));
    }

    public boolean partitioned() {
        return !method.isEmpty();
    }

    /** Returns the partitioning; empty if there is none, or if there are subpartitions. */
    public Optional<Partitioning> partitioning() {
        boolean plain =
                partitions.stream().allMatch(partition -> partition.selectName().equals(partition.explainName()));
        return plain && partitioned() ? Optional.of(new Partitioning(method, expression)) : Optional.empty();
    }

    /** Returns the sum of the partitions' estimated rows. */
    public long estimatedRows() {
        return partitions.stream().mapToLong(Partition::estimatedRows).sum();
    }

    /**
     * One partition, or one subpartition if the table has them: the unit that a PARTITION clause selects.
     *
     * @param selectName the name for the PARTITION clause: of the subpartition, if there is one; empty if this is a table
     *     that is not partitioned, which has no PARTITION clause
     * @param explainName the name in EXPLAIN's partitions column: {@code part} or {@code part_sub}
     * @param estimatedRows the server's estimate, 0 or more
     */
    public record Partition(String selectName, String explainName, long estimatedRows) {}
}
