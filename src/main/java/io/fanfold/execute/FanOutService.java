package io.fanfold.execute;

import io.fanfold.binlog.StreamState;
import io.fanfold.catalog.CatalogSnapshot;
import io.fanfold.client.ConnectFailure;
import io.fanfold.client.ServerException;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.HeapShares;
import io.fanfold.config.HostPort;
import io.fanfold.config.RunningSettings;
import io.fanfold.config.WorkersConfig;
import io.fanfold.discovery.CatalogService;
import io.fanfold.discovery.SplitObserver;
import io.fanfold.execute.ShowStatus.ShownStatus;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.operator.MemoryBudget;
import io.fanfold.pool.PrimaryChoice;
import io.fanfold.pool.WorkerPool;
import io.fanfold.pool.WorkerServer;
import io.fanfold.pool.WorkerServers;
import io.fanfold.reason.Reason;
import io.fanfold.sql.ProxyStatement;
import io.fanfold.sql.StatementFilter;
import io.fanfold.status.StatusSource;
import io.fanfold.verify.DifferingStatements;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts statements from sessions and runs fan-outs on threads of its own. Safe for all threads.
 *
 * <p>It has bounded thread pools. A coordinator reads a statement and runs its fan-out, also while that waits for worker
 * connections. Few coordinators read at the same time. Each worker connection in use has a thread.
 *
 * <p>A statement that finds no coordinator waits until another has run its preflight queries. So a crowd of statements
 * does not keep others out of the admission queue. It is passed through after {@code workers.queue-wait}, or at once if too
 * many are waiting.
 */
