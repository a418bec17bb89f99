package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.config.FanOutConfig;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.RunningSettings;
import io.fanfold.plan.ExplainedTable;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.Hint;
import io.fanfold.wire.ServerFlavor;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CostModelTest {
    @ParameterizedTest
    @CsvSource({"0, 10", "49, 10", "51, 10", "60, 12", "5000, 1000", "600000, 120000"})
    void snapshotsMayTakeAFifthOfTheStatement(long leastMillis, long patienceMillis) {
        assertThat(CostModel.patience(Duration.ofMillis(leastMillis).toNanos()))
                .isBetween(Duration.ofMillis(patienceMillis), Duration.ofMillis(patienceMillis + 1));
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "1, 1", "3, 2", "8, 3", "50, 7", "64, 8", "1000000, 1000"})
    void workersGrowWithTheSquareRootOfTheWork(long scanMillis, int workers) {
        assertThat(CostModel.degree(Duration.ofMillis(scanMillis).toNanos())).isEqualTo(workers);
    }

    private static int degree(FanOutConfig config, Hint hint, long rows) {
        List<ExplainedTable> explained = List.of(new ExplainedTable(1, "t", List.of("p0"), "ALL", rows, ""));
        return new CostModel(config, new ExecutionHistory()).degree(hint, "q", explained, 16);
    }

    @Test
    void aNumberInTheHintCountsAndNotTheWork() {
        FanOutConfig config = FanOutConfig.defaults();
        Hint parallel = new Hint.Parallel(Optional.empty());
        assertThat(degree(config, new Hint.None(), 50_000)).isEqualTo(4);
        assertThat(degree(config, new Hint.None(), 1_000_000)).isEqualTo(8);
        assertThat(degree(config, parallel, 80)).isEqualTo(1);
        assertThat(degree(config, new Hint.Parallel(Optional.of(6)), 80)).isEqualTo(6);
        assertThat(degree(config, new Hint.Parallel(Optional.of(40)), 80)).isEqualTo(16);
        assertThat(degree(config.withMinRows(0), parallel, 80)).isEqualTo(8);
    }

    /** The cores of the server that the clients use say nothing about the others. */
    @Test
    void eachOfSeveralServersHasAWorkerUnlessANumberIsSet() {
        FanOutConfig found = FanOutConfig.defaults();
        FanOutConfig set = found.withDegree(4);
        Hint none = new Hint.None();
        CostModel costs = new CostModel(found, new ExecutionHistory());
        assertThat(costs.most(none, 16, 12)).isEqualTo(12);
        assertThat(costs.most(none, 16, 2)).isEqualTo(found.degree());
        assertThat(costs.most(none, 16, 40)).isEqualTo(16);
        assertThat(costs.most(new Hint.Parallel(Optional.of(3)), 16, 12)).isEqualTo(3);
        assertThat(new CostModel(set, new ExecutionHistory()).most(none, 16, 12))
                .isEqualTo(4);
    }

    /** The server reads 500 rows, and for each of them 300 of the big table by an index. */
    @Test
    void aJoinedTableIsReadForEachRowBefore() {
        List<ExplainedTable> join = List.of(
                new ExplainedTable(1, "d", List.of(), "ALL", 500, ""),
                new ExplainedTable(1, "t", List.of("p0"), "ref", 300, ""));
        CostModel costs = new CostModel(FanOutConfig.defaults(), new ExecutionHistory());
        assertThat(costs.degree(new Hint.None(), "q", join, 16)).isEqualTo(7);
    }

    @Test
    void measuredWorkCountsBeforeTheEstimate() {
        ExecutionHistory history = new ExecutionHistory();
        CostModel costs = new CostModel(FanOutConfig.defaults(), history);
        List<ExplainedTable> explained = List.of(new ExplainedTable(1, "t", List.of(), "ALL", 1_000_000, ""));
        costs.scanned("q", explained, Duration.ofMillis(9).toNanos(), 1, 1);
        assertThat(costs.degree(new Hint.None(), "q", explained, 16)).isEqualTo(3);
        assertThat(costs.degree(new Hint.None(), "other", explained, 16)).isEqualTo(8);
    }

    @Test
    void aSplitThatIsNotKnownToBeFasterMayTakeTwiceAsLongAsWithout() {
        ExecutionHistory history = new ExecutionHistory();
        CostModel costs = new CostModel(FanOutConfig.defaults(), history);
        Hint none = new Hint.None();
        assertThat(costs.splitLimit(none, "q")).as("nothing to compare with").isEmpty();
        history.direct("q", Duration.ofSeconds(2).toNanos());
        assertThat(costs.splitLimit(none, "q")).contains(Duration.ofMillis(4100));
        Hint parallel = new Hint.Parallel(Optional.empty());
        assertThat(costs.splitLimit(parallel, "q")).as("the user wants a split").isEmpty();
        history.split("q", Duration.ofSeconds(1).toNanos());
        assertThat(costs.splitLimit(none, "q")).as("it is known to be faster").isEmpty();
        history.direct("slower", Duration.ofSeconds(2).toNanos());
        history.split("slower", Duration.ofSeconds(3).toNanos());
        assertThat(costs.splitLimit(none, "slower")).as("the second split").contains(Duration.ofMillis(4100));
        history.direct("slow", Long.MAX_VALUE);
        assertThat(costs.splitLimit(none, "slow"))
                .hasValueSatisfying(limit -> assertThat(limit).isPositive());
    }

    /** The split needs as much of the cores as the unsplit statement. */
    @ParameterizedTest
    @CsvSource({"3, 1, false", "4, 1, true", "7, 2, false", "8, 2, true"})
    void aSplitThatOnlyUsesMoreCoresIsRefusedWhileOthersUseThem(int others, int servers, boolean refused) {
        ExecutionHistory history = new ExecutionHistory();
        CostModel costs = new CostModel(FanOutConfig.defaults().withDegree(4), history);
        history.scanned("q", 1, 1, Duration.ofMillis(1600).toNanos(), 1);
        history.unsplit("q", Duration.ofMillis(1600).toNanos());
        assertThat(crowdedOut(costs, new Hint.None(), others, servers)).isEqualTo(refused);
        assertThat(crowdedOut(costs, new Hint.Parallel(Optional.empty()), others, servers))
                .as("the user wants a split")
                .isFalse();
        history.scanned("q", 1, 1, Duration.ofMillis(1200).toNanos(), 1);
        assertThat(crowdedOut(costs, new Hint.None(), others, servers))
                .as("the split does less work")
                .isFalse();
    }

    @Test
    void queriesShareTheCoresOfAllServers() {
        CostModel costs = new CostModel(FanOutConfig.defaults().withDegree(4), new ExecutionHistory());
        assertThat(costs.load(3.5, 1, 32)).isEqualTo(1);
        assertThat(costs.load(6, 1, 32)).isEqualTo(1.5);
        assertThat(costs.load(12, 2, 32)).isEqualTo(1.5);
    }

    /** With 32 connections, Fanfold finds a degree of at most 16, however many cores the server has. */
    @Test
    void aFoundDegreeThatTheConnectionsBoundIsNotTakenForTheCores() {
        ExecutionHistory history = new ExecutionHistory();
        history.scanned("q", 1, 1, Duration.ofMillis(1600).toNanos(), 1);
        history.unsplit("q", Duration.ofMillis(1600).toNanos());
        CostModel bounded = new CostModel(found(16, 16), history);
        assertThat(crowdedOut(bounded, new Hint.None(), 31, 1)).isFalse();
        assertThat(crowdedOut(bounded, new Hint.None(), 32, 1)).isTrue();
        CostModel all = new CostModel(found(15, 15), history);
        assertThat(crowdedOut(all, new Hint.None(), 15, 1)).isTrue();
        CostModel set = new CostModel(FanOutConfig.defaults().withDegree(16), history);
        assertThat(crowdedOut(set, new Hint.None(), 16, 1)).isTrue();
    }

    /** Two cores have four workers. */
    @Test
    void theCountedCoresAreFullNotTheDegree() {
        ExecutionHistory history = new ExecutionHistory();
        history.scanned("q", 1, 1, Duration.ofMillis(1600).toNanos(), 1);
        history.unsplit("q", Duration.ofMillis(1600).toNanos());
        CostModel costs = new CostModel(found(4, 2), history);
        assertThat(crowdedOut(costs, new Hint.None(), 1, 1)).isFalse();
        assertThat(crowdedOut(costs, new Hint.None(), 2, 1)).isTrue();
        assertThat(costs.load(3, 1, 32)).isEqualTo(1.5);
    }

    @ParameterizedTest
    @CsvSource({"150000, false, false", "150001, true, false", "250001, true, true"})
    void theServersKeepDifferentNumbersOfGroupsInMemory(long groups, boolean onMySql, boolean onMariaDb) {
        ExecutionHistory history = new ExecutionHistory();
        CostModel costs = new CostModel(FanOutConfig.defaults(), history);
        assertThat(costs.manyGroups("q", ServerFlavor.MYSQL)).as("not known").isFalse();
        history.scanned("q", 1, 1, 1, groups);
        history.grouped("q", groups, groups);
        assertThat(costs.manyGroups("q", ServerFlavor.MYSQL)).isEqualTo(onMySql);
        assertThat(costs.manyGroups("q", ServerFlavor.MARIADB)).isEqualTo(onMariaDb);
    }

    private static FanOutConfig found(int degree, int cores) {
        RunningSettings settings = RunningSettings.of(FanfoldConfig.defaults());
        settings.foundDegree(degree, cores);
        return settings.get().fanOut();
    }

    private static boolean crowdedOut(CostModel costs, Hint hint, int others, int servers) {
        try {
            costs.requireFreeCores(hint, "q", others, servers, 32);
            return false;
        } catch (RefusedException e) {
            return e.reason() == Reason.CORES_BUSY;
        }
    }
}
