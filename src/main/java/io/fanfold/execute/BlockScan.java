package io.fanfold.execute;

import io.fanfold.catalog.CatalogSnapshot;
import io.fanfold.catalog.CatalogTable;
import io.fanfold.catalog.CatalogTable.Partition;
import io.fanfold.catalog.KeyColumn;
import io.fanfold.catalog.PartitionScheme;
import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.discovery.CatalogService;
import io.fanfold.execute.KeyRangeSearch.Interval;
import io.fanfold.operator.MemoryBudget;
import io.fanfold.plan.CoPartitionedTable;
import io.fanfold.plan.CostGate;
import io.fanfold.plan.ExplainedTable;
import io.fanfold.plan.FanOutPlan;
import io.fanfold.plan.KeyFilter;
import io.fanfold.plan.KeyList;
import io.fanfold.plan.KeyRange;
import io.fanfold.plan.LogicalPlan;
import io.fanfold.plan.LogicalStatement;
import io.fanfold.plan.MergeNode;
import io.fanfold.plan.Part;
import io.fanfold.plan.PreparedQueries;
import io.fanfold.plan.rule.Rules;
import io.fanfold.pool.Lease;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.reason.RefusedException;
import io.fanfold.row.Column;
import io.fanfold.sql.SelectModel.TableRef;
import io.fanfold.variables.ResultsCharset;
import io.fanfold.variables.SessionSettings;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerFlavor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The facts that worker 0 finds out about one block inside its transaction: the partitions to read, the server's plan
 * and the types. For the coordinator thread.
 */
final class BlockScan {
    /** InnoDB estimates a range at up to twice the sum of the estimates of its pieces. */
    private static final int RANGE_ERROR = 2;

    private LogicalPlan logical;
    private final CatalogTable table;
    private final CostGate gate;
    private final boolean ranges;
    private final String text;
    private List<Part> parts = List.of();
    private List<ExplainedTable> wholePlan = List.of();
    private List<Interval> intervals = List.of();
    private long searchNanos;
    private DynamicFilters.Chosen filters = DynamicFilters.Chosen.NONE;
    private List<String> definitions = List.of();
    private Lease.@Nullable Inquiry inquiry;

    /**
     * Work on a block.
     *
     * @param table the table that is split
     * @param gate the cost gate of this table
     * @param ranges whether the table, or its partitions, may be split by ranges of a key
     * @param text the block alone, as it is explained
     */
    BlockScan(LogicalPlan logical, CatalogTable table, CostGate gate, boolean ranges, String text) {
        this.logical = logical;
        this.table = table;
        this.gate = gate;
        this.ranges = ranges;
        this.text = text;
    }

    /** The block's logical plan; proven after {@link #judge}. */
    LogicalPlan logical() {
        return logical;
    }

    CatalogTable table() {
        return table;
    }

    /** How long it took to find ranges of the table, which later statements need not find again. */
    long searchNanos() {
        return searchNanos;
    }

    /** The most partition queries that the block may have. */
    int mostParts() {
        return ranges ? Integer.MAX_VALUE : table.partitions().size();
    }

    /**
     * Judges the server's plan of the block in the client's session.
     *
     * @param definition the reply to SHOW CREATE TABLE
     * @param workers the most workers
     * @return how many workers can share the work; {@link Integer#MAX_VALUE} if the block can be split by ranges
     */
    int parallelism(List<ExplainedTable> explained, Reply definition, int workers) throws RefusedException {
        List<Partition> read = read(explained);
        boolean divisible = dividedBy(explained, definition).isPresent();
        if (read.size() < 2 && !divisible) {
            throw new RefusedException(Reason.FEW_PARTITIONS, "1 left");
        }
        return divisible && Part.uneven(read, workers) ? Integer.MAX_VALUE : read.size();
    }

    /**
     * Returns a plan of the statement with a better estimate of the rows that lookups of the split table find. The cost
     * gate does not use it: it would split short statements.
     */
    List<ExplainedTable> corrected(List<ExplainedTable> explained) {
        return CostGate.corrected(explained, logical.split(), table.estimatedRows());
    }

    /** Returns a plan of the statement with the most rows that lookups of the blocks' tables may find. */
    static List<ExplainedTable> atMost(List<BlockScan> blocks, List<ExplainedTable> explained) {
        List<ExplainedTable> most = explained;
        for (BlockScan block : blocks) {
            most = CostGate.atMost(most, block.logical.split(), block.table.estimatedRows());
        }
        return most;
    }

