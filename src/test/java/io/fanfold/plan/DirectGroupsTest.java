package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.plan.MergeNode.Average;
import io.fanfold.plan.MergeNode.GroupOrder;
import io.fanfold.plan.MergeNode.MergeFunction;
import io.fanfold.plan.MergeNode.SortColumn;
import io.fanfold.plan.SortKey.KeyComparison;
import io.fanfold.plan.rule.Rules;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.wire.ServerFlavor;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DirectGroupsTest {
    private static final SplitPlanner PLANNER = new SplitPlanner(ServerFlavor.MYSQL, new Rules());
    private static final byte[] NO_PAD = {};
    private static final Column KEY = Sample.integer("a");

    /** A block whose inputs have the given types. */
    private record Block(LogicalPlan plan, TypeBinding types, ServerFlavor flavor) {
        static Block of(String sql, Column... columns) {
            return on(ServerFlavor.MYSQL, new SessionTraits(true, false, 4), sql, columns);
        }

        static Block on(ServerFlavor flavor, SessionTraits session, String sql, Column... columns) {
            LogicalPlan plan = Sample.analyze(PLANNER, sql, "db", Sample.catalog(Sample.table("db", "t", 1000)))
                    .blocks()
                    .get(0);
            Column[] types = plan.inputs().stream()
                    .map(input -> type(input.sql(), columns))
                    .toArray(Column[]::new);
            return new Block(plan, TypeSample.on(flavor, session, types), flavor);
        }

        /** A COUNT is an integer. Any other aggregate has the type of its argument. */
        private static Column type(String input, Column... columns) {
            return input.startsWith("COUNT")
                    ? Sample.integer("n")
                    : Arrays.stream(columns)
                            .filter(column -> input.equals(column.name()) || input.contains("(" + column.name() + ")"))
                            .findFirst()
                            .orElseThrow();
        }

        LogicalAggregation shape() {
            return (LogicalAggregation) plan.shape();
        }

        Optional<DirectGroups> direct() {
            return DirectGroups.of(plan, shape(), types, flavor, false);
        }

        DirectGroups inPortions(boolean sortedByKeys) {
            return DirectGroups.inPortions(plan, shape(), types, flavor, sortedByKeys)
                    .orElseThrow();
        }
    }

    private static Column decimal(int precision, int scale) {
        return Sample.column("v", ColumnType.NEWDECIMAL, 63, precision + (scale > 0 ? 2 : 1), 0, scale);
    }

    private static Column of(ColumnType type) {
        return Sample.column("d", type, 63, type == ColumnType.YEAR ? 4 : 10, 0, 0);
    }

    /**
     * Rows: the precision and the scale of the sum, div_precision_increment, the digits that the division computes, and
     * those of the result; none if the proxy does not divide.
     */
    @ParameterizedTest
    @CsvSource({
        "10, 0, 4, 9, 4",
        "10, 2, 4, 9, 6",
        "20, 7, 4, 18, 11",
        "20, 9, 4, 18, 13",
        "20, 5, 4, 9, 9",
        "20, 5, 5, 18, 10",
        "20, 5, 0, 9, 5",
        "40, 26, 4, 36, 30",
        "40, 27, 4, ,",
        "63, 0, 4, 9, 4",
        "64, 0, 4, ,",
        "62, 10, 4, 18, 14",
        "65, 10, 4, ,"
    })
    void averagesHaveTheDigitsOfTheServer(int precision, int scale, int more, Integer inner, Integer digits) {
        Optional<List<Average>> averages = Block.on(
                        ServerFlavor.MYSQL,
                        new SessionTraits(true, false, more),
                        "SELECT AVG(v) FROM t",
                        decimal(precision, scale))
                .direct()
                .map(DirectGroups::averages);
        assertThat(averages)
                .isEqualTo(inner == null ? Optional.empty() : Optional.of(List.of(new Average(0, 1, inner, digits))));
    }

    @Test
    void anAverageThatIsShownTwiceIsComputedOnce() {
        DirectGroups groups = Block.of("SELECT AVG(v), AVG(v) FROM t", decimal(10, 2))
                .direct()
                .orElseThrow();
        assertThat(groups.averages()).hasSize(1);
        assertThat(groups.completion()).isEqualTo(new FanOutPlan.Completion.Direct(List.of(2, 2)));
    }

    @Test
    void rangeAndOrderAreThoseOfTheStatement() {
        String sql = "SELECT a, SUM(v) AS s FROM t GROUP BY a ORDER BY s DESC LIMIT 3 OFFSET 2";
        DirectGroups groups = Block.of(sql, KEY, decimal(10, 2)).inPortions(true);
        List<SortColumn> by = List.of(new SortColumn(1, true), new SortColumn(0, false));
        assertThat(groups.order()).isEqualTo(new GroupOrder(by, 2, 3));
        assertThat(groups.orderOfPortions(3))
                .as("two more keys")
                .isEqualTo(new GroupOrder(List.of(new SortColumn(3, true), new SortColumn(0, false)), 2, 3));
        assertThat(groups.portions()).isEqualTo(FanOutPlan.Portions.ALL);
    }

    @Test
    void theFinalQueryFiltersAllRows() {
        String sql = "SELECT a, SUM(v) AS s FROM t GROUP BY a HAVING s > 1 ORDER BY a LIMIT 3 OFFSET 2";
        DirectGroups groups = Block.of(sql, KEY, decimal(10, 2)).inPortions(false);
        assertThat(groups.orderOfPortions(1))
                .isEqualTo(new GroupOrder(List.of(new SortColumn(0, false)), 0, Long.MAX_VALUE));
        assertThat(groups.portions()).isEqualTo(new FanOutPlan.Portions(2, 3));
    }

    /** A temporary table of the server shows some values in another way. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT MIN(d) FROM t GROUP BY a | YEAR | true",
                "SELECT MIN(d) FROM t GROUP BY a ORDER BY a | YEAR | false",
                "SELECT ANY_VALUE(d) FROM t GROUP BY a ORDER BY a | YEAR | false",
                "SELECT ANY_VALUE(d) FROM t GROUP BY a ORDER BY a | DATE | false",
                "SELECT ANY_VALUE(d) FROM t GROUP BY a ORDER BY a | LONG | true",
                "SELECT ANY_VALUE(d) FROM t GROUP BY a | YEAR | true",
                "SELECT SUM(d) FROM t GROUP BY a ORDER BY a | YEAR | true",
                "SELECT MIN(d) FROM t GROUP BY a ORDER BY a | DATE | true"
            })
    void someValuesAreShownOtherwiseIfTheServerSorts(String sql, ColumnType type, boolean direct) {
        Column[] inputs = {KEY, of(type)};
        assertThat(Block.of(sql, inputs).direct().isPresent()).isEqualTo(direct);
    }

    /** In temporary tables of sorted groups, servers change dates with zero parts unless the session allows them. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT MIN(d), MAX(d) FROM t GROUP BY a ORDER BY a | false | DATE",
                "SELECT MIN(d), MAX(d) FROM t GROUP BY a ORDER BY a | true | BYTES",
                "SELECT MIN(d), MAX(d) FROM t GROUP BY a | false | BYTES"
            })
    void extremesOfSortedGroupsAreStrictDates(String sql, boolean zeroDates, KeyComparison expected) {
        Block block =
                Block.on(ServerFlavor.MYSQL, new SessionTraits(true, zeroDates, 4), sql, KEY, of(ColumnType.DATE));
        DirectGroups groups = block.direct().orElseThrow();
        SortKey compare = new SortKey(1, KeyComparison.BYTES, NO_PAD, false);
        List<LogicalAggregate> aggregates = block.shape().aggregates();
        MergeFunction min = groups.function(aggregates.get(0), new MergeFunction.Min(1, compare));
        MergeFunction max = groups.function(aggregates.get(1), new MergeFunction.Max(2, compare));
        SortKey wanted = new SortKey(1, expected, NO_PAD, false);
        assertThat(Arrays.asList(min, max))
                .containsExactly(new MergeFunction.Min(1, wanted), new MergeFunction.Max(2, wanted));
    }

    /** MySQL sorts them with the values of DISTINCT. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "MYSQL | SELECT d, COUNT(DISTINCT a) FROM t GROUP BY d ORDER BY d | DATE | DATE",
                "MYSQL | SELECT d, COUNT(DISTINCT a) FROM t GROUP BY d | DATE | BYTES",
                "MYSQL | SELECT d, COUNT(a) FROM t GROUP BY d ORDER BY d | DATE | BYTES",
                "MYSQL | SELECT d, COUNT(DISTINCT a) FROM t GROUP BY d ORDER BY d | STRING | BYTES",
                "MARIADB | SELECT d, COUNT(DISTINCT a) FROM t GROUP BY d ORDER BY d | DATE | BYTES"
            })
    void keysBesideDistinctAreStrictDates(ServerFlavor flavor, String sql, ColumnType type, KeyComparison expected) {
        DirectGroups groups = Block.on(flavor, new SessionTraits(true, true, 4), sql, of(type), KEY)
                .inPortions(false);
        SortKey compare = new SortKey(0, KeyComparison.BYTES, NO_PAD, false);
        assertThat(groups.key(0, compare)).isEqualTo(new SortKey(0, expected, NO_PAD, false));
    }
}
