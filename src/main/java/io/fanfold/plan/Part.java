package io.fanfold.plan;

import io.fanfold.catalog.CatalogTable.Partition;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What one partition query reads of the split table: a partition, several adjacent ones if there are many more
 * partitions than workers, or a range of a key, of the table or of one partition. The parts of a statement are disjoint,
 * and together they are all that it reads. A server opens all partitions of a table for every statement, whatever it
 * reads. A query for each of thousands of partitions would therefore take longer than the whole statement. Immutable.
 *
 * @param number its place among the statement's parts in the table's order, with gaps. The order of equal rows and
 *     groups follows it, as the server also reads adjacent partitions in their order, and ranges of the index that it
 *     scans.
 * @param partitions in the table's order, at least one; exactly one if there is a range
 * @param range the range of rows; empty for all rows of the partitions
 */
public record Part(int number, List<Partition> partitions, Optional<KeyRange> range) {
    /** The number of ranges of a worker. Ranges are less equal than their estimates. */
    private static final int RANGES_OF_A_WORKER = 4;

    /** The work is unequal if the worker with the most has more than this, relative to the mean. */
    private static final double UNEVEN = 1.25;

    /** The number of parts of a worker. One of them may take several times as long as another. */
    private static final int PARTS_OF_A_WORKER = 16;

    /**
     * A query of fewer rows takes longer for itself than for its rows. Eight queries of 10 rows took 1.4 ms on either
     * server, one query of all 80 rows 0.3 ms.
     */
    private static final long LEAST_ROWS = 1_000;

    /**
     * The rows of a range whose groups fit into the server's memory, even if each row is a group. With two workers, MySQL 9.7
     * took 2.1 s for 1,500,000 groups of 6,000,000 rows in 8 ranges, and 1.5 s in 16 or 32.
     */
    private static final long ROWS_OF_GROUPS = 150_000;

    /** The most ranges that are made because of groups: to find one, the server estimates several intervals. */
    private static final int MOST_OF_GROUPS = 256;

    /** Larger estimates make no difference, and sums up to it do not overflow. */
    private static final long MOST_ROWS = 1L << 40;

    public Part {
        partitions = List.copyOf(partitions);
        if (partitions.isEmpty()) {
            throw new IllegalArgumentException("a part without partitions");
        }
        if (range.isPresent() && partitions.size() > 1) {
            throw new IllegalArgumentException("a range of several partitions");
        }
    }

    /** Creates a part of whole partitions. */
    public Part(int number, List<Partition> partitions) {
        this(number, partitions, Optional.empty());
    }

    /** Returns the names for the PARTITION clause; none if the table is not partitioned. */
    public List<String> names() {
        return partitions.stream()
                .map(Partition::selectName)
                .filter(name -> !name.isEmpty())
                .toList();
    }

    /** Returns the part for people: the names of its partitions, and the number of its range without the bounds. */
    public List<String> labels() {
        return Stream.concat(names().stream(), range.stream().map(bounds -> "range " + number))
                .toList();
    }

