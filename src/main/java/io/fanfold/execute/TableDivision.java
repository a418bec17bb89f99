package io.fanfold.execute;

import io.fanfold.catalog.CatalogTable;
import io.fanfold.catalog.CatalogTable.Partition;
import io.fanfold.catalog.KeyColumn;
import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.execute.KeyRangeSearch.Estimates;
import io.fanfold.execute.KeyRangeSearch.Interval;
import io.fanfold.execute.KeyRangeSearch.Values;
import io.fanfold.operator.MemoryBudget;
import io.fanfold.plan.CostGate;
import io.fanfold.plan.ExplainedTable;
import io.fanfold.plan.FanOutPlan;
import io.fanfold.plan.KeyFilter;
import io.fanfold.plan.KeyList;
import io.fanfold.plan.KeyRange;
import io.fanfold.plan.LogicalPlan;
import io.fanfold.plan.Part;
import io.fanfold.pool.Lease;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.SelectModel.TableRef;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerFlavor;
import java.io.IOException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Divides a table, or its large partitions, by ranges of a key. For the coordinator thread. */
final class TableDivision {
    /** The number of intervals of a part, of which one is about as large as another. */
    private static final int INTERVALS_OF_A_PART = 2;

    private final TableRef split;
    private final CatalogTable table;
    private final boolean allowed;
    private List<Interval> intervals = List.of();
    private long searchNanos;
    private boolean finer;
    private Optional<KeyColumn> key = Optional.empty();

    /**
     * A division that has not begun.
     *
     * @param allowed whether the table, or its partitions, may be divided
     */
    TableDivision(TableRef split, CatalogTable table, boolean allowed) {
        this.split = split;
        this.table = table;
        this.allowed = allowed;
    }

    boolean allowed() {
        return allowed;
    }

    /** How long it took to find ranges of the table, which later statements need not find again. */
    long searchNanos() {
        return searchNanos;
    }

    /**
     * Returns the key whose ranges divide the table or its partitions.
     *
     * @throws RefusedException if there is none, and the table is not partitioned
     */
    Optional<KeyColumn> key(List<ExplainedTable> explained, Reply definition) throws RefusedException {
        if (!table.partitioned()) {
            key = Optional.of(RangeKey.of(split, definition, explained));
        } else {
            key = allowed ? RangeKey.find(split, definition, explained) : Optional.empty();
        }
        return key;
    }

    /** The key that {@link #key(List, Reply)} has found. */
    Optional<KeyColumn> key() {
        return key;
    }

    /**
     * Whether a statement with many groups gets more partition queries, so that the server keeps the groups of each in memory.
     * It does not if it reads other tables, which each partition query would read again.
     */
    boolean dividesGroups(LogicalPlan logical, List<Partition> read, List<ExplainedTable> wholePlan, int workers) {
        return logical.keepsGroups()
                && wholePlan.size() == 1
                && Part.of(read, workers).size() == read.size()
                && Part.rangesOfGroups(CostGate.reads(wholePlan, split)) > read.size();
    }

    /**
     * Divides the partitions that are too large for one worker by ranges of the key.
     *
     * @param read the partitions that the statement reads
     * @param wholePlan the server's plan of the whole block
     * @param manyGroups whether ranges must be small, because the server keeps many groups of each
     * @return the parts, the largest first
     */
    List<Part> parts(
            List<Partition> read,
            List<ExplainedTable> wholePlan,
            boolean manyGroups,
            List<Lease> leases,
            KeyRanges known,
            ServerFlavor flavor)
            throws RefusedException, IOException, ServerException {
        finer = manyGroups;
        long all = read.stream().mapToLong(Partition::estimatedRows).sum();
        int most = Part.ranges(leases.size(), CostGate.reads(wholePlan, split), finer);
        KeyColumn by = key.orElseThrow();
        List<Part> parts = new ArrayList<>();
        for (Partition partition : read) {
            long share = all == 0 ? most : partition.estimatedRows() * most / all;
            if (share < 2) {
                parts.add(new Part(parts.size(), List.of(partition)));
                continue;
            }
            int ofGroups = finer ? Part.rangesOfGroups(partition.estimatedRows()) : 0;
            double fraction = all == 0 ? 1 : (double) partition.estimatedRows() / all;
            int wanted = wanted(fraction, leases.size(), ofGroups);
            intervals = intervals(partition, by, wanted, leases.get(0), known, flavor);
            parts.addAll(Part.ranged(parts.size(), partition, KeyRangeSearch.ranges(by, intervals), (int) share));
        }
        if (parts.size() < 2) {
            throw new RefusedException(
                    table.partitioned() ? Reason.FEW_PARTITIONS : Reason.KEY_RANGE,
                    "no two values of " + by.name() + " can be told apart");
        }
        return Part.largestFirst(parts);
    }

    /**
     * Divides one partition among all workers. The ranges do not depend on the statement, so that a later one finds the
     * rows of the same partition queries.
     *
     * @param workers the most workers of the statement
     * @return in the order of the key; empty if the ranges are not known
     */
    Optional<List<Part>> known(Partition partition, int workers, Lease lease, KeyRanges known) {
        return key.flatMap(
                found -> known.known(divided(partition, found, lease), partition.estimatedRows(), wanted(1, workers, 0))
                        .map(ranges -> ranged(partition, found, workers, ranges)));
    }

    /** Like {@link #known}, and finds the ranges if they are not known. */
    List<Part> divide(Partition partition, int workers, Lease lease, KeyRanges known, ServerFlavor flavor)
            throws IOException, ServerException {
        KeyColumn by = key.orElseThrow();
        return ranged(partition, by, workers, intervals(partition, by, wanted(1, workers, 0), lease, known, flavor));
    }

