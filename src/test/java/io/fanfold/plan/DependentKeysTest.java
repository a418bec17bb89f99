package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The primary key of d is k, that of e is (a, b). */
class DependentKeysTest {
    private static final String COMPARED = "WEIGHT_STRING";

    private static String partitionQuery(String sql) {
        return GoldenPlanTest.plan(sql).get(0);
    }

    private static Column text(String table, String orgTable) {
        return new Column("db", table, orgTable, "str", "str", 45, 80, ColumnType.VAR_STRING, 0, 0);
    }

    @Test
    void aTextBesideThePrimaryKeyIsNotCompared() {
        assertThat(GoldenPlanTest.plan("SELECT d.k, d.str, COUNT(*) FROM t JOIN d ON t.a = d.k GROUP BY d.k, d.str"))
                .startsWith(
                        "partition: SELECT d.k, d.str, COUNT(*) FROM t PARTITION (`p`) JOIN d ON t.a = d.k"
                                + " GROUP BY 1, 2 ORDER BY NULL",
                        "merge: groups by [0 as number(0), 1 dependent] [count(2)]");
    }

    @Test
    void withoutThePrimaryKeyItIs() {
        assertThat(partitionQuery("SELECT d.str, COUNT(*) FROM t JOIN d ON t.a = d.k GROUP BY d.str"))
                .contains(COMPARED);
        assertThat(partitionQuery("SELECT t.a, d.str, COUNT(*) FROM t JOIN d ON t.a = d.k GROUP BY t.a, d.str"))
                .contains(COMPARED);
    }

    @Test
    void soAreTextsOfOtherTables() {
        assertThat(partitionQuery("SELECT d.k, t.str, COUNT(*) FROM t JOIN d ON t.a = d.k GROUP BY d.k, t.str"))
                .contains(COMPARED + "(t.str)");
    }

    @Test
    void soAreComputedTexts() {
        assertThat(partitionQuery(
                        "SELECT d.k, LOWER(d.str), COUNT(*) FROM t JOIN d ON t.a = d.k GROUP BY d.k, LOWER(d.str)"))
                .contains(COMPARED + "(LOWER(d.str))");
    }

    @Test
    void soAreTextsThatAreSortedBy() {
        String grouped = "SELECT d.k, d.str, COUNT(*) FROM t JOIN d ON t.a = d.k GROUP BY d.k, d.str ORDER BY ";
        assertThat(partitionQuery(grouped + "d.str")).contains(COMPARED);
        assertThat(partitionQuery(grouped + "2 DESC, 1")).contains(COMPARED);
        assertThat(partitionQuery(grouped + "d.k")).doesNotContain(COMPARED);
        assertThat(partitionQuery(grouped + "COUNT(*)")).doesNotContain(COMPARED);
    }

    /** MariaDB sorts groups by their keys. */
    @Test
    void aKeyAfterThePrimaryKeyDoesNotChangeTheOrder() {
        String from = " FROM t JOIN d ON t.a = d.k GROUP BY ";
        assertThat(partitionQuery("mariadb: SELECT d.k, d.str, COUNT(*)" + from + "d.k, d.str"))
                .doesNotContain(COMPARED);
        assertThat(partitionQuery("mariadb: SELECT d.k, d.str, COUNT(*)" + from + "d.str, d.k"))
                .contains(COMPARED);
        assertThat(partitionQuery("SELECT d.k, d.str, COUNT(*)" + from + "d.str, d.k"))
                .doesNotContain(COMPARED);
    }

    @Test
    void rollupGroupsByFewerKeys() {
        assertThat(partitionQuery(
                        "SELECT d.k, d.str, COUNT(*) FROM t JOIN d ON t.a = d.k GROUP BY d.k, d.str WITH ROLLUP"))
                .contains(COMPARED);
    }

    @Test
    void aKeyOfAnotherInstanceDecidesNothing() {
        Column key = new Column("db", "x", "d", "k", "k", 63, 11, ColumnType.LONG, 0, 0);
        String sql =
                "SELECT x.k, y.str, COUNT(*) FROM t JOIN d x ON t.a = x.k JOIN d y ON t.b = y.k GROUP BY x.k, y.str";
        assertThat(GoldenPlanTest.plan(sql, Map.of("x.k", key, "y.str", text("y", "d")))
                        .get(0))
                .contains(COMPARED);
        String own = sql.replace("y.str", "x.str");
        assertThat(GoldenPlanTest.plan(own, Map.of("x.k", key, "x.str", text("x", "d")))
                        .get(0))
                .doesNotContain(COMPARED);
    }

    @Test
    void allColumnsOfThePrimaryKeyMustBeKeys() {
        String from = ", COUNT(*) FROM t JOIN e ON t.a = e.a GROUP BY ";
        assertThat(partitionQuery("SELECT e.a, e.str" + from + "e.a, e.str")).contains(COMPARED);
        assertThat(partitionQuery("SELECT e.b, e.str" + from + "e.b, e.str")).contains(COMPARED);
        assertThat(partitionQuery("SELECT e.b, e.str" + from + "e.b, e.str, e.a"))
                .doesNotContain(COMPARED);
        assertThat(partitionQuery("mariadb: SELECT e.b, e.str" + from + "e.b, e.str, e.a"))
                .contains(COMPARED);
        assertThat(partitionQuery("mariadb: SELECT e.b, e.str" + from + "e.b, e.a, e.str"))
                .doesNotContain(COMPARED);
    }

    @Test
    void theServerMustNameTheTableOfTheKey() {
        Column view = new Column("db", "d", "other", "str", "str", 45, 80, ColumnType.VAR_STRING, 0, 0);
        assertThat(GoldenPlanTest.plan(
                                "SELECT d.k, d.str, COUNT(*) FROM t JOIN d ON t.a = d.k GROUP BY d.k, d.str",
                                Map.of("d.str", view))
                        .get(0))
                .contains(COMPARED);
    }

    /** The columns of a derived table may come from several rows of the table in it. */
    @Test
    void aTableInsideADerivedTableDecidesNothing() {
        Column key = new Column("db", "d", "d", "k", "k", 63, 11, ColumnType.LONG, 0, 0);
        assertThat(GoldenPlanTest.plan(
                                "SELECT x.k, x.str, COUNT(*) FROM (SELECT d.k, d.str FROM t JOIN d ON t.a = d.k) x"
                                        + " GROUP BY x.k, x.str",
                                Map.of("x.k", key, "x.str", text("d", "d")))
                        .get(0))
                .contains(COMPARED);
    }

    /** A column that the server calls one of d may come from a table of that name inside a derived table. */
    @Test
    void aNameThatTwoTablesHaveProvesNothing() {
        assertThat(partitionQuery("SELECT d.k, d.str, COUNT(*) FROM t JOIN d ON t.a = d.k"
                        + " WHERE EXISTS (SELECT 1 FROM d WHERE d.k = 3) GROUP BY d.k, d.str"))
                .contains(COMPARED);
    }
}
