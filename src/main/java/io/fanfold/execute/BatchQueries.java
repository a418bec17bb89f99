package io.fanfold.execute;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A queue of partition queries from which workers take one at a time. Safe for all threads. */
final class BatchQueries {
    /**
     * A partition query.
     *
     * @param index its number for the sink of its rows
     * @param sql makes its text, in UTF-8; key lists may make it long
     */
    record BatchQuery(int index, Supplier<byte[]> sql) {}

    private final List<BatchQuery> queries;
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger done = new AtomicInteger();

    /** @param queries in the order in which they are taken */
    BatchQueries(List<BatchQuery> queries) {
        this.queries = List.copyOf(queries);
    }

    /** Takes the next query; null if there is none left. */
    @Nullable
    BatchQuery take() {
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
