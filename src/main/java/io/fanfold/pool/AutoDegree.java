package io.fanfold.pool;

import io.fanfold.client.ServerException;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.HostPort;
import io.fanfold.config.RunningSettings;
import java.io.IOException;
import java.util.OptionalInt;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds {@code fan-out.degree} if the settings say {@code auto}: the number of the primary's cores, measured at start, after
 * a change of the primary, and every ten minutes. A busy server shows fewer cores than it has, so the largest result counts.
 * Safe for use by multiple threads.
 */
public final class AutoDegree implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AutoDegree.class);

    /** Workers also wait for disks. So a few more than one or two cores lose nothing. */
    static final int LEAST = 4;

    /** With more, one fan-out takes more than half of all connections. */
    private static final int USUAL = 8;

    private static final long CHECK_SECONDS = 10;
    private static final long AGAIN_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final RunningSettings settings;
    private final WorkerPool pool;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread started = new Thread(task, "auto-degree");
        started.setDaemon(true);
        return started;
    });

    // of the measuring thread alone
    private @Nullable HostPort measured;
    private long measuredAt;
    private int cores;

    /** @param pool the connections to the primary */
    public AutoDegree(RunningSettings settings, WorkerPool pool) {
        this.settings = settings;
        this.pool = pool;
    }

    /** Begins to measure. Until the first result, the degree is 8. */
    @SuppressWarnings("FutureReturnValueIgnored") // the task does not fail, and ends with this
    public void start() {
        thread.scheduleWithFixedDelay(this::check, 0, CHECK_SECONDS, TimeUnit.SECONDS);
    }

    private void check() {
        FanfoldConfig config = settings.get();
        if (!config.fanOut().autoDegree() || config.offEverywhere()) {
            return;
        }
        try {
            count(config);
        } catch (IOException | ServerException | RuntimeException e) {
            LOG.debug("the cores of the server could not be counted", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        int degree = degree(cores, config.workers().connections());
        if (config.backend().address().equals(measured)
                && (degree != config.fanOut().degree()
                        || statementsThatFill(cores) != config.fanOut().cores())) {
            LOG.info("fan-out.degree is {}; free CPU cores of the server: about {}", degree, cores);
            settings.foundDegree(degree, statementsThatFill(cores));
        }
    }

    /** Counts the cores, unless that was done not long ago. */
    private void count(FanfoldConfig config) throws IOException, ServerException, InterruptedException {
        HostPort server = config.backend().address();
        boolean same = server.equals(measured);
        if (same && System.nanoTime() - measuredAt < AGAIN_NANOS) {
            return;
        }
        OptionalInt now = CoreCount.measure(pool, config.workers().connections());
        if (now.isPresent()) {
            cores = same ? Math.max(cores, now.getAsInt()) : now.getAsInt();
            measured = server;
            measuredAt = System.nanoTime();
        }
    }

    /**
     * Returns the degree.
     *
     * @param cores of the server, 1 or more
     * @param connections the most worker connections
     */
    static int degree(int cores, int connections) {
        return Math.max(2, Math.min(Math.max(LEAST, cores), most(connections)));
    }

    /**
     * Returns how many long statements keep all cores busy. A busy server shows fewer cores than it has, so one core counts
     * as two.
     */
    private static int statementsThatFill(int cores) {
        return Math.max(2, cores);
    }

    /**
     * Returns the largest degree that Fanfold finds. The server may have more cores.
     *
     * @param connections the most worker connections
     */
    public static int most(int connections) {
        return Math.max(USUAL, connections / 2);
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
