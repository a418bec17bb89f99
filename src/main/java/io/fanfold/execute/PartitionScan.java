package io.fanfold.execute;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fanfold.client.WireConnection;
import io.fanfold.execute.PartQueries.PartQuery;
import io.fanfold.execute.WorkerRun.Retention;
import io.fanfold.operator.Exchange;
import io.fanfold.operator.Merge;
import io.fanfold.operator.PartialMerge;
import io.fanfold.operator.RowSink;
import io.fanfold.plan.FanOutPlan;
import io.fanfold.plan.MergeNode;
import io.fanfold.plan.Part;
import io.fanfold.plan.StatementPlan;
import io.fanfold.pool.Lease;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.IntFunction;

/**
 * Runs the partition queries of a fan-out on its workers, which have proven snapshots. For the coordinator thread.
 *
 * @param leases the workers, worker 0 first, at least one
 * @param resources what runs the workers, and counts the partition queries
 * @param retains whether the workers keep their snapshots for the transaction's next statement
 * @param reuse finds and keeps rows of partition queries; empty if rows are not used again
 * @param verified whether one worker keeps its snapshot for a verification
 */
record PartitionScan(
        QueryExecution query,
        FanOutTask task,
        List<Lease> leases,
        FanOutResources resources,
        boolean retains,
        Optional<StatementReuse> reuse,
        boolean verified) {
    /** The time of a short query. */
    private static final long SHORT_NANOS = Duration.ofMillis(2).toNanos();

    private static final int MOST_AHEAD = 31;

    /**
     * Runs the partition queries of one block, the largest first, and then those with known rows. Blocks run one after
     * another. A single worker runs on this thread.
     *
     * @param number the block's index, from 0
     * @return one partial merge for each worker
     */
    List<PartialMerge> run(StatementPlan plan, int number, Merge merge) throws RefusedException, InterruptedException {
        BlockPlanning planning = task.blocks().get(number);
        FanOutPlan block = plan.blocks().get(number);
        List<Part> parts = planning.queries(block, leases.size());
        Optional<BlockReuse> known = reuse(planning, block);
        List<PartQuery> queries = new ArrayList<>();
        for (Part part : parts) {
            queries.add(new PartQuery(
                    part.number(),
                    query.progress().waits(number, part),
                    () -> commented(planning, block, part),
                    known.isEmpty() ? null : known.get().part(part)));
        }
        // the server works while the rows of the others are merged
        queries.sort(Comparator.comparing(next -> next.known() != null));
        List<PartialMerge> partials = new ArrayList<>();
        leases.forEach(lease -> partials.add(merge.newPartial()));
        PartQueries shared = new PartQueries(queries, ahead(queries));
        boolean last = number == task.blocks().size() - 1;
        if (leases.size() == 1) {
            WorkerRuns runs = new WorkerRuns(query, resources.workerThreads());
            boolean ends = last && !retains && !verified && !plan.onWorker();
            runs.run(scan(0, shared, partials.get(0), ends ? Retention.ALONE : Retention.TO_THE_END));
            runs.await();
        } else {
            start(worker -> shared, partials, last).await();
        }
        if (shared.done() != parts.size()) {
            throw new RefusedException(
                    Reason.INTERNAL, shared.done() + " of " + parts.size() + " partition queries were read");
        }
        return partials;
    }

    /**
     * How many partition queries have rows that are known, without the keys of dynamic filters.
     *
     * @return empty if rows are not used again
     */
    OptionalInt known(StatementPlan plan) throws InterruptedException {
        if (reuse.isEmpty()) {
            return OptionalInt.empty();
        }
        int known = 0;
        for (int i = 0; i < task.blocks().size(); i++) {
            FanOutPlan block = plan.blocks().get(i);
            Optional<BlockReuse> rows = reuse(task.blocks().get(i), block);
            for (Part part : task.blocks().get(i).queries(block, leases.size())) {
                known += rows.isPresent() && rows.get().knows(part) ? 1 : 0;
            }
        }
        return OptionalInt.of(known);
    }

    private Optional<BlockReuse> reuse(BlockPlanning planning, FanOutPlan block) {
        return reuse.flatMap(statement ->
                planning.reuse(block, statement, resources.catalog().flavor()));
    }

    /**
     * How many queries a worker sends ahead. One of several workers sends none: another worker, or another statement
     * that waits for the connection, would have to wait for it. Each is killed by itself, so only short ones are many.
     */
    private int ahead(List<PartQuery> queries) {
        if (leases.size() > 1) {
            return 0;
        }
        int wished = task.scanNanos() / queries.size() < SHORT_NANOS ? MOST_AHEAD : 1;
        int longest = queries.stream()
                .mapToInt(query -> query.sql().get().length)
                .max()
                .orElse(0);
        return Math.min(wished, WireConnection.AHEAD_BYTES / 2 / (longest + 1));
    }

    /**
     * Starts the partition queries of streamed rows. Without sort keys there is one for each part, in partition order.
     * With sort keys each worker gets one, over several parts.
     */
    WorkerRuns stream(FanOutPlan plan, MergeNode.Streamed node, Exchange exchange) throws RefusedException {
        BlockPlanning planning = task.blocks().get(0);
        boolean merged = !node.keys().isEmpty();
        List<PartQuery> queries = new ArrayList<>();
        for (Part part : planning.queries(plan, leases.size())) {
            PartRun run = query.progress().waits(0, part);
            queries.add(new PartQuery(queries.size(), run, () -> commented(planning, plan, part), null));
        }
        List<RowSink> sinks = new ArrayList<>();
        leases.forEach(lease -> sinks.add(exchange.newSink()));
        // a LIMIT may end the workers early, and a connection with a query sent ahead could not be used again
        PartQueries shared = new PartQueries(queries, 0);
        // sorted runs are merged at the same time, so no worker may have two of them
        IntFunction<PartQueries> own = worker -> new PartQueries(List.of(queries.get(worker)), 0);
        WorkerRuns runs = start(merged ? own : worker -> shared, sinks, true);
        if (merged && runs.started() < leases.size()) {
            query.cancel(QueryExecution.Cancel.FAILED);
            runs.settle();
            throw new RefusedException(Reason.POOL_BUSY, "no thread for a worker");
        }
        return runs;
    }

    /**
     * Starts the workers. The first worker of each server keeps its transaction until all are done, so that the partitions stay
     * as they are. That also protects a worker that has taken its query but not yet sent it. The other workers release
     * their own connections, see {@link WorkerRun}.
     *
     * @param queries gives the queries of each worker, by its index
     * @param last whether the other workers have nothing left to do after these queries
     */
    private WorkerRuns start(IntFunction<PartQueries> queries, List<? extends RowSink> sinks, boolean last)
            throws RefusedException {
        WorkerRuns runs = new WorkerRuns(query, resources.workerThreads());
        Retention others = last && !retains ? Retention.WHILE_THERE_IS_WORK : Retention.WHILE_NOBODY_WAITS;
        Set<String> pinned = new HashSet<>();
        for (int i = 0; i < leases.size(); i++) {
            Retention retention = pinned.add(leases.get(i).facts().serverKey()) ? Retention.TO_THE_END : others;
            boolean started = runs.start(scan(i, queries.apply(i), sinks.get(i), retention));
            if (!started && i == 0) {
                // if the others release their connections, no worker would be left
                throw new RefusedException(Reason.POOL_BUSY, "no thread for a worker");
            }
            if (!started) {
                sinks.get(i).ends();
            }
        }
        return runs;
    }

    private byte[] commented(BlockPlanning planning, FanOutPlan plan, Part part) {
        byte[] whole = planning.query(plan, part, resources.catalog().flavor());
        byte[] sql = task.spider().isPresent()
                ? SpiderTable.pushedDown(new String(whole, UTF_8)).getBytes(UTF_8)
                : whole;
        return QueryComment.before(sql, query.backendThreadId(), task.settings().user(), part);
    }

    private WorkerRun scan(int worker, PartQueries queries, RowSink sink, Retention retention) {
        return new WorkerRun(
                query,
                leases.get(worker),
                queries,
                sink,
                retention,
                resources.catalog()::bytesPerCharacter,
                resources.registry().load());
    }
}