public final class FanOutService implements FanOutDispatcher, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FanOutService.class);
    private static final int READERS = 2;

    /**
     * Coordinators beyond the running and queued fan-outs, for those that still run preflight queries; these take
     * milliseconds.
     */
    private static final int ASKING = 16;

    private static final Duration STOP_WAIT = Duration.ofSeconds(5);

    private final RunningSettings settings;
    private final FanfoldMetrics metrics;
    private final WorkerServers servers;
    private final WorkerPool workers;
    private final CatalogService catalog;
    private final SplitObserver observer;
    private final MemoryBudget memory;
    private final PartialReuse reuse;
    private final QueryRegistry registry = new QueryRegistry();
    private final RecentRefusals refusals = new RecentRefusals();
    private final ExecutionHistory history = new ExecutionHistory();
    private final FailedAttempts attempts = new FailedAttempts(System::nanoTime);
    private final ServerDigests digests = new ServerDigests();
    private final StatementStatistics statistics = new StatementStatistics(digests);
    private final Map<String, ShownStatus> statuses = new LinkedHashMap<>();
    private final SlowStatements slow;
    private final Verifier verifier;

    private final StatementThreads coordinators;
    private final ProxyStatements own;
    private final ThreadPoolExecutor workerThreads;
    private final ThreadPoolExecutor killers;
    private final FanOutResources resources;

    /**
     * Starts the service. The servers need not be reachable yet.
     *
     * @param settings their changes are taken over
     * @param servers closed by this service
     * @param observer notified of every split and refusal
     * @param counters further statuses for SHOW FANFOLD, by name in lower case; only for accounts with PROCESS
     */
    public FanOutService(
            RunningSettings settings,
            WorkerServers servers,
            FanfoldMetrics metrics,
            SplitObserver observer,
            Map<String, StatusSource> counters) {
        FanfoldConfig config = settings.get();
        this.observer = observer;
        this.settings = settings;
        this.slow = new SlowStatements(config.log().slow());
        this.metrics = metrics;
        this.servers = servers;
        this.workers = servers.primary().pool();
        this.memory = MemoryBudget.ofProcess(config.mergeMemoryBytes());
        this.reuse = new PartialReuse(config, workers::login, metrics);
        this.catalog = new CatalogService(settings, workers, this::forget, new AfterReading());
        counters.forEach((name, source) -> statuses.put(name, new ShownStatus(source, false)));
        statuses.put("processlist", new ShownStatus(new RunningStatements(registry), true));
        statuses.put("digests", new ShownStatus(statistics, true));
        statuses.put("tables", new ShownStatus(new CatalogTables(catalog, settings), false));
        statuses.put("servers", new ShownStatus(new Servers(settings, servers), false));
        statuses.put("reuse", new ShownStatus(new ReuseStatus(reuse), false));
        statuses.put("variables", new ShownStatus(new Settings(settings), false));
        int waiting = HeapShares.ofThisProcess().waiting(config.limits().statementBytes());
        this.coordinators = new StatementThreads("fan-out", waiting);
        this.workerThreads = FanOutThreads.pool("worker", new SynchronousQueue<>());
        this.killers = FanOutThreads.pool("killer", new LinkedBlockingQueue<>());
        allowThreads(config.workers());
        this.verifier = new Verifier(config.verify(), killers, metrics);
        statuses.put("differences", new ShownStatus(verifier.differing(), false));
        this.resources = new FanOutResources(
                settings,
                servers,
                new PrimaryLog(workers, System::nanoTime),
                catalog,
                new LogicalPlans(),
                new KeyRanges(System::nanoTime),
                reuse,
                memory,
                registry,
                refusals,
                history,
                attempts,
                statistics,
                observer,
                slow,
                verifier,
                new Semaphore(READERS),
                workerThreads,
                killers);
        this.own = new ProxyStatements(resources, settings, statuses, metrics, coordinators);
        settings.onChange(this::change);
        catalog.start();
        killers.execute(this::warmUp);
    }

    /** What all statements share, for tests. */
    FanOutResources resources() {
        return resources;
    }

    /** Called after the tables have changed. */
    private void forget() {
        resources.forget();
    }

    /** Sets the sizes of the thread pools. */
    private void allowThreads(WorkersConfig limits) {
        // each server has as many
        int connections = limits.connections() * servers.all().size();
        coordinators.allow(connections + limits.queueLength() + ASKING);
        // a worker releases its connection before its thread ends, and the next borrower needs a thread at once
        workerThreads.setMaximumPoolSize(2 * connections);
        // all queries with connections may be cancelled at the same moment, and no kill may wait for another
        FanOutThreads.allowCore(killers, connections);
    }

    /** Takes changed settings over that are not read for each statement. */
    private void change(FanfoldConfig before, FanfoldConfig now) {
        if (!now.workers().equals(before.workers())) {
            allowThreads(now.workers());
            servers.all().forEach(server -> server.pool().change(before.workers(), now.workers()));
        }
        HostPort server = now.backend().address();
        if (!server.equals(before.backend().address())) {
            servers.primary().moveTo(server);
        }
        memory.limit(now.mergeMemoryBytes());
        reuse.change(now);
        slow.limit(now.log().slow());
        resources.forgetUnder(before);
        catalog.refreshSoon();
    }

    /** Loads the classes of the parser, and opens the kill connection, so that the first statement need not wait for them. */
    private void warmUp() {
        ReadStep.warmUp(new StatementAnalyzer(resources, settings.get(), ""));
        try {
            for (WorkerServer server : servers.all()) {
                server.pool().killSwitch().warmUp();
            }
        } catch (IOException | ServerException e) {
            LOG.debug("the connection that kills will be opened when it is needed: {}", e.toString());
        }
    }

    /** Reads the list of partitioned tables now. Returns whether the server could be asked. */
    public boolean refreshCatalog() {
        return catalog.refresh();
    }

    /** What chooses the server of new connections; empty if there is only one. */
    public Optional<PrimaryChoice> primaryChoice() {
        return servers.choice();
    }

    /** The statements whose answer differed from the server's. */
    public DifferingStatements differing() {
        return verifier.differing();
    }

    /** The statuses of SHOW FANFOLD by name in lower case, for other ways to look at them. */
    public Map<String, StatusSource> statuses() {
        Map<String, StatusSource> sources = new LinkedHashMap<>();
        statuses.forEach((name, status) -> sources.put(name, status.source()));
        return sources;
    }

    /** Returns each running fan-out with its partition queries, for JSON: texts, numbers, lists and maps. */
    public List<Map<String, @Nullable Object>> fanOuts(StatusSource.Viewer viewer) {
        return new RunningStatements(registry).details(viewer);
    }

    /** What the stream of changes does, for reuse; empty if reuse is off. */
    public Optional<StreamState> changeStream() {
        return reuse.stream();
    }

    /** The heap of rows that may be used again, in bytes. */
    public long reuseBytes() {
        return reuse.results().heapBytes();
    }

    /** The heap that the merges of all running fan-outs hold, in bytes. */
    public long heldMemoryBytes() {
        return memory.heldBytes();
    }

    @Override
    public Optional<Reason> filter(byte[] sql, int offset, int length, @Nullable String schema) {
        FanfoldConfig config = settings.get();
        if (config.offEverywhere() || !config.workers().enabled()) {
            return Optional.of(Reason.DISABLED);
        }
        if (!catalog.obstacle().isEmpty()) {
            return Optional.of(Reason.UNSUPPORTED_SERVER);
        }
        Optional<StatementFilter> filter = catalog.filter();
        if (filter.isEmpty()) {
            return Optional.of(Reason.NO_PARTITIONED_TABLE);
        }
        Optional<Reason> refused = filter.get().check(sql, offset, length);
        return refused.isPresent()
                ? refused
                : refusals.byText(sql, offset, length, schema).map(RecentRefusals.RefusedText::reason);
    }

    /** The settings may be others when the statement is executed, so they do not matter here. */
    @Override
    public boolean worthRemembering(byte[] sql, int offset, int length) {
        return catalog.filter()
                .map(filter -> filter.check(sql, offset, length)
                        .filter(NEVER::contains)
                        .isEmpty())
                .orElse(false);
    }

    @Override
    public void notOffered(byte[] sql, int offset, @Nullable String schema, String user) {
        refusals.byText(sql, offset, sql.length - offset, schema)
                .ifPresent(refused -> statistics
                        .of(Objects.requireNonNullElse(schema, ""), user, refused.shown(), sql)
                        .passed(refused.reason()));
    }

    @Override
    public String describe(Reason reason, byte[] sql, int offset, @Nullable String schema) {
        String text = new String(sql, offset, sql.length - offset, StandardCharsets.UTF_8);
        String found = catalog.found(reason, schema);
        String why = "(" + (found.isEmpty() ? reason.sentence() : found) + ")";
        String digest = catalog.digest(text);
        return digest.isEmpty() ? why : why + ": " + digest;
    }

    /** Asks for digests after each reading of the catalog, when a worker connection has just been used for the proxy itself. */
    private final class AfterReading implements SplitObserver {
        @Override
        public void unreachable(ConnectFailure failure) {
            observer.unreachable(failure);
        }

        @Override
        public void catalogRead(CatalogSnapshot read, boolean changed) {
            observer.catalogRead(read, changed);
            digests.ask(workers, catalog.flavor(), settings.get().workers().queueWait());
        }
    }

    @Override
    public Optional<Runnable> timed(
            Supplier<String> session, Reason reason, byte[] sql, int offset, @Nullable String schema) {
        if (!slow.on()) {
            return Optional.empty();
        }
        long start = System.nanoTime();
        return Optional.of(() -> slow.ended(
                session.get(),
                System.nanoTime() - start,
                () -> "passed through: " + reason.label() + " " + describe(reason, sql, offset, schema)));
    }

    @Override
    public void submit(FanOutRequest request) {
        FanfoldConfig config = settings.get();
        Optional<ProxyStatement> statement = ProxyStatement.of(request.sql(), 0, request.sql().length);
        if (statement.isEmpty()) {
            FanOut run = new FanOut(request, config, metrics, resources);
            coordinators.run(
                    run::run,
                    config.workers().queueWait(),
                    () -> run.passThrough(Reason.POOL_BUSY, "no thread for a fan-out"));
        } else {
            own.submit(statement.get(), request, config, this);
        }
    }

    @Override
    public void killed(long backendThreadId) {
        QueryExecution query = registry.find(backendThreadId);
        if (query != null) {
            query.cancel(QueryExecution.Cancel.KILLED);
        }
    }

    @Override
    public void stop() {
        registry.all().forEach(query -> query.cancel(QueryExecution.Cancel.STOPPING));
    }

    /** Ends running fan-outs, kills their statements on the server, and closes all worker connections. */
    @Override
    public void close() {
        catalog.close();
        reuse.close();
        stop();
        workerThreads.shutdown();
        try {
            own.close();
            if (!coordinators.close(STOP_WAIT)) {
                LOG.warn("fan-outs still run after {} ms; their connections are closed", STOP_WAIT.toMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        verifier.close();
        killers.shutdown();
        servers.close();
        memory.close();
    }
}
