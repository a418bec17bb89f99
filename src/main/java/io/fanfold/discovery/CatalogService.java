package io.fanfold.discovery;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.fanfold.catalog.AccountName;
import io.fanfold.catalog.CatalogLoader;
import io.fanfold.catalog.CatalogSnapshot;
import io.fanfold.catalog.CatalogTable;
import io.fanfold.catalog.CatalogTable.Partition;
import io.fanfold.catalog.TableName;
import io.fanfold.catalog.TableSettings;
import io.fanfold.client.ConnectFailure;
import io.fanfold.client.ServerException;
import io.fanfold.client.ServerFacts;
import io.fanfold.client.WireConnection;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.HeapShares;
import io.fanfold.pool.Lease;
import io.fanfold.pool.WorkerPool;
import io.fanfold.reason.Reason;
import io.fanfold.row.Row;
import io.fanfold.sql.CachingSelectReader;
import io.fanfold.sql.SelectReader;
import io.fanfold.sql.SqlDialect;
import io.fanfold.sql.StatementDigest;
import io.fanfold.sql.StatementFilter;
import io.fanfold.wire.ServerFlavor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the list of tables that may be split, and the filter made from it, about as fresh as configured. The list only
 * selects statements for a closer look: before a split, the partitions are read again in the workers' transaction. Safe
 * for all threads.
 */