    /** Returns the sum of the estimated rows. */
    public long estimatedRows() {
        return range.map(KeyRange::estimatedRows)
                .orElseGet(() ->
                        partitions.stream().mapToLong(Partition::estimatedRows).sum());
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

    /** Returns a part for each partition, the largest first. */
    public static List<Part> each(List<Partition> partitions) {
        return divided(partitions, partitions.size());
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
        return largestFirst(parts);
    }

    /** Returns parts in the order in which workers take them. */
    public static List<Part> largestFirst(List<Part> parts) {
        return parts.stream()
                .sorted(Comparator.comparingLong(Part::estimatedRows).reversed())
                .toList();
    }

    /**
     * Combines parts into fewer ones: whole partitions, which need not be adjacent, or adjacent ranges of one partition.
     *
     * @param parts the largest first, not fewer than {@code most}; all with ranges, or none
     * @param most the number of parts to return, with about the same number of rows
     */
    public static List<Part> balanced(List<Part> parts, int most) {
        if (parts.get(0).range().isPresent()) {
            return runs(parts, most);
        }
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

    /** Returns one part for several: for their partitions, or for adjacent ranges of one partition. */
    public static Part together(List<Part> parts) {
        List<Part> ordered =
                parts.stream().sorted(Comparator.comparingInt(Part::number)).toList();
        List<Partition> partitions = ordered.stream()
                .flatMap(part -> part.partitions().stream())
                .distinct()
                .toList();
        Optional<KeyRange> last = ordered.get(ordered.size() - 1).range();
        long rows = ordered.stream().mapToLong(Part::estimatedRows).sum();
        Optional<KeyRange> range = partitions.size() > 1
                ? Optional.empty()
                : ordered.get(0).range().flatMap(first -> last.map(end -> first.to(end, rows)));
        return new Part(ordered.get(0).number(), partitions, range);
    }

    private static List<Part> runs(List<Part> parts, int most) {
        List<Part> ordered =
                parts.stream().sorted(Comparator.comparingInt(Part::number)).toList();
        long all = ordered.stream().mapToLong(part -> part.estimatedRows() + 1).sum();
        List<Part> runs = new ArrayList<>();
        int from = 0;
        long rows = 0;
        for (int i = 0; i < ordered.size(); i++) {
            rows += ordered.get(i).estimatedRows() + 1;
            int runsLeft = most - runs.size() - 1;
            int partsLeft = ordered.size() - i - 1;
            boolean full = rows * most >= all * (runs.size() + 1L) && partsLeft >= runsLeft;
            if (full && runsLeft > 0 || partsLeft == runsLeft || partsLeft == 0) {
                runs.add(together(ordered.subList(from, i + 1)));
                from = i + 1;
            }
        }
        return runs;
    }

    /**
     * Returns the number of ranges for a statement.
     *
     * @param rows the rows that it reads of the split table
     * @param finer whether ranges must be small, because the server keeps many groups of each
     */
    public static int ranges(int workers, long rows, boolean finer) {
        long equal = Math.max(workers, Math.min(mostRanges(workers), rows / LEAST_ROWS));
        return (int) Math.max(equal, finer ? rangesOfGroups(rows) : 0);
    }

    /** Returns the most ranges for workers to have equal work. */
    public static int mostRanges(int workers) {
        return workers * RANGES_OF_A_WORKER;
    }

    /** Returns the number of ranges for the server to hold the groups of each in memory; 0 if one is enough. */
    public static int rangesOfGroups(long rows) {
        return (int) Math.min(MOST_OF_GROUPS, rows / ROWS_OF_GROUPS);
    }

    /**
     * Whether workers would have clearly unequal work, because there are few partitions or a large one.
     *
     * @param partitions at least one
     */
    public static boolean uneven(List<Partition> partitions, int workers) {
        List<Part> whole = divided(partitions, partitions.size());
        long largest = balanced(whole, Math.min(workers, whole.size())).stream()
                .mapToLong(Part::estimatedRows)
                .max()
                .orElseThrow();
        long all = whole.stream().mapToLong(Part::estimatedRows).sum();
        return largest * workers > all * UNEVEN;
    }

    /**
     * Divides one partition, or the only one of a table that is not partitioned, by ranges of a key.
     *
     * @param number the number of its first part; it has at most {@code ranges.size()}
     * @param ranges in the order of the key, at least one
     * @param most the number of parts, with about the same number of rows, 1 or more
     * @return in the order of the key
     */
    public static List<Part> ranged(int number, Partition partition, List<KeyRange> ranges, int most) {
        long all = ranges.stream().mapToLong(KeyRange::estimatedRows).sum();
        List<Part> parts = new ArrayList<>();
        int from = 0;
        long before = 0;
        long rows = 0;
        for (int i = 0; i < ranges.size(); i++) {
            rows += ranges.get(i).estimatedRows();
            boolean full = parts.size() < most - 1 && (before + rows) * most >= all * (parts.size() + 1L);
            if (full || i == ranges.size() - 1) {
                KeyRange joined = ranges.get(from).to(ranges.get(i), rows);
                parts.add(new Part(number + parts.size(), List.of(partition), Optional.of(joined)));
                from = i + 1;
                before += rows;
                rows = 0;
            }
        }
        return parts;
    }

    private static long total(List<Partition> partitions) {
        return partitions.stream().mapToLong(Part::weight).sum();
    }

    /** Returns the estimated rows plus one, because an empty partition must be opened too. */
    private static long weight(Partition partition) {
        return Math.min(partition.estimatedRows(), MOST_ROWS) + 1;
    }
}
