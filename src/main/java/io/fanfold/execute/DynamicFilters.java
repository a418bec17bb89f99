package io.fanfold.execute;

import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.operator.MemoryBudget;
import io.fanfold.plan.CostGate;
import io.fanfold.plan.ExplainedTable;
import io.fanfold.plan.FanOutPlan;
import io.fanfold.plan.KeyFilter;
import io.fanfold.plan.KeyList;
import io.fanfold.plan.Part;
import io.fanfold.sql.SelectModel.TableRef;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerFlavor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the keys of a block's {@link KeyFilter}s in worker 0's snapshot, before the partition queries, and chooses the
 * key lists that these get. A filter without enough gain is left out, which changes no answer. For the coordinator
 * thread.
 */
final class DynamicFilters {
    private static final Logger LOG = LoggerFactory.getLogger(DynamicFilters.class);

    /**
     * Keys are read only if the rows read for them, per partition query, are at most one in this number of its scanned
     * rows.
     */
    private static final int SCANNED_PER_READ = 4;

    /**
     * For each partition query the server parses and sorts the list; per key that takes about as long as reading this
     * many rows.
     */
    private static final int SCANNED_PER_KEY = 4;

    /** Looking up a row by an index takes about as long as scanning this many rows. */
    private static final int SCANNED_PER_RANGE = 4;

    /** With more ranges to look up, the server takes long to plan. */
    private static final int MOST_RANGES = 1000;

    /** A filter that keeps more than one in this number of the dimension's rows drops too few rows. */
    private static final int MOST_OF_DIMENSION = 2;

    /**
     * MariaDB turns a list of 1000 values or more into a table, which it joins last. For a list of 1635 keys that took
     * twice as long as looking up each row's key in the list (10.11.18, SSB).
     */
    private static final String LISTS_STAY = "SET STATEMENT in_predicate_conversion_threshold = 0 FOR ";

    /** The code of the note that MySQL adds to each EXPLAIN: the rewritten statement. */
    private static final String REWRITTEN = "1003";

    /**
     * Copies of a list for each worker, in addition to the list itself: the text of a partition query, and its packet.
     */
    private static final int COPIES_OF_WORKER = 2;

    /**
     * The limits of filters.
     *
     * @param keys the maximum number of keys of one filter
     * @param listBytes the maximum bytes of all lists of one partition query
     * @param open whether costs are not compared
     */
    record FilterLimits(int keys, long listBytes, boolean open) {}

    /**
     * The partition queries without filters.
     *
     * @param largest the part whose query reads the most rows
     * @param rows how many rows it reads, where that is better known than by its plan; otherwise 0
     * @param all all parts together
     * @param count the number of queries
     * @param workers the number of queries that run at once
     */
    record Queries(Part largest, long rows, Part all, int count, int workers) {}

    /**
     * The filters of the partition queries.
     *
     * @param lists empty if no filter is worth it; one list without keys if no row of the split table joins
     * @param left the fraction of the split table's rows that they keep, by the server's estimate
     * @param pruned the server's plan of a query with such a list over all partitions; empty if no list can exclude
     *     partitions
     */
    record Chosen(List<KeyList> lists, double left, List<ExplainedTable> pruned) {
        static final Chosen NONE = new Chosen(List.of(), 1, List.of());

        Chosen {
            lists = List.copyOf(lists);
            pruned = List.copyOf(pruned);
        }
    }

    /**
     * A filter with its keys.
     *
     * @param part the fraction of the dimension's rows, by the server's estimate
     */
    private record Read(KeyFilter filter, KeyList list, double part) {}

    private final WireConnection worker;
    private final FanOutPlan plan;
    private final TableRef split;
    private final String partitionedBy;
    private final FilterLimits bounds;
    private final ServerFlavor flavor;

    /**
     * The filters of one block.
     *
     * @param worker worker 0, inside its transaction
     * @param partitionedBy the split table's partitioning expression
     */
    DynamicFilters(
            WireConnection worker,
            FanOutPlan plan,
            TableRef split,
            String partitionedBy,
            FilterLimits bounds,
            ServerFlavor flavor) {
        this.worker = worker;
        this.plan = plan;
        this.split = split;
        this.partitionedBy = partitionedBy.toLowerCase(Locale.ROOT);
        this.bounds = bounds;
        this.flavor = flavor;
    }

    /** The prefix of a query with key lists. */
    static String prefix(ServerFlavor flavor) {
        return flavor.isMariaDb() ? LISTS_STAY : "";
    }