public final class CatalogService implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CatalogService.class);

    private static final long READ_CACHE_BYTES = HeapShares.ofThisProcess().cache();

    private static final Set<String> SYSTEM_SCHEMAS =
            Set.of("information_schema", "mysql", "performance_schema", "sys");

    /**
     * The result of one reading.
     *
     * @param obstacle that of {@link ServerFacts}; if there is one, the catalog was not read
     */
    private record Loaded(
            CatalogSnapshot snapshot, StatementFilter filter, Set<String> shape, String server, String obstacle) {
        boolean sameTables(@Nullable Loaded other) {
            return other != null && shape.equals(other.shape) && server.equals(other.server);
        }
    }

    private final Supplier<FanfoldConfig> settings;
    private final WorkerPool workers;
    private final Runnable changed;
    private final SplitObserver observer;
    private final ScheduledExecutorService watchdog;
    private final CachingSelectReader reader;
    private final ServerProbes probes = new ServerProbes();
    private final ReadingPace pace = new ReadingPace();
    private final ScheduledExecutorService janitor;
    private volatile @Nullable Loaded loaded;

    /** Known after the first reading of the catalog; nothing is split before it. */
    private volatile ServerFlavor flavor = ServerFlavor.MYSQL;

    private volatile @Nullable AccountName account;

    /** Why the last reading failed; "" if it did not. */
    @GuardedBy("this")
    private String lastFailure = "";

    private final AtomicBoolean soon = new AtomicBoolean();
    private volatile @Nullable Future<?> next;

    /**
     * A watch that has not started.
     *
     * @param settings those that hold now
     * @param changed called when tables or their partitions have changed
     * @param observer notified of each reading
     */
    public CatalogService(
            Supplier<FanfoldConfig> settings, WorkerPool workers, Runnable changed, SplitObserver observer) {
        this.settings = settings;
        this.workers = workers;
        this.changed = changed;
        this.observer = observer;
        this.watchdog = scheduler("parser-watchdog");
        this.reader = new CachingSelectReader(new SelectReader(watchdog), READ_CACHE_BYTES);
        this.janitor = scheduler("catalog");
    }

    private static ScheduledExecutorService scheduler(String name) {
        return new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    public void start() {
        janitor.execute(this::refreshAndRepeat);
    }

    private void refreshAndRepeat() {
        FanfoldConfig config = settings.get();
        // while nothing is split, nobody needs the list; it is read again when that changes
        boolean read = config.offEverywhere() || refreshOrReport();
        Duration pause = read ? pace.pause(config.fanOut().catalogRefresh()) : pace.pauseToRetry();
        try {
            next = janitor.schedule(this::refreshAndRepeat, pause.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("the catalog is watched no more");
        }
    }

    /** Refreshes; a defect must not end the readings for good. */
    private boolean refreshOrReport() {
        try {
            return refresh();
        } catch (RuntimeException | Error e) {
            LOG.error("the catalog could not be read", e);
            return false;
        }
    }

    /** Reads the catalog early because it is known to be stale, but leaves a pause between readings. */
    public void refreshSoon() {
        if (!soon.compareAndSet(false, true)) {
            return;
        }
        Duration pause = pace.pauseIfStale();
        try {
            Future<?> unused = janitor.schedule(this::refreshAsked, pause.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("the catalog is watched no more");
        }
    }

    private void refreshAsked() {
        soon.set(false);
        refresh();
    }

    /** Reads the catalog now. Returns whether the server could be asked. */
    public synchronized boolean refresh() {
        try {
            workers.tryOnce();
            List<Lease> leases = workers.acquire(1, 1, settings.get().workers().queueWait());
            if (leases.isEmpty()) {
                Optional<ConnectFailure> failure = workers.failure();
                LOG.debug(
                        "no connection to read the catalog: {}",
                        failure.map(ConnectFailure::text).orElse("all in use"));
                failure.ifPresent(observer::unreachable);
                return false;
            }
            Loaded before = loaded;
            long start = System.nanoTime();
            try (Lease lease = leases.get(0)) {
                load(lease);
            } catch (IOException e) {
                if (e.getCause() instanceof ServerException) {
                    // the next reading would fail as this one; a lost connection is another matter
                    pace.failed(System.nanoTime() - start);
                }
                throw e;
            }
            lastFailure = "";
            Loaded now = loaded;
            if (now != null) {
                observer.catalogRead(now.snapshot(), !now.sameTables(before));
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (IOException e) {
            String failure = e.toString();
            if (!failure.equals(lastFailure)) {
                LOG.warn("the catalog could not be read: {}", failure);
                lastFailure = failure;
            }
            return false;
        }
    }

    private void load(Lease lease) throws IOException {
        WireConnection connection = lease.connection();
        ServerFacts facts = lease.facts();
        flavor = facts.flavor();
        if (!facts.obstacle().isEmpty()) {
            loaded(CatalogLoader.NOTHING, Set.of(facts.obstacle()), facts);
            return;
        }
        probes.ask(connection, flavor);
        account = AccountName.of(
                String.valueOf(run(connection, "SELECT CURRENT_USER()").get(0).utf8(0)));
        long start = System.nanoTime();
        CatalogSnapshot snapshot = CatalogLoader.load(
                sql -> run(connection, sql), facts.flavor(), settings.get().leastRowsOfKeyRanges());
        pace.took(System.nanoTime() - start);
        Set<String> shape = new HashSet<>();
        for (CatalogTable table : snapshot.tables()) {
            shape.add(table.name() + " "
                    + table.partitions().stream().map(Partition::explainName).toList());
        }
        if (facts.maxPacket() < ServerFacts.LEAST_PACKET) {
            shape.add("max_allowed_packet");
        }
        Loaded before = loaded;
        if (before != null && lost(before.snapshot(), snapshot)) {
            // a table is missing while it is being altered; if it was dropped, it will not be missed twice
            refreshSoon();
        }
        loaded(snapshot, shape, facts);
    }

    private void loaded(CatalogSnapshot snapshot, Set<String> shape, ServerFacts facts) {
        Loaded before = loaded;
        if (before != null && before.shape().equals(shape)) {
            loaded = new Loaded(snapshot, before.filter(), shape, facts.serverKey(), facts.obstacle());
            return;
        }
        boolean usable = facts.maxPacket() >= ServerFacts.LEAST_PACKET;
        StatementFilter filter = StatementFilter.of(
                usable ? names(snapshot, true) : List.of(),
                usable ? names(snapshot, false) : List.of(),
                settings.get().limits().statementBytes());
        loaded = new Loaded(snapshot, filter, shape, facts.serverKey(), facts.obstacle());
        LOG.debug("{} tables that may be split", snapshot.tables().size());
        changed.run();
    }

    private static List<String> names(CatalogSnapshot snapshot, boolean partitioned) {
        return snapshot.tables().stream()
                .filter(table -> table.partitioned() == partitioned)
                .map(table -> table.name().table())
                .distinct()
                .toList();
    }

    /** Whether a table of one reading is missing from the next. */
    static boolean lost(CatalogSnapshot before, CatalogSnapshot now) {
        Set<TableName> names = now.tables().stream().map(CatalogTable::name).collect(Collectors.toSet());
        return !before.tables().stream().map(CatalogTable::name).allMatch(names::contains);
    }

    private static List<Row> run(WireConnection connection, String sql) throws IOException {
        try {
            return connection.query(sql).rows();
        } catch (ServerException e) {
            throw new IOException(e.errno() + ": " + e.getMessage(), e);
        }
    }

    public CachingSelectReader reader() {
        return reader;
    }

    public ServerFlavor flavor() {
        return flavor;
    }

    /** What only the server knows about its functions and collations. */
    public ServerProbes probes() {
        return probes;
    }

    /** The filter; empty until the catalog has been read. */
    public Optional<StatementFilter> filter() {
        Loaded current = loaded;
        return current == null ? Optional.empty() : Optional.of(current.filter());
    }

    /** The catalog as it was last read; empty before. */
    public Optional<CatalogSnapshot> snapshot() {
        Loaded current = loaded;
        return current == null ? Optional.empty() : Optional.of(current.snapshot());
    }

    /**
     * The settings of the server's tables.
     *
     * @param config the settings that hold for a statement
     * @param user the user name of the account whose statements they are for
     */
    public TableSettings settings(FanfoldConfig config, String user) {
        Loaded current = loaded;
        boolean caseSensitive = current == null || current.snapshot().caseSensitive();
        return new TableSettings(
                config.fanOut(), config.tables(), config.accounts().entry(user), caseSensitive);
    }

    /** The bytes that the length of a column definition counts for a character; 1 if the collation is unknown. */
    public int bytesPerCharacter(int collation) {
        return snapshot()
                .flatMap(catalog -> catalog.collation(collation))
                .map(CatalogSnapshot.CollationInfo::bytesPerCharacter)
                .orElse(1);
    }

    /** Why no statement is split on the server, as a clause that names it; "" if statements are split. */
    public String obstacle() {
        Loaded current = loaded;
        return current == null ? "" : current.obstacle();
    }

    /**
     * What the catalog knows about a reason.
     *
     * @param schema empty or null if there is none
     * @return "" if it knows nothing
     */
    public String found(Reason reason, @Nullable String schema) {
        return switch (reason) {
            case NO_PARTITIONED_TABLE -> unseen(schema);
            case UNSUPPORTED_SERVER -> obstacle();
            default -> "";
        };
    }

    /**
     * The reason why no table of a schema is split, if the worker account sees no partitioned table there.
     *
     * @param schema empty or null if there is none
     * @return "" if the account sees one
     */
    private String unseen(@Nullable String schema) {
        Loaded current = loaded;
        if (current == null) {
            return "the catalog has not been read yet";
        }
        if (schema == null
                || schema.isEmpty()
                || SYSTEM_SCHEMAS.contains(schema.toLowerCase(Locale.ROOT))
                || current.snapshot().tables().stream()
                        .anyMatch(table -> table.name().schema().equalsIgnoreCase(schema))) {
            return "";
        }
        AccountName worker =
                account == null ? new AccountName(settings.get().workers().user(), "%") : account;
        return "the worker account " + worker + " sees no partitioned or large table in schema " + schema
                + "; if there is one: " + worker.grant("SELECT", schema);
    }

    /** A statement without its literals, as read under default session settings. */
    public String digest(String sql) {
        return StatementDigest.of(sql, new SqlDialect(flavor, false, false, StandardCharsets.UTF_8));
    }

    /** Whether the catalog was read from that server, given by its {@link ServerFacts#serverKey}. */
    public boolean of(String server) {
        Loaded current = loaded;
        return current != null && current.server().equals(server);
    }

    @Override
    public void close() {
        Future<?> pending = next;
        if (pending != null) {
            pending.cancel(false);
        }
        janitor.shutdownNow();
        watchdog.shutdownNow();
    }
}
