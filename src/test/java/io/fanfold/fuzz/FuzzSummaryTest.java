package io.fanfold.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.metrics.FanOutReport;
import org.junit.jupiter.api.Test;

class FuzzSummaryTest {
    @Test
    void filtersAreCountedAmongTheRunsThatFannedOut() {
        FuzzSummary summary = new FuzzSummary();
        summary.run(FanOutReport.split(8, 2, "verified", 2), true);
        summary.run(FanOutReport.split(8, 2, "verified", 0), true);
        summary.run(FanOutReport.split(8, 2, "verified", 0), false);
        summary.run(FanOutReport.passed("worse_plan"), true);
        assertThat(summary.starsFilteredPercent()).isEqualTo(50);
        assertThat(summary)
                .hasToString("0 statements, 0 of them errors; 0 differences"
                        + "\n3 of 4 runs through a proxy fanned out (75 %), 1 of them with dynamic filters (33 %)"
                        + "\n2 of 3 runs of star joins fanned out (66 %), 1 of them with dynamic filters (50 %)"
                        + "\n  1 worse_plan\n");
    }
}
