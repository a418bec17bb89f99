package io.fanfold.execute;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The running fan-outs, by the thread id of the client's backend connection, and the number of statements that run unsplit
 * although they could be split. Safe for all threads.
 */
final class QueryRegistry {
    private final ConcurrentMap<Long, QueryExecution> queries = new ConcurrentHashMap<>();
    private final AtomicInteger unsplit = new AtomicInteger();
    private final ServerLoad load = new ServerLoad(System::nanoTime);

    void add(QueryExecution query) {
        queries.put(query.backendThreadId(), query);
    }

    void remove(QueryExecution query) {
        queries.remove(query.backendThreadId(), query);
    }

    @Nullable
    QueryExecution find(long backendThreadId) {
        return queries.get(backendThreadId);
    }

    /** Counts a statement that is passed through, until the server has answered it or the client is gone. */
    void addUnsplit(ClientConnection client) {
        unsplit.incrementAndGet();
        load.begins();
        CompletableFuture<?> unused = CompletableFuture.anyOf(client.relayed(), client.clientGone())
                .thenRun(() -> {
                    unsplit.decrementAndGet();
                    load.ends();
                });
    }

    /** Returns how many statements of other clients run, split or counted by {@link #addUnsplit}. */
    int others(long backendThreadId) {
        return queries.size() - (queries.containsKey(backendThreadId) ? 1 : 0) + unsplit.get();
    }

    /** The queries of these statements. */
    ServerLoad load() {
        return load;
    }

    Collection<QueryExecution> all() {
        return List.copyOf(queries.values());
    }
}
