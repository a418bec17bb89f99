package io.fanfold.config;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Settings of individual tables. At most one entry applies to a table, the most specific one:
 *
 * <ol>
 *   <li>An exact name is more specific than a pattern.
 *   <li>Of two patterns, the one with more characters besides wildcards is more specific.
 *   <li>If both have the same number, the first one in the file applies.
 * </ol>
 *
 * <p>Immutable.
 *
 * @param entries in the order of the file; no two have the same name or pattern
 */
public record TablesConfig(List<TableEntry> entries) {
    private static final Comparator<TableEntry> MOST_SPECIFIC_FIRST = Comparator.comparing(
                    (TableEntry entry) -> !entry.name().exact())
            .thenComparing(entry -> -entry.name().literals());

    public TablesConfig {
        entries = List.copyOf(entries);
    }

    /** Returns settings without entries: {@code fan-out} applies to all tables. */
    public static TablesConfig defaults() {
        return new TablesConfig(List.of());
    }

    /**
     * Returns the entry that applies to a table; empty if none matches it.
     *
     * @param caseSensitive whether table names are case-sensitive on the server (lower_case_table_names is 0)
     */
    public Optional<TableEntry> entry(String schema, String table, boolean caseSensitive) {
        // min returns the first of several equal entries
        return entries.stream()
                .filter(entry -> entry.name().matches(schema, table, caseSensitive))
                .min(MOST_SPECIFIC_FIRST);
    }
}
