package io.fanfold.plan;

import io.fanfold.catalog.PartitionedTable.Partition;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What one partition query reads of the split table: a partition, or several adjacent ones if there are many more
 * partitions than workers. The parts of a statement are disjoint, and together they are all that it reads. A server opens all partitions of a table for every statement, whatever it reads. A query for each of
 * thousands of partitions would therefore take longer than the whole statement. Immutable.
 *
 * @param number the number of the statement's partitions before these in the table's order. The order of equal rows and
 *     groups follows it, as the server also reads adjacent partitions in their order.
 * @param partitions in the table's order, at least one
 */
public record Part(int number, List<Partition> partitions) {
    /** The number of parts of a worker. One of them may take several times as long as another. */
    private static final int PARTS_OF_A_WORKER = 16;

    /**
     * A query of fewer rows takes longer for itself than for its rows. Eight queries of 10 rows took 1.4 ms on either
     * server, one query of all 80 rows 0.3 ms.
     */
    private static final long LEAST_ROWS = 1_000;

    /** Larger estimates make no difference, and sums up to it do not overflow. */
    private static final long MOST_ROWS = 1L << 40;

    public Part {
        partitions = List.copyOf(partitions);
        if (partitions.isEmpty()) {
            throw new IllegalArgumentException("a part without partitions");
        }
    }

    /** Returns the names for the PARTITION clause. */
    public List<String> names() {
        return partitions.stream().map(Partition::selectName).toList();
    }

    /** Returns the sum of the partitions' estimated rows. */
    public long estimatedRows() {
        return partitions.stream().mapToLong(Partition::estimatedRows).sum();
    }

    /**
     * Divides partitions into parts: one each if there are few for each worker, otherwise runs with about the same
     * number of rows. There are at most twice as many runs as the limit.
     *
     * @param partitions the partitions that the statement reads, in the table's order
     * @param workers the number of workers, 1 or more
     * @return the parts, the largest first
     */
    public static List<Part> of(List<Partition> partitions, int workers) {
        return divided(partitions, workers * PARTS_OF_A_WORKER);
    }

    /**
     * Like {@link #of(List, int)}, with fewer and longer runs if the statement reads few rows.
     *
     * @param rows the server's estimate for the whole statement
     */
    public static List<Part> of(List<Partition> partitions, int workers, long rows) {
        long worthwhile = Math.max(workers, rows / LEAST_ROWS);
        return divided(partitions, (int) Math.min(worthwhile, (long) workers * PARTS_OF_A_WORKER));
    }

    private static List<Part> divided(List<Partition> partitions, int most) {
        long fill = partitions.size() <= most ? 0 : (total(partitions) + most - 1) / most;
        List<Part> parts = new ArrayList<>();
        int from = 0;
        long weight = 0;
        for (int i = 0; i < partitions.size(); i++) {
            long more = weight(partitions.get(i));
            if (i > from && weight + more > fill) {
                parts.add(new Part(from, partitions.subList(from, i)));
                from = i;
                weight = 0;
            }
            weight += more;
        }
        parts.add(new Part(from, partitions.subList(from, partitions.size())));
        parts.sort(Comparator.comparingLong(Part::estimatedRows).reversed());
        return List.copyOf(parts);
    }

    /**
     * Combines parts into fewer ones.
     *
     * @param parts the largest first, not fewer than {@code most}
     * @param most the number of parts to return, with about the same number of rows. Their partitions are in the table's
     *     order, but need not be adjacent
     */
    public static List<Part> balanced(List<Part> parts, int most) {
        List<List<Part>> lists = new ArrayList<>();
        long[] rows = new long[most];
        for (int i = 0; i < most; i++) {
            lists.add(new ArrayList<>());
        }
        for (Part part : parts) {
            int smallest = 0;
            for (int i = 1; i < most; i++) {
                // empty parts are distributed too, so that no list is empty
                boolean fewer = lists.get(i).size() < lists.get(smallest).size();
                smallest = rows[i] < rows[smallest] || rows[i] == rows[smallest] && fewer ? i : smallest;
            }
            lists.get(smallest).add(part);
            rows[smallest] += part.estimatedRows();
        }
        return lists.stream().map(Part::together).toList();
    }

    /** Returns one part for the partitions of several. */
    public static Part together(List<Part> parts) {
        List<Part> ordered =
                parts.stream().sorted(Comparator.comparingInt(Part::number)).toList();
        return new Part(
                ordered.get(0).number(),
                ordered.stream().flatMap(part -> part.partitions().stream()).toList());
    }

    private static long total(List<Partition> partitions) {
        return partitions.stream().mapToLong(Part::weight).sum();
    }

    /** Returns the estimated rows plus one, because an empty partition must be opened too. */
    private static long weight(Partition partition) {
        return Math.min(partition.estimatedRows(), MOST_ROWS) + 1;
    }
}
