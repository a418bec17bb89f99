package io.fanfold.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.catalog.CatalogSnapshot.CollationInfo;
import io.fanfold.catalog.CatalogTable.Partition;
import io.fanfold.row.Row;
import io.fanfold.wire.ServerFlavor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CatalogLoaderTest {
    /** Stands for the query for the partitions. */
    private static final String PARTITIONS = "partitions";

    /** Answers each query with prepared rows; a query without an answer fails. */
    private static final class Server implements RowQuery {
        private final Map<String, List<Row>> answers = new HashMap<>();

        Server(String lowerCaseTableNames, String version) {
            answer(CatalogLoader.SERVER, lowerCaseTableNames + "|" + version);
            answer(PARTITIONS);
            answer("SET SESSION lock_wait_timeout = 1");
        }

        /** Adds rows, each written as values separated by bars. NULL means NULL. */
        Server answer(String query, String... rows) {
            answers.put(query, Arrays.stream(rows).map(Server::row).toList());
            return this;
        }

        private static Row row(String text) {
            List<byte[]> values = new ArrayList<>();
            for (String value : text.split("\\|", -1)) {
                values.add(value.equals("NULL") ? null : value.getBytes(StandardCharsets.UTF_8));
            }
            return Row.ofValues(values);
        }

        @Override
        public List<Row> run(String sql) throws IOException {
            boolean partitions = sql.contains("INFORMATION_SCHEMA.PARTITIONS");
            List<Row> rows = answers.get(partitions ? PARTITIONS : sql);
            if (rows == null) {
                throw new IOException("no such query here: " + sql);
            }
            return rows;
        }
    }

    private static Server mysql(String lowerCaseTableNames) {
        return new Server(lowerCaseTableNames, "9.7.4").answer(CatalogLoader.MYSQL_COLLATIONS);
    }

    @Test
    void largeTablesWithoutPartitionsAreTablesToo() throws IOException {
        Server mariaDb = new Server("0", "11.4.5-MariaDB")
                .answer(CatalogLoader.MARIADB_COLLATIONS)
                .answer(PARTITIONS, "d|big|NULL|NULL|NULL|NULL|70000", "d|t|p0|NULL|HASH|`a`|1");
        CatalogSnapshot catalog = CatalogLoader.load(mariaDb, ServerFlavor.MARIADB, OptionalLong.of(60_000));
        assertThat(catalog.tables()).extracting(CatalogTable::partitioned).containsExactly(false, true);
        assertThat(catalog.table("d", "big")).contains(CatalogTable.unpartitioned(new TableName("d", "big"), 70_000));

        Server mySql = mysql("0")
                .answer(PARTITIONS, "d|t|p0|NULL|KEY|NULL|NULL")
                .answer("SET SESSION information_schema_stats_expiry = 0")
                .answer("SET SESSION information_schema_stats_expiry = DEFAULT")
                .answer(
                        CatalogLoader.largeTables(60_000),
                        "d|big|NULL|NULL|NULL|NULL|70000",
                        "d|t|NULL|NULL|NULL|NULL|80000");
        assertThat(CatalogLoader.load(mySql, ServerFlavor.MYSQL, OptionalLong.of(60_000))
                        .tables())
                .extracting(CatalogTable::partitioned)
                .containsExactly(false, true);
    }

    @Test
    void groupsPartitionsAndSubpartitionsByTable() throws IOException {
        CatalogSnapshot catalog = CatalogLoader.load(
                mysql("0")
                        .answer(
                                PARTITIONS,
                                "d|h|p0|NULL|HASH|`a`|33",
                                "d|h|p1|NULL|HASH|`a`|NULL",
                                "d|r|p0|s0|RANGE COLUMNS|`a`|10",
                                "d|r|p0|s1|RANGE COLUMNS|`a`|20",
                                "e|k|p0|NULL|KEY|NULL|5"),
                ServerFlavor.MYSQL,
                OptionalLong.empty());
        assertThat(catalog.tables()).hasSize(3);
        assertThat(catalog.table("d", "h"))
                .contains(new CatalogTable(
                        new TableName("d", "h"),
                        "HASH",
                        "`a`",
                        List.of(new Partition("p0", "p0", 33), new Partition("p1", "p1", 0))));
        CatalogTable ranges = catalog.table("d", "r").orElseThrow();
        assertThat(ranges.partitions())
                .containsExactly(new Partition("s0", "p0_s0", 10), new Partition("s1", "p0_s1", 20));
        assertThat(ranges.estimatedRows()).isEqualTo(30);
        assertThat(catalog.table("e", "k").orElseThrow().expression()).isEmpty();
        assertThat(catalog.table("e", "h")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"0,Sales,true", "0,SALES,false", "1,SALES,true", "2,sales,true", "2,SALES,true"})
    void namesCompareAsTheServerSays(String lowerCaseTableNames, String asked, boolean found) throws IOException {
        CatalogSnapshot catalog = CatalogLoader.load(
                mysql(lowerCaseTableNames).answer(PARTITIONS, "d|Sales|p0|NULL|HASH|`a`|1"),
                ServerFlavor.MYSQL,
                OptionalLong.empty());
        assertThat(catalog.table("d", asked).isPresent()).isEqualTo(found);
        catalog.table("d", asked)
                .ifPresent(table -> assertThat(table.name().table()).isEqualTo("Sales"));
    }

    @Test
    void collationsOfMySql() throws IOException {
        CatalogSnapshot catalog = CatalogLoader.load(
                mysql("0")
                        .answer(
                                CatalogLoader.MYSQL_COLLATIONS,
                                "255|utf8mb4_0900_ai_ci|utf8mb4|NO PAD",
                                "45|utf8mb4_general_ci|utf8mb4|PAD SPACE",
                                "63|binary|binary|NO PAD"),
                ServerFlavor.MYSQL,
                OptionalLong.empty());
        assertThat(catalog.collation(255)).contains(new CollationInfo(255, "utf8mb4_0900_ai_ci", "utf8mb4", false));
        assertThat(catalog.collation(45)).contains(new CollationInfo(45, "utf8mb4_general_ci", "utf8mb4", true));
        assertThat(catalog.collation(63)).contains(new CollationInfo(63, "binary", "binary", false));
        assertThat(catalog.collation(1)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"10.10.1-MariaDB", "10.11.19-MariaDB-0+deb12u1", "11.4.5-MariaDB-log", "12.1.2-MariaDB"})
    void collationsOfMariaDbHaveTheirFullNames(String version) throws IOException {
        CatalogSnapshot catalog = CatalogLoader.load(
                new Server("0", version)
                        .answer(
                                CatalogLoader.MARIADB_COLLATIONS,
                                "2304|utf8mb4_uca1400_ai_ci|utf8mb4|NULL",
                                "2308|utf8mb4_uca1400_nopad_ai_ci|utf8mb4|NULL",
                                "1070|utf8mb4_nopad_bin|utf8mb4|NULL",
                                "46|utf8mb4_bin|utf8mb4|NULL",
                                "63|binary|binary|NULL",
                                "NULL|future|utf8mb4|NULL"),
                ServerFlavor.MARIADB,
                OptionalLong.empty());
        assertThat(catalog.collation(2304)).contains(new CollationInfo(2304, "utf8mb4_uca1400_ai_ci", "utf8mb4", true));
        assertThat(catalog.collation(2308).orElseThrow().padSpace()).isFalse();
        assertThat(catalog.collation(1070).orElseThrow().padSpace()).isFalse();
        assertThat(catalog.collation(46).orElseThrow().padSpace()).isTrue();
        assertThat(catalog.collation(63).orElseThrow().padSpace()).isFalse();
    }

    @Test
    void olderMariaDbHasOneNameForEachCollation() throws IOException {
        CatalogSnapshot catalog = CatalogLoader.load(
                new Server("1", "10.6.18-MariaDB")
                        .answer(CatalogLoader.OLD_MARIADB_COLLATIONS, "33|utf8mb3_general_ci|utf8mb3|NULL"),
                ServerFlavor.MARIADB,
                OptionalLong.empty());
        assertThat(catalog.collation(33).orElseThrow().padSpace()).isTrue();
    }

    @Test
    void failuresNameTheirCause() {
        assertThatThrownBy(() -> CatalogLoader.load(new Server("0", "9.7.4"), ServerFlavor.MYSQL, OptionalLong.empty()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no such query");
        assertThatThrownBy(() ->
                        CatalogLoader.load(new Server("0", "MariaDB"), ServerFlavor.MARIADB, OptionalLong.empty()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("version MariaDB");
        assertThatThrownBy(() -> CatalogLoader.load(
                        mysql("0").answer(PARTITIONS, "d|t|p0|NULL|HASH|`a`|many"),
                        ServerFlavor.MYSQL,
                        OptionalLong.empty()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("many");
        assertThatThrownBy(() -> CatalogLoader.load(
                        mysql("0").answer(CatalogLoader.SERVER), ServerFlavor.MYSQL, OptionalLong.empty()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("0 rows");
        assertThatThrownBy(() -> CatalogLoader.load(
                        mysql("0").answer(CatalogLoader.MYSQL_COLLATIONS, "99999999999|x|y|PAD SPACE"),
                        ServerFlavor.MYSQL,
                        OptionalLong.empty()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("id of x");
    }
}
