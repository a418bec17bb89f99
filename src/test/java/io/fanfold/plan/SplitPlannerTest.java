package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.catalog.CatalogSnapshot;
import io.fanfold.catalog.PartitionedTable;
import io.fanfold.metrics.Reason;
import io.fanfold.plan.SplitDecision.PassThrough;
import io.fanfold.row.ColumnType;
import io.fanfold.sql.SelectModel;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SplitPlannerTest {
    private static final SplitPlanner MYSQL = new SplitPlanner(false, false);
    private static final PartitionedTable SMALL = Sample.table("one", "t", 5);
    private static final PartitionedTable LARGE = Sample.table("two", "t", 500);
    private static final CatalogSnapshot CATALOG = Sample.catalog(SMALL, LARGE, Sample.table("one", "u", 50));

    private static SplitDraft draft(String sql) {
        return drafted(sql).blocks().get(0);
    }

    private static StatementDraft drafted(String sql) {
        return (StatementDraft) MYSQL.draft(Sample.statement(sql), "one", CATALOG);
    }

    @Test
    void typesMustBeThoseOfTheInputs() {
        StatementDraft draft = drafted("SELECT a, COUNT(*) FROM t GROUP BY a");
        SplitDecision decision = MYSQL.complete(
                draft,
                List.of(List.of(Sample.integer("a"))),
                2,
                CATALOG,
                (charset, collation) -> Optional.empty(),
                new SessionTraits(true, false, SessionTraits.DEFAULT_DIVIDED_DIGITS));
        assertThat(decision)
                .isEqualTo(new PassThrough(Reason.PREPARE_FAILED, "typing query has 1 columns (expected: 2)"));
        SplitDecision complete = MYSQL.complete(
                draft,
                List.of(List.of(Sample.integer("a"), Sample.column("n", ColumnType.LONGLONG, 63, 21, 0, 0))),
                2,
                CATALOG,
                (charset, collation) -> Optional.empty(),
                new SessionTraits(true, false, SessionTraits.DEFAULT_DIVIDED_DIGITS));
        assertThat(((StatementPlan) complete).blocks().get(0).partitionQuery(List.of("p0", "p`1")))
                .isEqualTo("SELECT a, COUNT(*) FROM t PARTITION (`p0`, `p``1`) GROUP BY 1 ORDER BY NULL");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT a, COUNT(*) FROM t GROUP BY a | true",
                "SELECT a, b FROM t ORDER BY a LIMIT 1 | true",
                "SELECT a, COUNT(*) FROM t GROUP BY a ORDER BY a | false",
                "SELECT a, COUNT(*) FROM t GROUP BY a HAVING a > 1 | false",
                "SELECT a, COUNT(*) FROM t GROUP BY a LIMIT 1 | false",
                "SELECT a, COUNT(*) FROM t GROUP BY a WITH ROLLUP | false",
                "SELECT DISTINCT COUNT(*) FROM t GROUP BY a | false",
                "SELECT AVG(a) FROM t | false",
                "SELECT MAX(x.n) FROM (SELECT COUNT(*) AS n FROM t GROUP BY a) x | false"
            })
    void mergedRowsThatAreTheAnswerComeAsTheClientReadsThem(String sql, boolean asClient) {
        assertThat(MYSQL.rowsAsClient(drafted(sql))).isEqualTo(asClient);
    }

    @Test
    void anAliasMustBeNoColumnOfTheBlocksOwnTables() {
        SplitDraft draft = draft("SELECT t.a + 1 AS n, COUNT(*) FROM t JOIN one.d ON t.a = d.k"
                + " WHERE t.b IN (SELECT x FROM w) GROUP BY n");
        List<SelectModel.TableRef> tables = draft.model().tables();
        assertThat(draft.notColumnsOf(tables.get(0))).containsExactly("n");
        assertThat(draft.notColumnsOf(tables.get(1))).containsExactly("n");
        assertThat(draft.notColumnsOf(tables.get(2))).isEmpty();
        assertThat(draft.notColumnsOf(
                        Sample.read("SELECT a FROM two.t").tables().get(0)))
                .isEmpty();
    }

    @Test
    void theStatementIsTheOneAroundTheBlock() {
        StatementDraft framed = drafted("SELECT MAX(x.n) FROM (SELECT COUNT(*) AS n FROM t GROUP BY a) x");
        assertThat(framed.framed()).isTrue();
        assertThat(framed.blocks().get(0).model().sql()).isEqualTo("SELECT COUNT(*) AS n FROM t GROUP BY a");
        assertThat(framed.statement().sql()).startsWith("SELECT MAX(x.n)");
        assertThat(drafted("SELECT COUNT(*) FROM t GROUP BY a").framed()).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT a, JSON_ARRAYAGG(b) FROM t WHERE b > 1 GROUP BY a | true",
                "SELECT json_objectagg(x.a, x.n) FROM (SELECT a, COUNT(*) AS n FROM t GROUP BY a) x | true",
                "SELECT MAX(x.n) FROM (SELECT a, COUNT(*) AS n FROM t GROUP BY a) x | false",
                "SELECT a, GROUP_CONCAT(b) FROM t WHERE b > 1 GROUP BY a | false",
                "SELECT id, JSON_ARRAYAGG(b) FROM t GROUP BY id | false"
            })
    void whatIsCarriedBecomesJson(String sql, boolean json) {
        SplitPlanner planner = new SplitPlanner(true, true);
        assertThat(((StatementDraft) planner.draft(Sample.statement(sql), "one", CATALOG)).makesJson())
                .isEqualTo(json);
    }

    /** Servers estimate no rows at all of tables that were filled a moment ago. */
    @Test
    void aTableOfNoEstimatedRowsIsOneThatMayBeSplit() {
        CatalogSnapshot empty = Sample.catalog(Sample.table("one", "t", 0));
        assertThat(((StatementDraft) MYSQL.draft(Sample.statement("SELECT COUNT(*) FROM t"), "one", empty)).framed())
                .isFalse();
        for (String framed : List.of(
                "SELECT MAX(x.n) FROM (SELECT COUNT(*) AS n FROM t) x",
                "SELECT a FROM t WHERE b > (SELECT MAX(c) FROM t)")) {
            StatementDraft draft = (StatementDraft) MYSQL.draft(Sample.statement(framed), "one", empty);
            assertThat(draft.framed()).as(framed).isTrue();
        }
    }

    /** What servers are asked the types of; an asterisk marks what partition queries do not compute. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT UPPER(a) FROM t | 1*",
                "SELECT UPPER(a) FROM t ORDER BY b | b",
                "SELECT a, SUM(a), SUM(b) FROM t GROUP BY a | a, SUM(a), SUM(b), b*"
            })
    void eachTypeIsAskedForOnce(String sql, String inputs) {
        assertThat(draft(sql).inputs().stream()
                        .map(input -> input.sql() + (input.typeOnly() ? "*" : ""))
                        .sorted()
                        .toList())
                .isEqualTo(Stream.of(inputs.split(", ", -1)).sorted().toList());
    }

    @Test
    void aNameWithoutDatabaseMayBeAnyTable() {
        SelectModel model = Sample.read("SELECT COUNT(*) FROM T WHERE a = 1");
        assertThat(SplitPlanner.found(model.tables().get(0), null, CATALOG)).contains(LARGE);
        assertThat(SplitPlanner.found(model.tables().get(0), "one", CATALOG)).isEmpty();
        SelectModel qualified = Sample.read("SELECT COUNT(*) FROM one.t");
        assertThat(SplitPlanner.found(qualified.tables().get(0), "two", CATALOG))
                .contains(SMALL);
        SelectModel unknown = Sample.read("SELECT COUNT(*) FROM v");
        assertThat(SplitPlanner.found(unknown.tables().get(0), null, CATALOG)).isEmpty();
    }

    @Test
    void severalDerivedTablesAreSplitInTheirOrder() {
        StatementDraft both = drafted("SELECT MAX(x.n), MAX(y.n) FROM (SELECT a, COUNT(*) AS n FROM t GROUP BY a) x,"
                + " (SELECT a, COUNT(*) AS n FROM u GROUP BY a) y");
        assertThat(both.blocks().stream().map(block -> block.split().name())).containsExactly("t", "u");
        SplitDecision none =
                MYSQL.draft(Sample.statement("SELECT MAX(x.n) FROM (SELECT COUNT(*) AS n FROM d) x"), "one", CATALOG);
        assertThat(((PassThrough) none).reason()).isEqualTo(Reason.NO_PARTITIONED_TABLE);
    }
}
