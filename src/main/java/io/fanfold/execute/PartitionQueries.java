package io.fanfold.execute;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Partition queries of which workers take one after the other. Safe for all threads. */
final class PartitionQueries {
    /**
     * A query to be run.
     *
     * @param index its number for the sink of its rows
     * @param sql makes its text, in UTF-8; lists of keys may make it long
     */
    record PartitionQuery(int index, Supplier<byte[]> sql) {}

    private final List<PartitionQuery> queries;
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger done = new AtomicInteger();

    /** @param queries in the order in which they are taken */
    PartitionQueries(List<PartitionQuery> queries) {
        this.queries = List.copyOf(queries);
    }

    /** The next one that nobody has taken; null when there is none. */
    @Nullable
    PartitionQuery take() {
        int index = next.getAndIncrement();
        return index < queries.size() ? queries.get(index) : null;
    }

    /** One was read to its end. */
    void countDone() {
        done.incrementAndGet();
    }

    /** How many were read to their ends. */
    int done() {
        return done.get();
    }
}
