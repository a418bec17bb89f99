package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ExperienceTest {
    private static final long MILLI = 1_000_000;
    private final Experience experience = new Experience();

    @Test
    void knowsNothingAtFirst() {
        assertThat(experience.directUnknown("q")).isTrue();
        assertThat(experience.prefersDirect("q")).isFalse();
        assertThat(experience.shouldTryDirect("q", 0, false)).isFalse();
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
                .as("the last direct time counts")
                .isTrue();
    }

    @Test
    void aShortSplitAsksForATryWithout() {
        experience.split("long", 80 * MILLI);
        assertThat(experience.shouldTryDirect("long", 0, false)).isFalse();
        experience.split("short", 40 * MILLI);
        assertThat(experience.shouldTryDirect("short", 0, false)).isTrue();
        assertThat(experience.shouldTryDirect("short", 39 * MILLI, false)).isTrue();
        assertThat(experience.shouldTryDirect("short", 40 * MILLI, false))
                .as("it takes no less by itself")
                .isFalse();
        experience.direct("short", 90 * MILLI);
        assertThat(experience.shouldTryDirect("short", 0, false)).isFalse();
    }

    @Test
    void aDoubtfulSplitIsWorthATryOnlyForLongStatements() {
        experience.direct("long", 100 * MILLI);
        experience.direct("short", 99 * MILLI);
        assertThat(experience.worthATry("long")).isTrue();
        assertThat(experience.worthATry("short")).isFalse();
        assertThat(experience.directUnknown("long")).isFalse();
    }
}
