package io.fanfold.catalog;

import io.fanfold.config.FanOutConfig;
import io.fanfold.config.TableEntry;
import io.fanfold.config.TablesConfig;
import java.util.Optional;

/**
 * The settings that hold for each table: those of the entry in {@code tables} that is for it, and those of {@code fan-out}. Immutable,
 * safe for all threads.
 *
 * @param fanOut what holds for tables without an entry
 * @param tables the entries
 * @param caseSensitive see {@link CatalogSnapshot#caseSensitive}
 */
public record TableSettings(FanOutConfig fanOut, TablesConfig tables, boolean caseSensitive) {
    /** The same settings for all tables. */
    public static TableSettings ofAll(FanOutConfig fanOut) {
        return new TableSettings(fanOut, TablesConfig.defaults(), true);
    }

    /** The entry that is for a table; empty when there is none. */
    public Optional<TableEntry> entry(TableName table) {
        return tables.entry(table.schema(), table.table(), caseSensitive);
    }

    /** What holds where this table is split. */
    public FanOutConfig of(TableName table) {
        return entry(table).map(entry -> entry.over(fanOut)).orElse(fanOut);
    }

    /**
     * What holds for the split of other tables in a statement that reads this one as well, see {@link TableEntry#forbidding}.
     *
     * @param split what holds where it is not read
     */
    public FanOutConfig forbidding(TableName read, FanOutConfig split) {
        return entry(read).map(entry -> entry.forbidding(split)).orElse(split);
    }
}
