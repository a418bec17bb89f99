package io.fanfold.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

class MachineLoadTest {
    @Test
    void warnsWhenMoreWantedToRunThanCould() {
        assertThat(warning(2.5, 1.5, 3.25))
                .isEqualTo(
                        "This machine is busy (load average 1.5 to 3.3, 2 processors): the times are not comparable.\n");
    }

    @Test
    void isSilentWhileThereWereProcessorsForAll() {
        assertThat(warning(1.0, 2.0, 2.0)).isEmpty();
    }

    @Test
    void doesNotMindTheBuildBeforeTheFirstQueries() {
        assertThat(warning(4.0, 2.2, 1.8, 1.5, 1.5)).isEmpty();
    }

    @Test
    void isSilentIfTheLoadIsUnknown() {
        assertThat(warning(-1.0, -1.0)).isEmpty();
        assertThat(warning()).isEmpty();
    }

    private static String warning(Double... samples) {
        Iterator<Double> loads = List.of(samples).iterator();
        MachineLoad load = new MachineLoad(loads::next, 2);
        while (loads.hasNext()) {
            load.sample();
        }
        return load.warning();
    }
}
