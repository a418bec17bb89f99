package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.catalog.Partitioning;
import io.fanfold.plan.SplitDraft.Aggregation;
import io.fanfold.sql.SelectModel.TableRef;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StatementDraftTest {
    private static StatementDraft draft(String sql) {
        SplitPlanner planner = new SplitPlanner(false);
        return Sample.draft(
                planner, sql, "db", Sample.catalog(Sample.table("db", "t", 1000), Sample.table("db", "u", 10)));
    }

    private static TableRef table(StatementDraft draft, String name) {
        return draft.statement().tables().stream()
                .filter(table -> table.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** MySQL runs what has one row, and what is compared with, when it explains a statement. */
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
        assertThat(draft(sql).explainedUnrun()).isEqualTo(unrun);
    }

    /** Sums around folded blocks are the server's own. */
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
        assertThat(draft(sql).sumsOutside()).isEqualTo(sums);
    }

    @Test
    void tablesAreToldApartBySchemaAndName() {
        StatementDraft draft = draft("SELECT COUNT(*) FROM t JOIN u ON t.a = u.a JOIN other.t z ON z.k = t.k");
        assertThat(draft.splits(draft.blocks().get(0).split())).isTrue();
        assertThat(draft.splits(table(draft, "u"))).isFalse();
        TableRef namesake = draft.statement().tables().get(2);
        assertThat(namesake.schema()).isEqualTo("other");
        assertThat(draft.splits(namesake)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"SELECT a AS n, COUNT(*) AS m FROM t GROUP BY n ORDER BY m"})
    void aliasesMustNotBeColumnsOfTheBlocksTables(String sql) {
        StatementDraft draft = draft(sql);
        assertThat(draft.notColumnsOf(table(draft, "t"))).isNotEmpty();
        assertThat(draft("SELECT COUNT(*) FROM t").notColumnsOf(table(draft, "t")))
                .isEmpty();
    }

    /** What was taken for the partitioning has to be it: else values are folded as those of any other column. */
    @Test
    void whatAddsUpDoesSoOnlyUnderTheProvenPartitioning() {
        SplitDraft block = draft("SELECT COUNT(DISTINCT id) FROM t").blocks().get(0);
        Partitioning assumed =
                ((Aggregation) block.shape()).disjoint().orElseThrow().partitioning();
        assertThat(block.proven(Optional.of(assumed))).isSameAs(block);
        for (Optional<Partitioning> other :
                List.of(Optional.<Partitioning>empty(), Optional.of(new Partitioning("KEY", "a")))) {
            Aggregation folded = (Aggregation) block.proven(other).shape();
            assertThat(folded.disjoint()).isEmpty();
            assertThat(folded.slots()).isEqualTo(((Aggregation) block.shape()).slots());
        }
        SplitDraft plain =
                draft("SELECT a, COUNT(*) FROM t GROUP BY a").blocks().get(0);
        assertThat(plain.proven(Optional.empty())).isSameAs(plain);
    }

    @Test
    void groupsThatCanOnlyBeReadWholeAreNotLeftOutOfSight() {
        SplitDraft only =
                draft("SELECT id, AVG(a) * 2 FROM t GROUP BY id").blocks().get(0);
        assertThat(only.mayBeWhole()).isTrue();
        Aggregation unproven = (Aggregation) only.proven(Optional.empty()).shape();
        assertThat(unproven.whole().orElseThrow().columns()).isEmpty();
        SplitDraft either =
                draft("SELECT id, SUM(a) FROM t GROUP BY id").blocks().get(0);
        assertThat(((Aggregation) either.proven(Optional.empty()).shape()).whole())
                .isEmpty();
    }

    @Test
    void theServerIsAskedToExplainTheBlockAsItStands() {
        assertThat(draft("SELECT /*+ PARALLEL(3) */ a, COUNT(*) FROM t GROUP BY a")
                        .blocks()
                        .get(0)
                        .text())
                .isEqualTo("SELECT  a, COUNT(*) FROM t GROUP BY a");
    }
}
