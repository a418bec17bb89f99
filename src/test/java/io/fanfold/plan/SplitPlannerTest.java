package io.fanfold.plan;

import static io.fanfold.reason.Refusals.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.catalog.CatalogSnapshot;
import io.fanfold.catalog.CatalogTable;
import io.fanfold.catalog.TableName;
import io.fanfold.catalog.TableSettings;
import io.fanfold.config.FanOutConfig;
import io.fanfold.config.TablesText;
import io.fanfold.plan.rule.Rules;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.reason.RefusedException;
import io.fanfold.row.ColumnType;
import io.fanfold.sql.SelectModel;
import io.fanfold.wire.ServerFlavor;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SplitPlannerTest {
    private static final SplitPlanner MYSQL = new SplitPlanner(ServerFlavor.MYSQL, new Rules());
    private static final CatalogTable SMALL = Sample.table("one", "t", 5);
    private static final CatalogTable LARGE = Sample.table("two", "t", 500);
    private static final CatalogSnapshot CATALOG = Sample.catalog(SMALL, LARGE, Sample.table("one", "u", 50));

    private static LogicalPlan analyze(String sql) {
        return analyzed(sql).blocks().get(0);
    }

    private static LogicalStatement analyzed(String sql) {
        return Sample.analyze(MYSQL, sql, "one", CATALOG);
    }

    @Test
    void typesMustBeThoseOfTheInputs() throws RefusedException {
        LogicalStatement logical = analyzed("SELECT a, COUNT(*) FROM t GROUP BY a");
        assertThat(refusalOf(() -> MYSQL.complete(
                        logical,
                        List.of(List.of(Sample.integer("a"))),
                        2,
                        CATALOG,
                        (charset, collation) -> Optional.empty(),
                        new SessionTraits(true, false, SessionTraits.DEFAULT_DIVIDED_DIGITS))))
                .isEqualTo(new Refusal(Reason.PREPARE_FAILED, "typing query has 1 columns (expected: 2)"));
        StatementPlan complete = MYSQL.complete(
                logical,
                List.of(List.of(Sample.integer("a"), Sample.column("n", ColumnType.LONGLONG, 63, 21, 0, 0))),
                2,
                CATALOG,
                (charset, collation) -> Optional.empty(),
                new SessionTraits(true, false, SessionTraits.DEFAULT_DIVIDED_DIGITS));
        assertThat(complete.blocks().get(0).partitionQuery(Sample.part("p0", "p`1")))
                .isEqualTo("SELECT a, COUNT(*) FROM t PARTITION (`p0`, `p``1`) GROUP BY 1 ORDER BY NULL");
    }

    /** To the reader of hints, the second one is an argument of the first. */
    @Test
    void aQuotedParenthesisHidesNoHint() {
        Verdict.assertRefused(Reason.HINT, "SELECT /*+ BKA(`(`) Set_Var(sql_mode = '') NO_ICP(`)`) */ COUNT(*) FROM t");
        Verdict.assertSplit("SELECT /*+ BKA(`(`) NO_ICP(`)`) */ COUNT(*) FROM t");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT a, COUNT(*) FROM t GROUP BY a | true",
                "SELECT a, b FROM t ORDER BY a LIMIT 1 | true",
                "SELECT a, COUNT(*) FROM t GROUP BY a ORDER BY a | true",
                "SELECT a, COUNT(*) FROM t GROUP BY a ORDER BY a + 1 | false",
                "SELECT a, COUNT(*) FROM t GROUP BY a HAVING a > 1 | false",
                "SELECT a, COUNT(*) FROM t GROUP BY a LIMIT 1 | true",
                "SELECT a, COUNT(*) FROM t GROUP BY a WITH ROLLUP | false",
                "SELECT DISTINCT COUNT(*) FROM t GROUP BY a | false",
                "SELECT AVG(a) FROM t | true",
                "SELECT SUM(a) / SUM(b) FROM t | false",
                "SELECT MAX(x.n) FROM (SELECT COUNT(*) AS n FROM t GROUP BY a) x | false"
            })
    void mergedRowsThatAreTheResultHaveTheClientsFormat(String sql, boolean asClient) {
        assertThat(MYSQL.rowsAsClient(analyzed(sql))).isEqualTo(asClient);
    }

    @Test
    void anAliasMustBeNoColumnOfTheBlocksOwnTables() {
        LogicalPlan logical = analyze("SELECT t.a + 1 AS n, COUNT(*) FROM t JOIN one.d ON t.a = d.k"
                + " WHERE t.b IN (SELECT x FROM w) GROUP BY n");
        List<SelectModel.TableRef> tables = logical.model().tables();
        assertThat(logical.shadowingAliasesOf(tables.get(0))).containsExactly("n");
        assertThat(logical.shadowingAliasesOf(tables.get(1))).containsExactly("n");
        assertThat(logical.shadowingAliasesOf(tables.get(2))).isEmpty();
        assertThat(logical.shadowingAliasesOf(
                        Sample.read("SELECT a FROM two.t").tables().get(0)))
                .isEmpty();
    }

    @Test
    void theStatementIsTheOneAroundTheBlock() {
        LogicalStatement embedded = analyzed("SELECT MAX(x.n) FROM (SELECT COUNT(*) AS n FROM t GROUP BY a) x");
        assertThat(embedded.embedded()).isTrue();
        assertThat(embedded.blocks().get(0).model().sql()).isEqualTo("SELECT COUNT(*) AS n FROM t GROUP BY a");
        assertThat(embedded.statement().sql()).startsWith("SELECT MAX(x.n)");
        assertThat(analyzed("SELECT COUNT(*) FROM t GROUP BY a").embedded()).isFalse();
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
    void onlySomeStatementsSendJson(String sql, boolean json) {
        SplitPlanner planner = planner(ServerFlavor.MARIADB, "'*.*': {approximate: allow}");
        assertThat(Sample.analyze(planner, sql, "one", CATALOG).makesJson()).isEqualTo(json);
    }

    private static SplitPlanner planner(ServerFlavor flavor, String... tables) {
        return new SplitPlanner(
                flavor,
                new TableSettings(FanOutConfig.defaults(), TablesText.read(tables), Optional.empty(), true),
                new Rules());
    }

    private static final CatalogSnapshot SHOP = Sample.catalog(
            Sample.table("shop", "t", 1000),
            Sample.table("shop", "u", 50),
            Sample.table("shop", "v", 9),
            Sample.table("log", "t", 2000),
            Sample.table("log", "v", 9));

    /** Which tables are split under the table settings. The schema is shop; an asterisk means no schema. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT COUNT(*) FROM t | t",
                "SELECT COUNT(*) FROM u | TABLE_DISABLED shop.u by tables.shop.u",
                "SELECT COUNT(*) FROM log.t | TABLE_DISABLED log.t by tables.log.*",
                "SELECT COUNT(*) FROM d | NO_PARTITIONED_TABLE ",
                "SELECT /*+ PARALLEL */ COUNT(*) FROM u | TABLE_DISABLED shop.u by tables.shop.u",
                "SELECT COUNT(*) FROM t JOIN u ON t.a = u.a | t",
                "SELECT COUNT(*) FROM v JOIN u ON v.a = u.a | v",
                "SELECT COUNT(*) FROM v JOIN log.t ON v.a = t.a | v",
                "SELECT x.a FROM (SELECT a, COUNT(*) AS n FROM u GROUP BY a) x | TABLE_DISABLED shop.u by tables.shop.u",
                "SELECT x.a, y.n FROM (SELECT a, COUNT(*) AS n FROM t GROUP BY a) x JOIN (SELECT a, COUNT(*) AS n FROM u"
                        + " GROUP BY a) y ON x.a = y.a | t",
                "SELECT x.a, y.n FROM (SELECT a, COUNT(*) AS n FROM v GROUP BY a) x JOIN (SELECT a, COUNT(*) AS n FROM u"
                        + " GROUP BY a) y ON x.a = y.a | TABLE_DISABLED shop.u by tables.shop.u",
                "SELECT SUM(dbl) FROM t | t",
                "* SELECT COUNT(*) FROM t | t",
                "* SELECT COUNT(*) FROM u | TABLE_DISABLED shop.u by tables.shop.u",
                "* SELECT COUNT(*) FROM log.v | TABLE_DISABLED log.v by tables.log.*"
            })
    void tablesThatAreSwitchedOffAreNotSplit(String sql, String expected) {
        SplitPlanner planner = planner(ServerFlavor.MYSQL, "shop.u: {mode: off}", "log.*: {mode: off}");
        boolean anywhere = sql.startsWith("* ");
        String found;
        try {
            LogicalStatement logical = planner.analyze(
                    Sample.statement(sql.replace("* SELECT", "SELECT")), anywhere ? null : "shop", SHOP);
            found = logical.blocks().stream().map(block -> block.split().name()).collect(Collectors.joining(","));
        } catch (RefusedException e) {
            found = e.reason() + " " + e.detail();
        }
        assertThat(found.strip()).isEqualTo(expected);
    }

    /** Whether blocks may be approximate if the settings allow it for t and forbid it for v. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT COUNT(*) FROM t | true",
                "SELECT COUNT(*) FROM u | false",
                "SELECT /*+ APPROXIMATE */ COUNT(*) FROM u | true",
                "SELECT COUNT(*) FROM t JOIN u ON t.a = u.a | true",
                "SELECT COUNT(*) FROM t JOIN v ON t.a = v.a | false",
                "SELECT /*+ APPROXIMATE */ COUNT(*) FROM t JOIN v ON t.a = v.a | true",
                "SELECT x.a FROM (SELECT a, COUNT(*) AS n FROM t GROUP BY a) x JOIN (SELECT a, COUNT(*) AS n FROM u"
                        + " GROUP BY a) y ON x.a = y.a | false"
            })
    void theSplitTableSaysWhetherAnswersMayBeApproximate(String sql, boolean approximate) {
        SplitPlanner planner =
                planner(ServerFlavor.MYSQL, "shop.t: {approximate: allow}", "shop.v: {approximate: refuse}");
        LogicalStatement logical = Sample.analyze(planner, sql, "shop", SHOP);
        assertThat(logical.approximate()).isEqualTo(approximate);
        LogicalStatement anywhere = Sample.analyze(planner, sql, null, SHOP);
        assertThat(anywhere.approximate() || !approximate)
                .as("not refused as long as the schema is not known")
                .isTrue();
    }

    /** Servers estimate no rows for tables that were filled a moment ago. */
    @Test
    void aTableWithNoEstimatedRowsMayBeSplit() {
        CatalogSnapshot empty = Sample.catalog(Sample.table("one", "t", 0));
        assertThat(Sample.analyze(MYSQL, "SELECT COUNT(*) FROM t", "one", empty).embedded())
                .isFalse();
        for (String embedded : List.of(
                "SELECT MAX(x.n) FROM (SELECT COUNT(*) AS n FROM t) x",
                "SELECT a FROM t WHERE b > (SELECT MAX(c) FROM t)")) {
            LogicalStatement logical = Sample.analyze(MYSQL, embedded, "one", empty);
            assertThat(logical.embedded()).as(embedded).isTrue();
        }
    }

    /**
     * The expressions whose types are asked from the server. An asterisk marks those that partition queries do not
     * compute.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT UPPER(a) FROM t | 1*",
                "SELECT UPPER(a) FROM t ORDER BY b | b",
                "SELECT a, SUM(a), SUM(b) FROM t GROUP BY a | a, SUM(a), SUM(b), b*"
            })
    void eachTypeIsAskedForOnce(String sql, String inputs) {
        assertThat(analyze(sql).inputs().stream()
                        .map(input -> input.sql() + (input.typeOnly() ? "*" : ""))
                        .sorted()
                        .toList())
                .isEqualTo(Stream.of(inputs.split(", ", -1)).sorted().toList());
    }

    @Test
    void aNameWithoutDatabaseMayBeAnyTable() {
        SelectModel model = Sample.read("SELECT COUNT(*) FROM T WHERE a = 1");
        assertThat(NamedTables.found(model.tables().get(0), null, CATALOG)).contains(LARGE);
        assertThat(NamedTables.found(model.tables().get(0), "one", CATALOG)).isEmpty();
        SelectModel qualified = Sample.read("SELECT COUNT(*) FROM one.t");
        assertThat(NamedTables.found(qualified.tables().get(0), "two", CATALOG)).contains(SMALL);
        SelectModel unknown = Sample.read("SELECT COUNT(*) FROM v");
        assertThat(NamedTables.found(unknown.tables().get(0), null, CATALOG)).isEmpty();
    }

    @Test
    void severalDerivedTablesAreSplitInTheirOrder() {
        LogicalStatement both = analyzed("SELECT MAX(x.n), MAX(y.n) FROM (SELECT a, COUNT(*) AS n FROM t GROUP BY a) x,"
                + " (SELECT a, COUNT(*) AS n FROM u GROUP BY a) y");
        assertThat(both.blocks().stream().map(block -> block.split().name())).containsExactly("t", "u");
        assertThat(refusalOf(() -> MYSQL.analyze(
                                Sample.statement("SELECT MAX(x.n) FROM (SELECT COUNT(*) AS n FROM d) x"),
                                "one",
                                CATALOG))
                        .reason())
                .isEqualTo(Reason.NO_PARTITIONED_TABLE);
    }

    private static final CatalogSnapshot MIXED = Sample.catalog(
            Sample.table("one", "p", 500),
            Sample.table("one", "q", 50),
            CatalogTable.unpartitioned(new TableName("one", "w"), 100_000),
            CatalogTable.unpartitioned(new TableName("one", "s"), 1_000));

    /** Tables p and q have partitions, w and s have none. Row: the statement, and the tables that are split. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT COUNT(*) FROM w | w",
                "SELECT COUNT(*) FROM s JOIN w ON s.a = w.a | w",
                "SELECT COUNT(*) FROM w JOIN p ON w.a = p.a | p",
                "SELECT COUNT(*) FROM w JOIN (SELECT a, COUNT(*) n FROM p GROUP BY a) x ON w.a = x.a | p",
                "SELECT COUNT(*) FROM w JOIN (SELECT a, COUNT(*) n FROM s GROUP BY a) x ON w.a = x.a | w",
                "SELECT MAX(x.n), MAX(y.n) FROM (SELECT COUNT(*) n FROM w) x, (SELECT COUNT(*) n FROM p) y | p",
                "SELECT MAX(x.n), MAX(y.n) FROM (SELECT COUNT(*) n FROM w) x, (SELECT COUNT(*) n FROM s) y | w s",
                "SELECT a FROM w ORDER BY a | w",
                "SELECT a FROM w | no_shape",
                "SELECT a FROM p | p",
                "SELECT a FROM p WHERE b > (SELECT MAX(b) FROM q) | p",
                "SELECT a FROM q WHERE b > (SELECT MAX(b) FROM p) | p",
                "SELECT a FROM q WHERE b > (SELECT MAX(b) FROM q) | q",
                "SELECT a FROM p WHERE b > (SELECT MAX(b) FROM w) | p",
                "SELECT a FROM w WHERE b > (SELECT MAX(b) FROM s) ORDER BY a | w",
                "SELECT a FROM s WHERE b > (SELECT MAX(b) FROM w) ORDER BY a | w",
                "SELECT COUNT(*) FROM p WHERE b > (SELECT MAX(b) FROM q) | p"
            })
    void tablesWithPartitionsAreSplitFirst(String sql, String expected) {
        assertThat(split(sql)).isEqualTo(expected);
    }

    private static String split(String sql) {
        try {
            return MYSQL.analyze(Sample.statement(sql), "one", MIXED).blocks().stream()
                    .map(block -> block.split().name())
                    .collect(Collectors.joining(" "));
        } catch (RefusedException e) {
            return e.reason().label();
        }
    }
}
