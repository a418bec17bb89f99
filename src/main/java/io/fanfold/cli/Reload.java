package io.fanfold.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
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
 * Reads the settings again and applies what a running proxy can change: the log level, and certificates that have
 * changed. All other settings take effect after a restart, and the log says so. Runs on one thread at a time.
 */
final class Reload implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Reload.class);

    /** The loggers whose level is a setting. */
    private static final String OWN = "io.fanfold";

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
    private LogConfig.Level level;

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
        this.level = running.log().level();
    }

    /** Sets the log level of the settings, unless a level was set for the process. */
    static void begin(LogConfig.Level level) {
        if (System.getProperty("fanfold.log.level") == null && System.getenv("FANFOLD_LOG_LEVEL") == null) {
            set(level);
        }
    }

    @Override
    public synchronized void run() {
        LOG.info("SIGHUP: reading settings and certificates again");
        proxy.readCertificates();
        try {
            FanfoldConfig fresh = settings.get();
            if (fresh.log().level() != level) {
                level = fresh.log().level();
                set(level);
                LOG.info("log.level is {} now", level);
            }
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

    private static void set(LogConfig.Level level) {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            context.getLogger(OWN).setLevel(Level.toLevel(level.name()));
        }
    }
}
