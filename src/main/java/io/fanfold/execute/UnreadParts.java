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
 * @param leastShare the fraction of the statement's rows that are worth dividing
 * @param leases the workers, worker 0 first
 */
record UnreadParts(
        BlockReuse reuse,
        FanOutPlan plan,
        TableDivision division,
        TableRef split,
        int most,
        double leastShare,
        List<Lease> leases,
        KeyRanges ranges,
        ServerFlavor flavor) {
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
        for (Part part : whole) {
            if (!reuse.knows(part)) {
                Optional<List<Part>> pieces = division.known(partition(part), most, leases.get(0), ranges);
                if (pieces.isPresent() && knowsAll(pieces.get())) {
                    divided.put(part, pieces.get());
                } else {
                    unread.add(part);
                }
            }
        }
        if (unread.size() < whole.size() && worthDividing(unread, whole)) {
            for (Part part : unread) {
                List<Part> pieces = division.divide(partition(part), most, leases.get(0), ranges, flavor);
                if (pieces.size() > 1 && readsLess(Part.largestFirst(pieces).get(0), part)) {
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

    /** Whether there are too few parts for the workers, and they take long to read. */
    private boolean worthDividing(List<Part> unread, List<Part> whole) {
        if (unread.isEmpty()
                || !Part.uneven(unread.stream().map(UnreadParts::partition).toList(), leases.size())) {
            return false;
        }
        return (double) rows(unread) / Math.max(1, rows(whole)) >= leastShare;
    }

    private static long rows(List<Part> parts) {
        return parts.stream().mapToLong(Part::estimatedRows).sum();
    }

    /** Whether the server reads clearly less for a piece than for its partition. */
    private boolean readsLess(Part piece, Part part) throws IOException, ServerException {
        List<String> queries = List.of(plan.partitionQuery(piece), plan.partitionQuery(part));
        List<List<ExplainedTable>> plans = Explain.all(leases.get(0).connection(), queries, flavor);
        return CostGate.total(plans.get(0)) * 2 <= CostGate.total(plans.get(1))
                && !CostGate.scansFully(plans.get(0), split);
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
