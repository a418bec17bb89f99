package io.fanfold.execute;

import java.util.concurrent.CompletableFuture;

/** A statement among the running ones, where a KILL finds it. It is cancelled when its client leaves. */
final class RunningStatement implements AutoCloseable {
    private final QueryExecution query;
    private final QueryRegistry registry;
    private final CompletableFuture<Void> watched;

    RunningStatement(FanOutScope scope) {
        ClientConnection client = scope.client();
        FanOutResources shared = scope.shared();
        this.query = new QueryExecution(client.backendThreadId(), shared.killers());
        query.progress().named(scope.runningName());
        this.registry = shared.registry();
        registry.add(query);
        this.watched = client.clientGone().thenRun(() -> query.cancel(QueryExecution.Cancel.CLIENT_GONE));
    }

    QueryExecution query() {
        return query;
    }

    @Override
    public void close() {
        query.end();
        watched.cancel(false);
        registry.remove(query);
    }
}