    private List<Interval> intervals(
            Partition partition, KeyColumn by, int wanted, Lease lease, KeyRanges known, ServerFlavor flavor)
            throws IOException, ServerException {
        long start = System.nanoTime();
        List<Interval> found =
                known.of(divided(partition, by, lease), partition.estimatedRows(), wanted, lease.connection(), flavor);
        searchNanos += System.nanoTime() - start;
        return found;
    }

    /** How many intervals {@link #divide} looks for. */
    static int intervals(int workers) {
        return wanted(1, workers, 0);
    }

    private static List<Part> ranged(Partition partition, KeyColumn by, int workers, List<Interval> found) {
        return Part.ranged(0, partition, KeyRangeSearch.ranges(by, found), Part.mostRanges(workers));
    }

    private KeyRanges.Divided divided(Partition partition, KeyColumn by, Lease lease) {
        return new KeyRanges.Divided(lease.facts().serverKey(), table.name(), partition.selectName(), by);
    }

    /**
     * Returns the number of intervals of a partition. It depends only on whether the statement has many groups, and small
     * changes of the estimates do not change it, so that most statements find the intervals known.
     *
     * @param share the fraction of the rows that are in the partition
     * @param ofGroups the least number of parts because of groups, 0 or more
     */
    private static int wanted(double share, int workers, int ofGroups) {
        int equal = (int) (share * INTERVALS_OF_A_PART * Part.mostRanges(workers));
        int least = Math.max(2, Math.max(equal, INTERVALS_OF_A_PART * ofGroups));
        return Integer.highestOneBit(2 * least - 1);
    }

    /**
     * Cuts the ranges of a table again if the statement's conditions leave only a part of the index: otherwise most
     * ranges would have no rows, and a few workers all the work. Asks the server for estimates of partition queries.
     *
     * @return the parts, the largest first; the given ones if they need not be cut again
     */
    List<Part> narrowed(
            List<Part> parts,
            FanOutPlan plan,
            List<ExplainedTable> wholePlan,
            Lease lease,
            int workers,
            ServerFlavor flavor)
            throws IOException, ServerException {
        Optional<KeyRange> range = parts.get(0).range();
        if (table.partitioned() || range.isEmpty() || readsMost(wholePlan, split, rows())) {
            return parts;
        }
        Partition whole = table.partitions().get(0);
        KeyColumn key = range.get().key();
        WireConnection worker = lease.connection();
        KeyRangeSearch search = new KeyRangeSearch(key, new Estimates() {
            @Override
            public List<Long> of(List<KeyRange> ranges) throws IOException, ServerException {
                List<String> queries = ranges.stream()
                        .map(each -> plan.partitionQuery(new Part(0, List.of(whole), Optional.of(each))))
                        .toList();
                return Explain.all(worker, queries, flavor).stream()
                        .map(explained -> CostGate.reads(explained, split))
                        .toList();
            }

            @Override
            public Optional<Values> second(BigInteger first) throws IOException, ServerException {
                return KeyRanges.second(divided(whole, key, lease), first, worker);
            }
        });
        int wanted = Part.ranges(workers, CostGate.reads(wholePlan, split), finer);
        List<KeyRange> own = KeyRangeSearch.ranges(key, search.ofStatement(intervals, wanted));
        List<Part> narrowed = Part.ranged(0, whole, own, wanted);
        return narrowed.size() > 1 ? Part.largestFirst(narrowed) : parts;
    }

    /**
     * Whether a plan reads so much of the index that its ranges share the work.
     *
     * @param ofIntervals the rows of all intervals of the index
     */
    static boolean readsMost(List<ExplainedTable> wholePlan, TableRef split, long ofIntervals) {
        // a full scan has another kind of estimate: InnoDB doubles that of an interval of more than some pages
        return CostGate.scansFully(wholePlan, split)
                || CostGate.reads(wholePlan, split) * 2 > ofIntervals
                || CostGate.findsAll(wholePlan, split);
    }

    /**
     * Cuts the ranges of a table again if the key is joined with a table whose conditions leave few keys: each range then
     * has the same number of these. Otherwise most ranges might have none.
     *
     * @return the parts, which have about the share of the table's rows that the keys are of all keys; empty if they are
     *     not cut again
     */
    Optional<List<Part>> byKeys(
            List<Part> parts,
            FanOutPlan plan,
            WireConnection worker,
            DynamicFilters.FilterLimits bounds,
            MemoryBudget budget,
            ServerFlavor flavor)
            throws IOException, ServerException {
        Optional<KeyColumn> key = parts.get(0).range().map(KeyRange::key);
        Optional<KeyFilter> filter = plan.filters().found().stream()
                .filter(found -> key.isPresent()
                        && found.type().orgName().equalsIgnoreCase(key.get().name()))
                .findFirst();
        if (table.partitioned() || filter.isEmpty()) {
            return Optional.empty();
        }
        KeyReader reader = new KeyReader(worker, budget, bounds.listBytes(), 1);
        Optional<KeyList> keys = reader.read(filter.get(), bounds.keys());
        if (keys.isEmpty()) {
            return Optional.empty();
        }
        long dimension = CostGate.total(
                Explain.all(worker, List.of(filter.get().dimension()), flavor).get(0));
        double share = Math.min(1, (double) keys.get().keys() / Math.max(1, dimension));
        List<Interval> equal = KeyRangeSearch.equalKeys(
                keys.get().positions(key.get().type()), parts.size(), (long) (share * (double) rows()));
        return equal.size() < 2
                ? Optional.empty()
                : Optional.of(Part.largestFirst(Part.ranged(
                        0, table.partitions().get(0), KeyRangeSearch.ranges(key.get(), equal), parts.size())));
    }

    private long rows() {
        return intervals.stream().mapToLong(Interval::rows).sum();
    }
}
