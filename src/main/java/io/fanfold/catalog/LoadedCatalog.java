package io.fanfold.catalog;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** A snapshot in maps. Immutable. */
final class LoadedCatalog implements CatalogSnapshot {
    private final List<CatalogTable> tables;
    private final boolean caseSensitive;
    private final Map<TableName, CatalogTable> byName = new HashMap<>();
    private final Map<Integer, CollationInfo> collations = new HashMap<>();
    private final Map<String, CollationInfo> collationsByName = new HashMap<>();

    /**
     * Creates a snapshot.
     *
     * @param caseSensitive whether lower_case_table_names is 0
     */
    LoadedCatalog(List<CatalogTable> tables, List<CollationInfo> collations, boolean caseSensitive) {
        this.tables = List.copyOf(tables);
        this.caseSensitive = caseSensitive;
        for (CatalogTable table : tables) {
            byName.put(key(table.name().schema(), table.name().table()), table);
        }
        for (CollationInfo collation : collations) {
            this.collations.put(collation.id(), collation);
            collationsByName.put(collation.name(), collation);
        }
    }

    private TableName key(String schema, String table) {
        return caseSensitive
                ? new TableName(schema, table)
                : new TableName(schema.toLowerCase(Locale.ROOT), table.toLowerCase(Locale.ROOT));
    }

    @Override
    public Optional<CatalogTable> table(String schema, String table) {
        return Optional.ofNullable(byName.get(key(schema, table)));
    }

    @Override
    public Collection<CatalogTable> tables() {
        return tables;
    }

    @Override
    public boolean caseSensitive() {
        return caseSensitive;
    }

    @Override
    public Optional<CollationInfo> collation(int id) {
        return Optional.ofNullable(collations.get(id));
    }

    @Override
    public Optional<CollationInfo> collation(String name) {
        return Optional.ofNullable(collationsByName.get(name));
    }
}
