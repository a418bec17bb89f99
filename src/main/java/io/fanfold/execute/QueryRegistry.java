package io.fanfold.execute;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** The running fan-outs, by the thread id of the client's backend connection. Safe for all threads. */
final class QueryRegistry {
    private final ConcurrentMap<Long, QueryExecution> queries = new ConcurrentHashMap<>();

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

    Collection<QueryExecution> all() {
        return List.copyOf(queries.values());
    }
}
