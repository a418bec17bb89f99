package io.fanfold.config;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The settings of a running proxy, and the only way to change them. {@link #get} returns one immutable value; who needs
 * several settings for one decision reads it once. Safe for all threads.
 */
public final class RunningSettings implements Supplier<FanfoldConfig> {
    private static final Logger LOG = LoggerFactory.getLogger(RunningSettings.class);

    /** A part of the proxy that keeps a setting elsewhere, such as a limit of a pool. */
    @FunctionalInterface
    public interface Part {
        /** Takes the settings over. {@link #get} returns them already. Must not fail, and returns soon. */
        void change(FanfoldConfig before, FanfoldConfig now);
    }

    private final Supplier<FanfoldConfig> source;
    private final List<Part> parts = new CopyOnWriteArrayList<>();
    private volatile FanfoldConfig current;

    /**
     * Reads the settings for the start.
     *
     * @param source reads them, also for {@link #reload}
     * @throws ConfigException if they are wrong
     */
    public RunningSettings(Supplier<FanfoldConfig> source) {
        this.source = source;
        this.current = source.get();
    }

    /** Returns settings that never change. */
    public static RunningSettings of(FanfoldConfig config) {
        return new RunningSettings(() -> config);
    }

    /** Returns the settings that hold now. */
    @Override
    public FanfoldConfig get() {
        return current;
    }

    /** From now on a part is told of each change. */
    public void onChange(Part part) {
        parts.add(part);
    }

    /**
     * Reads the settings again, changes those that a running proxy can change, and logs one line.
     *
     * @throws ConfigException if they are wrong; nothing is changed then
     */
    public synchronized SettingsChange reload() {
        return change(source.get(), "settings reloaded");
    }

    private SettingsChange change(FanfoldConfig wanted, String why) {
        FanfoldConfig before = current;
        FanfoldConfig now = SettingsChange.possible(before, wanted);
        SettingsChange change = SettingsChange.between(before, now, wanted);
        // the level of the log may be one of the settings
        boolean logged = LOG.isInfoEnabled();
        if (logged) {
            LOG.info("{}: {}", why, change);
        }
        current = now;
        parts.forEach(part -> part.change(before, now));
        if (!logged) {
            LOG.info("{}: {}", why, change);
        }
        return change;
    }
}
