package io.fanfold.catalog;

import io.fanfold.config.AccountsConfig.AccountEntry;
import io.fanfold.config.FanOutConfig;
import io.fanfold.config.TableEntry;
import io.fanfold.config.TablesConfig;
import java.util.Optional;

/**
 * The settings of each table for one account: those of its entry in {@code tables}, those of {@code fan-out}, and
 * those of the account. Immutable, safe for use by multiple threads.
 *
 * @param fanOut the settings of tables without an entry
 * @param tables the entries
 * @param account the entry of the account that runs a statement; empty if it has none
 * @param caseSensitive see {@link CatalogSnapshot#caseSensitive}
 */
public record TableSettings(
        FanOutConfig fanOut, TablesConfig tables, Optional<AccountEntry> account, boolean caseSensitive) {
    public TableSettings {
        fanOut = account.isPresent() ? account.get().over(fanOut) : fanOut;
    }

    /** Returns the same settings for all tables. */
    public static TableSettings ofAll(FanOutConfig fanOut) {
        return new TableSettings(fanOut, TablesConfig.defaults(), Optional.empty(), true);
    }

    /** Returns the entry of a table; empty if there is none. */
    public Optional<TableEntry> entry(TableName table) {
        return tables.entry(table.schema(), table.table(), caseSensitive);
    }

    /** Returns the settings for splitting this table. If both the table and the account have a setting, the lesser one holds. */
    public FanOutConfig of(TableName table) {
        FanOutConfig own = entry(table).map(entry -> entry.over(fanOut)).orElse(fanOut);
        return account.isPresent() ? account.get().least(own) : own;
    }

    /**
     * Returns the settings for splitting other tables in a statement that also reads this one, see
     * {@link TableEntry#forbidding}.
     *
     * @param split the settings if this table is not read
     */
    public FanOutConfig forbidding(TableName read, FanOutConfig split) {
        return entry(read).map(entry -> entry.forbidding(split)).orElse(split);
    }
}
