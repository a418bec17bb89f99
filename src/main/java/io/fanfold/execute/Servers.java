package io.fanfold.execute;

import io.fanfold.client.ServerFacts;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.HostPort;
import io.fanfold.pool.PrimaryChoice;
import io.fanfold.pool.WorkerPool;
import io.fanfold.pool.WorkerServer;
import io.fanfold.pool.WorkerServers;
import io.fanfold.status.StatusSource;
import io.fanfold.status.StatusTable;
import io.fanfold.status.StatusTable.StatusColumn;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The servers that fan-outs may read, one row for each. Safe for all threads. */
record Servers(Supplier<FanfoldConfig> settings, WorkerServers servers) implements StatusSource {
    @Override
    public StatusTable read(Viewer viewer) {
        FanfoldConfig config = settings.get();
        return new StatusTable(
                List.of(
                        StatusColumn.text("HOST"),
                        StatusColumn.integer("PORT"),
                        StatusColumn.text("ROLE"),
                        StatusColumn.text("STATUS"),
                        StatusColumn.text("VERSION"),
                        StatusColumn.text("WORKER_USER"),
                        StatusColumn.integer("FAN_OUTS"),
                        StatusColumn.integer("WORKERS_IN_USE"),
                        StatusColumn.integer("WORKERS_MAX"),
                        StatusColumn.integer("QUERIES_WAITING"),
                        StatusColumn.text("LAST_ERROR")),
                0,
                Stream.concat(
                                servers.all().stream().map(server -> row(server, config)),
                                servers.choice().map(PrimaryChoice::standbys).orElse(Map.of()).entrySet().stream()
                                        .map(standby -> row(standby, config)))
                        .toList());
    }

    /** The row of a server that new connections do not go to. */
    private List<@Nullable Object> row(Map.Entry<HostPort, String> standby, FanfoldConfig config) {
        HostPort server = standby.getKey();
        String why = standby.getValue();
        return Arrays.asList(
                server.host(),
                (long) server.port(),
                "standby",
                why.isEmpty() ? "UP" : "LEFT OUT",
                null,
                config.workers().user(),
                servers.primary().fanOuts(server.toString()),
                0L,
                0L,
                0L,
                why.isEmpty() ? null : why);
    }

    private static List<@Nullable Object> row(WorkerServer server, FanfoldConfig config) {
        WorkerPool pool = server.pool();
        long most = config.workers().connections();
        Optional<String> error = pool.failure()
                .map(failure -> failure.text())
                .or(server::leftOut)
                .or(server::skipped);
        return Arrays.asList(
                server.host(),
                (long) server.port(),
                server.role(),
                status(server),
                pool.facts().map(known -> known.identity().shown()).orElse(null),
                config.workers().user(),
                server.fanOuts(server.name()),
                most - pool.free(),
                most,
                (long) pool.waiting(),
                error.orElse(null));
    }

    private static String status(WorkerServer server) {
        Optional<ServerFacts> facts = server.pool().facts();
        if (server.pool().failure().isPresent()) {
            return "DOWN";
        }
        if (server.leftOut().isPresent()) {
            return "LEFT OUT";
        }
        return facts.isPresent() ? "UP" : "UNKNOWN";
    }
}
