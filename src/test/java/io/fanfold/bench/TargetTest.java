package io.fanfold.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.bench.SplitBench.Measured;
import io.fanfold.bench.Target.Miss;
import io.fanfold.bench.Target.Times;
import io.fanfold.demo.SsbQueries;
import io.fanfold.metrics.FanOutReport;
import java.util.List;
import org.junit.jupiter.api.Test;

class TargetTest {
    private static final long MILLI = 1_000_000;

    @Test
    void namesTheStatementTheFigureAndTheTarget() {
        assertThat(misses(Target.LOOSE_SCAN, true, 1757, 7, 865))
                .containsExactly(
                        "q: Fanfold/by hand 123.571 (target: at most 1.50)",
                        "q: direct/Fanfold 2.031 (target: at least 50.00)");
    }

    @Test
    void aTargetThatIsJustMetIsNotMissed() {
        assertThat(misses(Target.USUAL, true, 3000, 1000, 1100)).isEmpty();
        assertThat(misses(Target.USUAL, true, 3000, 1000, 1101)).hasSize(1);
        assertThat(misses(Target.MANY_GROUPS, true, 6000, 1000, 1000)).isEmpty();
        assertThat(misses(Target.MANY_GROUPS, true, 5999, 1000, 1000)).hasSize(1);
    }

    @Test
    void aShortStatementMayTakeTheFixedCostLonger() {
        assertThat(misses(Target.USUAL, true, 40, 10, 15)).isEmpty();
        assertThat(misses(Target.USUAL, true, 40, 10, 16)).hasSize(1);
        // passing everything through meets no target
        assertThat(misses(Target.USUAL, true, 40, 10, 40)).hasSize(1);
    }

    @Test
    void multiplesOfDirectAreForLargeTables() {
        assertThat(misses(Target.MANY_GROUPS, false, 2000, 1000, 1000)).isEmpty();
        assertThat(Target.MANY_GROUPS.shown(false)).isEqualTo("by hand 1.50");
        assertThat(Target.MANY_GROUPS.shown(true)).isEqualTo("by hand 1.50, direct 6");
    }

    @Test
    void rowsThatAreStreamedHaveToBeSoonerOrPassedThrough() {
        assertThat(Target.STREAMED.misses("q", new Times(1000, 500, 0, 1010, true), false))
                .hasSize(1);
        assertThat(Target.STREAMED.misses("q", new Times(1000, 500, 0, 1010, false), false))
                .isEmpty();
        assertThat(Target.STREAMED.misses("q", new Times(1000, 500, 0, 1000, true), false))
                .isEmpty();
    }

    @Test
    void aStarJoinIsNotSlowerThanWithoutFilters() {
        assertThat(Target.USUAL.misses("q", new Times(9000, 9000, 1000 * MILLI, 1051 * MILLI, true), false).stream()
                        .map(Miss::toString))
                .contains("q: Fanfold/no filters 1.051 (target: at most 1.05)");
        assertThat(withFilters(1000, 1050)).isEmpty();
        assertThat(withFilters(10, 15)).isEmpty();
        assertThat(withFilters(10, 16)).hasSize(1);
    }

    @Test
    void theBenchmarkTogetherIsThreeTimesAsFastAsDirect() {
        SplitBench bench = new SplitBench(1, List.of(2), true);
        assertThat(bench.misses(benchmark(3000, 1000))).isEmpty();
        assertThat(bench.misses(benchmark(3000, 1001)).stream().map(Miss::toString))
                .contains("the Star Schema Benchmark together: direct/Fanfold 2.997 (target: at least 3.00)");
        assertThat(new SplitBench(1, List.of(2), false).misses(benchmark(3000, 1001)))
                .isEmpty();
        assertThat(bench.misses(benchmark(3000, 1001).subList(0, 1))).isEmpty();
    }

    @Test
    void theLastLinesNameTheMissedTargets() {
        assertThat(BenchRun.verdict(List.of())).isEqualTo("all targets are met\n");
        assertThat(BenchRun.verdict(List.of(
                        new Miss("count", "Fanfold/by hand", 1.517, "at most", 1.1),
                        new Miss("point selects of 16 clients", "Fanfold/relay", 0.85, "at least", 0.9))))
                .isEqualTo("""
                        targets missed: 2
                          count: Fanfold/by hand 1.517 (target: at most 1.10)
                          point selects of 16 clients: Fanfold/relay 0.850 (target: at least 0.90)
                        """);
    }

    private static List<Miss> withFilters(long noFilters, long fanfold) {
        Times times = new Times(fanfold * MILLI, fanfold * MILLI, noFilters * MILLI, fanfold * MILLI, true);
        return Target.USUAL.misses("q", times, false);
    }

    private static List<Measured> benchmark(long direct, long fanfold) {
        Times times = new Times(direct * MILLI, fanfold * MILLI, 0, fanfold * MILLI, true);
        return BenchStatement.ALL.stream()
                .filter(statement -> SsbQueries.BENCHMARK.contains(statement.query()))
                .map(statement -> new Measured(statement, times, FanOutReport.split(8, 2, "verified", 0)))
                .toList();
    }

    private static List<String> misses(Target target, boolean scaleOne, long direct, long byHand, long fanfold) {
        Times times = new Times(direct * MILLI, byHand * MILLI, 0, fanfold * MILLI, true);
        return target.misses("q", times, scaleOne).stream().map(Miss::toString).toList();
    }
}
