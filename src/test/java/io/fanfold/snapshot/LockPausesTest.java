package io.fanfold.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LockPausesTest {
    private static final SnapshotRound WRITTEN = SnapshotRound.unequal("the tables were being written to");

    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 1_000_000);
    private final LockPauses pauses = new LockPauses(clock::get);

    private void passes(Duration time) {
        clock.addAndGet(time.toNanos());
    }

    @Test
    void pausesDoubleUpToFiveSeconds() {
        List<Long> millis = new ArrayList<>();
        for (int failure = 0; failure < 9; failure++) {
            pauses.ended("t", WRITTEN, Duration.ZERO);
            long pause = 0;
            for (; pauses.current("t").isPresent(); pause += 10) {
                passes(Duration.ofMillis(10));
            }
            millis.add(pause);
        }
        assertThat(millis).containsExactly(50L, 100L, 200L, 400L, 800L, 1600L, 3200L, 5000L, 5000L);
    }

    @Test
    void aPauseReturnsTheLastFailure() {
        assertThat(pauses.current("t")).isEmpty();
        pauses.ended("t", WRITTEN, Duration.ZERO);
        passes(Duration.ofMillis(20));
        assertThat(pauses.current("t")).contains(WRITTEN);
        assertThat(pauses.current("u")).as("other tables").isEmpty();
    }

    @Test
    void aLockThatSucceedsEndsTheGrowth() {
        pauses.ended("t", WRITTEN, Duration.ZERO);
        pauses.ended("t", WRITTEN, Duration.ZERO);
        pauses.ended("t", SnapshotRound.LOCKED, Duration.ZERO);
        assertThat(pauses.current("t")).isEmpty();
        pauses.ended("t", WRITTEN, Duration.ZERO);
        passes(LockPauses.FIRST);
        assertThat(pauses.current("t")).isEmpty();
    }

    @Test
    void writersWaitForATwentiethOfTheTime() {
        pauses.ended("t", WRITTEN, Duration.ofSeconds(1));
        passes(Duration.ofMillis(19_990));
        assertThat(pauses.current("t")).isPresent();
        passes(Duration.ofMillis(10));
        assertThat(pauses.current("t")).isEmpty();
        pauses.ended("t", WRITTEN, Duration.ofMillis(1));
        passes(LockPauses.LONGEST);
        assertThat(pauses.current("t")).as("the long pause does not double").isEmpty();
    }

    @Test
    void clearEndsAllPauses() {
        pauses.ended("t", WRITTEN, Duration.ofSeconds(1));
        pauses.clear();
        assertThat(pauses.current("t")).isEmpty();
        pauses.ended("t", WRITTEN, Duration.ZERO);
        passes(LockPauses.FIRST);
        assertThat(pauses.current("t")).isEmpty();
    }

    @Test
    void onlyTheTablesOfLateAreRemembered() {
        for (int i = 0; i <= 1000; i++) {
            pauses.ended("t" + i, WRITTEN, Duration.ZERO);
        }
        assertThat(pauses.current("t0")).isEmpty();
        assertThat(pauses.current("t1")).isPresent();
    }
}
