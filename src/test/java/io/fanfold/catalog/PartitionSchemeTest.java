package io.fanfold.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.catalog.PartitionScheme.Definition;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The clauses are the ones that MySQL 9.7 and MariaDB 10.11 show. */
class PartitionSchemeTest {
    private static Optional<PartitionScheme> read(String clause) {
        return CreateTable.read("CREATE TABLE `t` (\n  `k` int NOT NULL\n) ENGINE=InnoDB\n" + clause)
                .scheme();
    }

    private static List<Definition> partitions(String clause) {
        return read(clause).map(PartitionScheme::partitions).orElse(List.of());
    }

    @Test
    void numberedPartitions() {
        List<Definition> three = List.of(new Definition("p0", ""), new Definition("p1", ""), new Definition("p2", ""));
        assertThat(partitions(" PARTITION BY HASH (`k`)\nPARTITIONS 3")).isEqualTo(three);
        assertThat(partitions("/*!50100 PARTITION BY HASH (`k`)\nPARTITIONS 3 */"))
                .isEqualTo(three);
        assertThat(partitions("/*!50100 PARTITION BY KEY */ /*!50611 ALGORITHM = 1 */ /*!50100 (k)\nPARTITIONS 2 */"))
                .hasSize(2);
        assertThat(partitions("/*!50100 PARTITION BY KEY (k) */")).containsExactly(new Definition("p0", ""));
        assertThat(partitions(" PARTITION BY KEY (`k`)")).containsExactly(new Definition("p0", ""));
    }

    @Test
    void namedPartitions() {
        assertThat(partitions("""
                        /*!50100 PARTITION BY RANGE (to_days(`d`))
                        (PARTITION p0 VALUES LESS THAN (737790) ENGINE = InnoDB,
                         PARTITION p1 VALUES LESS THAN MAXVALUE ENGINE = InnoDB) */"""))
                .containsExactly(
                        new Definition("p0", "VALUES LESS THAN (737790)"),
                        new Definition("p1", "VALUES LESS THAN MAXVALUE"));
        assertThat(partitions("""
                         PARTITION BY LIST  COLUMNS(`d`)
                        (PARTITION `a b` VALUES IN ('2020-01-01','2020-02-01') ENGINE = InnoDB,
                         PARTITION `z``q` DEFAULT ENGINE = InnoDB)"""))
                .containsExactly(
                        new Definition("a b", "VALUES IN ('2020-01-01','2020-02-01')"),
                        new Definition("z`q", "DEFAULT"));
        assertThat(partitions("""
                        /*!50100 PARTITION BY LINEAR KEY (k,d)
                        (PARTITION x ENGINE = InnoDB,
                         PARTITION pé ENGINE = InnoDB) */""")).containsExactly(new Definition("x", ""), new Definition("pé", ""));
    }

    /** Spider keeps the server of a partition in its comment. */
    @Test
    void partitionsOfSpider() {
        String definition = """
                CREATE TABLE `t` (
                  `k` int(11) NOT NULL
                ) ENGINE=SPIDER DEFAULT CHARSET=utf8mb4 COMMENT='wrapper "mysql"'
                 PARTITION BY RANGE (`k`)
                (PARTITION `p0` VALUES LESS THAN (10) COMMENT = 'srv "b1", table "t0"' ENGINE = SPIDER,
                 PARTITION `p1` VALUES LESS THAN MAXVALUE COMMENT = 'srv "it''s"' ENGINE = SPIDER)""";
        assertThat(CreateTable.read(definition).spiderPartitions()).isTrue();
        assertThat(CreateTable.read(definition).scheme().orElseThrow().partitions())
                .containsExactly(
                        new Definition("p0", "VALUES LESS THAN (10)", "srv \"b1\", table \"t0\""),
                        new Definition("p1", "VALUES LESS THAN MAXVALUE", "srv \"it''s\""));
        assertThat(CreateTable.read(definition.replace("SPIDER)", "InnoDB)")).spiderPartitions())
                .as("a partition of another engine")
                .isFalse();
        assertThat(CreateTable.read(definition.replace("ENGINE=SPIDER", "ENGINE=InnoDB"))
                        .scheme())
                .isEmpty();
        assertThat(read(" PARTITION BY HASH (`k`)\n(PARTITION a COMMENT = 'old' ENGINE = InnoDB)"))
                .isPresent();
    }

