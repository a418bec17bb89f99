package io.fanfold.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.observe.Explanation.ReadPartitions;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class GainModelTest {
    private static final long MILLI = 1_000_000;

    private static List<ReadPartitions> queries(int... counts) {
        return Arrays.stream(counts)
                .mapToObj(count -> new ReadPartitions("s.t", count, count, count))
                .toList();
    }

    private static long expected(int cores, long directMillis, int workers, int... queries) {
        return new GainModel(cores).expectedNanos(directMillis * MILLI, workers, queries(queries)) / MILLI;
    }

    @Test
    void workersShareTheTime() {
        assertThat(expected(0, 8000, 8, 8)).isEqualTo(1000 + 4 + 8);
        assertThat(expected(0, 8000, 4, 8)).isEqualTo(2000 + 4 + 4);
    }

    @Test
    void theLastRoundMayHaveFewQueries() {
        assertThat(expected(0, 9000, 8, 9)).isEqualTo(2000 + 4 + 8);
    }

    @Test
    void coresLimitWhatRunsAtTheSameTime() {
        assertThat(expected(2, 8000, 8, 8)).isEqualTo(4000 + 4 + 8);
        assertThat(expected(64, 8000, 8, 8)).isEqualTo(1000 + 4 + 8);
    }

    @Test
    void blocksFollowOneAnother() {
        assertThat(expected(0, 8000, 4, 4, 4)).isEqualTo(2000 + 4 + 4);
    }

    @Test
    void aShortStatementIsExpectedToPassThrough() {
        assertThat(expected(0, 10, 8, 8)).isEqualTo(10);
        assertThat(expected(0, 8000, 1, 1)).isEqualTo(8000);
    }

    @Test
    void withoutPartitionsNothingIsSaved() {
        assertThat(expected(0, 8000, 8)).isEqualTo(8000);
    }
}
