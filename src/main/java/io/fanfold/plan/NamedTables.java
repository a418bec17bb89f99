package io.fanfold.plan;

import io.fanfold.catalog.CatalogSnapshot;
import io.fanfold.catalog.CatalogTable;
import io.fanfold.catalog.TableName;
import io.fanfold.catalog.TableSettings;
import io.fanfold.config.FanOutConfig;
import io.fanfold.config.FanOutConfig.KeyRanges;
import io.fanfold.sql.SelectModel.TableRef;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Resolves table names of a statement, and the settings of these tables. Immutable.
 *
 * @param schema the session's default database, null if there is none or it is not known yet; an unqualified name may
 *     then mean any table of that name
 * @param ranges whether tables may be split by ranges of a key, if their settings allow it
 */
public record NamedTables(TableSettings settings, @Nullable String schema, CatalogSnapshot catalog, boolean ranges) {
    private static final int MOST_SCHEMAS = 8;

    /** Returns the table of the catalog that a name means, the largest one if it may mean several. */
    public Optional<CatalogTable> found(TableRef table) {
        return found(table, schema, catalog)
                .filter(known -> known.partitioned()
                        || ranges && settings.of(known.name()).keyRanges() == KeyRanges.ON);
    }

    /** Returns whether a table is split rather than another. */
    SplitPreference preference(TableRef table) {
        return found(table).map(SplitPreference::of).orElse(SplitPreference.NONE);
    }

    /** Returns the table of the catalog that a table reference may mean. */
    public static Optional<CatalogTable> found(TableRef ref, @Nullable String schema, CatalogSnapshot catalog) {
        String in = ref.schema() != null ? ref.schema() : schema;
        if (in != null) {
            return catalog.table(in, ref.name());
        }
        return catalog.tables().stream()
                .filter(table -> table.name().table().equalsIgnoreCase(ref.name()))
                .max(Comparator.comparingLong(CatalogTable::estimatedRows));
    }

    /**
     * Returns the schemas in which names mean tables that are partitioned otherwise than the largest tables of these names,
     * one schema for each way, and at most {@value #MOST_SCHEMAS}. Empty if the session's schema is known.
     */
    public List<String> otherSchemas(Collection<TableRef> names) {
        List<TableRef> ambiguous =
                names.stream().filter(name -> name.schema() == null).toList();
        if (schema != null || ambiguous.isEmpty()) {
            return List.of();
        }
        Set<String> schemas = catalog.tables().stream()
                .map(CatalogTable::name)
                .filter(table -> ambiguous.stream().anyMatch(name -> name.name().equalsIgnoreCase(table.table())))
                .map(TableName::schema)
                .collect(Collectors.toCollection(TreeSet::new));
        Set<List<String>> ways = new HashSet<>(Set.of(partitioning(ambiguous, null)));
        return schemas.stream()
                .filter(in -> ways.add(partitioning(ambiguous, in)))
                .limit(MOST_SCHEMAS)
                .toList();
    }

    private List<String> partitioning(List<TableRef> names, @Nullable String in) {
        return names.stream()
                .map(name -> found(name, in, catalog)
                        .map(table -> table.method() + " by " + table.expression())
                        .orElse(""))
                .toList();
    }

    /** Whether the settings allow a table to be split. True for a table that is not in the catalog. */
    boolean enabled(TableRef table) {
        return settings(table).mode() != FanOutConfig.Mode.OFF;
    }

    /** Returns the table and the key of its settings, for messages. */
    String entry(TableRef table) {
        TableName name = found(table).map(CatalogTable::name).orElseThrow();
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
                .map(CatalogTable::name)
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
