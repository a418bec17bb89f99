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

/**
 * Finds keys of {@code tables} in the settings that are probably wrong, compared with the server's tables. Stateless.
 */
public final class UnmatchedTables {
    /** Reads the names of all tables that the account sees. MariaDB opens no table for it. */
    static final String NAMES = "SELECT TABLE_SCHEMA, TABLE_NAME FROM INFORMATION_SCHEMA.TABLES"
            + " WHERE TABLE_SCHEMA NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema')";

    /** What is wrong with a key. */
    public enum Mismatch {
        /** The worker account sees no table of this name. Tables without a privilege are invisible to it. */
        NOT_SEEN,
        /** Tables match, but none of them can be split: by partitions, or by ranges of a key. */
        NOT_SPLIT,
        /**
         * On this server another entry names the same table and applies first, because names are not case-sensitive.
         */
        SAME_TABLE
    }

    /**
     * A key that is probably wrong.
     *
     * @param key as in the settings
     * @param kind what is wrong
     * @param sentence describes the problem, with the key and, if it helps, the nearest existing name
     */
    public record Mistaken(String key, Mismatch kind, String sentence) {}

    private UnmatchedTables() {}

    /**
     * Returns the wrong keys, in the order of the settings. Reads the names of tables only if a key matches no
     * partitioned table.
     *
     * @param query runs one query at most
     * @throws IOException if it failed or returned unexpected rows
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
     * Returns the wrong keys, in the order of the settings.
     *
     * @param names all tables that the worker account sees; those in {@code catalog} may be left out
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
                        Mismatch.SAME_TABLE,
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
            String what = others > 1 && !name.exact()
                    ? "none of the " + others + " tables that match is partitioned or large enough for key ranges"
                    : (name.exact() ? "the table" : "the only table that matches")
                            + " is not partitioned, and has too few rows or is not split by key ranges";
            return new Mistaken(name.text(), Mismatch.NOT_SPLIT, "tables." + name.text() + ": " + what);
        }
        String what = name.exact()
                ? "the worker account sees no such table"
                : "the worker account sees no table that matches";
        return new Mistaken(
                name.text(),
                Mismatch.NOT_SEEN,
                "tables." + name.text() + ": " + what
                        + ". Either there is none, or the account has no right to read it. " + nearest(name, catalog));
    }

    private static String nearest(TablePattern name, CatalogSnapshot catalog) {
        Optional<TableName> nearest = catalog.tables().stream()
                .map(CatalogTable::name)
                .min(Comparator.comparingInt((TableName table) -> name.distance(table.schema(), table.table()))
                        .thenComparing(TableName::toString));
        if (nearest.isEmpty()) {
            return "It sees no table that could be split";
        }
        TableName table = nearest.get();
        boolean caseAlone = name.matches(table.schema(), table.table(), false);
        return "The nearest table that could be split is " + table
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
