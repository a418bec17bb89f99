package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.catalog.Partitioning;
import io.fanfold.plan.rule.Rules;
import io.fanfold.sql.SelectModel.TableRef;
import io.fanfold.wire.ServerFlavor;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LogicalStatementTest {
    private static LogicalStatement analyze(String sql) {
        SplitPlanner planner = new SplitPlanner(ServerFlavor.MYSQL, new Rules());
        return Sample.analyze(
                planner, sql, "db", Sample.catalog(Sample.table("db", "t", 1000), Sample.table("db", "u", 10)));
    }

    private static TableRef table(LogicalStatement logical, String name) {
        return logical.statement().tables().stream()
                .filter(table -> table.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** When MySQL explains a statement, it runs subqueries with one row and subqueries in comparisons. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT a, COUNT(*) FROM t GROUP BY a | true",
                "SELECT COUNT(*) FROM t | true",
                "SELECT MAX(n) FROM (SELECT a, COUNT(*) AS n FROM t GROUP BY a) x | true",
                "SELECT x.n FROM (SELECT COUNT(*) AS n FROM t) x | false",
                "SELECT k FROM d WHERE k = (SELECT MAX(a) FROM t) | false",
                "SELECT x.n FROM (SELECT a, COUNT(*) AS n FROM t GROUP BY a) x WHERE n > (SELECT MAX(a) FROM t) | false"
            })
    void groupsInDerivedTablesAreExplainedUnrun(String sql, boolean unrun) {
        assertThat(analyze(sql).explainedUnrun()).isEqualTo(unrun);
    }

    /** The server itself computes sums over merged blocks. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT SUM(a) FROM t | false",
                "SELECT x.n FROM (SELECT SUM(b) AS n FROM t) x | false",
                "SELECT avg(d.k) FROM d WHERE k > (SELECT COUNT(*) FROM t) | true",
                "SELECT k FROM d WHERE k > (SELECT COUNT(*) FROM t) AND k IN (SELECT SUM(k) FROM d GROUP BY a) | true",
                "SELECT /*+ APPROXIMATE */ avg(d.k) FROM d WHERE k > (SELECT COUNT(*) FROM t) | false"
            })
    void sumsAroundBlocksAreSeen(String sql, boolean sums) {
        assertThat(analyze(sql).sumsOutside()).isEqualTo(sums);
    }

    @Test
    void tablesAreIdentifiedBySchemaAndName() {
        LogicalStatement logical = analyze("SELECT COUNT(*) FROM t JOIN u ON t.a = u.a JOIN other.t z ON z.k = t.k");
        assertThat(logical.splits(logical.blocks().get(0).split())).isTrue();
        assertThat(logical.splits(table(logical, "u"))).isFalse();
        TableRef namesake = logical.statement().tables().get(2);
        assertThat(namesake.schema()).isEqualTo("other");
        assertThat(logical.splits(namesake)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"SELECT a AS n, COUNT(*) AS m FROM t GROUP BY n ORDER BY m"})
    void aliasesMustNotBeColumnsOfTheBlocksTables(String sql) {
        LogicalStatement logical = analyze(sql);
        assertThat(logical.shadowingAliasesOf(table(logical, "t"))).isNotEmpty();
        assertThat(analyze("SELECT COUNT(*) FROM t").shadowingAliasesOf(table(logical, "t")))
                .isEmpty();
    }

    /**
     * The assumed partitioning must be the real one. Otherwise the distinct values are merged as those of any other
     * column.
     */
    @Test
    void distinctValuesAddUpOnlyUnderTheProvenPartitioning() {
        LogicalPlan block = analyze("SELECT COUNT(DISTINCT id) FROM t").blocks().get(0);
        Partitioning assumed = ((LogicalAggregation) block.shape())
                .localDistinct()
                .orElseThrow()
                .partitioning();
        assertThat(block.proven(Optional.of(assumed))).isSameAs(block);
        for (Optional<Partitioning> other :
                List.of(Optional.<Partitioning>empty(), Optional.of(new Partitioning("KEY", "a")))) {
            LogicalAggregation folded = (LogicalAggregation) block.proven(other).shape();
            assertThat(folded.localDistinct()).isEmpty();
            assertThat(folded.aggregates()).isEqualTo(((LogicalAggregation) block.shape()).aggregates());
        }
        LogicalPlan plain =
                analyze("SELECT a, COUNT(*) FROM t GROUP BY a").blocks().get(0);
        assertThat(plain.proven(Optional.empty())).isSameAs(plain);
    }

    @Test
    void partitionLocalGroupsAreNotOverlooked() {
        LogicalPlan only =
                analyze("SELECT id, AVG(a) * 2 FROM t GROUP BY id").blocks().get(0);
        assertThat(only.mayBeWhole()).isTrue();
        LogicalAggregation unproven =
                (LogicalAggregation) only.proven(Optional.empty()).shape();
        assertThat(unproven.whole().orElseThrow().columns()).isEmpty();
        LogicalPlan either =
                analyze("SELECT id, SUM(a) FROM t GROUP BY id").blocks().get(0);
        assertThat(((LogicalAggregation) either.proven(Optional.empty()).shape()).whole())
                .isEmpty();
    }

    @Test
    void theServerExplainsTheUnchangedBlock() {
        assertThat(analyze("SELECT /*+ PARALLEL(3) */ a, COUNT(*) FROM t GROUP BY a")
                        .blocks()
                        .get(0)
                        .text())
                .isEqualTo("SELECT  a, COUNT(*) FROM t GROUP BY a");
    }

    /** Rows: the statement, whether a range has a place in the partition query, and whether partitions may be divided. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT COUNT(*) FROM t | true | true",
                "SELECT MAX(x.n) FROM (SELECT COUNT(*) AS n FROM t GROUP BY a) x | true | true",
                "SELECT COUNT(*) FROM (SELECT a FROM t WHERE b > 1) x | true | true",
                "WITH x AS (SELECT a FROM t WHERE b > 1) SELECT COUNT(*) FROM x | true | true",
                "SELECT a FROM t ORDER BY a | true | false",
                "SELECT COUNT(DISTINCT id) FROM t | true | false",
                "SELECT id, AVG(a) * 2 FROM t GROUP BY id | true | false"
            })
    void whatDependsOnPartitionsIsNotDivided(String sql, boolean ranges, boolean divides) {
        LogicalPlan block = analyze(sql).blocks().get(0);
        assertThat(block.mayHaveRanges()).isEqualTo(ranges);
        assertThat(block.mayDividePartitions()).isEqualTo(divides);
    }

    @Test
    void distinctValuesThatAddUpMayBeMergedInstead() {
        LogicalPlan block = analyze("SELECT COUNT(DISTINCT id) FROM t").blocks().get(0);
        LogicalPlan byValues = block.byValues().orElseThrow();
        assertThat(((LogicalAggregation) byValues.shape()).localDistinct()).isEmpty();
        assertThat(byValues.byValues()).isEmpty();
        assertThat(analyze("SELECT COUNT(DISTINCT a) FROM t").blocks().get(0).byValues())
                .isEmpty();
        assertThat(analyze("SELECT a FROM t ORDER BY a").blocks().get(0).byValues())
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT COUNT(*) FROM t | false",
                "SELECT COUNT(*) FROM t WHERE a > NOW() | true",
                "SELECT MAX(SEC_TO_TIME(a)) FROM t | true"
            })
    void someStatementsDependOnTheirTime(String sql, boolean depends) {
        assertThat(analyze(sql).dependsOnTime()).isEqualTo(depends);
    }
}
