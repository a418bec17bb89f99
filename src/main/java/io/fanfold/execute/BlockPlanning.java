package io.fanfold.execute;

import io.fanfold.catalog.CatalogSnapshot;
import io.fanfold.catalog.CatalogTable;
import io.fanfold.catalog.CatalogTable.Partition;
import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.discovery.CatalogService;
import io.fanfold.operator.MemoryBudget;
import io.fanfold.plan.CostGate;
import io.fanfold.plan.ExplainedTable;
import io.fanfold.plan.FanOutPlan;
import io.fanfold.plan.KeyList;
import io.fanfold.plan.LogicalPlan;
import io.fanfold.plan.LogicalStatement;
import io.fanfold.plan.MergeNode;
import io.fanfold.plan.Part;
import io.fanfold.plan.PlanDoubt;
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
final class BlockPlanning {
    private LogicalPlan logical;
    private final CatalogTable table;
    private final CostGate gate;
    private final TableDivision division;
    private final String text;
    private List<Part> parts = List.of();
    private List<ExplainedTable> wholePlan = List.of();
    private DynamicFilters.Chosen filters = DynamicFilters.Chosen.NONE;
    private List<String> definitions = List.of();
    private Optional<PartSources> sources = Optional.empty();
    private Lease.@Nullable Inquiry inquiry;

    /**
     * Work on a block.
     *
     * @param table the table that is split
     * @param gate the cost gate of this table
     * @param ranges whether the table, or its partitions, may be split by ranges of a key
     * @param text the block alone, as it is explained
     */
    BlockPlanning(LogicalPlan logical, CatalogTable table, CostGate gate, boolean ranges, String text) {
        this.logical = logical;
        this.table = table;
        this.gate = gate;
        this.division = new TableDivision(logical.split(), table, ranges);
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
        return division.searchNanos();
    }