    /**
     * Reads keys and chooses the filters.
     *
     * @param budget counts the bytes of the lists, until the caller closes it
     */
    Chosen choose(Queries queries, MemoryBudget budget) throws IOException, ServerException {
        plan.filters().refused().forEach(why -> LOG.debug("no dynamic filter: {}", why));
        List<KeyFilter> filters = plan.filters().found();
        if (filters.isEmpty()) {
            return Chosen.NONE;
        }
        List<String> explains = new ArrayList<>(List.of(plan.partitionQuery(queries.largest())));
        for (KeyFilter filter : filters) {
            explains.add(filter.query(bounds.keys()));
            explains.add(filter.dimension());
        }
        List<List<ExplainedTable>> plans = explain(explains);
        Set<String> lookedUpBy = CostGate.lookedUpBy(plans.get(0), split);
        long scanned = Math.max(queries.rows(), CostGate.reads(plans.get(0), split));
        KeyReader reader = new KeyReader(worker, budget, bounds.listBytes(), 1 + COPIES_OF_WORKER * queries.workers());
        List<Read> read = new ArrayList<>();
        Set<String> columns = new HashSet<>();
        for (int i = 0; i < filters.size(); i++) {
            KeyFilter filter = filters.get(i);
            if (columns.contains(filter.column()) || lookedUpBy.contains(filter.table())) {
                continue;
            }
            long dimension = CostGate.total(plans.get(2 * i + 2));
            long most = most(CostGate.total(plans.get(2 * i + 1)), dimension, scanned, queries.count());
            Optional<KeyList> list = most > 0 ? reader.read(filter, most) : Optional.empty();
            if (list.isPresent() && list.get().keys() == 0) {
                return new Chosen(List.of(list.get()), 0, List.of());
            }
            if (list.isPresent()) {
                columns.add(filter.column());
                read.add(new Read(filter, list.get(), (double) list.get().keys() / Math.max(1, dimension)));
            }
        }
        read.sort(Comparator.comparingDouble(Read::part));
        return read.isEmpty() ? Chosen.NONE : chosen(read, queries, lookedUpBy.isEmpty() ? scanned : 0);
    }

    /**
     * The maximum number of keys for which a filter is worth it.
     *
     * @param reads the number of rows read to get the keys
     * @param dimension the number of rows of the dimension
     * @param scanned the number of rows of the split table that a partition query reads
     */
    private long most(long reads, long dimension, long scanned, int queries) {
        if (bounds.open()) {
            return bounds.keys();
        }
        if (reads / queries > scanned / SCANNED_PER_READ) {
            return 0;
        }
        return Math.min(bounds.keys(), Math.min(dimension / MOST_OF_DIMENSION, scanned / SCANNED_PER_KEY));
    }

    /**
     * Returns the lists, the most selective first. One of them is sargable if the server then reads clearly fewer rows.
     *
     * @param scanned the number of rows of the split table that a partition query scans; 0 if it looks them up
     */
    private Chosen chosen(List<Read> read, Queries queries, long scanned) throws IOException, ServerException {
        List<KeyList> lists = new ArrayList<>(read.stream().map(Read::list).toList());
        List<ExplainedTable> pruned = List.of();
        boolean sargable = false;
        for (int i = 0; i < read.size(); i++) {
            KeyList list = read.get(i).list().asSargable();
            if (decidesPartition(read.get(i).filter())) {
                pruned = explain(queries.all(), list);
            }
            if (!sargable && scanned > 0 && list.keys() <= MOST_RANGES) {
                long reads = CostGate.reads(explain(queries.largest(), list), split);
                sargable = reads > 0 && reads < scanned / SCANNED_PER_RANGE;
                lists.set(i, sargable ? list : lists.get(i));
            }
        }
        double left = read.stream().mapToDouble(Read::part).reduce(1, (one, other) -> one * other);
        return new Chosen(lists, left, pruned);
    }

    /** Whether the filter's column may decide on a row's partition. */
    private boolean decidesPartition(KeyFilter filter) {
        return partitionedBy.contains(filter.type().orgName().toLowerCase(Locale.ROOT));
    }

    private List<List<ExplainedTable>> explain(List<String> queries) throws IOException, ServerException {
        return Explain.all(worker, queries, flavor);
    }

    /**
     * The plan of a part's query with a list; empty if planning raises a warning, for example because of
     * too many ranges.
     */
    private List<ExplainedTable> explain(Part part, KeyList list) throws IOException, ServerException {
        String prefix = prefix(flavor) + Explain.statement("", flavor);
        String query = new String(plan.partitionQuery(prefix, part, List.of(list)), StandardCharsets.UTF_8);
        List<Reply> replies = worker.pipeline(List.of(query, "SHOW WARNINGS"));
        Reply.Result explained = result(replies.get(0));
        boolean warned =
                result(replies.get(1)).rows().stream().anyMatch(warning -> !REWRITTEN.equals(warning.ascii(1)));
        return warned ? List.of() : Explain.read(explained.columns(), explained.rows());
    }

    private static Reply.Result result(Reply reply) throws IOException, ServerException {
        if (reply instanceof Reply.Failed failed) {
            throw new ServerException(failed);
        }
        if (reply instanceof Reply.Result result) {
            return result;
        }
        throw new IOException("no result set for an EXPLAIN");
    }
}
