package io.fanfold.plan;

import static io.fanfold.plan.Verdict.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.reason.Reason;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The table is partitioned by its {@code id}. Expressions with AVG on MySQL are split by partition-local groups or not
 * at all.
 */
class LocalGroupsRuleTest {
    private static String merge(List<String> plan) {
        return plan.size() > 1 ? plan.get(1) : plan.get(0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT id, AVG(num) * 2 FROM t GROUP BY id",
                "SELECT a, AVG(num) * 2 FROM t GROUP BY a, ID",
                "SELECT AVG(num) * 2 FROM t WHERE a IN (SELECT k FROM d) GROUP BY id",
                "SELECT AVG(num) * 2 FROM t x JOIN d ON x.a = d.k GROUP BY x.id",
                "SELECT AVG(num) * 2 FROM t JOIN d ON t.a = d.k GROUP BY t.id",
                "SELECT id, AVG(num) * 2 FROM t GROUP BY id ORDER BY id DESC LIMIT 3",
                "SELECT id, AVG(num) * 2, MIN(a) AS m FROM t GROUP BY id ORDER BY m, 1, MAX(b), SUM(a), COUNT(*)",
                "mariadb: SELECT id, AVG(num) + 1e0 FROM t GROUP BY id LIMIT 3"
            })
    void groupsByThePartitioningColumnAreRead(String sql) {
        assertThat(merge(GoldenPlanTest.plan(sql))).as(sql).startsWith("merge: rows");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT a, AVG(num) * 2 FROM t GROUP BY a",
                "SELECT AVG(num) * 2 FROM t GROUP BY id + 1",
                "SELECT AVG(num) * 2 FROM t GROUP BY ABS(id)",
                "SELECT AVG(num) * 2 FROM t JOIN d ON t.a = d.k GROUP BY id",
                "SELECT AVG(num) * 2 FROM t JOIN d ON t.a = d.k GROUP BY d.id",
                "SELECT AVG(num) * 2 FROM t JOIN (SELECT k FROM d) x ON t.a = x.k GROUP BY id",
                "SELECT AVG(num) * 2 FROM t JOIN d USING (k) GROUP BY t.id",
                "SELECT AVG(x.num) * 2 FROM (SELECT id, num FROM t) x GROUP BY x.id",
                "SELECT AVG(num) * 2, RANK() OVER (ORDER BY id) FROM t GROUP BY id",
                "SELECT AVG(num) * 2, (SELECT MAX(k) FROM d) FROM t GROUP BY id",
                "SELECT id, AVG(num) * 2 FROM t GROUP BY id ORDER BY ABS(id)",
                "SELECT id, AVG(num) * 2 FROM t GROUP BY id ORDER BY BIT_OR(a)",
                "SELECT id, AVG(num) * 2 FROM t GROUP BY id LIMIT 3"
            })
    void otherGroupsAreNotPartitionLocal(String sql) {
        assertRefused(Reason.AVG_IN_EXPRESSION, sql);
    }

    @ParameterizedTest
    @CsvSource({"LONGLONG,true", "DATE,true", "NEWDECIMAL,false", "VAR_STRING,false"})
    void equalValuesOfThePartitioningColumnAreInOnePartition(ColumnType type, boolean whole) {
        Map<String, Column> id = Map.of("id", new Column("db", "t", "t", "id", "id", 63, 11, type, 0, 0));
        assertThat(merge(GoldenPlanTest.plan("SELECT id, AVG(num) * 2 FROM t GROUP BY id", id)))
                .isEqualTo(
                        whole
                                ? "merge: rows in the order of partitions, columns 0..1, buffered"
                                : "refused: " + Reason.AVG_IN_EXPRESSION);
        assertThat(merge(GoldenPlanTest.plan("SELECT id, COUNT(*) FROM t GROUP BY id", id)))
                .startsWith(whole ? "merge: rows" : "merge: groups");
    }

    @Test
    void theShownOneOfSeveralEqualValuesDependsOnThePlan() {
        assertRefused(Reason.AVG_IN_EXPRESSION, "SELECT AVG(num) * 2 FROM t GROUP BY id, str");
        assertThat(merge(GoldenPlanTest.plan("SELECT COUNT(*) FROM t GROUP BY id, str")))
                .startsWith("merge: groups");
        assertThat(merge(GoldenPlanTest.plan("SELECT COUNT(*) FROM t GROUP BY str, id")))
                .startsWith("merge: groups");
    }

    @Test
    void mariaDbSortsGroupsByTheirKeysUnlessItIsAskedForAnotherOrder() {
        assertThat(GoldenPlanTest.plan(
                        "mariadb: SELECT a, COUNT(*) FROM t WHERE b > 1 GROUP BY a, id HAVING COUNT(*) > 1"))
                .containsExactly(
                        "partition: SELECT a, COUNT(*), a, id FROM t PARTITION (`p`) WHERE b > 1 GROUP BY a, id"
                                + " HAVING COUNT(*) > 1 ORDER BY 3, 4",
                        "merge: rows of groups of partitions by [number(2), number(3)], columns 0..1, buffered",
                        "answer: as they are, text as the client's");
        assertThat(GoldenPlanTest.plan("mariadb: SELECT COUNT(*) FROM t GROUP BY a, id ORDER BY id DESC")
                        .get(0))
                .isEqualTo("partition: SELECT COUNT(*), id FROM t PARTITION (`p`) GROUP BY a, id ORDER BY id DESC");
    }
}
