package io.fanfold.cli;

import io.fanfold.config.ConfigException;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.LogConfig;
import io.fanfold.server.RunningProxy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the settings again and applies what a running proxy can change: those of the log, and certificates that have
 * changed. All other settings take effect after a restart, and the log says so. Runs on one thread at a time.
 */
final class Reload implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Reload.class);

    /** The groups of the settings file that a running proxy keeps. */
    private static final Map<String, Function<FanfoldConfig, Object>> KEPT = new LinkedHashMap<>();

    static {
        KEPT.put("listener", FanfoldConfig::listener);
        KEPT.put("backend", FanfoldConfig::backend);
        KEPT.put("workers", FanfoldConfig::workers);
        KEPT.put("fan-out", FanfoldConfig::fanOut);
        KEPT.put("tables", FanfoldConfig::tables);
        KEPT.put("limits", FanfoldConfig::limits);
        KEPT.put("http", FanfoldConfig::http);
    }

    private final FanfoldConfig running;
    private final Supplier<FanfoldConfig> settings;
    private final RunningProxy proxy;
    private LogConfig log;

    /**
     * Creates one for a running proxy.
     *
     * @param running its settings
     * @param settings reads them again; throws {@link ConfigException} if they are wrong
     */
    Reload(FanfoldConfig running, Supplier<FanfoldConfig> settings, RunningProxy proxy) {
        this.running = running;
        this.settings = settings;
        this.proxy = proxy;
        this.log = running.log();
    }

    @Override
    public synchronized void run() {
        LOG.info("SIGHUP: reading settings and certificates again");
        proxy.readCertificates();
        try {
            FanfoldConfig fresh = settings.get();
            apply(fresh.log());
            List<String> changed = new ArrayList<>();
            KEPT.forEach((group, values) -> {
                if (!values.apply(fresh).equals(values.apply(running))) {
                    changed.add(group);
                }
            });
            if (!changed.isEmpty()) {
                LOG.warn("settings of {} have changed; restart Fanfold to use them", String.join(", ", changed));
            }
        } catch (ConfigException e) {
            e.mistakes().forEach(mistake -> LOG.error("the settings stay as they are: {}", mistake.text()));
        } catch (RuntimeException e) {
            LOG.error("the settings stay as they are", e);
        }
    }

    private void apply(LogConfig fresh) {
        if (fresh.level() != log.level()) {
            LogOutput.ofProcess().level(fresh.level());
            LOG.info("log.level is {} now", fresh.level());
        }
        if (fresh.format() != log.format()) {
            LogOutput.ofProcess().format(fresh.format());
            LOG.info("log.format is {} now", fresh.format());
        }
        if (!fresh.slow().equals(log.slow())) {
            proxy.logSlow(fresh.slow());
            LOG.info("log.slow is {} ms now", fresh.slow().toMillis());
        }
        log = fresh;
    }
}
