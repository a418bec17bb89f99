package io.fanfold.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class ScaleModelTest {
    @Test
    void onlyTheWorkIsSharedAmongCores() {
        ScaleModel model = ScaleModel.of(9000, 10, 4000, 1_000_000, 5010);
        assertThat(model.mergeMicros()).isEqualTo(1, within(1e-9));
        assertThat(model.millis(1)).isEqualTo(5010, within(1e-6));
        assertThat(model.millis(4)).isEqualTo(2010, within(1e-6));
        assertThat(model.timesDirect(4)).isEqualTo(9000 / 2010.0, within(1e-9));
    }

    @Test
    void mergingTakesNoTimeIfTheWorkersTookLess() {
        assertThat(ScaleModel.of(9000, 10, 4000, 1_000_000, 3900).mergeMicros()).isZero();
        assertThat(ScaleModel.of(9000, 10, 4000, 0, 5010).millis(2)).isEqualTo(2010, within(1e-6));
    }
}
