package io.fanfold.execute;

import io.fanfold.client.ServerFacts;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.pool.WorkerPool;
import io.fanfold.status.StatusSource;
import io.fanfold.status.StatusTable;
import io.fanfold.status.StatusTable.StatusColumn;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** The server and the worker connections to it, as a status with one row. Safe for all threads. */
record Servers(Supplier<FanfoldConfig> settings, WorkerPool workers) implements StatusSource {
    @Override
    public StatusTable read(Viewer viewer) {
        FanfoldConfig config = settings.get();
        Optional<ServerFacts> facts = workers.facts();
        long most = config.workers().connections();
        return new StatusTable(
                List.of(
                        StatusColumn.text("HOST"),
                        StatusColumn.integer("PORT"),
                        StatusColumn.text("STATUS"),
                        StatusColumn.text("VERSION"),
                        StatusColumn.text("WORKER_USER"),
                        StatusColumn.integer("WORKERS_IN_USE"),
                        StatusColumn.integer("WORKERS_MAX"),
                        StatusColumn.integer("QUERIES_WAITING"),
                        StatusColumn.text("LAST_ERROR")),
                0,
                List.of(Arrays.asList(
                        config.backend().host(),
                        (long) config.backend().port(),
                        workers.failure().isPresent() ? "DOWN" : facts.isPresent() ? "UP" : "UNKNOWN",
                        facts.map(known -> known.identity().shown()).orElse(null),
                        config.workers().user(),
                        most - workers.free(),
                        most,
                        (long) workers.waiting(),
                        workers.failure().map(failure -> failure.text()).orElse(null))));
    }
}
