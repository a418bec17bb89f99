package io.fanfold.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.catalog.AccountName;
import io.fanfold.catalog.TableName;
import io.fanfold.catalog.TableSettings;
import io.fanfold.config.AccountsConfig;
import io.fanfold.config.FanOutConfig;
import io.fanfold.inspect.Inspection.Table;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TableFindingsTest {
    private static final String SELECT = "GRANT SELECT, LOCK TABLES ON `shop`.* TO `w`@`%`";

    private static Table table(String name, String obstacle) {
        return new Table(new TableName("shop", name), 4, 10, "", obstacle);
    }

    private static List<String> lines(String grant, Table... tables) {
        TableFindings findings = new TableFindings(
                TableSettings.ofAll(FanOutConfig.defaults()),
                AccountsConfig.defaults(),
                AccountName.of("w@%"),
                Grants.read(List.of(grant)));
        return findings.findings(List.of(tables)).stream()
                .map(finding -> finding.severity() + " " + SplitState.line(finding))
                .toList();
    }

    @Test
    void anUnpartitionedTableCannotBeSplit() {
        assertThat(lines(SELECT))
                .containsExactly("BLOCKS 'w'@'%' can read no partitioned or large table. To change that:"
                        + " GRANT SELECT ON your_schema.* TO 'w'@'%'; -- or:"
                        + " ALTER TABLE your_schema.your_table PARTITION BY KEY () PARTITIONS 8;");
        assertThat(lines("GRANT SELECT ON `shop`.* TO `w`@`%`"))
                .containsExactly("BLOCKS 'w'@'%' can read no partitioned or large table. To change that:"
                        + " GRANT SELECT, LOCK TABLES ON your_schema.* TO 'w'@'%'; -- or:"
                        + " ALTER TABLE your_schema.your_table PARTITION BY KEY () PARTITIONS 8;");
    }

    @Test
    void tablesThatAreNeverSplitAreNamedWithTheReason() {
        assertThat(lines(SELECT, table("t", ""), table("my", "engine MyISAM"), table("v", "system-versioned")))
                .containsExactly("INFO tables: 'w'@'%' can read 3 partitioned tables: shop 3; 2 cannot be split:"
                        + " shop.my (engine MyISAM), shop.v (system-versioned)");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    engine MyISAM              | . To change that: ALTER TABLE shop.t ENGINE = InnoDB;
                    Spider, and fan-out.table-locks is not allow | . To change that: GRANT LOCK TABLES to the worker account, and set fan-out.table-locks: allow
                    one partition              | . To change that: ALTER TABLE shop.t PARTITION BY KEY () PARTITIONS 8;
                    switched off by tables.*.* | . To change that: set mode: on for a table in tables
                    system-versioned           | ''
                    error 1356                 | ''
                    """)
    void theObstacleIsReportedWithItsRemedyIfNoTableCanBeSplit(String obstacle, String remedy) {
        assertThat(lines(SELECT, table("t", obstacle)))
                .containsExactly(
                        "INFO tables: 'w'@'%' can read 1 partitioned table: shop 1; 1 cannot be split: shop.t ("
                                + obstacle + ")",
                        "BLOCKS none of the partitioned tables can be split: shop.t (" + obstacle + ")" + remedy);
    }

    @Test
    void severalObstaclesHaveSeveralRemedies() {
        assertThat(lines(SELECT, table("a", "one partition"), table("b", "engine Aria"), table("c", "engine MyISAM")))
                .last()
                .isEqualTo("BLOCKS none of the partitioned tables can be split: shop.a (one partition), shop.b (engine"
                        + " Aria), shop.c (engine MyISAM). To change that: ALTER TABLE shop.b ENGINE = InnoDB; -- or:"
                        + " ALTER TABLE shop.a PARTITION BY KEY () PARTITIONS 8;");
    }

    @Test
    void onlySomeOfManyTablesAreNamed() {
        Table[] tables = Stream.concat(
                        Stream.of(table("t", "")),
                        IntStream.range(0, 7).mapToObj(i -> table("my" + i, "engine MyISAM")))
                .toArray(Table[]::new);
        assertThat(lines(SELECT, tables))
                .singleElement()
                .asString()
                .contains("; 7 cannot be split: shop.my0 (engine MyISAM), ")
                .endsWith("shop.my4 (engine MyISAM) and 2 more");
    }
}