    /**
     * Returns the key whose ranges divide the table or its partitions.
     *
     * @throws RefusedException if there is none, and the table is not partitioned
     */
    private Optional<KeyColumn> dividedBy(List<ExplainedTable> explained, Reply definition) throws RefusedException {
        if (!table.partitioned()) {
            return Optional.of(RangeKey.of(logical.split(), definition, explained));
        }
        return ranges ? RangeKey.find(logical.split(), definition, explained) : Optional.empty();
    }

    /** The parts to read, the largest first. Known after {@link #judge}. */
    List<Part> parts() {
        return parts;
    }

    /** The key lists of the dynamic filters, for each partition query. Known after {@link #filter}. */
    List<KeyList> filters() {
        return filters.lists();
    }

    /** Returns a partition query with the dynamic filters' keys, in UTF-8. */
    byte[] query(FanOutPlan plan, Part part, ServerFlavor flavor) {
        return plan.partitionQuery(DynamicFilters.prefix(flavor), part, filters());
    }

    /** The fraction of the split table's rows that the filters leave, by the server's estimate; 1 without filters. */
    double left() {
        return filters.left();
    }

    /**
     * What each partition query reads, in the order in which workers take them: each part, the largest first. Streamed rows
     * are read in the server's order, or if they are sorted, by one query for each worker.
     */
    List<Part> queries(FanOutPlan plan, int workers) {
        if (!(plan.merge() instanceof MergeNode.Streamed rows)) {
            return parts;
        }
        return rows.keys().isEmpty()
                ? parts.stream().sorted(Comparator.comparingInt(Part::number)).toList()
                : Part.balanced(parts, workers);
    }

    /** The number of partitions to read. */
    int partitions() {
        return parts.stream().mapToInt(part -> part.partitions().size()).sum();
    }

    /**
     * Returns what worker 0 is asked about the block, inside its transaction. The transaction keeps the table
     * definitions unchanged since the snapshots were opened. {@link #judge} uses the answers.
     *
     * @param outside tables that are read outside all blocks, and that this block checks
     */
    Lease.Inquiry inquire(
            Lease first,
            List<TableRef> outside,
            SessionSettings settings,
            ResultsCharset results,
            ServerFlavor flavor) {
        List<String> queries = new ArrayList<>();
        queries.add(Explain.statement(text, flavor));
        definitions = tables(outside).map(TableProof::statement).distinct().toList();
        queries.addAll(definitions);
        Lease.Inquiry asks = first.inquire(queries, PreparedQueries.typing(logical), settings, results);
        inquiry = asks;
        return asks;
    }

    /**
     * Checks the block with the answers of worker 0.
     *
     * @param leases the workers of the fan-out, worker 0 first
     * @param task the statement that the block is part of
     * @param outside as given to {@link #inquire}
     * @param keyRanges the ranges that are known
     * @return the types of the block's inputs
     */
    List<Column> judge(
            List<Lease> leases, FanOutTask task, List<TableRef> outside, CatalogService catalog, KeyRanges keyRanges)
            throws RefusedException, IOException, ServerException {
        LogicalStatement statement = task.logical();
        TableRef split = logical.split();
        Lease.Asked asked = Objects.requireNonNull(inquiry).answers();
        List<Reply> replies = asked.replies();
        if (replies.get(0) instanceof Reply.Failed failed) {
            throw new ServerException(failed);
        }
        if (!(replies.get(0) instanceof Reply.Result explained)) {
            throw new RefusedException(Reason.TABLE_UNREADABLE, split.name() + " as the workers see it");
        }
        Map<String, Reply> shown = shown(definitions, replies.subList(1, replies.size()));
        // a view may have taken any of these names since the preflight queries
        for (TableRef table : tables(outside).toList()) {
            Reply reply = Objects.requireNonNull(shown.get(TableProof.statement(table)));
            TableProof.check(table, reply, statement.shadowingAliasesOf(table));
            if (catalog.flavor().isMariaDb() && statement.makesJson()) {
                TableProof.requireNoJsonTexts(table, reply);
            }
        }
        Reply reply = Objects.requireNonNull(shown.get(TableProof.statement(split)));
        logical = logical.proven(TableProof.partitioning(reply));
        wholePlan = Explain.read(explained.columns(), explained.rows());
        List<Partition> read = read(catalog);
        wholePlan = corrected(wholePlan);
        logical = logical.joining(coPartitioned(TableProof.scheme(reply), shown, read));
        Optional<KeyColumn> key = dividedBy(wholePlan, reply);
        parts = key.isPresent() && Part.uneven(read, leases.size())
                ? divided(read, key.get(), leases, keyRanges, catalog.flavor())
                : task.byWork()
                        ? Part.of(read, leases.size(), CostGate.total(wholePlan))
                        : Part.of(read, leases.size());
        List<Column> sortKeys = logical.sortKeys(asked.prepared().columns());
        RefusedException.throwIf(Rules.ofExplain(logical, sortKeys, wholePlan, catalog.flavor()));
        return catalog.flavor().isMariaDb()
                ? TrueCollations.of(
                        leases.get(0).connection(), logical, asked.prepared().columns(), collations(catalog))
                : asked.prepared().columns();
    }

