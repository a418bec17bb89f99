package io.fanfold.config;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.fanfold.config.SetException.Problem;
import io.fanfold.config.SettingsSource.ReadSettings;
import io.fanfold.config.SettingsSource.SettingOrigin;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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

    private final SettingsSource source;
    private final List<Part> parts = new CopyOnWriteArrayList<>();
    private final List<Runnable> files = new CopyOnWriteArrayList<>();

    /** The settings that were set since the file was read. */
    @GuardedBy("this")
    private Map<String, Optional<String>> values = Map.of();

    private volatile ReadSettings current;

    /**
     * Reads the settings for the start.
     *
     * @throws ConfigException if they are wrong
     */
    public RunningSettings(SettingsSource source) {
        this.source = source;
        this.current = source.readAnew();
    }

    /** Returns settings that never change. */
    public static RunningSettings of(FanfoldConfig config) {
        return from(() -> config);
    }

    /** Returns settings that change only with {@link #reload}. */
    public static RunningSettings from(Supplier<FanfoldConfig> read) {
        return new RunningSettings(new SettingsSource() {
            @Override
            public ReadSettings readAnew() {
                return ReadSettings.of(read.get(), FanfoldConfig.defaults(), Set.of(), Map.of());
            }

            @Override
            public ReadSettings read(Map<String, Optional<String>> values) {
                throw new ConfigException(
                        "SET FANFOLD", "the settings of this proxy are fixed (expected: fanfold run)");
            }
        });
    }

    /** Returns the settings that hold now. */
    @Override
    public FanfoldConfig get() {
        return current.config();
    }

    /** Returns where the values come from that hold now, by the names of {@link SettingsList}. */
    public Map<String, SettingOrigin> origins() {
        return current.origins();
    }

    /** From now on a part is told of each change. */
    public void onChange(Part part) {
        parts.add(part);
    }

    /** From now on files besides the settings file, such as certificates, are read at each {@link #reload} too. */
    public void onReload(Runnable read) {
        files.add(read);
    }

    /**
     * Reads the settings again, changes those that a running proxy can change, and logs one line. The values of
     * {@link #set} end.
     *
     * @throws ConfigException if they are wrong; nothing is changed then
     */
    public synchronized SettingsChange reload() {
        files.forEach(Runnable::run);
        ReadSettings read = source.readAnew();
        values = Map.of();
        return change(read, "settings reloaded");
    }

    /**
     * Changes one setting until the next {@link #reload}, and logs one line.
     *
     * @param name as in {@link SettingsList}
     * @param value in the file's notation; empty for the default
     * @param who sets it, for the log
     * @throws SetException if it cannot be changed; nothing is changed then
     */
    public synchronized SettingsChange set(String name, Optional<String> value, String who) throws SetException {
        Map<String, Optional<String>> more = new LinkedHashMap<>(values);
        more.put(name, value);
        if (!SettingsList.of(get()).containsKey(name)) {
            throw new SetException(Problem.UNKNOWN, unknown(name, more));
        }
        ReadSettings read;
        try {
            read = source.read(more);
        } catch (ConfigException e) {
            throw new SetException(Problem.WRONG_VALUE, String.valueOf(e.getMessage()));
        }
        FanfoldConfig wanted = withFindings(read.config());
        FanfoldConfig possible = SettingsChange.possible(get(), wanted);
        if (SettingsChange.between(get(), possible, wanted).keeps(name)) {
            throw new SetException(
                    Problem.READ_ONLY,
                    "Variable '" + name + "' is a read only variable (expected: change it in the settings file, and"
                            + " restart Fanfold)");
        }
        values = more;
        return change(read, "set by " + who);
    }

    /** Returns the text about a name that does not exist, which may be a key that is nearly right. */
    private String unknown(String name, Map<String, Optional<String>> more) {
        try {
            source.read(more);
            return "Unknown system variable '" + name + "' (expected: a name of SHOW FANFOLD VARIABLES)";
        } catch (ConfigException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /**
     * From now on new connections go to another of {@code backend.hosts}. No file says which of them it is, so this
     * outlasts {@link #reload}.
     */
    public synchronized void moveTo(HostPort server) {
        FanfoldConfig before = get();
        FanfoldConfig now = before.withBackend(before.backend().movedTo(server));
        current = new ReadSettings(now, origins());
        tellParts(before, now);
    }

    /**
     * From now on this is the degree, if the settings say {@code auto}. No part keeps it elsewhere.
     *
     * @param cores the server's, as counted
     */
    public synchronized void foundDegree(int degree, int cores) {
        FanOutConfig fanOut = get().fanOut();
        if (fanOut.autoDegree()) {
            current = new ReadSettings(get().withFanOut(fanOut.withFoundDegree(degree, cores)), origins());
        }
    }

    /** Returns read settings with what Fanfold has found itself: the server, if the hosts are the same, and the degree. */
    private FanfoldConfig withFindings(FanfoldConfig read) {
        BackendConfig backend = get().backend();
        FanOutConfig fanOut = get().fanOut();
        FanfoldConfig found = read;
        if (!backend.hosts().isEmpty() && read.backend().hosts().equals(backend.hosts())) {
            found = found.withBackend(read.backend().movedTo(backend.address()));
        }
        return fanOut.autoDegree() && read.fanOut().autoDegree()
                ? found.withFanOut(read.fanOut().withFoundDegree(fanOut.degree(), fanOut.cores()))
                : found;
    }

    /** Tells each part, also after another one has failed: the settings hold already. */
    private void tellParts(FanfoldConfig before, FanfoldConfig now) {
        for (Part part : parts) {
            try {
                part.change(before, now);
            } catch (RuntimeException | Error e) {
                LOG.error("a part of Fanfold could not take over changed settings", e);
            }
        }
    }

    private SettingsChange change(ReadSettings read, String why) {
        FanfoldConfig before = get();
        FanfoldConfig wanted = withFindings(read.config());
        FanfoldConfig now = SettingsChange.possible(before, wanted);
        SettingsChange change = SettingsChange.between(before, now, wanted);
        Map<String, SettingOrigin> origins = new LinkedHashMap<>(read.origins());
        origins.replaceAll((name, origin) -> change.keeps(name) ? origins().getOrDefault(name, origin) : origin);
        // the level of the log may be one of the settings
        boolean logged = LOG.isInfoEnabled();
        if (logged) {
            LOG.info("{}: {}", why, change);
        }
        current = new ReadSettings(now, origins);
        tellParts(before, now);
        if (!logged) {
            LOG.info("{}: {}", why, change);
        }
        return change;
    }
}
