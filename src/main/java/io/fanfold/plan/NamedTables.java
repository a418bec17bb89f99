package io.fanfold.plan;

import io.fanfold.catalog.CatalogSnapshot;
import io.fanfold.catalog.PartitionedTable;
import io.fanfold.catalog.TableName;
import io.fanfold.catalog.TableSettings;
import io.fanfold.config.FanOutConfig;
import io.fanfold.sql.SelectModel.TableRef;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Resolves table names of a statement, and the settings of these tables. Immutable.
 *
 * @param schema the session's default database, null if there is none or it is not known yet; an unqualified name may
 *     then mean any table of that name
 */
public record NamedTables(TableSettings settings, @Nullable String schema, CatalogSnapshot catalog) {
    /** Returns the partitioned table that a name means, the largest one if it may mean several. */
    public Optional<PartitionedTable> found(TableRef table) {
        return found(table, schema, catalog);
    }

    /** Returns the partitioned table that a table reference may mean. */
    public static Optional<PartitionedTable> found(TableRef ref, @Nullable String schema, CatalogSnapshot catalog) {
        String in = ref.schema() != null ? ref.schema() : schema;
        if (in != null) {
            return catalog.table(in, ref.name());
        }
        return catalog.tables().stream()
                .filter(table -> table.name().table().equalsIgnoreCase(ref.name()))
                .max(Comparator.comparingLong(PartitionedTable::estimatedRows));
    }

    /** Whether the settings allow a table to be split. True for a table that is not partitioned. */
    boolean enabled(TableRef table) {
        return settings(table).mode() != FanOutConfig.Mode.OFF;
    }

    /** Returns the table and the key of its settings, for messages. */
    String entry(TableRef table) {
        TableName name = found(table).map(PartitionedTable::name).orElseThrow();
        return name
                + settings.entry(name)
                        .map(entry -> " by tables." + entry.name().text())
                        .orElse("");
    }

    /**
     * Returns the settings for splitting a table. If the name may mean several tables, anything that one of them allows
     * is allowed.
     */
    public FanOutConfig settings(TableRef table) {
        if (settings.tables().entries().isEmpty()) {
            return settings.fanOut();
        }
        if (table.schema() != null || schema != null) {
            return found(table).map(known -> settings.of(known.name())).orElse(settings.fanOut());
        }
        List<FanOutConfig> possible = catalog.tables().stream()
                .map(PartitionedTable::name)
                .filter(name -> name.table().equalsIgnoreCase(table.name()))
                .map(settings::of)
                .toList();
        return possible.isEmpty() ? settings.fanOut() : FanOutConfig.loosest(possible);
    }

    /**
     * Returns the settings for splitting several tables in one statement.
     *
     * @param split at least one
     * @param read the other tables of the statement, which may forbid what the split tables allow
     */
    public FanOutConfig settings(Collection<TableRef> split, Collection<TableRef> read) {
        FanOutConfig together =
                FanOutConfig.together(split.stream().map(this::settings).toList());
        for (TableRef table : read) {
            String in = table.schema() != null ? table.schema() : schema;
            if (in != null) {
                together = settings.forbidding(new TableName(in, table.name()), together);
            }
        }
        return together;
    }
}