    /** Divides the partitions that are too large for one worker by ranges of a key. */
    private List<Part> divided(
            List<Partition> read, KeyColumn key, List<Lease> leases, KeyRanges keyRanges, ServerFlavor flavor)
            throws RefusedException, IOException, ServerException {
        long all = read.stream().mapToLong(Partition::estimatedRows).sum();
        int most = Part.ranges(leases.size(), CostGate.reads(wholePlan, logical.split()));
        List<Part> divided = new ArrayList<>();
        for (Partition partition : read) {
            long share = all == 0 ? most : partition.estimatedRows() * most / all;
            if (share < 2) {
                divided.add(new Part(divided.size(), List.of(partition)));
                continue;
            }
            long start = System.nanoTime();
            intervals = keyRanges.of(
                    new KeyRanges.Divided(leases.get(0).facts().serverKey(), table.name(), partition.selectName(), key),
                    leases.get(0).connection(),
                    flavor);
            searchNanos += System.nanoTime() - start;
            divided.addAll(Part.ranged(divided.size(), partition, KeyRangeSearch.ranges(key, intervals), (int) share));
        }
        if (divided.size() < 2) {
            throw new RefusedException(
                    table.partitioned() ? Reason.FEW_PARTITIONS : Reason.KEY_RANGE,
                    "no two values of " + key.name() + " can be told apart");
        }
        return largestFirst(divided);
    }

    private static List<Part> largestFirst(List<Part> parts) {
        return parts.stream()
                .sorted(Comparator.comparingLong(Part::estimatedRows).reversed())
                .toList();
    }

    /**
     * Cuts the ranges of a table again if the statement's conditions leave only a part of the index: otherwise most
     * ranges would have no rows, and a few workers all the work. Asks the server for estimates of partition queries.
     */
    void narrow(FanOutPlan plan, Lease first, int workers, ServerFlavor flavor) throws IOException, ServerException {
        long reads = CostGate.reads(wholePlan, logical.split());
        long all = intervals.stream().mapToLong(Interval::rows).sum();
        Optional<KeyRange> range = parts.get(0).range();
        boolean mostRows = reads * 2 > all || CostGate.findsAll(wholePlan, logical.split());
        if (table.partitioned() || range.isEmpty() || mostRows) {
            return;
        }
        Partition whole = table.partitions().get(0);
        KeyColumn key = range.get().key();
        KeyRangeSearch search = new KeyRangeSearch(
                key,
                ranges -> Explain.all(
                                first.connection(),
                                ranges.stream()
                                        .map(each ->
                                                plan.partitionQuery(new Part(0, List.of(whole), Optional.of(each))))
                                        .toList(),
                                flavor)
                        .stream()
                        .map(explained -> CostGate.reads(explained, logical.split()))
                        .toList());
        int wanted = Part.ranges(workers, reads);
        List<KeyRange> own = KeyRangeSearch.ranges(key, search.ofStatement(intervals, wanted));
        List<Part> narrowed = Part.ranged(0, whole, own, wanted);
        if (narrowed.size() > 1) {
            parts = largestFirst(narrowed);
        }
    }

    private List<Partition> read(List<ExplainedTable> explained) throws RefusedException {
        return gate.judge(explained, logical.split(), table, logical.model().hint(), ranges)
                .partitions();
    }

    private List<Partition> read(CatalogService catalog) throws RefusedException {
        try {
            return read(wholePlan);
        } catch (RefusedException e) {
            if (e.reason() == Reason.PARTITIONS) {
                catalog.refreshSoon();
            }
            throw e;
        }
    }

    private static CatalogSnapshot collations(CatalogService catalog) throws RefusedException {
        return catalog.snapshot()
                .orElseThrow(() -> new RefusedException(Reason.PARTITIONS, "the catalog has not been read"));
    }

    /** The tables of the block, and those that are read outside all blocks. */
    private Stream<TableRef> tables(List<TableRef> outside) {
        return Stream.of(List.of(logical.split()), logical.model().tables(), outside)
                .flatMap(List::stream);
    }

