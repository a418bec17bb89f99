package io.fanfold.execute;

import io.fanfold.catalog.CatalogSnapshot;
import io.fanfold.catalog.CatalogTable;
import io.fanfold.catalog.TableSettings;
import io.fanfold.config.FanOutConfig;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.Quantity;
import io.fanfold.discovery.CatalogService;
import io.fanfold.status.StatusSource;
import io.fanfold.status.StatusTable;
import io.fanfold.status.StatusTable.StatusColumn;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The tables that may be split and that the worker account can read, and their settings, as a status. Safe for all threads. */
record CatalogTables(CatalogService catalog, Supplier<FanfoldConfig> settings) implements StatusSource {
    @Override
    public StatusTable read(Viewer viewer) {
        TableSettings ofTables = catalog.settings(settings.get(), viewer.user());
        List<CatalogTable> tables = catalog.snapshot()
                .map(CatalogSnapshot::tables)
                .map(List::copyOf)
                .orElse(List.of());
        return new StatusTable(
                List.of(
                        StatusColumn.text("TABLE_SCHEMA"),
                        StatusColumn.text("TABLE_NAME"),
                        StatusColumn.text("PARTITION_METHOD"),
                        StatusColumn.integer("PARTITIONS"),
                        StatusColumn.integer("ESTIMATED_ROWS"),
                        StatusColumn.text("MODE"),
                        StatusColumn.integer("DEGREE"),
                        StatusColumn.integer("MIN_ROWS"),
                        StatusColumn.text("CONSISTENCY"),
                        StatusColumn.text("TABLE_LOCKS"),
                        StatusColumn.text("KEY_RANGES"),
                        StatusColumn.text("APPROXIMATE"),
                        StatusColumn.text("DYNAMIC_FILTERS"),
                        StatusColumn.text("REUSE"),
                        StatusColumn.text("VERIFY_SHARE")),
                1,
                tables.stream()
                        .sorted(Comparator.comparing(table -> table.name().toString()))
                        .map(table -> row(table, ofTables.of(table.name())))
                        .toList());
    }

    private List<@Nullable Object> row(CatalogTable table, FanOutConfig chosen) {
        return List.of(
                table.name().schema(),
                table.name().table(),
                table.method(),
                table.partitioned() ? (long) table.partitions().size() : 0,
                table.estimatedRows(),
                lower(chosen.mode()),
                (long) chosen.degree(),
                chosen.minRows(),
                lower(chosen.snapshots().consistency()),
                lower(chosen.snapshots().tableLocks()),
                lower(chosen.keyRanges()),
                lower(chosen.approximate()),
                lower(chosen.filters().dynamic()),
                lower(chosen.reuse().mode()),
                Quantity.share(chosen.verifyShare()));
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
