package io.fanfold.config;

import io.fanfold.config.FanOutConfig.Mode;
import io.fanfold.config.ReplicaReads.ReadFrom;
import io.fanfold.config.ReuseConfig.Reuse;
import io.fanfold.config.TablePattern.NamePattern;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Settings of individual accounts. At most one entry applies to an account, the most specific one, chosen as in
 * {@link TablesConfig}. Immutable.
 *
 * @param entries in the order of the file; no two have the same name or pattern
 */
public record AccountsConfig(List<AccountEntry> entries) {
    /**
     * The settings of some accounts. A null setting has its value in {@code fan-out}. Immutable.
     *
     * @param user the user name of the accounts, without their hosts; {@code *} and {@code ?} are wildcards
     * @param mode see {@link FanOutConfig#mode}
     * @param reuse see {@link ReuseConfig#mode}
     * @param readFrom see {@link ReplicaReads#from}
     */
    public record AccountEntry(
            NamePattern user,
            @Nullable Mode mode,
            @Nullable Reuse reuse,
            @Nullable ReadFrom readFrom) {
        /** Returns the settings of these accounts for tables without an entry. */
        public FanOutConfig over(FanOutConfig fanOut) {
            return fanOut.withMode(Objects.requireNonNullElse(mode, fanOut.mode()))
                    .withReuse(fanOut.reuse()
                            .withMode(Objects.requireNonNullElse(
                                    reuse, fanOut.reuse().mode())))
                    .withReplicas(fanOut.replicas()
                            .withFrom(Objects.requireNonNullElse(
                                    readFrom, fanOut.replicas().from())));
        }

        /** Returns the settings of a table for these accounts: of both settings, the lesser one. */
        public FanOutConfig least(FanOutConfig table) {
            return table.withMode(mode == null ? table.mode() : table.mode().least(mode))
                    .withReuse(reuse == Reuse.OFF ? table.reuse().withMode(reuse) : table.reuse())
                    .withReplicas(
                            readFrom == ReadFrom.PRIMARY ? table.replicas().withFrom(readFrom) : table.replicas());
        }
    }

    private static final Comparator<AccountEntry> MOST_SPECIFIC_FIRST = Comparator.comparing(
                    (AccountEntry entry) -> entry.user().wild())
            .thenComparing(entry -> -entry.user().literals());

    public AccountsConfig {
        entries = List.copyOf(entries);
    }

    public static AccountsConfig defaults() {
        return new AccountsConfig(List.of());
    }

    /** Returns the entry that applies to an account; empty if none matches its user name. */
    public Optional<AccountEntry> entry(String user) {
        // min returns the first of several equal entries
        return entries.stream()
                .filter(entry -> entry.user().matches(user, true))
                .min(MOST_SPECIFIC_FIRST);
    }
}
