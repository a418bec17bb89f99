package io.fanfold.execute;

import io.fanfold.catalog.CatalogSnapshot;
import io.fanfold.client.ConnectFailure;
import io.fanfold.client.ServerException;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.HeapShares;
import io.fanfold.discovery.CatalogService;
import io.fanfold.discovery.SplitObserver;
import io.fanfold.execute.ShowStatus.ShownStatus;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.operator.MemoryBudget;
import io.fanfold.pool.WorkerPool;
import io.fanfold.reason.Reason;
import io.fanfold.sql.ProxyStatement;
import io.fanfold.sql.StatementFilter;
import io.fanfold.status.StatusSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts statements from sessions and runs fan-outs on threads of its own. Safe for all threads.
 *
 * <p>It has two bounded thread pools. A coordinator reads a statement and runs its fan-out, also while that waits for
 * worker connections. Few coordinators read at the same time. Each worker connection in use has a thread.
 *
 * <p>A statement that finds no thread waits until another has run its preflight queries. So a crowd of statements does
 * not keep others out of the admission queue. If too many are waiting already, it is passed through.
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

    private final FanfoldConfig config;
    private final FanfoldMetrics metrics;
    private final WorkerPool workers;
    private final CatalogService catalog;
    private final SplitObserver observer;
    private final MemoryBudget memory;
    private final QueryRegistry registry = new QueryRegistry();
    private final RecentRefusals refusals = new RecentRefusals();
    private final ExecutionHistory history = new ExecutionHistory();
    private final FailedAttempts attempts = new FailedAttempts(System::nanoTime);
    private final ServerDigests digests = new ServerDigests();
    private final StatementStatistics statistics = new StatementStatistics(digests);
    private final Map<String, ShownStatus> statuses = new LinkedHashMap<>();
    private final SlowStatements slow;

    /** Parsing takes heap by the length of the statement. */
    private final Semaphore reading = new Semaphore(READERS);

    private final ExecutorService coordinators;
    private final ExecutorService workerThreads;
    private final ExecutorService killers;

    /**
     * Starts the service. The server need not be reachable yet.
     *
     * @param workers closed by this service
     */
    public FanOutService(FanfoldConfig config, WorkerPool workers, FanfoldMetrics metrics) {
        this(config, workers, metrics, SplitObserver.NONE, Map.of());
    }

    /**
     * Starts the service with an observer, which is notified of every split and refusal.
     *
     * @param counters further statuses for SHOW FANFOLD, by name in lower case; only for accounts with PROCESS
     */
    public FanOutService(
            FanfoldConfig config,
            WorkerPool workers,
            FanfoldMetrics metrics,
            SplitObserver observer,
            Map<String, StatusSource> counters) {
        this.observer = observer;
        this.config = config;
        this.slow = new SlowStatements(config.log().slow());
        this.metrics = metrics;
        this.workers = workers;
        this.memory = MemoryBudget.ofProcess(config.limits().totalMemoryBytes());
        this.catalog = new CatalogService(config, workers, this::forget, new AfterReading());
        counters.forEach((name, source) -> statuses.put(name, new ShownStatus(source, false)));
        statuses.put("processlist", new ShownStatus(new RunningStatements(registry), true));
        statuses.put("digests", new ShownStatus(statistics, true));
        statuses.put("tables", new ShownStatus(new PartitionedTables(catalog), false));
        statuses.put("servers", new ShownStatus(new Servers(config, workers), false));
        statuses.put("variables", new ShownStatus(new Settings(config), false));
        int connections = config.workers().connections();
        int waiting = HeapShares.ofThisProcess().waiting(config.limits().statementBytes());
        int fanOuts = connections + config.workers().queueLength() + ASKING;
        ThreadPoolExecutor coordinating = new ThreadPoolExecutor(
                fanOuts, fanOuts, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>(waiting), threads("fan-out"));
        coordinating.allowCoreThreadTimeOut(true);
        this.coordinators = coordinating;
        // a worker releases its connection before its thread ends, and the next borrower needs a thread at once
        this.workerThreads = new ThreadPoolExecutor(
                0, 2 * connections, 1, TimeUnit.MINUTES, new SynchronousQueue<>(), threads("worker"));
        // all queries with connections may be cancelled at the same moment, and no kill may wait for another
        ThreadPoolExecutor killing = new ThreadPoolExecutor(
                connections, connections, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>(), threads("killer"));
        killing.allowCoreThreadTimeOut(true);
        this.killers = killing;
        catalog.start();
        killers.execute(this::warmUp);
    }

    private static ThreadFactory threads(String name) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    /** Opens the kill connection ahead of time, so that the first kill need not wait for it. */
    private void warmUp() {
        try {
            workers.killSwitch().warmUp();
        } catch (IOException | ServerException e) {
            LOG.debug("the connection that kills will be opened when it is needed: {}", e.toString());
        }
    }

    /** Reads the list of partitioned tables now. Returns whether the server could be asked. */
    public boolean refreshCatalog() {
        return catalog.refresh();
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

    /** Logs statements that take longer from now on; none if zero. */
    public void logSlow(Duration limit) {
        slow.limit(limit);
    }

    /** The heap that the merges of all running fan-outs hold, in bytes. */
    public long heldMemoryBytes() {
        return memory.heldBytes();
    }

    @Override
    public Optional<Reason> filter(byte[] sql, int offset, int length, @Nullable String schema) {
        if (config.offEverywhere() || !config.workers().enabled()) {
            return Optional.of(Reason.DISABLED);
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
        String unseen = reason == Reason.NO_PARTITIONED_TABLE ? catalog.unseen(schema) : "";
        String why = "(" + (unseen.isEmpty() ? reason.sentence() : unseen) + ")";
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
            digests.ask(workers, catalog.flavor(), config.workers().queueWait());
        }
    }

    @Override
    public Optional<Runnable> timed(String session, Reason reason, byte[] sql, int offset, @Nullable String schema) {
        if (!slow.on()) {
            return Optional.empty();
        }
        long start = System.nanoTime();
        return Optional.of(() -> slow.ended(
                session,
                System.nanoTime() - start,
                () -> "passed through: " + reason.label() + " " + describe(reason, sql, offset, schema)));
    }

    /** Forgets refusals and failures after the tables have changed: the same statements may be splittable now. */
    private void forget() {
        refusals.clear();
        attempts.clear();
    }

    @Override
    public void submit(FanOutRequest request) {
        FanOutResources resources = new FanOutResources(
                workers,
                catalog,
                memory,
                registry,
                refusals,
                history,
                attempts,
                statistics,
                observer,
                slow,
                reading,
                workerThreads,
                killers);
        FanOut run = new FanOut(request, config, metrics, resources);
        Optional<Runnable> own = own(request, resources);
        try {
            coordinators.execute(own.orElse(run::run));
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            LOG.debug("no thread for a fan-out", e);
            if (own.isPresent()) {
                // not counted, because it was no attempt
                request.client().passThrough();
            } else {
                run.passThrough(Reason.POOL_BUSY, "no thread for a fan-out");
            }
        }
    }

    /** Returns the work for a statement that no server knows; empty for all others. */
    private Optional<Runnable> own(FanOutRequest request, FanOutResources resources) {
        return ProxyStatement.of(request.sql(), 0, request.sql().length).map(statement -> {
            if (statement instanceof ProxyStatement.Explain explain) {
                return new ExplainFanOut(request, explain, config, metrics, resources, this)::run;
            }
            return new ShowStatus(request.client(), (ProxyStatement.Show) statement, statuses, catalog.flavor())::run;
        });
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
        stop();
        coordinators.shutdown();
        workerThreads.shutdown();
        try {
            if (!coordinators.awaitTermination(STOP_WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.warn("fan-outs still run after {} ms; their connections are closed", STOP_WAIT.toMillis());
                coordinators.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        killers.shutdown();
        workers.close();
        memory.close();
    }
}
