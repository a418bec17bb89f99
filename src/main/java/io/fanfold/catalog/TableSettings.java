package io.fanfold.catalog;

import io.fanfold.config.FanOutConfig;
import io.fanfold.config.TableEntry;
import io.fanfold.config.TablesConfig;
import java.util.Optional;

/**
 * The settings of each table: those of its entry in {@code tables}, and those of {@code fan-out}. Immutable, safe for
 * use by multiple threads.
 *
 * @param fanOut the settings of tables without an entry
 * @param tables the entries
 * @param caseSensitive see {@link CatalogSnapshot#caseSensitive}
 */
public record TableSettings(FanOutConfig fanOut, TablesConfig tables, boolean caseSensitive) {
    /** Returns the same settings for all tables. */
    public static TableSettings ofAll(FanOutConfig fanOut) {
        return new TableSettings(fanOut, TablesConfig.defaults(), true);
    }

    /** Returns the entry of a table; empty if there is none. */
    public Optional<TableEntry> entry(TableName table) {
        return tables.entry(table.schema(), table.table(), caseSensitive);
    }

    /** Returns the settings for splitting this table. */
    public FanOutConfig of(TableName table) {
        return entry(table).map(entry -> entry.over(fanOut)).orElse(fanOut);
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
