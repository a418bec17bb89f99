package io.fanfold.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PermitsTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    @Test
    void givesFewerWhenFewerWillDo() throws Exception {
        Permits permits = new Permits(5);
        assertThat(permits.take(3, 3, Duration.ZERO)).isEqualTo(3);
        assertThat(permits.take(4, 2, Duration.ZERO)).isEqualTo(2);
        assertThat(permits.take(4, 1, Duration.ZERO)).isZero();
        permits.giveBack(5);
        assertThat(permits.free()).isEqualTo(5);
    }

    @Test
    void moreThanThereAreIsRefusedAtOnce() throws Exception {
        assertThat(new Permits(3).take(8, 4, LONG)).isZero();
    }

    @Test
    void refusesNonsense() {
        Permits permits = new Permits(3);
        assertThatThrownBy(() -> permits.take(1, 2, LONG)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> permits.take(1, 0, LONG)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> permits.giveBack(1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void whoeverCameFirstIsServedFirst() throws Exception {
        Permits permits = new Permits(4);
        assertThat(permits.take(3, 3, LONG)).isEqualTo(3);
        List<String> order = new ArrayList<>();
        CompletableFuture<Void> big = waiting(permits, 3, "big", order);
        // One permit is free, but the one who wants three was first.
        assertThat(permits.take(1, 1, Duration.ofMillis(20))).isZero();
        permits.giveBack(3);
        big.join();
        assertThat(order).containsExactly("big");
    }

    @Test
    void whoGivesUpLeavesTheWayFree() throws Exception {
        Permits permits = new Permits(4);
        assertThat(permits.take(3, 3, LONG)).isEqualTo(3);
        CompletableFuture<Integer> impatient =
                CompletableFuture.supplyAsync(() -> take(permits, 4, 4, Duration.ofMillis(500)));
        awaitOneWaiting(permits);
        assertThat(permits.take(1, 1, LONG)).isEqualTo(1);
        assertThat(impatient.join()).isZero();
    }

    @Test
    void anInterruptedThreadLeavesTheQueue() throws Exception {
        Permits permits = new Permits(1);
        assertThat(permits.take(1, 1, LONG)).isEqualTo(1);
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try {
            Future<Integer> waiter = executor.submit(() -> permits.take(1, 1, LONG));
            awaitOneWaiting(permits);
            executor.shutdownNow();
            assertThatThrownBy(waiter::get).hasCauseInstanceOf(InterruptedException.class);
            assertThat(permits.waiting()).isZero();
        } finally {
            executor.shutdownNow();
        }
    }

    @Test
    void manyThreadsTakingHalfNeverDeadlock() throws Exception {
        Permits permits = new Permits(8);
        AtomicInteger used = new AtomicInteger();
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        ExecutorService executor = Executors.newFixedThreadPool(12);
        try {
            for (int i = 0; i < 12; i++) {
                threads.add(CompletableFuture.runAsync(
                        () -> {
                            for (int k = 0; k < 500; k++) {
                                int taken = take(permits, 4, 2, LONG);
                                assertThat(taken).isBetween(2, 4);
                                assertThat(used.addAndGet(taken)).isLessThanOrEqualTo(8);
                                used.addAndGet(-taken);
                                permits.giveBack(taken);
                            }
                        },
                        executor));
            }
            CompletableFuture.allOf(threads.toArray(CompletableFuture[]::new)).join();
        } finally {
            executor.shutdownNow();
        }
        assertThat(permits.free()).isEqualTo(8);
        assertThat(permits.waiting()).isZero();
    }

    private static CompletableFuture<Void> waiting(Permits permits, int count, String name, List<String> order) {
        CompletableFuture<Void> done = CompletableFuture.runAsync(() -> {
            assertThat(take(permits, count, count, LONG)).isEqualTo(count);
            order.add(name);
        });
        awaitOneWaiting(permits);
        return done;
    }

    private static void awaitOneWaiting(Permits permits) {
        await().pollInterval(Duration.ofMillis(1)).until(() -> permits.waiting() == 1);
    }

    private static int take(Permits permits, int atMost, int atLeast, Duration wait) {
        try {
            return permits.take(atMost, atLeast, wait);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
