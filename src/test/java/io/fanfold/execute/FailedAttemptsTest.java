package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.reason.Reason;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class FailedAttemptsTest {
    private static final long SECOND = 1_000_000_000;

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5 * SECOND);
    private final FailedAttempts attempts = new FailedAttempts(now::get);

    @Test
    void theNextAttemptWaitsFiftyTimesAsLongAsTheLastOneTook() {
        attempts.failed("q", Reason.MEMORY, SECOND);
        assertThat(attempts.paused("q")).contains(Reason.MEMORY);
        assertThat(attempts.paused("other")).isEmpty();
        now.addAndGet(50 * SECOND - 1);
        assertThat(attempts.paused("q")).isPresent();
        now.addAndGet(1);
        assertThat(attempts.paused("q")).isEmpty();
    }

    @Test
    void pausesDoubleUntilASplitWorks() {
        attempts.failed("q", Reason.SNAPSHOT, SECOND);
        now.addAndGet(50 * SECOND);
        attempts.failed("q", Reason.SNAPSHOT, SECOND);
        now.addAndGet(100 * SECOND - 1);
        assertThat(attempts.paused("q")).isPresent();
        now.addAndGet(1);
        assertThat(attempts.paused("q")).isEmpty();
        attempts.worked("q");
        attempts.failed("q", Reason.SNAPSHOT, SECOND);
        now.addAndGet(50 * SECOND);
        assertThat(attempts.paused("q")).isEmpty();
    }

    @Test
    void noPauseIsLongerThanAnHour() {
        for (int failures = 0; failures < 100; failures++) {
            attempts.failed("q", Reason.MEMORY, 1_000_000 * SECOND);
        }
        now.addAndGet(3600 * SECOND - 1);
        assertThat(attempts.paused("q")).isPresent();
        now.addAndGet(1);
        assertThat(attempts.paused("q")).isEmpty();
    }

    @Test
    void changedTablesEndAllPauses() {
        attempts.failed("q", Reason.MEMORY, SECOND);
        attempts.clear();
        assertThat(attempts.paused("q")).isEmpty();
    }
}
