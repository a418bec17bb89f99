package io.fanfold.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.bench.SeriesBench.Series;
import io.fanfold.bench.Target.Miss;
import java.util.List;
import org.junit.jupiter.api.Test;

class SeriesBenchTest {
    private static final Series SLOWER = new Series("SSB Q1.1", 1_000, 1_021, 20);
    private static final Series EQUAL = new Series("SSB Q1.2", 1_000, 1_020, 0);
    private static final Series FASTER = new Series("count", 1_000, 500, 19);

    private final SeriesBench bench = new SeriesBench(20);

    @Test
    void aSumAboveThatOfDirectIsMissed() {
        assertThat(bench.misses(List.of(SLOWER, EQUAL, FASTER)).stream().map(Miss::toString))
                .containsExactly("SSB Q1.1: Fanfold/direct of 20 executions in a row 1.021 (target: at most 1.02)");
    }

    @Test
    void showsSums() {
        Series series = new Series("count", 2_000_000_000, 1_100_000_000, 19);
        assertThat(bench.head() + bench.line(series)).isEqualTo("""
                query             direct s  Fanfold s  Fanfold/direct     split
                ----------------  --------  ---------  --------------  --------
                count                2.000      1.100            0.55  19 of 20
                """);
    }
}
