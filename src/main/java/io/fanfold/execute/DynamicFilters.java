package io.fanfold.execute;

import io.fanfold.backend.Reply;
import io.fanfold.backend.ServerException;
import io.fanfold.backend.WireConnection;
import io.fanfold.merge.MemoryBudget;
import io.fanfold.plan.CostGate;
import io.fanfold.plan.ExplainedTable;
import io.fanfold.plan.FanOutPlan;
import io.fanfold.plan.KeyFilter;
import io.fanfold.plan.KeyList;
import io.fanfold.sql.SelectModel.TableRef;
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
 * Has the keys of a block's {@link KeyFilter}s read in worker 0's snapshot, before the partition queries, and chooses the lists that
 * these get. A filter that is not worth it is left out, which changes no answer. For the thread that coordinates the fan-out.
 */
final class DynamicFilters {
    private static final Logger LOG = LoggerFactory.getLogger(DynamicFilters.class);

    /** Keys are read if that takes a small part of what the scan of the split table takes. */
    private static final int SCANNED_PER_READ = 4;

    /** A server parses and sorts a list for each partition query, in about the time in which it reads a few rows for each key. */
    private static final int SCANNED_PER_KEY = 4;

    /** To look up rows by an index takes some times as long as to scan them. */
    private static final int SCANNED_PER_RANGE = 4;

    /** A server that may look up more ranges takes long to plan it. */
    private static final int MOST_RANGES = 1000;

    /** A filter that leaves more than this part of the dimension drops too few rows. */
    private static final int MOST_OF_DIMENSION = 2;

    /**
     * MariaDB makes a table of a list of 1000 values, which it joins last: for a list of 1635 keys that took twice as long as to look
     * each row's key up in the list (10.11.18, SSB).
     */
    private static final String LISTS_STAY = "SET STATEMENT in_predicate_conversion_threshold = 0 FOR ";

    /** The note that MySQL gives with each EXPLAIN: the statement as it is run. */
    private static final String REWRITTEN = "1003";

    /** The list itself, and the text of a partition query and its packet for each worker. */
    private static final int COPIES_OF_WORKER = 2;

    /**
     * What filters may be and cost.
     *
     * @param keys the most keys of one
     * @param listBytes the most bytes of all lists of one partition query
     * @param open whether costs are not compared
     */
    record Bounds(int keys, long listBytes, boolean open) {}

    /**
     * Partition queries as they are.
     *
     * @param largest the partitions of the one that reads the most rows
     * @param all the partitions of all of them
     * @param count how many there are
     * @param workers how many are sent at once
     */
    record Queries(List<String> largest, List<String> all, int count, int workers) {}

    /**
     * What partition queries get.
     *
     * @param lists none if no filter is worth it; one without keys if no row of the split table joins
     * @param left the part of the split table's rows that they leave, by the server's estimate
     * @param pruned the server's plan of a query with such a list for all partitions; empty if no list can leave partitions out
     */
    record Chosen(List<KeyList> lists, double left, List<ExplainedTable> pruned) {
        static final Chosen NONE = new Chosen(List.of(), 1, List.of());

        Chosen {
            lists = List.copyOf(lists);
            pruned = List.copyOf(pruned);
        }
    }

    /**
     * Keys that were read.
     *
     * @param part of the dimension's rows, by the server's estimate
     */
    private record Read(KeyFilter filter, KeyList list, double part) {}

    private final WireConnection worker;
    private final FanOutPlan plan;
    private final TableRef split;
    private final String partitionedBy;
    private final Bounds bounds;
    private final boolean mariaDb;

    /**
     * Filters of one block.
     *
     * @param worker worker 0, inside its transaction
     * @param partitionedBy the expression that the split table is partitioned by
     */
    DynamicFilters(
            WireConnection worker,
            FanOutPlan plan,
            TableRef split,
            String partitionedBy,
            Bounds bounds,
            boolean mariaDb) {
        this.worker = worker;
        this.plan = plan;
        this.split = split;
        this.partitionedBy = partitionedBy.toLowerCase(Locale.ROOT);
        this.bounds = bounds;
        this.mariaDb = mariaDb;
    }

    /** What stands before a query with lists. */
    static String prefix(boolean mariaDb) {
        return mariaDb ? LISTS_STAY : "";
    }

    /**
     * Has keys read, and chooses.
     *
     * @param budget counts the bytes of the lists, until the caller closes it
     */
    Chosen choose(Queries queries, MemoryBudget budget) throws IOException, ServerException {
        plan.filters().refused().forEach(why -> LOG.debug("no dynamic filter: {}", why));
        List<KeyFilter> filters = plan.filters().found();
        if (filters.isEmpty()) {
            return Chosen.NONE;
        }
        List<String> questions = new ArrayList<>(List.of(plan.partitionQuery(queries.largest())));
        for (KeyFilter filter : filters) {
            questions.add(filter.query(bounds.keys()));
            questions.add(filter.dimension());
        }
        List<List<ExplainedTable>> plans = explain(questions);
        Set<String> lookedUpBy = CostGate.lookedUpBy(plans.get(0), split);
        long scanned = CostGate.reads(plans.get(0), split);
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
     * How many keys of a filter are worth it.
     *
     * @param reads how many rows are read for the keys
     * @param dimension how many rows the dimension has
     * @param scanned how many rows of the split table a partition query reads
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
     * The lists, the most selective ones first, and one of them sargable if the server reads clearly fewer rows by it.
     *
     * @param scanned how many rows of the split table a partition query reads by a scan; 0 if it looks them up
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

    /** Whether the value of a filter's column may decide on a row's partition. */
    private boolean decidesPartition(KeyFilter filter) {
        return partitionedBy.contains(filter.type().orgName().toLowerCase(Locale.ROOT));
    }

    private List<List<ExplainedTable>> explain(List<String> queries) throws IOException, ServerException {
        List<List<ExplainedTable>> plans = new ArrayList<>();
        for (Reply reply : worker.pipeline(
                queries.stream().map(query -> Explain.statement(query, mariaDb)).toList())) {
            plans.add(Explain.read(result(reply).columns(), result(reply).rows()));
        }
        return plans;
    }

    /** The plan of a query for some partitions with a list; empty if planning it raises a warning, as with too many ranges. */
    private List<ExplainedTable> explain(List<String> partitions, KeyList list) throws IOException, ServerException {
        String prefix = prefix(mariaDb) + Explain.statement("", mariaDb);
        String query = new String(plan.partitionQuery(prefix, partitions, List.of(list)), StandardCharsets.UTF_8);
        List<Reply> replies = worker.pipeline(List.of(query, "SHOW WARNINGS"));
        Reply.Result explained = result(replies.get(0));
        boolean warned =
                result(replies.get(1)).rows().stream().anyMatch(warning -> !REWRITTEN.equals(warning.ascii(1)));
        return warned ? List.of() : Explain.read(explained.columns(), explained.rows());
    }

    private static Reply.Result result(Reply reply) throws IOException, ServerException {
        if (reply instanceof Reply.Failed failed) {
            throw failed.exception();
        }
        if (reply instanceof Reply.Result result) {
            return result;
        }
        throw new IOException("no result set for an EXPLAIN");
    }
}
