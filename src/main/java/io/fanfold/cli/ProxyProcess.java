package io.fanfold.cli;

import io.fanfold.binlog.StreamState;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.HostPort;
import io.fanfold.config.RunningSettings;
import io.fanfold.execute.FanOutDispatcher;
import io.fanfold.execute.FanOutService;
import io.fanfold.http.AllowRoute;
import io.fanfold.http.DocumentRoute;
import io.fanfold.http.HealthCheck;
import io.fanfold.http.HttpServer;
import io.fanfold.http.KillRoute;
import io.fanfold.http.LiveRoute;
import io.fanfold.http.MetricsRoute;
import io.fanfold.http.PageRoute;
import io.fanfold.http.ReadyRoute;
import io.fanfold.http.Route;
import io.fanfold.http.StatusRoute;
import io.fanfold.inspect.BackendHealth;
import io.fanfold.inspect.Inspection;
import io.fanfold.inspect.Inspector;
import io.fanfold.inspect.StateReport;
import io.fanfold.metrics.CounterStatus;
import io.fanfold.metrics.FanOutReport;
import io.fanfold.metrics.Meters;
import io.fanfold.metrics.ServerMeters;
import io.fanfold.metrics.VerifyReport;
import io.fanfold.pool.AutoDegree;
import io.fanfold.pool.PrimaryChoice;
import io.fanfold.pool.WorkerPool;
import io.fanfold.pool.WorkerServer;
import io.fanfold.pool.WorkerServers;
import io.fanfold.server.ProxyFactory;
import io.fanfold.server.ProxyServer;
import io.fanfold.server.RunningProxy;
import io.fanfold.sql.KillStatement;
import io.fanfold.status.StatusSource;
import io.fanfold.tls.Encryption;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A complete proxy. Its parts are wired together only here. Thread-safe. */
public final class ProxyProcess implements RunningProxy {
    private final RunningSettings settings;
    private final Meters meters = new Meters();
    private final LastFanOut last = new LastFanOut(meters);
    private final Encryption encryption;
    private final @Nullable FanOutService fanOut;
    private final Optional<PrimaryChoice> choice;
    private final Optional<AutoDegree> degree;
    private final ProxyServer server;
    private final BackendHealth health;
    private final Supplier<Inspection> inspection;
    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.STARTING);

    /** Null if there is no HTTP port, or it is not open yet. */
    private volatile @Nullable HttpServer http;

    private enum Phase {
        STARTING,
        ACCEPTING,
        STOPPING
    }

    private ProxyProcess(RunningSettings settings) throws IOException {
        FanfoldConfig config = settings.get();
        this.settings = settings;
        this.encryption = Encryption.open(config);
        settings.onReload(encryption::look);
        if (config.workers().enabled()) {
            WorkerPool workers = new WorkerPool(config.backend(), encryption.backend(), config.workers(), last);
            WorkerServers servers = WorkerServers.of(workers, settings, encryption.backend(), last);
            workers.measure(meters.registry());
            servers.replicas().forEach(this::measure);
            measurePrimary(servers.primary());
            Map<String, StatusSource> counters = new LinkedHashMap<>();
            counters.put("status", CounterStatus.variables(meters::counts));
            counters.put("reasons", CounterStatus.reasons(meters::counts));
            StateReport report = new StateReport(new Inspector(settings, workers));
            settings.onChange((before, now) -> report.settingsChanged());
            this.fanOut = new FanOutService(settings, servers, last, report, counters);
            this.inspection = report::last;
            this.degree = Optional.of(new AutoDegree(settings, workers));
            this.health = BackendHealth.of(workers);
            meters.reuse(
                    fanOut::reuseBytes,
                    () -> fanOut.changeStream().map(StreamState::connected).orElse(false));
            meters.memory(fanOut::heldMemoryBytes, () -> settings.get().mergeMemoryBytes());
        } else {
            Inspection found = Inspector.ofSettings(config);
            StateReport.reportSettings(found);
            this.fanOut = null;
            this.degree = Optional.empty();
            this.inspection = () -> found;
            this.health = BackendHealth.withoutAccount(config.backend(), meters::serverReached);
        }
        FanOutDispatcher dispatcher = fanOut == null ? FanOutDispatcher.disabled(settings) : fanOut;
        this.choice = fanOut == null ? Optional.empty() : fanOut.primaryChoice();
        this.server = new ProxyServer(settings, encryption, dispatcher, choice, ProxyProcess::killedThread, last);
        meters.backend(health::up);
        meters.version(Main.Version.number());
    }

    /** Shows the meters of each server that may be the primary. */
    private void measurePrimary(WorkerServer primary) {
        for (HostPort server : settings.get().backend().addresses()) {
            String name = server.toString();
            ServerMeters.show(
                    meters.registry(),
                    name,
                    primary.role(),
                    () -> primary.fanOuts(name),
                    () -> primary.name().equals(name));
        }
    }

    private void measure(WorkerServer server) {
        ServerMeters.show(
                meters.registry(),
                server.name(),
                server.role(),
                server::fanOuts,
                () -> server.leftOut().isEmpty());
    }

    /** Starts a proxy, see {@link ProxyFactory#start}. */
    public static RunningProxy start(RunningSettings settings) throws IOException {
        OwnAddress.refuse(settings.get());
        ProxyProcess proxy = new ProxyProcess(settings);
        boolean started = false;
        try {
            proxy.open();
            started = true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while opening the listener");
        } finally {
            if (!started) {
                proxy.release(Duration.ZERO);
            }
        }
        return proxy;
    }

    private void open() throws IOException, InterruptedException {
        FanfoldConfig config = settings.get();
        if (config.http().enabled()) {
            // first: a client must not be accepted by a proxy that then cannot start
            http = HttpServer.start(config.http(), config.listener().reusePort(), routes(), encryption);
        }
        choice.ifPresent(PrimaryChoice::start);
        server.start();
        phase.compareAndSet(Phase.STARTING, Phase.ACCEPTING);
        if (config.http().enabled()) {
            meters.runtime().begin(server.loops());
        }
        if (fanOut != null) {
            // clients may connect meanwhile, even if the server cannot be reached and this takes seconds
            fanOut.refreshCatalog();
        }
        degree.ifPresent(AutoDegree::start);
    }

    private List<Route> routes() {
        List<HealthCheck> checks = new ArrayList<>();
        checks.add(new HealthCheck("accepting", this::notAccepting));
        checks.add(new HealthCheck("server", health::server));
        List<Route> routes = new ArrayList<>(PageRoute.all());
        routes.addAll(List.of(new MetricsRoute(meters), new LiveRoute(), new ReadyRoute(checks, this::warnings)));
        FanOutService service = fanOut;
        if (service != null) {
            service.statuses().forEach((name, source) -> routes.add(new StatusRoute(name, source)));
            routes.add(new DocumentRoute("/api/fan-outs", () -> service.fanOuts(new StatusSource.Viewer("", true))));
            routes.add(new AllowRoute(service.differing()::allow));
            routes.add(new KillRoute(new ServerKill(() -> settings.get().backend(), encryption.backend(), service)));
        }
        return routes;
    }

    /** What needs a look although clients are served. May wait for the server. */
    private List<String> warnings() {
        if (fanOut == null) {
            return List.of();
        }
        List<String> warnings = new ArrayList<>();
        // no reason to keep clients away: their statements pass through
        health.account().ifPresent(why -> warnings.add("the worker account cannot log in: " + why));
        warnings.addAll(fanOut.differing().warnings());
        return warnings;
    }

    /** Why no new clients are accepted; empty if they are. */
    private Optional<String> notAccepting() {
        return switch (Objects.requireNonNull(phase.get())) {
            case STARTING -> Optional.of("Fanfold is starting");
            case ACCEPTING -> Optional.empty();
            case STOPPING -> Optional.of("draining");
        };
    }

    private static OptionalLong killedThread(byte[] sql, int offset, int length) {
        return KillStatement.parse(sql, offset, length)
                .map(kill -> OptionalLong.of(kill.threadId()))
                .orElse(OptionalLong.empty());
    }

    @Override
    public int port() {
        return server.port();
    }

    @Override
    public OptionalInt httpPort() {
        HttpServer open = http;
        return open == null ? OptionalInt.empty() : OptionalInt.of(open.port());
    }

    @Override
    public FanOutReport lastFanOut() {
        return last.report();
    }

    @Override
    public CompletableFuture<VerifyReport> lastVerification() {
        return last.verification();
    }

    @Override
    public Inspection inspection() {
        return inspection.get();
    }

    @Override
    public CompletableFuture<Void> broken() {
        return server.broken();
    }

    @Override
    public void close() {
        if (phase.getAndSet(Phase.STOPPING) != Phase.STOPPING) {
            release(settings.get().limits().drainTime());
            meters.logSummary();
        }
    }

    /** Closes all parts. The HTTP port is the last, so that it shows until the end how clients leave. */
    private void release(Duration drainTime) {
        HttpServer open = http;
        try {
            if (open != null && settings.get().listener().reusePort()) {
                // health checks must see the process that takes the new clients
                open.closePort();
            }
            server.stop(drainTime);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        degree.ifPresent(AutoDegree::close);
        if (fanOut != null) {
            fanOut.close();
        }
        encryption.close();
        try {
            if (open != null) {
                open.close();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        meters.close();
    }
}
