package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code t} is partitioned. A column without a table name belongs to {@code t}. */
class KeyFilterRuleTest {
    private static KeyFilters filters(String statement, Map<String, Column> types) {
        return GoldenPlanTest.splittable(statement, types).blocks().get(0).filters();
    }

    private static List<String> found(String from) {
        return filters("SELECT COUNT(*) FROM " + from, Map.of()).found().stream()
                .map(filter -> filter.column() + ": " + filter.keys())
                .toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "t JOIN d ON t.a = d.k WHERE d.x = 1 | t.a: SELECT DISTINCT d.k FROM d WHERE (d.x = 1)",
                "t JOIN d ON t.a = d.k AND d.x = 1 | t.a: SELECT DISTINCT d.k FROM d WHERE (d.x = 1)",
                "d, t WHERE d.k = a AND d.x IN (1, 2) AND t.b > 2 | a: SELECT DISTINCT d.k FROM d WHERE (d.x IN (1, 2))",
                "t JOIN db.d AS `x y` ON t.a = `x y`.k WHERE t.b = 1 AND t.a < 5 | ",
                "t JOIN db.d y ON t.a = y.k WHERE (y.x = 1 OR y.x BETWEEN 3 AND 4) AND y.z <> 2"
                        + " | t.a: SELECT DISTINCT y.k FROM db.d AS `y` WHERE (y.x = 1 OR y.x BETWEEN 3 AND 4) AND (y.z <> 2)",
                "t JOIN d PARTITION (p1) ON t.a = d.k WHERE d.x = 1"
                        + " | t.a: SELECT DISTINCT d.k FROM d PARTITION (p1) WHERE (d.x = 1)",
                "t JOIN d USE INDEX (i) ON t.a = d.k WHERE d.x = 1 | t.a: SELECT DISTINCT d.k FROM d WHERE (d.x = 1)",
                "t STRAIGHT_JOIN d ON t.a = d.k WHERE NOT d.x = 1 | t.a: SELECT DISTINCT d.k FROM d WHERE (NOT d.x = 1)",
                "t JOIN d ON t.a = d.k WHERE d.x IS NOT NULL AND d.x < d.z AND d.x > t.b"
                        + " | t.a: SELECT DISTINCT d.k FROM d WHERE (d.x IS NOT NULL) AND (d.x < d.z)",
                "t JOIN d ON t.a = d.k LEFT JOIN e ON d.x = e.x AND d.z = 3 WHERE d.x = 1"
                        + " | t.a: SELECT DISTINCT d.k FROM d WHERE (d.x = 1)",
                "t JOIN d ON t.a = d.k WHERE d.x = 1 AND t.day < DATE '1995-03-15' AND t.day >= date'1995-01-01' - interval 1 year"
                        + " | t.a: SELECT DISTINCT d.k FROM d WHERE (d.x = 1)",
                "t JOIN d ON t.a = d.k WHERE d.day BETWEEN DATE '1995-01-01' AND DATE '1995-01-01' + INTERVAL '3' MONTH | t.a:"
                        + " SELECT DISTINCT d.k FROM d WHERE (d.day BETWEEN DATE '1995-01-01' AND DATE '1995-01-01' + INTERVAL '3' MONTH)",
                "t x JOIN t y ON x.a = y.b WHERE y.b > 7 | x.a: SELECT DISTINCT y.b FROM t AS `y` WHERE (y.b > 7)",
            })
    void theConditionsOnADimensionLeaveKeys(String from, String filter) {
        assertThat(found(from)).isEqualTo(filter == null ? List.of() : List.of(filter));
    }

    @Test
    void eachDimensionHasItsOwnKeys() {
        assertThat(found("t JOIN d ON t.a = d.k JOIN e ON t.b = e.k WHERE d.x = 1 AND e.x = 2"))
                .containsExactly(
                        "t.a: SELECT DISTINCT d.k FROM d WHERE (d.x = 1)",
                        "t.b: SELECT DISTINCT e.k FROM e WHERE (e.x = 2)");
        assertThat(found("t JOIN d m ON t.a = m.k JOIN d n ON t.b = n.k WHERE m.x = 1 AND n.x = 2"))
                .containsExactly(
                        "t.a: SELECT DISTINCT m.k FROM d AS `m` WHERE (m.x = 1)",
                        "t.b: SELECT DISTINCT n.k FROM d AS `n` WHERE (n.x = 2)");
    }

    /** A table without conditions is read for keys if it leads to one that has conditions. */
    @Test
    void tablesJoinedToADimensionAloneLeaveFewerKeys() {
        assertThat(found("t JOIN d ON t.a = d.k JOIN e ON d.e = e.k JOIN g ON e.g = g.k WHERE g.x = 1"))
                .containsExactly(
                        "t.a: SELECT DISTINCT d.k FROM d, e, g WHERE (d.e = e.k) AND (e.g = g.k) AND (g.x = 1)");
        assertThat(found("t JOIN d ON t.a = d.k JOIN e ON d.e = e.k JOIN g ON d.g = g.k WHERE d.x = 2 AND e.x = 1"))
                .containsExactly(
                        "t.a: SELECT DISTINCT d.k FROM d, e WHERE (d.e = e.k) AND (d.x = 2) AND (e.x = 1)",
                        "t.a: SELECT DISTINCT d.k FROM d WHERE (d.x = 2)");
        // a table joined to the split table itself leaves keys of its own
        assertThat(found("t JOIN d ON t.a = d.k JOIN e ON t.b = e.k AND d.e = e.e WHERE d.x = 2 AND e.x = 1"))
                .containsExactly(
                        "t.a: SELECT DISTINCT d.k FROM d WHERE (d.x = 2)",
                        "t.b: SELECT DISTINCT e.k FROM e WHERE (e.x = 1)");
        assertThat(found("t JOIN d ON t.a = d.k LEFT JOIN e ON d.e = e.k WHERE e.x = 1"))
                .isEmpty();
    }

    @Test
    void severalColumnsOfADimensionFilterEach() {
        assertThat(found("t JOIN d ON t.a = d.k AND t.b = d.l WHERE d.x = 1"))
                .containsExactly(
                        "t.a: SELECT DISTINCT d.k FROM d WHERE (d.x = 1)",
                        "t.b: SELECT DISTINCT d.l FROM d WHERE (d.x = 1)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "t JOIN d ON t.a = d.k",
                "t JOIN d ON t.a = d.k WHERE t.b = 1",
                "t LEFT JOIN d ON t.a = d.k AND d.x = 1",
                "t LEFT JOIN d ON t.a = d.k WHERE d.x = 1",
                "(d LEFT JOIN e ON d.x = e.k) JOIN t ON t.a = e.k WHERE e.x = 1",
                "(d JOIN e ON d.x = e.k AND e.x = 1) RIGHT JOIN t ON t.a = e.k",
                "t JOIN d USING (a) WHERE d.x = 1",
                "t NATURAL JOIN d WHERE d.x = 1",
                "t JOIN d ON (t.a = d.k OR t.b = 3) WHERE d.x = 1",
                "t, d WHERE t.a = d.k AND d.x = 1 OR t.b = 2",
                "t JOIN d ON t.a = d.k + 0 WHERE d.x = 1",
                "t JOIN d ON t.a <=> d.k WHERE d.x = 1",
                "t JOIN d ON NOT t.a = d.k WHERE d.x = 1",
                "t JOIN d ON t.a = d.k WHERE d.x = 1 AND t.b + 1 > 2",
                "t JOIN d ON t.a = d.k WHERE d.x = 1 AND t.str > 2",
                "t JOIN d ON t.a = d.k WHERE ABS(d.x) = 1",
                "t JOIN d ON t.a = d.k WHERE d.x = 1 AND t.day < DATE '1995-02-30'",
                "t JOIN d ON t.a = d.k WHERE d.x = 1 AND t.day < DATE '1995-02-20' + INTERVAL 9999 YEAR",
                "t JOIN d ON t.a = d.k WHERE d.x = 1 AND t.day < DATE '1995-02-20' + INTERVAL t.b DAY",
                "t JOIN d ON t.a = d.k WHERE d.x = 1 AND t.day < DATE '1995-02-20' + INTERVAL 1 HOUR",
                "t JOIN d ON t.a = d.k WHERE d.x = 1 AND t.str < DATE '1995-02-20'",
                "t JOIN d ON t.a = d.k WHERE d.x = 1 AND t.moment < DATE '1995-02-20'",
                "t JOIN d ON t.a = d.k WHERE d.x = 1 AND d.z IN (SELECT z FROM e)",
                "t JOIN (SELECT k, x FROM d) d ON t.a = d.k WHERE d.x = 1",
                "(SELECT a, b FROM t) y JOIN d ON y.a = d.k WHERE d.x = 1",
            })
    void otherJoinsImplyNoFilter(String from) {
        assertThat(found(from)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "LONG, LONG, true",
        "TINY, LONGLONG, true",
        "INT24, SHORT, true",
        "DATE, DATE, true",
        "LONG, DATE, false",
        "DATE, DATETIME, false",
        "LONG, NEWDECIMAL, false",
        "NEWDECIMAL, NEWDECIMAL, false",
        "LONG, DOUBLE, false",
        "BIT, BIT, false",
        "LONG, BIT, false",
        "YEAR, YEAR, false",
        "LONG, YEAR, false",
        "VAR_STRING, VAR_STRING, false",
        "TIMESTAMP, TIMESTAMP, false",
        "DATETIME, DATETIME, false",
    })
    void onlyTypesOfCertainComparisonsAreTaken(ColumnType column, ColumnType key, boolean taken) {
        KeyFilters filters = filters(
                "SELECT COUNT(*) FROM t JOIN d ON t.a = d.k WHERE d.x = 1",
                Map.of("t.a", column("t", "a", column), "d.k", column("d", "k", key)));
        assertThat(filters.found()).hasSize(taken ? 1 : 0);
        assertThat(filters.refused()).hasSize(taken ? 0 : 1);
    }

    /** The server says which table a column without a table name belongs to. */
    @Test
    void theServerNamesTheTableOfAColumn() {
        Map<String, Column> types =
                Map.of("k", column("d", "k", ColumnType.LONG), "x", column("d", "x", ColumnType.LONG));
        assertThat(filters("SELECT COUNT(*) FROM t, d WHERE a = k AND x = 1 AND b = 2", types)
                        .found())
                .singleElement()
                .extracting(KeyFilter::keys)
                .isEqualTo("SELECT DISTINCT k FROM d WHERE (x = 1)");
    }

    @Test
    void theHintSwitchesThemOff() {
        assertThat(filters(
                                "SELECT /*+ NO_DYNAMIC_FILTERS */ COUNT(*) FROM t JOIN d ON t.a = d.k WHERE d.x = 1",
                                Map.of())
                        .found())
                .isEmpty();
    }

    /** A condition with OR stays one condition, and the list is added to it. */
    @Test
    void theListIsAddedToTheWholeCondition() {
        StatementPlan decision = GoldenPlanTest.splittable(
                "SELECT t.b, COUNT(*) FROM t JOIN d ON t.a = d.k AND d.x = 1 WHERE t.b = 1 OR t.b = 3 GROUP BY t.b",
                Map.of());
        FanOutPlan plan = decision.blocks().get(0);
        KeyList list = new KeyList("t.a", new byte[] {'7', ',', '9'}, 2, false);
        assertThat(plan.partitionQuery("EXPLAIN ", Sample.part("p0"), List.of(list, KeyList.none("t.b"))))
                .asString()
                .isEqualTo(
                        "EXPLAIN SELECT t.b, COUNT(*) FROM t PARTITION (`p0`) JOIN d ON t.a = d.k AND d.x = 1"
                                + " WHERE IF(t.a IN (7,9), 1, 0) AND t.b IN (NULL) AND (t.b = 1 OR t.b = 3) GROUP BY 1 ORDER BY NULL");
        assertThat(plan.partitionQuery("EXPLAIN ", Sample.part("p0"), List.of()))
                .asString()
                .isEqualTo(plan.partitionQuery(Sample.part("p0")));
    }

    private static Column column(String table, String name, ColumnType type) {
        return new Column("db", table, table, name, name, 45, 11, type, 0, 0);
    }
}
