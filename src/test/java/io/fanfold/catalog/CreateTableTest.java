package io.fanfold.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.catalog.CreateTableFacts.NameKind;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CreateTableTest {
    private static CreateTableFacts facts(NameKind kind, String engine) {
        return facts(kind, engine, false, null, false);
    }

    private static CreateTableFacts facts(
            NameKind kind, String engine, boolean partitioned, @Nullable Partitioning partitioning, boolean versioned) {
        return new CreateTableFacts(
                kind,
                Optional.of(engine).filter(name -> !name.isEmpty()),
                partitioned,
                Optional.ofNullable(partitioning),
                Optional.empty(),
                versioned,
                List.of());
    }

    @Test
    void partitionedTableOfMariaDb() {
        CreateTableFacts facts = CreateTable.read("""
                CREATE TABLE `pt` (
                  `a` int(11) DEFAULT NULL,
                  `b` int(11) DEFAULT NULL
                ) ENGINE=InnoDB DEFAULT CHARSET=latin1 COLLATE=latin1_swedish_ci
                 PARTITION BY RANGE (`a`)
                SUBPARTITION BY HASH (`b`)
                SUBPARTITIONS 2
                (PARTITION `p0` VALUES LESS THAN (10) ENGINE = InnoDB,
                 PARTITION `p1` VALUES LESS THAN MAXVALUE ENGINE = InnoDB)""");
        assertThat(facts).isEqualTo(facts(NameKind.BASE_TABLE, "InnoDB", true, null, false));
        assertThat(facts.innoDb()).isTrue();
        assertThat(facts.temporary()).isFalse();
        assertThat(facts.view()).isFalse();
    }

    @Test
    void partitionedTableOfMySql() {
        assertThat(CreateTable.read("""
                        CREATE TABLE `h` (
                          `a` int NOT NULL,
                          `g` int GENERATED ALWAYS AS ((`a` + 1)) VIRTUAL /*!80023 INVISIBLE */
                        ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci
                        /*!50100 PARTITION BY HASH (`a`)
                        PARTITIONS 4 */"""))
                .usingRecursiveComparison()
                .ignoringFields("scheme")
                .isEqualTo(facts(NameKind.BASE_TABLE, "InnoDB", true, new Partitioning("HASH", "`a`"), false));
    }

    /** Compares CREATE TABLE of MySQL 9.7 and MariaDB 10.11 with the columns of INFORMATION_SCHEMA.PARTITIONS. */
    @Test
    void partitioningIsThatOfTheInformationSchema() {
        assertThat(partitioning(
                        "/*!50500 PARTITION BY RANGE  COLUMNS(a,`B`)\n(PARTITION p0 VALUES LESS THAN (1,2)) */"))
                .isEqualTo(Optional.of(new Partitioning("RANGE COLUMNS", "`a`,`B`")));
        assertThat(partitioning(" PARTITION BY RANGE (year(`d`))\n(PARTITION `p0` VALUES LESS THAN (1))"))
                .isEqualTo(Optional.of(new Partitioning("RANGE", "year(`d`)")));
        assertThat(partitioning("/*!50100 PARTITION BY LINEAR KEY (id)\nPARTITIONS 3 */"))
                .isEqualTo(Optional.of(new Partitioning("LINEAR KEY", "`id`")));
        assertThat(partitioning("/*!50100 PARTITION BY HASH (`a`) PARTITIONS 3 */"))
                .isNotEqualTo(Optional.of(new Partitioning("HASH", "`b`")));
        assertThat(partitioning("/*!50100 PARTITION BY RANGE (`a`)\nSUBPARTITION BY HASH (`b`) */"))
                .isEmpty();
        assertThat(partitioning("")).isEmpty();
    }

    private static Optional<Partitioning> partitioning(String clause) {
        return CreateTable.read("CREATE TABLE `t` (\n  `a` int DEFAULT (`x`)\n) ENGINE=InnoDB\n" + clause)
                .partitioning();
    }

    @Test
    void columnsOfAPartitioning() {
        assertThat(new Partitioning("KEY", "`a`, `b`").columns()).isEqualTo(List.of("a", "b"));
        assertThat(new Partitioning("RANGE", "to_days(`d`)").columns()).isEqualTo(List.of("d"));
        assertThat(new Partitioning("HASH", "`a` + `b`").columns()).isEmpty();
        assertThat(new Partitioning("HASH", "extract(year from `d`)").columns()).isEmpty();
        assertThat(new Partitioning("KEY", "").columns()).isEmpty();
        assertThat(new Partitioning("RANGE COLUMNS", "a").comparesValues()).isTrue();
        assertThat(new Partitioning("RANGE", "a").comparesValues()).isFalse();
    }

    private static List<String> primaryKey(String... lines) {
        return CreateTable.read("CREATE TABLE `t` (\n  " + String.join(",\n  ", lines) + "\n) ENGINE=InnoDB")
                .primaryKey();
    }

    @Test
    void thePrimaryKeyHasItsColumnsInOrder() {
        assertThat(primaryKey(
                        "`a` int NOT NULL COMMENT 'PRIMARY KEY (`c`)'",
                        "`b` int",
                        "PRIMARY KEY (`b`,`a`)",
                        "KEY `k` (`a`)"))
                .containsExactly("b", "a");
        assertThat(primaryKey("PRIMARY KEY (`a``b`,`c,d` DESC) USING BTREE")).containsExactly("a`b", "c,d");
        assertThat(primaryKey("PRIMARY KEY (\"a\"\"b\") /*!80016 INVISIBLE */")).containsExactly("a\"b");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UNIQUE KEY `u` (`a`)",
                "KEY `PRIMARY` (`a`)",
                "PRIMARY KEY (`a`(10),`b`)",
                "PRIMARY KEY (`a`,`p` WITHOUT OVERLAPS)",
                "PRIMARY KEY (a)",
                "`x\n  PRIMARY KEY (``a``)` int",
                "`x\n  PRIMARY KEY (````)` int",
                "`x\n  PRIMARY KEY (\"a\")` int",
                "`x` int COMMENT 'y\n  PRIMARY KEY (`a`)'",
                "CHECK (primary key (`a`))",
            })
    void whatIsNotAPrimaryKeyOfWholeColumnsIsNone(String line) {
        assertThat(primaryKey(line)).isEmpty();
    }

    @Test
    void wordsInStringsNamesAndColumnsDoNotCount() {
        assertThat(CreateTable.read("""
                        CREATE TABLE `PARTITION BY view sequence=1` (
                          `temporary` int DEFAULT NULL COMMENT 'PARTITION BY ''x'') ENGINE=MyISAM \\' WITH SYSTEM VERSIONING',
                          `b` varchar(10) DEFAULT ') PARTITION BY HASH (',
                          `c` int WITHOUT SYSTEM VERSIONING
                        ) ENGINE=InnoDB COMMENT='WITH SYSTEM VERSIONING PARTITION BY SEQUENCE=1 ENGINE=x'""")).isEqualTo(facts(NameKind.BASE_TABLE, "InnoDB"));
    }

    @Test
    void temporaryTable() {
        CreateTableFacts facts = CreateTable.read("CREATE TEMPORARY TABLE `tt` (\n  `a` int\n) ENGINE=MEMORY");
        assertThat(facts).isEqualTo(facts(NameKind.TEMPORARY_TABLE, "MEMORY"));
        assertThat(facts.temporary()).isTrue();
        assertThat(facts.innoDb()).isFalse();
    }

    @Test
    void view() {
        CreateTableFacts facts = CreateTable.read("CREATE ALGORITHM=UNDEFINED DEFINER=`root`@`localhost` SQL SECURITY"
                + " DEFINER VIEW `v` AS select `h`.`a` AS `table` from `h`");
        assertThat(facts).isEqualTo(facts(NameKind.VIEW, ""));
        assertThat(facts.view()).isTrue();
        assertThat(CreateTable.read("CREATE VIEW `v` AS select json_table('x') from t")
                        .kind())
                .isEqualTo(NameKind.VIEW);
    }

    @Test
    void sequences() {
        assertThat(CreateTable.read(
                                "CREATE TABLE `sq` (\n  `next_not_cached_value` bigint(21)\n) ENGINE=InnoDB SEQUENCE=1")
                        .kind())
                .isEqualTo(NameKind.SEQUENCE);
        assertThat(CreateTable.read("CREATE SEQUENCE `sq` start with 1 minvalue 1 ENGINE=InnoDB")
                        .kind())
                .isEqualTo(NameKind.SEQUENCE);
    }

    @Test
    void systemVersionedTable() {
        assertThat(CreateTable.read("""
                        CREATE TABLE `sv` (
                          `a` int(11) DEFAULT NULL
                        ) ENGINE=InnoDB DEFAULT CHARSET=latin1 WITH SYSTEM VERSIONING
                         PARTITION BY SYSTEM_TIME
                        (PARTITION `h` HISTORY ENGINE = InnoDB,
                         PARTITION `c` CURRENT ENGINE = InnoDB)""")).satisfies(facts -> {
            assertThat(facts.partitioned()).isTrue();
            assertThat(facts.systemVersioned()).isTrue();
        });
    }

    @Test
    void ansiQuotesAndNoOptions() {
        assertThat(CreateTable.read(
                        "CREATE TABLE \"h\" (\n  \"a\" int(11) DEFAULT NULL\n)\n PARTITION BY HASH (\"a\")"))
                .usingRecursiveComparison()
                .ignoringFields("scheme")
                .isEqualTo(facts(NameKind.BASE_TABLE, "", true, new Partitioning("hash", "a"), false));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "CREATE",
                "CREATE TABLE `a",
                "CREATE TABLE `t` (`a` int",
                "CREATE TABLE `t` (`a` int) COMMENT='x",
                "CREATE TABLE `t` (`a` int)) ENGINE=InnoDB",
                "CREATE TABLE `t` (`a` int) /* open",
                "SHOW TABLE",
                "CREATE PROCEDURE `p`()"
            })
    void anythingElseIsUnknown(String text) {
        assertThat(CreateTable.read(text).kind()).isEqualTo(NameKind.UNKNOWN);
    }
}