    private static Map<String, Reply> shown(List<String> definitions, List<Reply> replies) {
        Map<String, Reply> shown = new HashMap<>();
        for (int i = 0; i < definitions.size(); i++) {
            shown.put(definitions.get(i), asWorkersSee(replies.get(i)));
        }
        return shown;
    }

    private static Reply asWorkersSee(Reply reply) {
        return reply instanceof Reply.Failed failed
                ? new Reply.Failed(failed.errno(), failed.sqlState(), "as the workers see it: " + failed.message())
                : reply;
    }

    /**
     * Finds the co-partitioned tables. A table is left out if the statement reads partitions of it that do not
     * correspond to those of the split table. It is then read whole, so that all its warnings and errors are raised.
     *
     * @param shown the definitions of the block's tables
     * @param read the partitions of the split table that the statement reads
     */
    private List<CoPartitionedTable> coPartitioned(
            Optional<PartitionScheme> own, Map<String, Reply> shown, List<Partition> read) {
        List<CoPartitionedTable> proven = new ArrayList<>();
        for (CoPartitionedTable coPartitioned : logical.coPartitioned()) {
            Optional<PartitionScheme> scheme = Optional.ofNullable(
                            shown.get(TableProof.statement(coPartitioned.table())))
                    .flatMap(TableProof::scheme);
            own.flatMap(split -> scheme.flatMap(other -> coPartitioned.proven(split, other)))
                    .filter(known -> readBeside(known, read))
                    .ifPresent(proven::add);
        }
        return proven;
    }

