package io.fanfold.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.catalog.CreateTableFacts.Kind;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CreateTableTest {
    private static CreateTableFacts facts(Kind kind, String engine, boolean partitioned, boolean versioned) {
        return new CreateTableFacts(kind, Optional.of(engine).filter(name -> !name.isEmpty()), partitioned, versioned);
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
        assertThat(facts).isEqualTo(facts(Kind.BASE_TABLE, "InnoDB", true, false));
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
                        PARTITIONS 4 */""")).isEqualTo(facts(Kind.BASE_TABLE, "InnoDB", true, false));
    }

    @Test
    void wordsInStringsNamesAndColumnsDoNotCount() {
        assertThat(CreateTable.read("""
                        CREATE TABLE `PARTITION BY view sequence=1` (
                          `temporary` int DEFAULT NULL COMMENT 'PARTITION BY ''x'') ENGINE=MyISAM \\' WITH SYSTEM VERSIONING',
                          `b` varchar(10) DEFAULT ') PARTITION BY HASH (',
                          `c` int WITHOUT SYSTEM VERSIONING
                        ) ENGINE=InnoDB COMMENT='WITH SYSTEM VERSIONING PARTITION BY SEQUENCE=1 ENGINE=x'""")).isEqualTo(facts(Kind.BASE_TABLE, "InnoDB", false, false));
    }

    @Test
    void temporaryTable() {
        CreateTableFacts facts = CreateTable.read("CREATE TEMPORARY TABLE `tt` (\n  `a` int\n) ENGINE=MEMORY");
        assertThat(facts).isEqualTo(facts(Kind.TEMPORARY_TABLE, "MEMORY", false, false));
        assertThat(facts.temporary()).isTrue();
        assertThat(facts.innoDb()).isFalse();
    }

    @Test
    void view() {
        CreateTableFacts facts = CreateTable.read("CREATE ALGORITHM=UNDEFINED DEFINER=`root`@`localhost` SQL SECURITY"
                + " DEFINER VIEW `v` AS select `h`.`a` AS `table` from `h`");
        assertThat(facts).isEqualTo(facts(Kind.VIEW, "", false, false));
        assertThat(facts.view()).isTrue();
        assertThat(CreateTable.read("CREATE VIEW `v` AS select json_table('x') from t")
                        .kind())
                .isEqualTo(Kind.VIEW);
    }

    @Test
    void sequences() {
        assertThat(CreateTable.read(
                                "CREATE TABLE `sq` (\n  `next_not_cached_value` bigint(21)\n) ENGINE=InnoDB SEQUENCE=1")
                        .kind())
                .isEqualTo(Kind.SEQUENCE);
        assertThat(CreateTable.read("CREATE SEQUENCE `sq` start with 1 minvalue 1 ENGINE=InnoDB")
                        .kind())
                .isEqualTo(Kind.SEQUENCE);
    }

    @Test
    void systemVersionedTable() {
        assertThat(CreateTable.read("""
                        CREATE TABLE `sv` (
                          `a` int(11) DEFAULT NULL
                        ) ENGINE=InnoDB DEFAULT CHARSET=latin1 WITH SYSTEM VERSIONING
                         PARTITION BY SYSTEM_TIME
                        (PARTITION `h` HISTORY ENGINE = InnoDB,
                         PARTITION `c` CURRENT ENGINE = InnoDB)""")).isEqualTo(facts(Kind.BASE_TABLE, "InnoDB", true, true));
    }

    @Test
    void ansiQuotesAndNoOptions() {
        assertThat(CreateTable.read(
                        "CREATE TABLE \"h\" (\n  \"a\" int(11) DEFAULT NULL\n)\n PARTITION BY HASH (\"a\")"))
                .isEqualTo(facts(Kind.BASE_TABLE, "", true, false));
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
        assertThat(CreateTable.read(text).kind()).isEqualTo(Kind.UNKNOWN);
    }
}
