package io.fanfold.config;

import io.fanfold.config.FanOutConfig.Mode;
import io.fanfold.config.TablePattern.NamePattern;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Settings of individual accounts. At most one entry applies to an account, the most specific one, chosen as in
 * {@link TablesConfig}. Immutable.
 *
 * @param entries in the order of the file; no two have the same name or pattern
 */
public record AccountsConfig(List<AccountEntry> entries) {
    /**
     * The settings of some accounts.
     *
     * @param user the user name of the accounts, without their hosts; {@code *} and {@code ?} are wildcards
     */
    public record AccountEntry(NamePattern user, Mode mode) {}

    private static final Comparator<AccountEntry> MOST_SPECIFIC_FIRST = Comparator.comparing(
                    (AccountEntry entry) -> entry.user().wild())
            .thenComparing(entry -> -entry.user().literals());

    public AccountsConfig {
        entries = List.copyOf(entries);
    }

    public static AccountsConfig defaults() {
        return new AccountsConfig(List.of());
    }

    /** Returns the mode of an account's statements; empty if no entry matches its user name. */
    public Optional<Mode> mode(String user) {
        // min returns the first of several equal entries
        return entries.stream()
                .filter(entry -> entry.user().matches(user, true))
                .min(MOST_SPECIFIC_FIRST)
                .map(AccountEntry::mode);
    }
}