    private boolean readBeside(CoPartitionedTable coPartitioned, List<Partition> read) {
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

    private static String lower(String name) {
        return name.toLowerCase(Locale.ROOT);
    }

    /**
     * Reads the keys of the plan's dynamic filters, and drops the partitions that contain none of them.
     *
     * @param budget counts the bytes of the keys, until the caller closes it
     */
    void filter(
            FanOutPlan plan,
            List<Lease> leases,
            DynamicFilters.FilterLimits bounds,
            MemoryBudget budget,
            ServerFlavor flavor)
            throws IOException, ServerException {
        boolean cut = !table.partitioned() && cutByKeys(plan, leases, bounds, budget, flavor);
        long known = cut || CostGate.findsAll(wholePlan, logical.split())
                ? parts.get(0).estimatedRows()
                : 0;
        DynamicFilters.Queries queries =
                new DynamicFilters.Queries(parts.get(0), known, Part.together(parts), parts.size(), leases.size());
        filters = new DynamicFilters(
                        leases.get(0).connection(), plan, logical.split(), table.expression(), bounds, flavor)
                .choose(queries, budget);
        boolean none = filters().stream().anyMatch(list -> list.keys() == 0);
        Optional<Set<String>> read =
                none ? Optional.of(Set.of()) : CostGate.partitions(filters.pruned(), logical.split());
        if (read.isPresent() && read.get().isEmpty()) {
            // keep one query without rows: an aggregate without GROUP BY still returns a row
            parts = parts.subList(parts.size() - 1, parts.size());
        } else if (table.partitioned() && read.isPresent()) {
            List<Partition> left = queries.all().partitions().stream()
                    .filter(partition -> read.get().contains(lower(partition.explainName())))
                    .toList();
            parts = left.isEmpty() || left.size() == queries.all().partitions().size()
                    ? parts
                    : Part.of(left, leases.size());
        }
    }

    /**
     * Cuts the ranges of a table again if the key is joined with a table whose conditions leave few keys: each range then
     * has the same number of these. Otherwise most ranges might have none.
     *
     * @return whether they were cut; they then have about the share of the table's rows that the keys are of all keys
     */
    private boolean cutByKeys(
            FanOutPlan plan,
            List<Lease> leases,
            DynamicFilters.FilterLimits bounds,
            MemoryBudget budget,
            ServerFlavor flavor)
            throws IOException, ServerException {
        Optional<KeyColumn> key = parts.get(0).range().map(KeyRange::key);
        Optional<KeyFilter> filter = plan.filters().found().stream()
                .filter(found -> key.isPresent()
                        && found.type().orgName().equalsIgnoreCase(key.get().name()))
                .findFirst();
        if (filter.isEmpty()) {
            return false;
        }
        KeyReader reader = new KeyReader(leases.get(0).connection(), budget, bounds.listBytes(), 1);
        Optional<KeyList> keys = reader.read(filter.get(), bounds.keys());
        if (keys.isEmpty()) {
            return false;
        }
        long dimension = CostGate.total(
                Explain.all(leases.get(0).connection(), List.of(filter.get().dimension()), flavor)
                        .get(0));
        long all = intervals.stream().mapToLong(Interval::rows).sum();
        double share = Math.min(1, (double) keys.get().keys() / Math.max(1, dimension));
        List<Interval> equal = KeyRangeSearch.equalKeys(
                keys.get().positions(key.get().type()), parts.size(), (long) (share * (double) all));
        if (equal.size() < 2) {
            return false;
        }
        parts = largestFirst(
                Part.ranged(0, table.partitions().get(0), KeyRangeSearch.ranges(key.get(), equal), parts.size()));
        return true;
    }

    /** Whether the largest partition query of a plan uses a loose index scan, and that of another plan does not. */
    boolean skipsMore(FanOutPlan plan, FanOutPlan other, WireConnection worker, ServerFlavor flavor)
            throws IOException {
        Part largest = parts.get(0);
        List<Reply> explained = worker.pipeline(List.of(
                Explain.statement(plan.partitionQuery(largest), flavor),
                Explain.statement(other.partitionQuery(largest), flavor)));
        return looseIndexScan(explained.get(0)) && !looseIndexScan(explained.get(1));
    }

    private static boolean looseIndexScan(Reply reply) {
        return reply instanceof Reply.Result explained
                && Explain.read(explained.columns(), explained.rows()).stream()
                        .anyMatch(ExplainedTable::looseIndexScan);
    }

    /**
     * Explains the largest partition query. If its join order differs from the whole block's, or it reads more rows,
     * all partition queries together may take longer than the block. If ranges of partitions are in doubt, the
     * partitions are read whole.
     *
     * @return the objection to the split; empty if there is none
     */
    Optional<Refusal> planRegression(FanOutPlan plan, Lease first, int workers, ServerFlavor flavor)
            throws RefusedException {
        Optional<Refusal> objection = objection(plan, first, workers, flavor);
        boolean ranges = parts.stream().anyMatch(part -> part.range().isPresent());
        List<Partition> partitions = Part.together(parts).partitions();
        if (objection.isPresent() && ranges && partitions.size() > 1) {
            parts = Part.of(partitions, workers);
            objection = objection(plan, first, workers, flavor);
        }
        if (objection.isPresent() && objection.get().reason() == Reason.KEY_RANGE) {
            throw new RefusedException(objection.get());
        }
        return objection;
    }

    private Optional<Refusal> objection(FanOutPlan plan, Lease first, int workers, ServerFlavor flavor)
            throws RefusedException {
        List<Part> queries = queries(plan, workers);
        Part largest = queries.stream()
                .max(Comparator.comparingLong(Part::estimatedRows))
                .orElseThrow();
        if (logical.model().tables().size() < 2 && largest.range().isEmpty()) {
            return Optional.empty();
        }
        try {
            Reply.Result reply = first.connection().query(Explain.statement(plan.partitionQuery(largest), flavor));
            List<ExplainedTable> explained = Explain.read(reply.columns(), reply.rows());
            Optional<Refusal> unshared =
                    largest.range().isPresent() ? unshared(explained, largest, rows(queries)) : Optional.empty();
            return unshared.isPresent()
                    ? unshared
                    : CostGate.worse(
                            wholePlan,
                            explained,
                            logical.split(),
                            count(queries, largest),
                            Part.together(queries).partitions().size());
        } catch (ServerException | IOException e) {
            throw FailureMap.of(e);
        }
    }

    /** Returns why ranges do not share the work: nearly all rows are in one, or each is read by a scan of the table. */
    private Optional<Refusal> unshared(List<ExplainedTable> explained, Part largest, long rows) {
        if (largest.estimatedRows() > rows / 10 * 9) {
            return Optional.of(new Refusal(Reason.KEY_RANGE, "nearly all rows are in one range"));
        }
        return CostGate.scansFully(explained, logical.split())
                ? Optional.of(
                        new Refusal(Reason.KEY_RANGE, "the server would read the whole table for a partition query"))
                : Optional.empty();
    }

    /** The number of partition queries, each as large as the largest. */
    private static int count(List<Part> queries, Part largest) {
        return largest.range().isEmpty()
                ? queries.size()
                : (int) Math.max(1, rows(queries) / Math.max(1, largest.estimatedRows()) / RANGE_ERROR);
    }

    private static long rows(List<Part> queries) {
        return queries.stream().mapToLong(Part::estimatedRows).sum();
    }
}