    /** The most partition queries that the block may have. */
    int mostParts() {
        return division.allowed() ? Integer.MAX_VALUE : table.partitions().size();
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
        boolean divisible = division.key(explained, definition).isPresent();
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
    static List<ExplainedTable> atMost(List<BlockPlanning> blocks, List<ExplainedTable> explained) {
        List<ExplainedTable> most = explained;
        for (BlockPlanning block : blocks) {
            most = CostGate.atMost(most, block.logical.split(), block.table.estimatedRows());
        }
        return most;
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

    /**
     * Returns what is known of the rows of the partition queries; empty if they may depend on more than the data. For after
     * {@link #judge}.
     */
    Optional<BlockReuse> reuse(FanOutPlan plan, StatementReuse statement, ServerFlavor flavor) {
        return sources.map(read -> new BlockReuse(statement, read, part -> query(plan, part, flavor)));
    }

    /** Divides the partitions that must be read, see {@link UnreadParts}. For after {@link #filter}. */
    void divideUnread(
            FanOutPlan plan,
            StatementReuse statement,
            FanOutTask task,
            List<Lease> leases,
            KeyRanges keyRanges,
            ServerFlavor flavor)
            throws IOException, ServerException, InterruptedException {
        Optional<BlockReuse> reuse = reuse(plan, statement, flavor);
        // with a list by which the server looks rows up, each range would look all of them up
        boolean scanned = filters().stream().noneMatch(KeyList::sargable);
        if (reuse.isPresent() && scanned && !(plan.merge() instanceof MergeNode.Streamed)) {
            long rows = Math.max(1, Part.together(parts).estimatedRows());
            double nanosOfRow = task.byWork() ? (double) task.scanNanos() / rows : Long.MAX_VALUE;
            parts = new UnreadParts(
                            reuse.get(),
                            plan,
                            division,
                            logical.split(),
                            task.degree(),
                            nanosOfRow,
                            leases,
                            keyRanges,
                            flavor)
                    .divided(parts);
        }
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
        Optional<ReplicaRead> replica = task.replica();
        // a view may have taken any of these names since the preflight queries
        for (TableRef table : tables(outside).toList()) {
            Reply reply = Objects.requireNonNull(shown.get(TableProof.statement(table)));
            TableProof.check(table, reply, statement.shadowingAliasesOf(table));
            if (replica.isPresent()) {
                Optional<String> other = replica.get().other(TableProof.statement(table), reply);
                RefusedException.throwIf(other.map(why -> new Refusal(Reason.OTHER_SERVER, why)));
            }
            if (catalog.flavor().isMariaDb() && statement.makesJson()) {
                TableProof.requireNoJsonTexts(table, reply);
            }
        }
        Reply reply = Objects.requireNonNull(shown.get(TableProof.statement(split)));
        logical = logical.proven(TableProof.partitioning(reply));
        wholePlan = Explain.read(explained.columns(), explained.rows());
        List<Partition> read = read(catalog);
        wholePlan = corrected(wholePlan);
        logical = logical.joining(CoPartitions.of(logical, TableProof.scheme(reply), shown, read, wholePlan));
        logical = logical.withPrimaryKeys(TableProof.primaryKeys(logical.model().tables(), shown));
        SpiderTable.requireSame(task.spider(), shown);
        sources = PartSources.of(statement, logical, shown, task.settings().database());
        boolean divisible = division.key(wholePlan, reply).isPresent();
        boolean finer =
                divisible && task.manyGroups() && division.dividesGroups(logical, read, wholePlan, leases.size());
        parts = divisible && (Part.uneven(read, leases.size()) || finer)
                ? division.parts(read, wholePlan, finer, leases, keyRanges, catalog.flavor())
                : parts(task, read, leases.size());
        List<Column> sortKeys = logical.sortKeys(asked.prepared().columns());
        RefusedException.throwIf(Rules.ofExplain(logical, sortKeys, wholePlan, catalog.flavor()));
        return catalog.flavor().isMariaDb()
                ? TrueCollations.of(
                        leases.get(0).connection(), logical, asked.prepared().columns(), collations(catalog))
                : asked.prepared().columns();
    }

    private List<Part> parts(FanOutTask task, List<Partition> read, int workers) {
        if (task.spider().isPresent()) {
            return task.spider().get().byTurns(Part.each(read));
        }
        return task.byWork() ? Part.of(read, workers, CostGate.total(wholePlan)) : Part.of(read, workers);
    }

    /** Cuts the ranges of the parts again for a plan, see {@link TableDivision#narrowed}. */
    void narrow(FanOutPlan plan, Lease first, int workers, ServerFlavor flavor) throws IOException, ServerException {
        parts = division.narrowed(parts, plan, wholePlan, first, workers, flavor);
    }

    private List<Partition> read(List<ExplainedTable> explained) throws RefusedException {
        return gate.judge(explained, logical.split(), table, logical.model().hint(), division.allowed())
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
        WireConnection worker = leases.get(0).connection();
        Optional<List<Part>> byKeys = division.byKeys(parts, plan, worker, bounds, budget, flavor);
        parts = byKeys.orElse(parts);
        long known = byKeys.isPresent() || CostGate.findsAll(wholePlan, logical.split())
                ? parts.get(0).estimatedRows()
                : 0;
        DynamicFilters.Queries queries =
                new DynamicFilters.Queries(parts.get(0), known, Part.together(parts), parts.size(), leases.size());
        filters = new DynamicFilters(worker, plan, logical.split(), table.expression(), bounds, flavor)
                .choose(queries, budget);
        boolean none = filters().stream().anyMatch(list -> list.keys() == 0);
        Optional<Set<String>> read =
                none ? Optional.of(Set.of()) : CostGate.partitions(filters.pruned(), logical.split());
        if (read.isPresent() && read.get().isEmpty()) {
            // keep one query without rows: an aggregate without GROUP BY still returns a row
            parts = parts.subList(parts.size() - 1, parts.size());
        } else if (table.partitioned() && read.isPresent()) {
            List<Partition> left = queries.all().partitions().stream()
                    .filter(partition ->
                            read.get().contains(partition.explainName().toLowerCase(Locale.ROOT)))
                    .toList();
            parts = left.isEmpty() || left.size() == queries.all().partitions().size()
                    ? parts
                    : Part.of(left, leases.size());
        }
    }

    /**
     * Checks the partition queries for a plan regression. If ranges of partitions are in doubt, the partitions are read
     * whole.
     *
     * @return the doubt about the split; empty if there is none
     */
    Optional<PlanDoubt> planRegression(FanOutPlan plan, Lease first, int workers, ServerFlavor flavor)
            throws RefusedException {
        PlanRegression regression = new PlanRegression(logical, wholePlan, first.connection(), flavor);
        Optional<PlanDoubt> doubt = regression.of(plan, queries(plan, workers), workers);
        boolean ranges = parts.stream().anyMatch(part -> part.range().isPresent());
        List<Partition> partitions = Part.together(parts).partitions();
        if (doubt.isPresent() && ranges && partitions.size() > 1) {
            parts = Part.of(partitions, workers);
            doubt = regression.of(plan, queries(plan, workers), workers);
        }
        if (doubt.isPresent() && doubt.get().refusal().reason() == Reason.KEY_RANGE) {
            throw new RefusedException(doubt.get().refusal());
        }
        return doubt;
    }
}
