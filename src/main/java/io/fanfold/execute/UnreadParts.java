package io.fanfold.execute;

import io.fanfold.catalog.CatalogTable.Partition;
import io.fanfold.client.ServerException;
import io.fanfold.plan.CostGate;
import io.fanfold.plan.ExplainedTable;
import io.fanfold.plan.FanOutPlan;
import io.fanfold.plan.Part;
import io.fanfold.pool.Lease;
import io.fanfold.sql.SelectModel.TableRef;
import io.fanfold.wire.ServerFlavor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Divides partitions by ranges of a key if a statement knows the rows of the others. Without that, one worker would read
 * the only partition that has changed, and the others would wait. For the coordinator thread.
 *
 * @param most the most workers that the statement may have
 * @param nanosOfRow how long one worker takes for a row
 * @param leases the workers, worker 0 first
 */
record UnreadParts(
        BlockReuse reuse,
        FanOutPlan plan,
        TableDivision division,
        TableRef split,
        int most,
        double nanosOfRow,
        List<Lease> leases,
        KeyRanges ranges,
        ServerFlavor flavor) {
    /** The least time that a division must save. */
    private static final double LEAST_NANOS = 10_000_000;

    /** About how long it takes to find a range: the server plans a few statements for it. */
    private static final double NANOS_OF_RANGE = 500_000;

    /** Estimates that differ by less than a quarter do not show a gain. */
    private static final double CLEARLY_LESS = 0.75;

    /**
     * Divides the partitions that must be read, if there are too few of them for the workers, and those that an earlier
     * statement has divided and whose rows are known.
     *
     * @param whole the parts of the statement
     * @return the parts, the largest first; the given ones if none is divided
     */
    List<Part> divided(List<Part> whole) throws IOException, ServerException, InterruptedException {
        boolean partitions = whole.stream()
                .allMatch(part -> part.range().isEmpty() && part.partitions().size() == 1);
        if (division.key().isEmpty() || leases.size() < 2 || !partitions) {
            return whole;
        }
        Map<Part, List<Part>> divided = new HashMap<>();
        List<Part> unread = new ArrayList<>();
        int unknown = 0;
        for (Part part : whole) {
            if (!reuse.knows(part)) {
                Optional<List<Part>> pieces = division.known(partition(part), most, leases.get(0), ranges);
                if (pieces.isPresent() && knowsAll(pieces.get())) {
                    divided.put(part, pieces.get());
                } else {
                    unread.add(part);
                    unknown += pieces.isPresent() ? 0 : 1;
                }
            }
        }
        if (unread.size() < whole.size() && worthDividing(unread, unknown)) {
            for (Part part : unread) {
                List<Part> pieces = division.divide(partition(part), most, leases.get(0), ranges, flavor);
                if (pieces.size() > 1 && readsLess(pieces, part)) {
                    divided.put(part, pieces);
                }
            }
        }
        return divided.isEmpty() ? whole : numbered(whole, divided);
    }

    private static Partition partition(Part part) {
        return part.partitions().get(0);
    }

    private boolean knowsAll(List<Part> parts) throws InterruptedException {
        for (Part part : parts) {
            if (!reuse.knows(part)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Whether there are too few parts for the workers, and to divide them saves more time than it takes to find ranges.
     *
     * @param unknown of how many parts the ranges are not known
     */
    private boolean worthDividing(List<Part> unread, int unknown) {
        if (unread.isEmpty()
                || !Part.uneven(unread.stream().map(UnreadParts::partition).toList(), leases.size())) {
            return false;
        }
        long largest = Part.largestFirst(unread).get(0).estimatedRows();
        double saved = (largest - (double) rows(unread) / leases.size()) * nanosOfRow;
        return saved >= LEAST_NANOS + unknown * TableDivision.intervals(most) * NANOS_OF_RANGE;
    }

    private static long rows(List<Part> parts) {
        return parts.stream().mapToLong(Part::estimatedRows).sum();
    }

    /** Whether a worker reads clearly less if all workers share the pieces, each of which may read other tables again. */
    private boolean readsLess(List<Part> pieces, Part part) throws IOException, ServerException {
        Part largest = Part.largestFirst(pieces).get(0);
        List<String> queries = List.of(plan.partitionQuery(largest), plan.partitionQuery(part));
        List<List<ExplainedTable>> plans = Explain.all(leases.get(0).connection(), queries, flavor);
        double asLarge = (double) rows(pieces) / Math.max(1, largest.estimatedRows());
        double ofWorker = CostGate.total(plans.get(0)) * Math.max(1, asLarge / leases.size());
        return ofWorker <= CostGate.total(plans.get(1)) * CLEARLY_LESS && !CostGate.scansFully(plans.get(0), split);
    }

    private static List<Part> numbered(List<Part> whole, Map<Part, List<Part>> divided) {
        List<Part> all = new ArrayList<>();
        List<Part> ordered =
                whole.stream().sorted(Comparator.comparingInt(Part::number)).toList();
        for (Part part : ordered) {
            for (Part piece : divided.getOrDefault(part, List.of(part))) {
                all.add(new Part(all.size(), piece.partitions(), piece.range()));
            }
        }
        return Part.largestFirst(all);
    }
}
