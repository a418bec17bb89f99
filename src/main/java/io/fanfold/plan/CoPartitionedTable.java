package io.fanfold.plan;

import io.fanfold.catalog.PartitionScheme;
import io.fanfold.sql.SelectModel.TableRef;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A table of a partition-wise join, joined to the split table on the partitioning columns of both. If the two are
 * co-partitioned, rows that join are in partitions with the same number, and a partition query need not read the
 * others. Immutable.
 *
 * <pre>
 * FROM t JOIN u ON t.k = u.k   FROM t PARTITION (p3) JOIN u PARTITION (p3) ON t.k = u.k
 * </pre>
 *
 * @param table the instance
 * @param columns the columns, in the order of the partitioning, at least one pair
 * @param partitions maps each partition of the split table, in lower case, to this table's partition with the same
 *     number; empty until the tables are proven to be co-partitioned
 */
public record CoPartitionedTable(TableRef table, List<Pair> columns, Map<String, String> partitions) {
    public CoPartitionedTable {
        columns = List.copyOf(columns);
        partitions = Map.copyOf(partitions);
    }

    /**
     * Returns this table with its partitions, as the definitions of both tables show them.
     *
     * @return empty if the tables are not co-partitioned or other columns decide on the partition
     */
    public Optional<CoPartitionedTable> proven(PartitionScheme split, PartitionScheme own) {
        boolean byTheseColumns = same(columns.stream().map(Pair::split), split)
                && same(columns.stream().map(Pair::own), own);
        return byTheseColumns
                ? split.pairedWith(own).map(names -> new CoPartitionedTable(table, columns, names))
                : Optional.empty();
    }

    private static boolean same(Stream<PartitioningColumn> sides, PartitionScheme scheme) {
        return sides.map(PartitioningColumn::name)
                .toList()
                .equals(scheme.partitioning().columns());
    }

    /** Two columns that are equal in every joined row. */
    public record Pair(PartitioningColumn split, PartitioningColumn own) {}
}
