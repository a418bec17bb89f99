package io.fanfold.observe;

import static io.fanfold.observe.Observations.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.observe.Observation.ReasonShare;
import io.fanfold.observe.StatementGroups.Load;
import io.fanfold.reason.Reason;
import java.util.List;
import org.junit.jupiter.api.Test;

class ObservationTest {
    private final Observation observation = Observations.sample();

    @Test
    void sharesAreOfTheWholeTime() {
        assertThat(observation.splitNanos()).isEqualTo(60 * SECOND);
        assertThat(observation.splitExecutions()).isEqualTo(30);
        assertThat(observation.savedNanos()).isEqualTo(40 * SECOND);
        assertThat(observation.percent(observation.splitNanos())).isEqualTo(60.0);
    }

    @Test
    void reasonsAndSplitsAreTheLoad() {
        assertThat(observation.reasons())
                .containsExactly(
                        new ReasonShare(
                                Reason.NOT_A_SELECT.label(), Reason.NOT_A_SELECT.sentence(), 0, 960, 17 * SECOND),
                        new ReasonShare("no_partitioned_table", "it names none", 2, 4, 15 * SECOND),
                        new ReasonShare(
                                "error 1146",
                                "the server refuses it: Table 'shop.gone' doesn't exist",
                                1,
                                2,
                                5 * SECOND),
                        new ReasonShare(
                                "not_explained",
                                "SELECTs with less time than the groups above; --groups sets how many are explained",
                                0,
                                4,
                                3 * SECOND));
        long all = observation.reasons().stream().mapToLong(ReasonShare::nanos).sum();
        assertThat(all + observation.splitNanos()).isEqualTo(observation.load().nanos());
    }

    @Test
    void anEmptyLoadHasNoShares() {
        Observation empty = new Observation("s", "s", new Load(0, 0, 0, 0, List.of()), List.of(), List.of(), List.of());
        assertThat(empty.percent(empty.splitNanos())).isZero();
        assertThat(empty.reasons()).isEmpty();
    }
}
