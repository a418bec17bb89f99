package io.fanfold.execute;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** The running fan-outs, by the thread id of the client's backend connection. Safe for all threads. */
final class QueryRegistry {
    private final ConcurrentMap<Long, LiveQuery> queries = new ConcurrentHashMap<>();

    void add(LiveQuery query) {
        queries.put(query.backendThreadId(), query);
    }

    void remove(LiveQuery query) {
        queries.remove(query.backendThreadId(), query);
    }

    @Nullable
    LiveQuery find(long backendThreadId) {
        return queries.get(backendThreadId);
    }

    Collection<LiveQuery> all() {
        return List.copyOf(queries.values());
    }
}
