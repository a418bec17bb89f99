package io.fanfold.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.catalog.CatalogTable.Partition;
import io.fanfold.catalog.UnmatchedTables.Mismatch;
import io.fanfold.catalog.UnmatchedTables.Mistaken;
import io.fanfold.config.TablesConfig;
import io.fanfold.config.TablesText;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class UnmatchedTablesTest {
    private static final List<TableName> NAMES = List.of(
            new TableName("shop", "orders"),
            new TableName("shop", "customers"),
            new TableName("crm", "people"),
            new TableName("crm", "notes"));

    private static CatalogSnapshot catalog(boolean caseSensitive, String... tables) {
        List<CatalogTable> known = Stream.of(tables)
                .map(table -> table.split("\\."))
                .map(parts -> new CatalogTable(
                        new TableName(parts[0], parts[1]), "HASH", "id", List.of(new Partition("p0", "p0", 1))))
                .toList();
        return new LoadedCatalog(known, List.of(), caseSensitive);
    }

    private static final CatalogSnapshot SHOP = catalog(true, "shop.orders", "shop.order_items", "log_2024.hits");

    private static Mistaken only(CatalogSnapshot catalog, String... entries) {
        List<Mistaken> findings = UnmatchedTables.of(TablesText.read(entries), catalog, NAMES);
        assertThat(findings).hasSize(1);
        return findings.get(0);
    }

    @Test
    void namesOfPartitionedTablesAreFine() {
        TablesConfig tables = TablesText.read("shop.orders: {}", "log_*.*: {}", "\"*.*\": {}", "shop.order?items: {}");
        assertThat(UnmatchedTables.of(tables, SHOP, NAMES)).isEmpty();
        assertThat(UnmatchedTables.of(TablesConfig.defaults(), catalog(true), NAMES))
                .isEmpty();
    }

    @Test
    void aMistypedNameIsReportedWithTheNearestName() {
        assertThat(only(SHOP, "shop.ordres: {}"))
                .isEqualTo(new Mistaken(
                        "shop.ordres",
                        Mismatch.NOT_SEEN,
                        "tables.shop.ordres: the worker account sees no such table. Either there is none, or the account"
                                + " has no right to read it. The nearest table that could be split is shop.orders"));
        assertThat(only(SHOP, "shop.order_item: {}").sentence()).endsWith("is shop.order_items");
        assertThat(only(SHOP, "`log.2024`.hits: {}".replace("`log.2024`", "log-2024"))
                        .sentence())
                .endsWith("is log_2024.hits");
    }

    @Test
    void aPatternThatMatchesNothingIsReportedWithTheNearestName() {
        assertThat(only(SHOP, "logs_*.*: {}"))
                .isEqualTo(
                        new Mistaken(
                                "logs_*.*",
                                Mismatch.NOT_SEEN,
                                "tables.logs_*.*: the worker account sees no table that matches. Either there is none, or the"
                                        + " account has no right to read it. The nearest table that could be split is log_2024.hits"));
    }

    @Test
    void anUnpartitionedTableIsDistinguishedFromAMissingTable() {
        assertThat(only(SHOP, "shop.customers: {}"))
                .isEqualTo(
                        new Mistaken(
                                "shop.customers",
                                Mismatch.NOT_SPLIT,
                                "tables.shop.customers: the table is not partitioned, and has too few rows or is not split by key ranges"));
        assertThat(only(SHOP, "crm.*: {}"))
                .isEqualTo(new Mistaken(
                        "crm.*",
                        Mismatch.NOT_SPLIT,
                        "tables.crm.*: none of the 2 tables that match is partitioned or large enough for key ranges"));
    }

    @Test
    void noNameIsSuggestedIfNoTableIsPartitioned() {
        assertThat(only(catalog(true), "a.b: {}").sentence()).endsWith(" It sees no table that could be split");
    }

    @Test
    void namesAreCaseSensitiveIfTheyAreOnTheServer() {
        assertThat(only(SHOP, "Shop.Orders: {}").sentence())
                .endsWith(
                        "The nearest table that could be split is shop.orders (upper and lower case differ on this server:"
                                + " lower_case_table_names is 0)");
        CatalogSnapshot folded = catalog(false, "shop.orders");
        assertThat(UnmatchedTables.of(TablesText.read("Shop.Orders: {}", "SHOP.*: {}"), folded, NAMES))
                .isEmpty();
        assertThat(only(folded, "shop.orders: {}", "Shop.Orders: {degree: 4}"))
                .isEqualTo(new Mistaken(
                        "Shop.Orders",
                        Mismatch.SAME_TABLE,
                        "tables.Shop.Orders has no effect: on this server it is the same table as tables.shop.orders,"
                                + " which comes first (lower_case_table_names is not 0)"));
    }

    @Test
    void namesAreOnlyAskedForIfAKeyMatchesNothing() throws Exception {
        List<String> asked = new ArrayList<>();
        RowQuery server = sql -> {
            asked.add(sql);
            return List.of();
        };
        assertThat(UnmatchedTables.read(server, TablesText.read("shop.orders: {}"), SHOP))
                .isEmpty();
        assertThat(asked).isEmpty();
        assertThat(UnmatchedTables.read(server, TablesText.read("shop.ordrs: {}", "a.b: {}"), SHOP))
                .extracting(Mistaken::key)
                .containsExactly("shop.ordrs", "a.b");
        assertThat(asked).containsExactly(UnmatchedTables.NAMES);
    }
}
