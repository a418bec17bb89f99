package io.fanfold.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ReadingPaceTest {
    @Test
    void aSlowReadingIsRareHoweverOftenItIsRequested() {
        Duration wished = Duration.ofSeconds(5);
        assertThat(after(3_000_000).pause(wished)).isEqualTo(wished);
        assertThat(after(250_000_000).pause(wished)).isEqualTo(wished);
        assertThat(after(2_600_000_000L).pause(wished)).isEqualTo(Duration.ofSeconds(52));
        assertThat(after(3_000_000).pause(Duration.ZERO)).isEqualTo(Duration.ofMillis(60));
        assertThat(after(3_000_000).pauseIfStale()).isEqualTo(Duration.ofMillis(9));
    }

    @Test
    void oneReadingThatWaitedDelaysNoOther() {
        assertThat(after(7, 1000).pause(Duration.ZERO)).isEqualTo(Duration.ofNanos(140));
        assertThat(after(1000, 9).pause(Duration.ZERO)).isEqualTo(Duration.ofNanos(180));
        assertThat(after(1000, 1200).pause(Duration.ZERO)).isEqualTo(Duration.ofNanos(20_000));
    }

    @Test
    void readingsThatFailAreRarerEachTime() {
        ReadingPace pace = new ReadingPace();
        assertThat(pace.pauseToRetry()).isEqualTo(Duration.ofMillis(500));
        pace.failed(1_000_000);
        assertThat(pace.pauseToRetry()).isEqualTo(Duration.ofSeconds(1));
        pace.failed(1_000_000);
        assertThat(pace.pauseToRetry()).isEqualTo(Duration.ofSeconds(2));
        pace.failed(2_000_000_000L);
        assertThat(pace.pauseToRetry()).isEqualTo(Duration.ofSeconds(40));
        pace.failed(2_000_000_000L);
        assertThat(pace.pauseToRetry()).isEqualTo(Duration.ofMinutes(1));
        pace.took(1_000_000);
        assertThat(pace.pauseToRetry()).isEqualTo(Duration.ofMillis(500));
    }

    private static ReadingPace after(long... nanos) {
        ReadingPace pace = new ReadingPace();
        for (long each : nanos) {
            pace.took(each);
        }
        return pace;
    }
}
