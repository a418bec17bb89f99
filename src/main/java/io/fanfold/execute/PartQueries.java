package io.fanfold.execute;

import io.fanfold.execute.StatementReuse.PartReuse;
import io.fanfold.reuse.PartialResult;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A queue of partition queries from which workers take one at a time. Safe for all threads. */
final class PartQueries {
    /**
     * A partition query.
     *
     * @param index its number for the sink of its rows
     * @param run its progress
     * @param sql makes its text, in UTF-8; key lists may make it long
     * @param reuse its kept rows, or where its rows are to be kept; null for neither
     */
    record PartQuery(
            int index,
            PartRun run,
            Supplier<byte[]> sql,
            @Nullable PartReuse reuse) {
        /** The rows that it would return; null if it must be run. */
        @Nullable
        PartialResult known() {
            return reuse == null ? null : reuse.known();
        }
    }

    private final List<PartQuery> queries;
    private final int ahead;
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger done = new AtomicInteger();

    /**
     * A queue.
     *
     * @param queries in the order in which they are taken
     * @param ahead how many queries a worker sends before it reads the rows of the current one, 0 or more. Each saves
     *     a round trip. No other worker can take them then, and all their texts must fit into the socket buffers.
     */
    PartQueries(List<PartQuery> queries, int ahead) {
        this.queries = List.copyOf(queries);
        this.ahead = ahead;
    }

    /** How many queries a worker sends before it reads the rows of the current one. */
    int ahead() {
        return ahead;
    }

    /** Takes the next query; null if there is none left. */
    @Nullable
    PartQuery take() {
        int index = next.getAndIncrement();
        return index < queries.size() ? queries.get(index) : null;
    }

    /** Counts a query that was read to its end. */
    void countDone() {
        done.incrementAndGet();
    }

    /** The number of queries that were read to their ends. */
    int done() {
        return done.get();
    }
}
