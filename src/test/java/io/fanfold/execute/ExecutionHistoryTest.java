package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ExecutionHistoryTest {
    private static final long MILLI = 1_000_000;
    private final ExecutionHistory experience = new ExecutionHistory();

    @Test
    void knowsNothingAtFirst() {
        assertThat(experience.directUnknown("q")).isTrue();
        assertThat(experience.prefersDirect("q")).isFalse();
        assertThat(experience.shouldTryDirect("q", 0, 0, false)).isFalse();
        assertThat(experience.worthATry("q")).isFalse();
    }

    @Test
    void prefersTheFasterWayOnceBothAreKnown() {
        experience.split("q", 30 * MILLI);
        assertThat(experience.prefersDirect("q")).isFalse();
        experience.direct("q", 20 * MILLI);
        assertThat(experience.prefersDirect("q")).isTrue();
        experience.split("q", 10 * MILLI);
        assertThat(experience.prefersDirect("q"))
                .as("the better of two splits counts")
                .isFalse();
        experience.split("q", 90 * MILLI);
        assertThat(experience.prefersDirect("q")).isFalse();
        experience.direct("q", 5 * MILLI);
        assertThat(experience.prefersDirect("q"))
                .as("the better of two direct times counts")
                .isTrue();
        experience.direct("q", 50 * MILLI);
        assertThat(experience.prefersDirect("q")).isTrue();
    }

    @Test
    void filtersAreLeftOutIfTheSplitIsShorterWithout() {
        assertThat(experience.prefersFilters("q")).isTrue();
        experience.filtered("q", 30 * MILLI, 0.4);
        assertThat(experience.prefersFilters("q"))
                .as("the split is tried without")
                .isFalse();
        experience.unfiltered("q", 40 * MILLI);
        assertThat(experience.prefersFilters("q")).isTrue();
        experience.unfiltered("q", 20 * MILLI);
        assertThat(experience.prefersFilters("q")).isFalse();
        assertThat(experience.directUnknown("q")).isTrue();
    }

    @Test
    void filtersThatLeaveFewRowsAreNotTriedWithout() {
        experience.filtered("q", 30 * MILLI, 0.01);
        assertThat(experience.prefersFilters("q")).isTrue();
    }

    @Test
    void aShortSplitAsksForATryWithout() {
        experience.split("long", 250 * MILLI);
        assertThat(experience.shouldTryDirect("long", 0, 0, false)).isFalse();
        experience.split("short", 40 * MILLI);
        assertThat(experience.shouldTryDirect("short", 0, 0, false)).isTrue();
        assertThat(experience.shouldTryDirect("short", 39 * MILLI, 0, false)).isTrue();
        assertThat(experience.shouldTryDirect("short", 40 * MILLI, 0, false))
                .as("it takes no less by itself")
                .isFalse();
        experience.direct("short", 90 * MILLI);
        assertThat(experience.shouldTryDirect("short", 0, 0, false)).isFalse();
    }

    @Test
    void aDoubtfulSplitIsWorthATryOnlyForLongStatements() {
        experience.direct("long", 100 * MILLI);
        experience.direct("short", 99 * MILLI);
        assertThat(experience.worthATry("long")).isTrue();
        assertThat(experience.worthATry("short")).isFalse();
        assertThat(experience.directUnknown("long")).isFalse();
    }

    @Test
    void ifBothWaysTakeAboutAsLongTheDirectOneIsTimedThreeTimes() {
        experience.split("close", 60 * MILLI);
        experience.split("far", 60 * MILLI);
        experience.direct("close", 79 * MILLI);
        experience.direct("far", 80 * MILLI);
        assertThat(experience.shouldTryDirect("far", 0, 0, false)).isFalse();
        for (int tries = 1; tries < 3; tries++) {
            assertThat(experience.shouldTryDirect("close", 0, 0, false)).isTrue();
            experience.direct("close", 79 * MILLI);
        }
        assertThat(experience.shouldTryDirect("close", 0, 0, false)).isFalse();
        assertThat(experience.prefersDirect("close")).isFalse();
    }

    @Test
    void aStatementThatTakesLessThanTwoFixedCostsIsNotSplit() {
        experience.began(10 * MILLI);
        assertThat(experience.shouldTryDirect("q", 0, 20 * MILLI, false)).isFalse();
        assertThat(experience.shouldTryDirect("q", 0, 20 * MILLI - 1, false)).isTrue();
        experience.direct("q", 20 * MILLI);
        assertThat(experience.prefersDirect("q")).isFalse();
        experience.direct("short", 20 * MILLI - 1);
        assertThat(experience.prefersDirect("short")).isTrue();
        for (int splits = 0; splits < 50; splits++) {
            experience.began(2 * MILLI);
        }
        assertThat(experience.prefersDirect("short"))
                .as("the fixed cost follows what splits take")
                .isFalse();
    }
}
