package io.fanfold.cli;

import io.fanfold.config.FanfoldConfig;
import io.fanfold.execute.FanOutDispatcher;
import io.fanfold.execute.FanOutService;
import io.fanfold.inspect.Inspection;
import io.fanfold.inspect.Inspector;
import io.fanfold.inspect.StateReport;
import io.fanfold.metrics.CountingMetrics;
import io.fanfold.metrics.FanOutReport;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.pool.WorkerPool;
import io.fanfold.server.ProxyFactory;
import io.fanfold.server.ProxyServer;
import io.fanfold.server.RunningProxy;
import io.fanfold.sql.KillStatement;
import io.fanfold.tls.Encryption;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A complete proxy. Its parts are wired together only here. Thread-safe. */
public final class ProxyProcess implements RunningProxy {
    private final Duration drainTime;
    private final ProxyServer server;
    private final Encryption encryption;
    private final @Nullable FanOutService fanOut;
    private final Supplier<Inspection> inspection;
    private final LastFanOut last;
    private final CountingMetrics counters;
    private final AtomicBoolean closed = new AtomicBoolean();

    private ProxyProcess(
            Duration drainTime,
            ProxyServer server,
            Encryption encryption,
            @Nullable FanOutService fanOut,
            Supplier<Inspection> inspection,
            LastFanOut last,
            CountingMetrics counters) {
        this.drainTime = drainTime;
        this.server = server;
        this.encryption = encryption;
        this.fanOut = fanOut;
        this.inspection = inspection;
        this.last = last;
        this.counters = counters;
    }

    /** Starts a proxy, see {@link ProxyFactory#start}. */
    public static RunningProxy start(FanfoldConfig config) throws IOException {
        OwnAddress.refuse(config);
        CountingMetrics counters = new CountingMetrics();
        LastFanOut last = new LastFanOut(counters);
        Encryption encryption = Encryption.open(config);
        Splitting splitting = splitting(config, encryption, last);
        FanOutService fanOut = splitting.service();
        FanOutDispatcher dispatcher = fanOut == null ? FanOutDispatcher.disabled() : fanOut;
        ProxyServer server = new ProxyServer(config, encryption, dispatcher, ProxyProcess::killedThread, last);
        boolean started = false;
        try {
            server.start();
            if (fanOut != null) {
                // clients may connect meanwhile, even if the server cannot be reached and this takes seconds
                fanOut.refreshCatalog();
            }
            started = true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while opening the listener");
        } finally {
            if (!started && fanOut != null) {
                fanOut.close();
            }
            if (!started) {
                encryption.close();
            }
        }
        return new ProxyProcess(
                config.limits().drainTime(), server, encryption, fanOut, splitting.inspection(), last, counters);
    }

    /**
     * What splits statements.
     *
     * @param service null if the settings switch it off
     * @param inspection returns what was found out last
     */
    private record Splitting(@Nullable FanOutService service, Supplier<Inspection> inspection) {}

    private static Splitting splitting(FanfoldConfig config, Encryption encryption, FanfoldMetrics metrics) {
        if (!config.fanOut().enabled() || !config.workers().enabled()) {
            Inspection settings = Inspector.ofSettings(config);
            StateReport.reportSettings(settings);
            return new Splitting(null, () -> settings);
        }
        WorkerPool workers = new WorkerPool(config.backend(), encryption.backend(), config.workers(), metrics);
        StateReport report = new StateReport(new Inspector(config, workers));
        return new Splitting(new FanOutService(config, workers, metrics, report), report::last);
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
    public FanOutReport lastFanOut() {
        return last.report();
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
    public void readCertificates() {
        encryption.look();
    }

    @Override
    public void logSlow(Duration limit) {
        if (fanOut != null) {
            fanOut.logSlow(limit);
        }
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        try {
            server.stop(drainTime);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (fanOut != null) {
            fanOut.close();
        }
        encryption.close();
        counters.logSummary();
    }
}