    /** Lists of the maximum length of a table definition need neither time nor stack for each value. */
    @Test
    void longListsOfValues() {
        String numbers = "VALUES IN (" + String.join(",", Collections.nCopies(20_000, "1")) + ")";
        String strings = "VALUES IN (" + String.join(",", Collections.nCopies(20_000, "('it''s (',1)")) + ")";
        assertThat(partitions(" PARTITION BY LIST (`k`)\n(PARTITION `p0` " + numbers
                        + " ENGINE = InnoDB,\n PARTITION `p1` " + strings + " ENGINE = InnoDB)"))
                .containsExactly(new Definition("p0", numbers), new Definition("p1", strings));
    }

    @Test
    void unknownSchemesAreIgnored() {
        String options =
                " PARTITION BY LIST (`k`)\n(PARTITION `p0` VALUES IN (1) DATA DIRECTORY = '/x, ENGINE' ENGINE = InnoDB)";
        assertThat(read(options)).isEmpty();
        assertThat(CreateTable.read("CREATE TABLE `t` (\n  `k` int\n) ENGINE=InnoDB\n" + options)
                        .partitioning())
                .isPresent();
        assertThat(read(" PARTITION BY LIST (`k`)\n(PARTITION `p0` VALUES IN (1) ENGINE = InnoDB"))
                .isEmpty();
        assertThat(read(" PARTITION BY HASH (`k`)\nPARTITIONS 0")).isEmpty();
        assertThat(read(" PARTITION BY HASH (`k`)\nPARTITIONS many")).isEmpty();
        assertThat(read(" PARTITION BY RANGE (`k`)\nSUBPARTITION BY HASH (`b`)\nSUBPARTITIONS 2\n"
                        + "(PARTITION `p0` VALUES LESS THAN (10) ENGINE = InnoDB)"))
                .isEmpty();
        assertThat(read("")).isEmpty();
    }

    @Test
    void alikeTablesArePaired() {
        PartitionScheme own =
                read(" PARTITION BY RANGE (`k`)\n(PARTITION `Low` VALUES LESS THAN (10) ENGINE = InnoDB,\n"
                                + " PARTITION `high` VALUES LESS THAN MAXVALUE ENGINE = InnoDB)")
                        .orElseThrow();
        PartitionScheme other = read("/*!50100 PARTITION BY RANGE (`order_id`)\n(PARTITION a VALUES LESS THAN (10)"
                        + " ENGINE = InnoDB,\n PARTITION B VALUES LESS THAN MAXVALUE ENGINE = InnoDB) */")
                .orElseThrow();
        assertThat(own.pairedWith(other)).contains(Map.of("low", "a", "high", "B"));
        assertThat(own.pairedWith(own)).contains(Map.of("low", "Low", "high", "high"));
    }

    @Test
    void othersAreNot() {
        PartitionScheme own = read(" PARTITION BY HASH (`k`)\nPARTITIONS 3").orElseThrow();
        for (String other : List.of(
                " PARTITION BY HASH (`k`)\nPARTITIONS 4",
                " PARTITION BY LINEAR HASH (`k`)\nPARTITIONS 3",
                " PARTITION BY KEY (`k`)\nPARTITIONS 3",
                " PARTITION BY KEY (`k`,`d`)\nPARTITIONS 3",
                " PARTITION BY HASH (year(`k`))\nPARTITIONS 3",
                " PARTITION BY HASH (`k` + 1)\nPARTITIONS 3",
                " PARTITION BY RANGE (`k`)\n(PARTITION `p0` VALUES LESS THAN (10) ENGINE = InnoDB)")) {
            assertThat(own.pairedWith(read(other).orElseThrow())).as(other).isEmpty();
        }
        PartitionScheme ranges =
                read(" PARTITION BY RANGE (`k`)\n(PARTITION `p0` VALUES LESS THAN (10) ENGINE = InnoDB)")
                        .orElseThrow();
        assertThat(ranges.pairedWith(
                        read(" PARTITION BY RANGE (`k`)\n(PARTITION `p0` VALUES LESS THAN (11) ENGINE = InnoDB)")
                                .orElseThrow()))
                .isEmpty();
        PartitionScheme unknown =
                read(" PARTITION BY HASH (`k` + 1)\nPARTITIONS 3").orElseThrow();
        assertThat(unknown.pairedWith(unknown)).isEmpty();
    }
}
