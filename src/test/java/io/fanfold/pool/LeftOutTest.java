package io.fanfold.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LeftOutTest {
    private final AtomicLong now = new AtomicLong(-5);
    private final LeftOut server = new LeftOut(now::get, Duration.ofSeconds(1));

    private void seconds(long seconds) {
        now.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
    }

    @Test
    void aServerThatWorksMayBeTried() {
        assertThat(server.mayTry()).isTrue();
        assertThat(server.mayTry()).isTrue();
        assertThat(server.why()).isEmpty();
        assertThat(server.worked()).isFalse();
    }

    @Test
    void oneCallerTriesAfterThePause() {
        assertThat(server.failed("gone")).isTrue();
        assertThat(server.why()).contains("gone");
        assertThat(server.mayTry()).isFalse();
        seconds(1);
        assertThat(server.mayTry()).isTrue();
        assertThat(server.mayTry()).as("a second caller").isFalse();
        assertThat(server.worked()).isTrue();
        assertThat(server.mayTry()).isTrue();
    }

    @Test
    void pausesGrowToAMinute() {
        for (long pause : new long[] {1, 2, 4, 8, 16, 32, 60, 60}) {
            server.failed("gone");
            server.failed("gone, says another caller");
            seconds(pause - 1);
            assertThat(server.mayTry()).as("before %s s", pause).isFalse();
            seconds(1);
            assertThat(server.mayTry()).as("after %s s", pause).isTrue();
        }
        server.worked();
        server.failed("gone again");
        seconds(1);
        assertThat(server.mayTry()).as("the first pause after it worked").isTrue();
    }

    @Test
    void aCallerThatDoesNotTryGivesTheTrialBack() {
        server.failed("gone");
        seconds(1);
        assertThat(server.mayTry()).isTrue();
        server.notTried();
        assertThat(server.mayTry()).isTrue();
        server.failed("gone");
        server.notTried();
        assertThat(server.mayTry()).as("in the next pause").isFalse();
    }

    @Test
    void eachReasonIsNewOnce() {
        assertThat(server.failed("gone")).isTrue();
        assertThat(server.failed("gone")).isFalse();
        assertThat(server.failed("late")).isTrue();
    }
}
