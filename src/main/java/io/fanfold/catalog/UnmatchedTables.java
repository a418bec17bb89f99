package io.fanfold.catalog;

import io.fanfold.config.TableEntry;
import io.fanfold.config.TablePattern;
import io.fanfold.config.TablesConfig;
import io.fanfold.row.Row;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Tells which keys of {@code tables} in the settings are probably mistaken, by the tables that there are. Without state. */
public final class UnmatchedTables {
    /** The names of all tables that the account sees. MariaDB opens no table for it. */
    static final String NAMES = "SELECT TABLE_SCHEMA, TABLE_NAME FROM INFORMATION_SCHEMA.TABLES"
            + " WHERE TABLE_SCHEMA NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema')";

    /** What is wrong with a key. */
    public enum Kind {
        /** The worker account sees no table of this name. A table without a right looks to it like none. */
        NOT_SEEN,
        /** There are such tables, and none of them is partitioned. */
        NOT_PARTITIONED,
        /** On this server an earlier entry is for the same table, because upper and lower case are the same. */
        SAME_TABLE
    }

    /**
     * A key that is probably mistaken.
     *
     * @param key as it stands in the settings
     * @param kind what is wrong
     * @param sentence what is wrong, with the key and, where it helps, the nearest name that there is
     */
    public record Mistaken(String key, Kind kind, String sentence) {}

    private UnmatchedTables() {}

    /**
     * The mistaken keys, in the order of the settings. Asks for the names of tables only if a key matches no partitioned table.
     *
     * @param query runs one query at most
     * @throws IOException when it failed or gave rows of another shape
     */
    public static List<Mistaken> read(RowQuery query, TablesConfig tables, CatalogSnapshot catalog) throws IOException {
        boolean allMatch = tables.entries().stream().allMatch(entry -> matches(entry.name(), catalog));
        Set<TableName> names = new TreeSet<>(Comparator.comparing(TableName::toString));
        if (!allMatch) {
            for (Row row : query.run(NAMES)) {
                names.add(new TableName(text(row, 0), text(row, 1)));
            }
        }
        return of(tables, catalog, names);
    }

    /**
     * The mistaken keys, in the order of the settings.
     *
     * @param names of all tables that the worker account sees; those in {@code catalog} may be left out
     */
    public static List<Mistaken> of(TablesConfig tables, CatalogSnapshot catalog, Collection<TableName> names) {
        List<Mistaken> findings = new ArrayList<>();
        for (TableEntry entry : tables.entries()) {
            TablePattern name = entry.name();
            Optional<TableEntry> other = name.exact()
                    ? tables.entry(name.schema().text(), name.table().text(), catalog.caseSensitive())
                    : Optional.empty();
            if (other.isPresent() && !other.get().equals(entry)) {
                findings.add(new Mistaken(
                        name.text(),
                        Kind.SAME_TABLE,
                        "tables." + name.text() + " has no effect: on this server it is the same table as tables."
                                + other.get().name().text()
                                + ", which comes first (lower_case_table_names is not 0)"));
            } else if (!matches(name, catalog)) {
                findings.add(unmatched(name, catalog, names));
            }
        }
        return findings;
    }

    private static Mistaken unmatched(TablePattern name, CatalogSnapshot catalog, Collection<TableName> names) {
        long others =
                names.stream().filter(table -> matches(name, table, catalog)).count();
        if (others > 0) {
            String what = name.exact()
                    ? "the table is not partitioned, so Fanfold never splits it"
                    : others == 1
                            ? "the only table that matches is not partitioned"
                            : "none of the " + others + " tables that match is partitioned";
            return new Mistaken(name.text(), Kind.NOT_PARTITIONED, "tables." + name.text() + ": " + what);
        }
        String what = name.exact()
                ? "the worker account sees no such table"
                : "the worker account sees no table that matches";
        return new Mistaken(
                name.text(),
                Kind.NOT_SEEN,
                "tables." + name.text() + ": " + what
                        + ". Either there is none, or the account has no right to read it. " + nearest(name, catalog));
    }

    private static String nearest(TablePattern name, CatalogSnapshot catalog) {
        Optional<TableName> nearest = catalog.tables().stream()
                .map(PartitionedTable::name)
                .min(Comparator.comparingInt((TableName table) -> name.distance(table.schema(), table.table()))
                        .thenComparing(TableName::toString));
        if (nearest.isEmpty()) {
            return "It sees no partitioned table at all";
        }
        TableName table = nearest.get();
        boolean caseAlone = name.matches(table.schema(), table.table(), false);
        return "The nearest partitioned table is " + table
                + (caseAlone ? " (upper and lower case differ on this server: lower_case_table_names is 0)" : "");
    }

    private static boolean matches(TablePattern name, CatalogSnapshot catalog) {
        return catalog.tables().stream().anyMatch(table -> matches(name, table.name(), catalog));
    }

    private static boolean matches(TablePattern name, TableName table, CatalogSnapshot catalog) {
        return name.matches(table.schema(), table.table(), catalog.caseSensitive());
    }

    private static String text(Row row, int column) throws IOException {
        String text = column < row.columns() ? row.utf8(column) : null;
        if (text == null) {
            throw new IOException("column " + (column + 1) + " of the row " + row + " is missing");
        }
        return text;
    }
}
