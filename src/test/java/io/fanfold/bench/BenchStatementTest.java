package io.fanfold.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.demo.DemoQuery;
import io.fanfold.demo.SsbQueries;
import java.util.List;
import org.junit.jupiter.api.Test;

class BenchStatementTest {
    @Test
    void everyStatementHasAPlaceForThePartition() {
        assertThat(BenchStatement.PARTITIONED)
                .allSatisfy(statement -> assertThat(statement.byHand("p3"))
                        .containsOnlyOnce("lineorder PARTITION (p3)")
                        .doesNotContain("{"));
    }

    @Test
    void theTableWithoutPartitionsIsReadByRanges() {
        assertThat(BenchStatement.PLAIN.stream()
                        .limit(SsbQueries.PLAIN.size())
                        .map(statement -> statement.byHand("k < 3").replaceAll("\\s+", " ")))
                .satisfiesExactly(
                        totals -> assertThat(totals).endsWith(" FROM lineorder_plain WHERE k < 3"),
                        orders -> assertThat(orders).endsWith(" FROM lineorder_plain WHERE k < 3 GROUP BY LO_OrderKey"),
                        star -> assertThat(star)
                                .contains("from lineorder_plain, dim_date")
                                .contains(" where k < 3 and lo_orderdatekey = d_datekey"));
        assertThat(HandSplit.equalRanges(List.of("1", "2", "3", "4", "5", "6"), 3))
                .containsExactly(
                        "LO_OrderDateKey < 3", "LO_OrderDateKey >= 3 and LO_OrderDateKey < 5", "LO_OrderDateKey >= 5");
    }

    @Test
    void measuresAllStatementsOfTheDemoUnderNamesOfTheirOwn() {
        List<DemoQuery> measured =
                BenchStatement.ALL.stream().map(BenchStatement::query).toList();
        assertThat(measured).containsAll(SsbQueries.ALL).containsAll(SsbQueries.PLAIN);
        assertThat(measured.stream().map(DemoQuery::name)).doesNotHaveDuplicates();
    }

    @Test
    void byHandNoOrderIsAskedForUnlessItLimits() {
        assertThat(byHand(SsbQueries.PROFIT)).endsWith("GROUP BY d_year, c_nation");
        assertThat(byHand(SsbQueries.LOWEST_PRICES)).endsWith("LIMIT 20");
    }

    @Test
    void byHandTheKeysOfStarJoinsAreAddedToTheConditions() {
        BenchStatement statement = BenchStatement.ALL.stream()
                .filter(one -> one.query().equals(SsbQueries.Q2_1))
                .findFirst()
                .orElseThrow();
        List<String> conditions = statement.filters().stream()
                .map(filter -> filter.condition(List.of("3", "14")))
                .toList();
        assertThat(statement.byHand("p0", conditions))
                .contains("where lo_partkey in (3,14) and lo_suppkey in (3,14) and  lo_orderdatekey = d_datekey");
        assertThat(statement.byHand("p0")).contains("where  lo_orderdatekey = d_datekey");
        assertThat(statement.filters().get(0).condition(List.of())).isEqualTo("lo_partkey in (null)");
    }

    @Test
    void starJoinsHaveATextWithoutDynamicFilters() {
        List<BenchStatement> stars = BenchStatement.PARTITIONED.stream()
                .filter(BenchStatement::starJoin)
                .toList();
        assertThat(stars).hasSize(1 + SsbQueries.BENCHMARK.size());
        assertThat(stars.get(1).withoutDynamicFilters())
                .startsWith("select /*+ NO_DYNAMIC_FILTERS */ sum(lo_extendedprice");
    }

    private static String byHand(DemoQuery query) {
        return BenchStatement.ALL.stream()
                .filter(statement -> statement.query().equals(query))
                .findFirst()
                .orElseThrow()
                .byHand("p0");
    }
}
