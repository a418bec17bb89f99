package io.fanfold.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.reason.Reason;
import io.fanfold.status.StatusSource.Viewer;
import java.util.List;
import org.junit.jupiter.api.Test;

class CounterStatusTest {
    @Test
    void countersHaveNamesLikeThoseOfTheServer() {
        Meters meters = new Meters();
        for (int i = 0; i < 4; i++) {
            meters.attempted();
        }
        meters.passedThrough(Reason.FEW_ROWS);
        meters.passedThrough(Reason.FEW_ROWS);
        meters.passedThrough(Reason.VIEW);
        meters.fannedOut(8, 2, "verified", List.of(), 1_000);
        Viewer viewer = new Viewer("app", true);
        assertThat(CounterStatus.variables(meters::counts).read(viewer).rows())
                .contains(
                        List.of("Fanfold_request_attempted", 4L),
                        List.of("Fanfold_request_executed", 1L),
                        List.of("Fanfold_request_not_chosen", 3L),
                        List.of("Fanfold_request_not_chosen_few_rows", 2L),
                        List.of("Fanfold_request_not_chosen_view", 1L),
                        List.of("Fanfold_partition_queries", 8L));
        assertThat(CounterStatus.reasons(meters::counts).read(viewer).rows())
                .containsExactly(
                        List.of("few_rows", 2L, Reason.FEW_ROWS.sentence()),
                        List.of("view", 1L, Reason.VIEW.sentence()));
        meters.close();
    }
}
