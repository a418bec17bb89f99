package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StatementThreadsTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final StatementThreads threads = new StatementThreads("statement", 1);
    private final CountDownLatch blocked = new CountDownLatch(1);
    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();

    StatementThreadsTest() {
        threads.allow(1);
    }

    @AfterEach
    void close() throws Exception {
        blocked.countDown();
        assertThat(threads.close(LONG)).isTrue();
        assertThat(events).isEmpty();
    }

    private void block() throws Exception {
        threads.run(
                () -> {
                    events.add("begins");
                    try {
                        blocked.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                LONG,
                () -> events.add("first given up"));
        assertThat(next()).isEqualTo("begins");
    }

    private void run(Duration patience) {
        threads.run(() -> events.add("runs"), patience, () -> events.add("given up"));
    }

    private String next() throws InterruptedException {
        return String.valueOf(events.poll(20, TimeUnit.SECONDS));
    }

    @Test
    void aStatementRunsWhenAThreadIsFree() throws Exception {
        run(Duration.ZERO);
        assertThat(next()).isEqualTo("runs");
        block();
        run(LONG);
        blocked.countDown();
        assertThat(next()).isEqualTo("runs");
    }

    @Test
    void aStatementWithoutAThreadIsGivenUpInTimeAndNeverRuns() throws Exception {
        block();
        run(Duration.ofMillis(20));
        assertThat(next()).isEqualTo("given up");
        // it does not wait any more either
        run(LONG);
        assertThat(events).isEmpty();
        blocked.countDown();
        assertThat(next()).isEqualTo("runs");
    }

    @Test
    void aStatementWithoutAPlaceToWaitIsGivenUpAtOnce() throws Exception {
        block();
        run(LONG);
        run(LONG);
        assertThat(next()).isEqualTo("given up");
        blocked.countDown();
        assertThat(next()).isEqualTo("runs");
    }
}
