package io.fanfold.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What a change of the settings does to a running proxy. Immutable.
 *
 * @param applied the settings that change at once, in the order of {@link SettingsList#withEntries}
 * @param kept the settings that stay as they are until a restart, with the value that they would have then
 */
public record SettingsChange(List<ChangedSetting> applied, List<ChangedSetting> kept) {
    /**
     * A setting with another value.
     *
     * @param name the full key, such as {@code fan-out.mode} or {@code tables.shop.orders}
     * @param before its value so far, in the file's notation; "" if it had none
     * @param after its other value; "" if it has none
     */
    public record ChangedSetting(String name, String before, String after) {
        @Override
        public String toString() {
            return name + ": " + shown(before) + " -> " + shown(after);
        }

        private static String shown(String value) {
            return value.isEmpty() ? "(none)" : value;
        }
    }

    public SettingsChange {
        applied = List.copyOf(applied);
        kept = List.copyOf(kept);
    }

    /**
     * Compares settings.
     *
     * @param running those of the running proxy
     * @param possible those that it takes over, see {@link #possible}
     * @param wanted those that it would have after a restart
     */
    static SettingsChange between(FanfoldConfig running, FanfoldConfig possible, FanfoldConfig wanted) {
        return new SettingsChange(changes(running, possible), changes(possible, wanted));
    }

    /**
     * Returns the settings that a running proxy takes over: the wanted ones, except those that take effect only at
     * start. This is the only list of the latter.
     */
    static FanfoldConfig possible(FanfoldConfig running, FanfoldConfig wanted) {
        return wanted.withListener(running.listener())
                .withBackend(running.backend())
                .withHttp(running.http())
                .withVerify(running.verify())
                .withWorkers(workers(running.workers(), wanted.workers()))
                // the number of statements that may wait for a reading thread depends on it
                .withLimits(wanted.limits().withStatementBytes(running.limits().statementBytes()));
    }

    /** With another account, its password changes too: both only at start, and so do the replicas. */
    private static WorkersConfig workers(WorkersConfig running, WorkersConfig wanted) {
        WorkersConfig same = wanted.withServers(running.servers());
        return wanted.user().equals(running.user())
                ? same
                : same.withUser(running.user()).withPassword(running.password());
    }

    private static List<ChangedSetting> changes(FanfoldConfig from, FanfoldConfig to) {
        Map<String, String> before = SettingsList.withEntries(from);
        Map<String, String> after = SettingsList.withEntries(to);
        Map<String, String> names = new LinkedHashMap<>(before);
        names.putAll(after);
        List<ChangedSetting> changes = new ArrayList<>();
        for (String name : names.keySet()) {
            String old = before.getOrDefault(name, "");
            String now = after.getOrDefault(name, "");
            if (!old.equals(now)) {
                changes.add(new ChangedSetting(name, old, now));
            }
        }
        order(
                changes,
                "tables.",
                from.tables().entries(),
                to.tables().entries(),
                entry -> entry.name().text());
        order(
                changes,
                "accounts.",
                from.accounts().entries(),
                to.accounts().entries(),
                entry -> entry.user().text());
        secret(
                changes,
                "workers.password",
                from.workers().password(),
                to.workers().password());
        secret(changes, "http.token", from.http().token(), to.http().token());
        return changes;
    }

    /** Of two patterns with equally many characters, the first one holds. So the order of entries is a setting too. */
    private static <E> void order(
            List<ChangedSetting> changes, String prefix, List<E> from, List<E> to, Function<E, String> name) {
        if (!from.equals(to)
                && changes.stream().noneMatch(change -> change.name().startsWith(prefix))) {
            changes.add(new ChangedSetting(
                    prefix.substring(0, prefix.length() - 1),
                    from.stream().map(name).toList().toString(),
                    to.stream().map(name).toList().toString()));
        }
    }

    private static void secret(List<ChangedSetting> changes, String name, Secret from, Secret to) {
        if (!from.equals(to)) {
            changes.add(new ChangedSetting(name, from.toString(), to.toString()));
        }
    }

    /** Whether a setting would have another value after a restart. */
    boolean keeps(String name) {
        return kept.stream().anyMatch(setting -> setting.name().equals(name));
    }

    /** Whether nothing differs. */
    public boolean isEmpty() {
        return applied.isEmpty() && kept.isEmpty();
    }

    /** Returns the change in one line. */
    @Override
    public String toString() {
        if (isEmpty()) {
            return "no setting has changed";
        }
        return List.of(
                        applied.isEmpty() ? "" : "changed " + list(applied),
                        kept.isEmpty() ? "" : "restart Fanfold to change " + list(kept))
                .stream()
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining("; "));
    }

    private static String list(List<ChangedSetting> changes) {
        return changes.stream().map(Objects::toString).collect(Collectors.joining(", "));
    }
}
